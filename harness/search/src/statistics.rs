//! Statistics of flaky runs: bounds of a failure rate, tests that stop as early as possible, and the price of
//! an answer in advance.

use std::fmt;
use std::str::FromStr;

use statrs::function::beta::checked_beta_reg;
use thiserror::Error;

use crate::Answer;

/// The required share of right answers over many searches, from a half to below 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Confidence(f64);

/// A confidence that is out of range or not a number.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no confidence; give a number of at least 0.5 and below 1, for example 0.99")]
pub struct NoConfidence(String);

impl Confidence {
    /// 95 %, at which rates are estimated.
    pub const OF_BOUNDS: Self = Self(0.95);
    /// 99 %, for the answer of a search.
    pub const OF_ANSWERS: Self = Self(0.99);

    /// A confidence from a number.
    ///
    /// # Errors
    /// The number is below a half, 1 or more, or NaN.
    pub fn new(confidence: f64) -> Result<Self, NoConfidence> {
        if (0.5..1.0).contains(&confidence) {
            Ok(Self(confidence))
        } else {
            Err(NoConfidence(confidence.to_string()))
        }
    }

    /// The number, at least 0.5 and below 1.
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The permitted share of wrong answers.
    pub fn error(self) -> f64 {
        1.0 - self.0
    }
}

impl FromStr for Confidence {
    type Err = NoConfidence;

    fn from_str(text: &str) -> Result<Self, NoConfidence> {
        let number = text.parse().map_err(|_| NoConfidence(text.to_owned()))?;
        Self::new(number).map_err(|_| NoConfidence(text.to_owned()))
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // With the digits that it was written with: 0.995 is 99.5 %, which floating point alone would not show.
        let tenths_of_thousandths = (self.0 * 10_000.0).round() / 100.0;
        write!(formatter, "{tenths_of_thousandths} %")
    }
}

/// The number of runs of the same try, and of the failures among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    failures: u32,
    runs: u32,
}

impl Counts {
    /// Counts with `failures` limited to `runs`.
    pub fn new(failures: u32, runs: u32) -> Self {
        Self { failures: failures.min(runs), runs }
    }

    /// Counts another run. A run without an answer is not counted.
    pub const fn add(&mut self, answer: Answer) {
        let failures = match answer {
            Answer::Fails => 1,
            Answer::Passes => 0,
            Answer::CannotTell => return,
        };
        self.failures = self.failures.saturating_add(failures);
        self.runs = self.runs.saturating_add(1);
    }

    /// The sum of these runs and other runs of the same try.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self {
            failures: self.failures.saturating_add(others.failures),
            runs: self.runs.saturating_add(others.runs),
        }
    }

    /// The number of failed runs.
    pub const fn failures(self) -> u32 {
        self.failures
    }

    /// The number of runs.
    pub const fn runs(self) -> u32 {
        self.runs
    }

    /// The number of passed runs.
    pub const fn passes(self) -> u32 {
        self.runs.saturating_sub(self.failures)
    }

    /// Clopper and Pearson's lower bound of the failure rate, at the confidence.
    pub fn lower_bound(self, confidence: Confidence) -> f64 {
        if self.failures == 0 {
            return 0.0;
        }
        quantile(f64::from(self.failures), f64::from(self.passes()) + 1.0, confidence.error())
    }

    /// Clopper and Pearson's upper bound of the failure rate, at the confidence.
    pub fn upper_bound(self, confidence: Confidence) -> f64 {
        if self.passes() == 0 {
            return 1.0;
        }
        quantile(f64::from(self.failures) + 1.0, f64::from(self.passes()), confidence.value())
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {}", self.failures, self.runs)
    }
}

/// The quantile of a beta distribution, by bisection: the inverse in `statrs` has no bound on its iterations.
fn quantile(a: f64, b: f64, probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        // Both parameters are at least 1, so the function is defined everywhere.
        if checked_beta_reg(a, b, middle).unwrap_or(1.0) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The failure rates of both sides of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// An upper bound of the good side's failure rate, from 0 to 1.
    pub good: f64,
    /// A lower bound of the bad side's failure rate, from 0 to 1.
    pub bad: f64,
}

/// The good side may fail as often as the bad one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the good end fails as often as the bad one: {good} runs against {bad}")]
pub struct FailsAsOften {
    /// Runs of the good side.
    pub good: Counts,
    /// Runs of the bad side.
    pub bad: Counts,
}

impl Rates {
    /// The rates from runs of both sides: the upper bound of the good side and the lower bound of the bad side,
    /// at 95 %. A good side without a failure counts as never failing.
    ///
    /// # Errors
    /// The bounds do not separate the sides.
    pub fn of(good: Counts, bad: Counts) -> Result<Self, FailsAsOften> {
        let rates = Self {
            good: if good.failures() == 0 { 0.0 } else { good.upper_bound(Confidence::OF_BOUNDS) },
            bad: bad.lower_bound(Confidence::OF_BOUNDS),
        };
        if rates.bad > rates.good { Ok(rates) } else { Err(FailsAsOften { good, bad }) }
    }
}

/// The number of tests in a bisection over this many positions with known ends: ⌈log₂ positions⌉, at least 1.
pub const fn tests_of(positions: usize) -> u32 {
    let below = positions.saturating_sub(1);
    let tests = usize::BITS - below.leading_zeros();
    if tests == 0 { 1 } else { tests }
}

