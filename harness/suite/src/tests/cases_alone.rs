//! Cases that a process reads without the rest of their suite.

use crate::discover::Root;
use crate::language::Suite;
use crate::text_of_case::text_of_case;

/// Every case of the repository's suites is the same alone.
#[test]
fn a_case_alone_is_that_of_the_whole_suite() {
    let root =
        Root::at(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))).unwrap();
    let suites = root.load_all().unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let (mut cases, mut whole) = (0, 0);
    for suite in suites {
        let text = suite.text().unwrap();
        for (name, case) in &suite.suite.cases.0 {
            let Some(part) = text_of_case(text, &name.value) else {
                whole += 1;
                continue;
            };
            let alone = root.load_part(&suite.file, text.into(), &part).unwrap();
            assert_eq!(alone.suite.cases.0.len(), 1);
            let (alone_name, alone_case) = &alone.suite.cases.0[0];
            assert_eq!((&alone_name.value, alone_name.span), (&name.value, name.span));
            let of_suite = |suite: &Suite| {
                let Suite { about, import, kernels, binaries, excuse, cases: _ } = suite;
                format!("{about:?} {import:?} {kernels:?} {binaries:?} {excuse:?}")
            };
            assert_eq!(of_suite(&alone.suite), of_suite(&suite.suite));
            // With the place of each value.
            assert_eq!(format!("{alone_case:?}"), format!("{case:?}"), "{}", name.value);
            cases += 1;
        }
    }
    // Quotes over several lines are for the whole suite.
    assert!(cases > 500 && whole * 10 < cases, "{cases} {whole}");
}
