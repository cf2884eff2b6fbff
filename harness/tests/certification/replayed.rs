//! Results of a package repeated on a device.

use std::path::Path;

use crate::common::text;
use crate::roots::{PROFILE, hallmark, part_of_the_repository, profile, root};

fn replay(root: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let said = hallmark(root, &[&["package", "replay", "x.hallmark"], arguments].concat());
    (said.status.code(), text(&said))
}

/// Every run repeated, a sample of them, and the same sample again, with the sample's confidence.
#[test]
fn results_are_repeated_and_a_sample_says_what_it_is_worth() {
    let root = root();
    let root = root.path();
    let made = hallmark(root, &["certify", "all", "--draft", "-o", "x.hallmark"]);
    assert!(made.status.success(), "{}", text(&made));
    let (code, said) = replay(root, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("0 otherwise, 0 unknown, of "), "{said}");
    assert!(said.contains("each result that has a capture was repeated"), "{said}");
    let (code, said) = replay(root, &["--sample", "3", "--seed", "7"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains(
            "3 as in the package, 0 otherwise, 0 unknown, of 3 results repeated, drawn by seed 7"
        ),
        "{said}"
    );
    // 1 - 0.05^(1/3)
    assert!(said.contains("at 95 % confidence, fewer than 63.2 % of "), "{said}");
    assert_eq!(replay(root, &["--sample", "3", "--seed", "7"]).1, said);
    // A sample larger than the number of runs takes all of them.
    let (code, said) = replay(root, &["--sample", "9999", "--seed", "7"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("each result that has a capture was repeated"), "{said}");
}

#[test]
fn a_device_that_gives_other_results_is_told_with_each_of_them() {
    let root = root();
    let root = root.path();
    let made = hallmark(root, &["certify", "all", "--draft", "-o", "x.hallmark"]);
    assert!(made.status.success(), "{}", text(&made));
    let (code, said) = replay(root, &["--device", "misbehaving:flips_bit:wormhole_b0"]);
    assert_eq!(code, Some(13), "{said}");
    assert!(said.contains("OTHERWISE wormhole_b0::"), "{said}");
    // With dispatch on the device, this device behaves well.
    assert!(said.contains(": 6 as in the package, 6 otherwise, 0 unknown, "), "{said}");
    // Without an open device, all results are unknown.
    std::fs::write(root.join("no.so"), "no library").unwrap();
    let (code, said) = replay(root, &["--device", "ttsim:no.so"]);
    assert_eq!(code, Some(12), "{said}");
    assert!(said.contains("UNKNOWN ") && said.contains("so nothing is known"), "{said}");
    for (arguments, words) in [
        (["--sample", "3"].as_slice(), "--seed"),
        (&["--seed", "3"], "--sample"),
        (&["--sample", "0", "--seed", "3"], "0"),
        (&["--device", "sim:blackhole"], "the package has results of wormhole_b0, too"),
    ] {
        let (code, said) = replay(root, arguments);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
}

/// Without the test's device settings, its programs would wait for each other forever.
#[test]
fn what_a_test_asks_of_its_device_is_asked_again() {
    let root = part_of_the_repository(&["queues/overlap"]);
    let root = root.path();
    let suites = "['queues::overlap::meet', 'queues::overlap::asked_past_the_end_of_the_numbers']";
    profile(root, "all", &PROFILE.replace("['**']", suites));
    let made = hallmark(root, &["certify", "all", "--draft", "-o", "x.hallmark"]);
    assert!(made.status.success(), "{}", text(&made));
    let (code, said) = replay(root, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(", 0 otherwise, 0 unknown, of "), "{said}");
}

/// A changed word makes the file no package, and nothing runs.
#[test]
fn a_damaged_package_is_not_replayed() {
    let root = root();
    let root = root.path();
    let made = hallmark(root, &["certify", "all", "--draft", "-o", "x.hallmark"]);
    assert!(made.status.success(), "{}", text(&made));
    let mut bytes = std::fs::read(root.join("x.hallmark")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(root.join("x.hallmark"), bytes).unwrap();
    let (code, said) = replay(root, &[]);
    assert_eq!(code, Some(13), "{said}");
}