/// Wald's sequential probability ratio test, which decides between two rates. It takes one run after the other
/// and ends as soon as they suffice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SequentialTest {
    rates: Rates,
    error: f64,
    counts: Counts,
}

impl SequentialTest {
    /// A test between these rates. `error` is the share of wrong answers on either side, above 0 and below a
    /// half.
    pub const fn new(rates: Rates, error: f64) -> Self {
        Self { rates, error, counts: Counts { failures: 0, runs: 0 } }
    }

    /// One of the tests of a search with this confidence.
    pub fn of_search(rates: Rates, confidence: Confidence, tests: u32) -> Self {
        Self::new(rates, confidence.error() / f64::from(tests.max(1)))
    }

    /// A test whether a reducer's candidate fails about as often as its origin, which fails at this rate, above
    /// 0 and up to 1. A candidate that fails a quarter as often is rejected; otherwise reducers drift to ever
    /// rarer failures.
    pub fn of_candidate(rate: f64, error: f64) -> Self {
        Self::new(Rates { good: rate / 4.0, bad: rate }, error)
    }

    /// Takes a run. A run without an answer has no effect.
    pub const fn add(&mut self, answer: Answer) {
        self.counts.add(answer);
    }

    /// The runs so far.
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// The decision, once it is certain enough. If the good side never fails, one failure decides.
    pub fn decision(&self) -> Option<Answer> {
        let failures = f64::from(self.counts.failures());
        let passes = f64::from(self.counts.passes());
        if self.rates.good <= 0.0 {
            if self.counts.failures() > 0 {
                return Some(Answer::Fails);
            }
            return (passes > 0.0 && passes * self.pass() <= self.error.ln())
                .then_some(Answer::Passes);
        }
        // A rate of 1 is ruled out by one pass: a pass then adds minus infinity, and zero passes must add 0.
        let passed = if passes > 0.0 { passes * self.pass() } else { 0.0 };
        let ratio = failures * (self.rates.bad / self.rates.good).ln() + passed;
        if ratio >= ((1.0 - self.error) / self.error).ln() {
            Some(Answer::Fails)
        } else if ratio <= self.lower_threshold() {
            Some(Answer::Passes)
        } else {
            None
        }
    }

    /// The (negative) contribution of a passing run to the logarithm of the ratio.
    fn pass(&self) -> f64 {
        ((1.0 - self.rates.bad) / (1.0 - self.rates.good)).ln()
    }

    fn lower_threshold(&self) -> f64 {
        if self.rates.good <= 0.0 {
            self.error.ln()
        } else {
            (self.error / (1.0 - self.error)).ln()
        }
    }

    /// The number of runs that decide for passing, if no run fails.
    pub fn price_of_passing(&self) -> u64 {
        whole(self.lower_threshold() / self.pass())
    }

    /// The number of runs in which a candidate that the test does not reject fails at least once, at a confidence. Such a
    /// candidate fails more often than the good side; where the good side never fails, it fails as often as the bad side.
    pub fn price_of_showing(&self, confidence: Confidence) -> u64 {
        let least = if self.rates.good > 0.0 { self.rates.good } else { self.rates.bad };
        whole(confidence.error().ln() / (1.0 - least).ln())
    }

    /// The average number of runs that decide for failing, at the rate of the bad side.
    pub fn price_of_failing(&self) -> u64 {
        let bad = self.rates.bad;
        if self.rates.good <= 0.0 {
            // One failure suffices, and the number of runs never exceeds that for passing.
            let most = self.lower_threshold() / self.pass();
            return whole((1.0 - (1.0 - bad).powf(most)) / bad);
        }
        // Wald's approximation: the expected end of the walk divided by its expected step.
        let end = (1.0 - self.error) * ((1.0 - self.error) / self.error).ln()
            + self.error * self.lower_threshold();
        whole(end / (bad * (bad / self.rates.good).ln() + (1.0 - bad) * self.pass()))
    }
}

/// A number of runs, rounded up and at least 1. It is limited to a million million.
fn whole(runs: f64) -> u64 {
    const MOST: f64 = 1e12;
    if runs.is_nan() {
        return MOST as u64;
    }
    // A quotient such as 2.000000000001 counts as 2.
    (runs - 1e-9).ceil().clamp(1.0, MOST) as u64
}

/// The price of an answer, in runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Price {
    /// For one passing position, if no run fails.
    pub passing: u64,
    /// For one failing position, on average.
    pub failing: u64,
    /// The number of tested positions, including both neighbours of the answer once more.
    pub tests: u32,
    /// For all positions, if all but one pass.
    pub total: u64,
}

impl Price {
    /// The price of a bisection over this many positions with this test.
    pub fn of_bisection(test: &SequentialTest, positions: usize) -> Self {
        let (passing, failing) = (test.price_of_passing(), test.price_of_failing());
        let tests = tests_of(positions).saturating_add(2);
        let others = u64::from(tests.saturating_sub(1));
        let total = passing.max(failing).saturating_mul(others).saturating_add(failing);
        Self { passing, failing, tests, total }
    }
}

#[cfg(test)]
pub(crate) mod tests;
