//! Compares bounds with sums of the binomial distribution, and prices with known figures.

use super::*;

/// The probability of at most this many failures.
fn at_most(failures: u32, runs: u32, rate: f64) -> f64 {
    let mut term = (1.0 - rate).powi(runs.cast_signed());
    let mut sum = 0.0;
    for count in 0..=failures {
        sum += term;
        term *= f64::from(runs - count) / f64::from(count + 1) * rate / (1.0 - rate);
    }
    sum
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

#[test]
fn bounds_are_where_the_binomial_distribution_leaves_5_percent() {
    for runs in [1, 2, 3, 10, 20, 100, 160] {
        for failures in 0..=runs {
            let counts = Counts::new(failures, runs);
            let lower = counts.lower_bound(Confidence::OF_BOUNDS);
            if failures == 0 {
                assert!(close(lower, 0.0));
            } else {
                assert!(close(1.0 - at_most(failures - 1, runs, lower), 0.05), "{counts}");
            }
            // A bound of the failures is also a bound of the passes.
            let passes = Counts::new(runs - failures, runs);
            let upper = counts.upper_bound(Confidence::OF_BOUNDS);
            assert!(close(upper, 1.0 - passes.lower_bound(Confidence::OF_BOUNDS)), "{counts}");
            assert!(lower <= upper);
        }
    }
}

fn test_of(failures: u32, runs: u32) -> SequentialTest {
    let rates = Rates::of(Counts::new(0, runs), Counts::new(failures, runs)).unwrap();
    SequentialTest::of_search(rates, Confidence::OF_ANSWERS, 4)
}

#[test]
fn prices_are_those_known() {
    let figures = [(6, 20, 40), (3, 10, 66), (1, 20, 2337), (20, 20, 4)];
    for (failures, runs, price) in figures {
        let test = test_of(failures, runs);
        assert_eq!(test.price_of_passing(), price, "{failures} of {runs}");
        let mut paid = test;
        while paid.decision().is_none() {
            paid.add(Answer::Passes);
        }
        assert_eq!(u64::from(paid.counts().runs()), price);
        assert_eq!(paid.decision(), Some(Answer::Passes));
    }
    let rate = Counts::new(6, 20).lower_bound(Confidence::OF_BOUNDS);
    assert_eq!((rate * 100.0).round(), 14.0);
}

#[test]
fn one_failure_decides_if_the_good_side_never_fails() {
    let mut test = test_of(6, 20);
    test.add(Answer::CannotTell);
    for _ in 0..39 {
        test.add(Answer::Passes);
        assert_eq!(test.decision(), None);
    }
    test.add(Answer::Fails);
    assert_eq!(test.decision(), Some(Answer::Fails));
    assert_eq!(test.counts(), Counts::new(1, 40));
}

#[test]
fn ends_that_fail_alike_are_not_told_apart() {
    let (good, bad) = (Counts::new(4, 20), Counts::new(6, 20));
    assert_eq!(Rates::of(good, bad), Err(FailsAsOften { good, bad }));
    assert_eq!(
        Rates::of(good, bad).unwrap_err().to_string(),
        "the good end fails as often as the bad one: 4 of 20 runs against 6 of 20"
    );
    assert!(Rates::of(Counts::new(0, 20), Counts::new(0, 20)).is_err());
    assert!(Rates::of(Counts::new(1, 20), Counts::new(15, 20)).is_ok());
}

#[test]
fn a_test_between_two_rates_keeps_its_errors_and_its_price() {
    // Wald's bounds are exact without overshoot; runs are whole, so errors are a little smaller here.
    let rates = Rates { good: 0.1, bad: 0.4 };
    let mut random = Random(7);
    for (rate, wrong) in [(0.1, Answer::Fails), (0.4, Answer::Passes)] {
        let (mut mistakes, mut runs) = (0, 0_u64);
        for _ in 0..2000 {
            let mut test = SequentialTest::new(rates, 0.05);
            let decision = loop {
                if let Some(decision) = test.decision() {
                    break decision;
                }
                test.add(Answer::of(random.chance(rate)));
            };
            mistakes += u32::from(decision == wrong);
            runs += u64::from(test.counts().runs());
        }
        assert!(mistakes <= 100, "{mistakes} of 2000 at {rate}");
        if rate > 0.2 {
            let price = SequentialTest::new(rates, 0.05).price_of_failing();
            let mean = runs / 2000;
            assert!(mean >= price / 2 && mean <= price * 2, "{mean} runs for a price of {price}");
        }
    }
}

#[test]
fn a_candidate_that_fails_as_often_is_seldom_rejected_and_a_rare_one_seldom_taken() {
    let mut random = Random(8);
    for rate in [0.05, 0.3, 1.0] {
        let mut accepted = |actual: f64| {
            let decide = || {
                let mut test = SequentialTest::of_candidate(rate, 0.02);
                while test.decision().is_none() {
                    test.add(Answer::of(random.chance(actual)));
                }
                test.decision() == Some(Answer::Fails)
            };
            std::iter::repeat_with(decide).take(500).filter(|taken| *taken).count()
        };
        assert!(accepted(rate) >= 490, "{rate}");
        assert!(accepted(rate / 4.0) <= 10, "{rate}");
        assert_eq!(accepted(0.0), 0);
    }
}

#[test]
fn what_is_not_ruled_out_shows_as_surely_as_asked() {
    // A quarter of 0.4, at 99 %: 0.9^44 is 0.0097, and 0.9^43 is 0.0108.
    let test = SequentialTest::of_candidate(0.4, 0.05);
    assert_eq!(test.price_of_showing(Confidence::OF_ANSWERS), 44);
    assert_eq!(test.price_of_showing(Confidence::OF_BOUNDS), 29);
    // The good side never fails, and the bad one in at least a tenth of its runs.
    let test = SequentialTest::new(Rates { good: 0.0, bad: 0.1 }, 0.05);
    assert_eq!(test.price_of_showing(Confidence::OF_ANSWERS), 44);
    let test = SequentialTest::new(Rates { good: 0.0, bad: 1.0 }, 0.05);
    assert_eq!(test.price_of_showing(Confidence::OF_ANSWERS), 1);
}

#[test]
fn a_bisection_takes_the_logarithm_of_its_positions() {
    let tests = [0, 1, 2, 3, 4, 5, 16, 17, 1024, 1025].map(tests_of);
    assert_eq!(tests, [1, 1, 1, 2, 2, 3, 4, 5, 10, 11]);
    let price = Price::of_bisection(&test_of(6, 20), 16);
    assert_eq!(price, Price { passing: 40, failing: 8, tests: 6, total: 5 * 40 + 8 });
}

#[test]
fn confidences_are_between_a_half_and_one() {
    for text in ["0.5", "0.99", "0.995"] {
        assert!(text.parse::<Confidence>().is_ok(), "{text}");
    }
    for text in ["1", "0.49", "-1", "NaN", "inf", "99 %", ""] {
        let error = text.parse::<Confidence>().unwrap_err().to_string();
        assert!(error.starts_with(&format!("`{text}` is no confidence")), "{error}");
    }
    assert_eq!("0.99".parse::<Confidence>().unwrap().to_string(), "99 %");
    assert_eq!("0.995".parse::<Confidence>().unwrap().to_string(), "99.5 %");
}

/// Random numbers that are the same in every run: a xorshift generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn chance(&mut self, rate: f64) -> bool {
        self.next() < rate
    }

    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
