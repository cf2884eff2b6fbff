//! A case alone binds to what it binds to among others.

use std::path::Path;

use hallmark_chip::{Architecture, ChipDescription};
use hallmark_schema::commands::Command;

use super::*;
use crate::bound::BoundTest;
use crate::discover::{Root, SuiteFile, known_architectures};

fn root() -> Root {
    Root::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

/// The test of a case of the committed suites with this name.
fn test(name: &str) -> SelectedTest {
    root().test(&name.parse().unwrap()).unwrap()
}

#[test]
fn a_case_alone_makes_the_same_calls_and_expects_the_same() {
    let (mut looked_at, mut seen) = (0, 0);
    for suite in root().load_all().unwrap() {
        let mut last = None;
        // The last point of each case's matrix.
        let mut tests = suite.tests(&[Architecture::WormholeB0]);
        tests.reverse();
        for test in tests {
            let case = test.name.case.clone();
            if last.replace(case.clone()) == Some(case) {
                continue;
            }
            seen += 1;
            // A third of the cases has every kind of step.
            if seen % 3 != 0 {
                continue;
            }
            let chip = ChipDescription::of(test.name.architecture);
            let Ok(before) = test.measure_on(chip) else { continue };
            let narrowed = NarrowedCase::of(&test).unwrap();
            let alone = narrowed.test().unwrap_or_else(|mistakes| {
                panic!("{}: {mistakes}\n{}", test.name, narrowed.text(""))
            });
            assert_eq!(alone.name, test.name);
            let after = alone.measure_on(chip).unwrap();
            let calls = |bound: &BoundTest| {
                let steps = bound.case.steps.iter();
                let steps = steps.map(|step| (step.command.clone(), step.failure.clone()));
                (steps.collect::<Vec<_>>(), bound.case.num_command_queues, bound.asked.budget)
            };
            assert_eq!(calls(&after), calls(&before), "{}", test.name);
            assert_eq!(after.outputs.len(), before.outputs.len(), "{}", test.name);
            looked_at += 1;
        }
    }
    assert!(looked_at > 30, "{looked_at}");
}

#[test]
fn a_narrowed_suite_is_right_by_itself() {
    let test = test("blackhole::circular_buffers::pipeline::two_stages::pages=40::depth=5");
    let narrowed = NarrowedCase::of(&test).unwrap();
    let text = narrowed.text("why\nit is here");
    assert!(text.starts_with("# why it is here\nabout: "), "{text}");
    assert!(!text.contains("three_stages") && !text.contains("compute_add"), "{text}");
    let file = SuiteFile { group: "other".to_owned(), suite: "alone".to_owned() };
    let suite = root().load_text(&file, text.into()).unwrap();
    // Nothing in it is unused, and it applies to one architecture alone.
    suite.check(&known_architectures()).unwrap();
    let tests = suite.tests(&known_architectures());
    let applies = tests.iter().filter(|test| {
        test.conditions().is_none_or(|conditions| conditions.admits(test.name.architecture))
    });
    let names: Vec<String> = applies.map(|test| test.name.to_string()).collect();
    assert_eq!(names, ["blackhole::other::alone::two_stages::pages=40::depth=5"]);
}

#[test]
fn numbers_change_and_what_follows_from_them() {
    let test = test("wormhole_b0::circular_buffers::pipeline::two_stages::pages=40::depth=5");
    let narrowed = NarrowedCase::of(&test).unwrap();
    let numbers = [("depth", 5), ("page_size", 64), ("pages", 40)];
    let numbers = numbers.map(|(name, number)| (name.to_owned(), number));
    assert_eq!(narrowed.numbers(), BTreeMap::from(numbers));
    let changed = narrowed.with("pages", 3).with("page_size", 32);
    assert_eq!(changed.numbers().get("pages"), Some(&3));
    let test = changed.test().unwrap();
    assert_eq!(test.name.point(), "pages=3, depth=5");
    let bound = test.bind().unwrap();
    let sizes = bound.case.steps.iter().filter_map(|step| match &step.command {
        Command::CreateBuffer(call) => Some(call.size),
        _ => None,
    });
    assert_eq!(sizes.collect::<Vec<_>>(), [96, 96]);
    // Nothing has this name.
    assert_eq!(narrowed.with("absent", 1).text(""), narrowed.text(""));
    // What no suite can say is no test.
    assert!(narrowed.with("pages", -1).test().unwrap().bind().is_err());
}
