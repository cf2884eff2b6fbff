//! How far another runtime agrees with the modelled chip: a line for each category, each category that the
//! share leaves out, and each known deviation.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::plural::{counted, grouped};

use hallmark_pipeline::compare::{Compared, Comparison, Why};
use hallmark_suite::deviations::{Deviations, Owner};
use hallmark_suite::read::Choice as _;

/// The category of a test's result on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Category {
    Same,
    ExpectedErrorSame,
    KnownDeviation,
    NotExpressible,
    Failed,
    /// Outside the share: the test does not apply to the device.
    Inapplicable,
    /// Outside the share: a kernel is written for Hallmark alone.
    HallmarkKernel,
    /// Outside the share: the test expects a fault, a deadlock or a hang.
    Stop,
}

impl Category {
    const SHARED: [(Self, &'static str); 5] = [
        (Self::Same, "the same"),
        (Self::ExpectedErrorSame, "the same, with an expected error"),
        (Self::KnownDeviation, "a known deviation"),
        (Self::NotExpressible, "not expressible"),
        (Self::Failed, "failed"),
    ];
    const LEFT_OUT: [(Self, &'static str); 3] = [
        (Self::HallmarkKernel, "a kernel is written for Hallmark alone"),
        (Self::Stop, "a fault, a deadlock or a hang is expected"),
        (Self::Inapplicable, "the device or the chip lacks what it needs"),
    ];

    fn of(comparison: &Comparison, other: &Compared) -> Self {
        match other {
            Compared::Equal if comparison.meets_errors => Self::ExpectedErrorSame,
            Compared::Equal => Self::Same,
            Compared::Deviates(_) => Self::KnownDeviation,
            Compared::Differs(_) => Self::Failed,
            Compared::NotCompared(it) => match it.why {
                Why::Inapplicable => Self::Inapplicable,
                Why::HallmarkKernel => Self::HallmarkKernel,
                Why::Stop => Self::Stop,
                Why::Inexpressible => Self::NotExpressible,
            },
        }
    }
}

/// Formats the agreement of one device. The minimal captures of the list of deviations are counted apart,
/// because they show deviations and not the share of tests that agree.
pub(super) fn agreement(
    name: &str,
    place: usize,
    compared: &[(String, Comparison)],
    deviations: &Deviations,
) -> String {
    let mut counts: BTreeMap<Category, usize> = BTreeMap::new();
    let mut deviating: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut unsaid: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    let minimal: BTreeSet<String> =
        deviations.captures().iter().map(|file| file.display().to_string()).collect();
    let (mut captures, mut deviating_captures) = (0_usize, 0_usize);
    for (test, comparison) in compared {
        let Some(other) = comparison.others.get(place) else { continue };
        let category = Category::of(comparison, other);
        if minimal.contains(test) && category != Category::Failed {
            captures = captures.saturating_add(1);
            if category == Category::KnownDeviation {
                deviating_captures = deviating_captures.saturating_add(1);
            }
        } else {
            *counts.entry(category).or_default() += 1;
        }
        if let Compared::Deviates(names) = other {
            names.iter().for_each(|name| deviating.entry(name).or_default().push(test));
        }
        if let (Compared::NotCompared(it), Category::NotExpressible) = (other, category) {
            unsaid.entry(it.reason.as_str()).or_default().push(test);
        }
        for reason in &comparison.left_out {
            *left_out.entry(reason).or_default() += 1;
        }
    }
    let count = |category: Category| counts.get(&category).copied().unwrap_or_default();
    let sum = |categories: &[(Category, &str)]| -> usize {
        categories.iter().map(|&(category, _)| count(category)).sum()
    };
    let (total, outside) = (sum(&Category::SHARED), sum(&Category::LEFT_OUT));
    let mut text = format!(
        "   agreement of {name}: {} of {}\n",
        grouped(total),
        counted(total.saturating_add(outside), "test", "tests")
    );
    for (category, words) in Category::LEFT_OUT {
        if count(category) > 0 {
            text.push_str(&format!("     left out  {:>5}  {words}\n", grouped(count(category))));
        }
    }
    for (category, words) in Category::SHARED {
        text.push_str(&format!("               {:>5}  {words}\n", grouped(count(category))));
    }
    let same = count(Category::Same).saturating_add(count(Category::ExpectedErrorSame));
    let thousandths = same.saturating_mul(1000).checked_div(total).unwrap_or_default();
    text.push_str(&format!(
        "     the same: {}.{} % of {}\n",
        thousandths / 10,
        thousandths % 10,
        grouped(total)
    ));
    if captures > 0 {
        text.push_str(&format!(
            "     beside them: {} of known deviations, of which {} one here\n",
            counted(captures, "minimal capture", "minimal captures"),
            counted(deviating_captures, "shows", "show")
        ));
    }
    for (reason, tests) in unsaid {
        text.push_str(&format!("     not expressible: {}\n", reason));
        tests.iter().for_each(|test| text.push_str(&format!("       {test}\n")));
    }
    for (name, tests) in deviating {
        match deviations.named(name) {
            Some(known) => text.push_str(&format!(
                "     known deviation `{name}` ({}, {}): {}\n       see {}\n",
                Owner::name(known.whose.0),
                known.releases(),
                known.reason,
                known.link
            )),
            None => text.push_str(&format!("     known deviation `{name}`\n")),
        }
        tests.iter().for_each(|test| text.push_str(&format!("       {test}\n")));
    }
    for (reason, calls) in left_out {
        text.push_str(&format!(
            "     {} not made: {reason}\n",
            counted(calls, "call that fails is", "calls that fail are")
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use hallmark_pipeline::compare::NotCompared;
    use hallmark_suite::discover::Root;

    use super::*;

    #[test]
    fn minimal_captures_are_no_part_of_the_share() {
        let root = Root::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        let deviations = Deviations::load(&root).unwrap();
        let capture = deviations.captures().into_iter().next().unwrap().display().to_string();
        let of = |name: &str, other: Compared| {
            (name.to_owned(), Comparison { others: vec![other], ..Comparison::default() })
        };
        let known = Compared::Deviates(vec!["region_write_of_slow_dispatch".to_owned()]);
        let text = |compared: &[(String, Comparison)]| agreement("M", 0, compared, &deviations);
        let said = text(&[of("a test", Compared::Equal), of(&capture, known)]);
        assert!(said.contains("agreement of M: 1 of 1 test\n"), "{said}");
        assert!(said.contains("the same: 100.0 % of 1\n"), "{said}");
        let beside =
            "beside them: 1 minimal capture of known deviations, of which 1 shows one here\n";
        assert!(said.contains(beside), "{said}");
        assert!(said.contains(&format!("       {capture}\n")), "{said}");
        let said = text(&[of("a test", Compared::Equal), of(&capture, Compared::Equal)]);
        assert!(said.contains("of which 0 show one here\n"), "{said}");
    }

    #[test]
    fn the_share_leaves_out_what_cannot_be_compared() {
        let not_compared = |why, reason: &str| {
            Compared::NotCompared(NotCompared { why, reason: reason.to_owned() })
        };
        let of = |name: &str, other: Compared| {
            (name.to_owned(), Comparison { others: vec![other], ..Comparison::default() })
        };
        let mut refused = of("refused", Compared::Equal);
        refused.1.meets_errors = true;
        refused.1.left_out.push("it names nothing".to_owned());
        let compared = [
            of("same", Compared::Equal),
            refused,
            of("deviating", Compared::Deviates(vec!["lax".to_owned()])),
            of("bytes", not_compared(Why::Inexpressible, "TT-Metalium has no traces as bytes")),
            of("faulty", not_compared(Why::Stop, "a fault")),
            of("own", not_compared(Why::HallmarkKernel, "own")),
            of("other", not_compared(Why::Inapplicable, "needs silicon")),
        ];
        insta::assert_snapshot!(agreement("metalium:S@ttsim:P", 0, &compared, &Deviations::default()), @r"
           agreement of metalium:S@ttsim:P: 4 of 7 tests
             left out      1  a kernel is written for Hallmark alone
             left out      1  a fault, a deadlock or a hang is expected
             left out      1  the device or the chip lacks what it needs
                           1  the same
                           1  the same, with an expected error
                           1  a known deviation
                           1  not expressible
                           0  failed
             the same: 50.0 % of 4
             not expressible: TT-Metalium has no traces as bytes
               bytes
             known deviation `lax`
               deviating
             1 call that fails is not made: it names nothing
        ");
    }
}
