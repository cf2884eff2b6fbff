//! Results of a package repeated on a device.

use std::path::Path;

use hallmark_schema::model::ContentHash;

use crate::common::text;
use crate::forgeries::Forgery;
use crate::roots::{PROFILE, hallmark, part_of_the_repository, profile, root};
use crate::simulator_library::simulator_library;

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
    assert!(said.contains("12 results repeated: 12 agree, 0 differ, 0 unknown"), "{said}");
    assert!(said.contains("each result that has a capture was repeated"), "{said}");
    let (code, said) = replay(root, &["--sample", "3", "--seed", "7"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("3 results repeated, drawn by seed 7: 3 agree, 0 differ, 0 unknown"),
        "{said}"
    );
    // 1 - 0.05^(1/3)
    assert!(
        said.contains("at 95 % confidence, fewer than 63.2 % of the 12 results that have a capture would differ"),
        "{said}"
    );
    assert_eq!(replay(root, &["--sample", "3", "--seed", "7"]).1, said);
    // A sample larger than the number of runs takes all of them.
    let (code, said) = replay(root, &["--sample", "9999", "--seed", "7"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("each result that has a capture was repeated"), "{said}");
}

/// A library, a card or firmware that is not the package's subject repeats nothing; both are named.
#[test]
fn what_is_not_the_subject_of_a_package_repeats_nothing() {
    let root = root();
    let root = root.path();
    let made = hallmark(root, &["certify", "all", "--draft", "-o", "x.hallmark"]);
    assert!(made.status.success(), "{}", text(&made));
    std::fs::write(root.join("no.so"), "no library").unwrap();
    let other = "results of wormhole_b0 are of `sim`, and --device names ";
    for (arguments, words) in [
        (["--device", "misbehaving:flips_bit:wormhole_b0"].as_slice(), "`misbehaving`;"),
        (&["--device", "ttsim:no.so"], "`ttsim`, library `no.so` "),
        (&["--device", "pci:0"], "`pci`;"),
    ] {
        let (code, said) = replay(root, arguments);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(&format!("{other}{words}")), "{said}");
    }
    for (arguments, words) in [
        (["--sample", "0"].as_slice(), "0"),
        (
            &["--device", "sim dispatch=device"],
            "chooses who launches programs, which the package says",
        ),
        (&["--device", "sim:wormhole_b0:harvested=0x1"], "chooses what is fused off"),
        (&["--device", "sim kernels=suites"], "chooses kernels"),
    ] {
        let (code, said) = replay(root, arguments);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
    let (code, said) = replay(root, &["--device", "sim"]);
    assert_eq!(code, Some(0), "{said}");
    // The environment chooses devices for other commands.
    let mut elsewhere = crate::common::command(root);
    let elsewhere = elsewhere.env("HALLMARK_DEVICE_WORMHOLE_B0", "ttsim:no.so");
    let said = elsewhere.args(["package", "replay", "x.hallmark"]).output().unwrap();
    assert_eq!(said.status.code(), Some(0), "{}", text(&said));
}

/// A device that Hallmark does not bring is named; where it gives other results, each of them is told.
#[test]
fn a_device_that_gives_other_results_is_told_with_each_of_them() {
    let root = root();
    let root = root.path();
    let device = |defect: &str| format!("wormhole_b0=misbehaving:{defect}:wormhole_b0");
    let make = ["certify", "all", "--draft", "-o", "x.hallmark", "--device"];
    let made = hallmark(root, &[make.as_slice(), &[&device("flips_bit")]].concat());
    assert_eq!(made.status.code(), Some(1), "{}", text(&made));
    let (code, said) = replay(root, &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("are of `misbehaving`, which Hallmark does not bring; name it with --device"),
        "{said}"
    );
    // The same failures come again; a verifier rejects them.
    let (code, said) = replay(root, &["--device", &device("flips_bit")]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("not verified; `hallmark package verify --replay` repeats"), "{said}");
    assert_eq!(hallmark(root, &["package", "verify", "x.hallmark"]).status.code(), Some(13));
    let (code, said) = replay(root, &["--device", &device("drops_writes")]);
    assert_eq!(code, Some(13), "{said}");
    assert!(said.contains("DIFFERS wormhole_b0::"), "{said}");
}

/// No capture holds the end of a process: a package that says that a process hung is repeated by a process that hangs, too.
#[test]
fn a_process_that_hangs_is_repeated_by_one_that_hangs() {
    let root = root();
    let root = root.path();
    let suite = root.join("suites/group/suite.yaml");
    let text_of = std::fs::read_to_string(&suite).unwrap();
    std::fs::write(suite, text_of.replace("  counted:\n", "  counted:\n    timeout: 2\n")).unwrap();
    let tests = PROFILE.replace(", device]", "]").replace("'**'", "'group::suite::counted'");
    profile(root, "all", &tests);
    let device = |how: &str| format!("wormhole_b0=misbehaving:{how}:wormhole_b0");
    let make = ["certify", "all", "--draft", "-o", "x.hallmark", "--device", &device("stalls")];
    let made = hallmark(root, &make);
    assert_eq!(made.status.code(), Some(6), "{}", text(&made));
    let on =
        |how: &str, timeout: &str| replay(root, &["--device", &device(how), "--timeout", timeout]);
    let (code, said) = on("stalls", "3");
    assert!(code == Some(0) && said.contains("1 agree, 0 differ, 0 unknown"), "{said}");
    // Neither a shorter time nor a clean end tells anything.
    let (code, said) = on("stalls", "1");
    assert!(
        code == Some(12) && said.contains("UNKNOWN wormhole_b0::group::suite::counted"),
        "{said}"
    );
    let (code, said) = on("flips_bit", "3");
    assert!(
        code == Some(12) && said.contains("the package says Hang, and the repetition ended"),
        "{said}"
    );
}

/// Hallmark brings no library: the user names it, and its bytes are those that the package names.
#[test]
fn a_library_is_named_by_its_path_and_has_the_hash_of_the_package() {
    let root = root();
    let root = root.path();
    let tests = PROFILE.replace("[sim]", "[ttsim]").replace("'**'", "'group::suite::seeded'");
    profile(root, "all", &tests);
    let library = simulator_library();
    let device = format!("wormhole_b0=ttsim:{}", library.display());
    let made = ["certify", "all", "--draft", "-o", "x.hallmark", "--device", &device];
    let made = hallmark(root, &made);
    assert_eq!(made.status.code(), Some(14), "{}", text(&made));
    let (code, said) = replay(root, &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("are of `ttsim`, library ") && said.contains("=ttsim:PATH"), "{said}");
    let mut bytes = std::fs::read(library).unwrap();
    bytes.push(0);
    std::fs::write(root.join("other.so"), bytes).unwrap();
    let (code, said) = replay(root, &["--device", "ttsim:other.so"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("--device names `ttsim`, library `other.so` "), "{said}");
    let (code, said) = replay(root, &["--device", &device, "--sample", "2"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("2 results repeated, drawn by seed "), "{said}");
    let verify = ["package", "verify", "x.hallmark", "--draft"];
    let said = hallmark(root, &verify);
    assert!(text(&said).contains("but 10 results rest on the submitter's word"), "{}", text(&said));
    let said = hallmark(root, &[verify.as_slice(), &["--replay", "--device", &device]].concat());
    assert_eq!(said.status.code(), Some(14), "{}", text(&said));
    assert!(!text(&said).contains("rest on the submitter's word"), "{}", text(&said));
}

/// What Hallmark brings is repeated though a device of another architecture is not named; the results of that one stay
/// unknown, and a verifier says so.
#[test]
fn a_device_that_is_not_named_keeps_nothing_else_from_being_repeated() {
    let root = root();
    let root = root.path();
    let tests = PROFILE.replace("'**'", "'group::suite::seeded'");
    let second = "devices:\n  - { architecture: blackhole, kinds: [sim], harvesting: [0x0], dispatch: [host] }\n";
    profile(root, "all", &tests.replace("[sim]", "[ttsim]").replace("devices:\n", second));
    let blessed = ["bless", "--yes", "--arch", "blackhole", "--exclude", "vendors_library"];
    let blessed = hallmark(root, &blessed);
    assert!(blessed.status.success(), "{}", text(&blessed));
    let device = format!("wormhole_b0=ttsim:{}", simulator_library().display());
    let made = ["certify", "all", "--draft", "-o", "x.hallmark", "--device", &device];
    let made = hallmark(root, &made);
    assert_eq!(made.status.code(), Some(14), "{}", text(&made));
    let (code, said) = replay(root, &[]);
    assert_eq!(code, Some(12), "{said}");
    assert!(said.contains("UNKNOWN wormhole_b0::group::suite::seeded"), "{said}");
    assert!(said.contains("name it with --device wormhole_b0=ttsim:PATH"), "{said}");
    let verify = ["package", "verify", "x.hallmark", "--draft", "--replay"];
    let said = hallmark(root, &verify);
    assert_eq!(said.status.code(), Some(14), "{}", text(&said));
    assert!(text(&said).contains("on the submitter's word"), "{}", text(&said));
    let (code, said) = replay(root, &["--device", &device]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(" 0 differ, 0 unknown"), "{said}");
}

/// A page and an export come of a sample, and say which one.
#[test]
fn a_page_and_an_export_name_the_sample_and_its_seed() {
    let root = root();
    let root = root.path();
    let made = hallmark(root, &["certify", "all", "--draft", "-o", "x.hallmark"]);
    assert!(made.status.success(), "{}", text(&made));
    let sample = ["x.hallmark", "--draft", "--replay", "3", "--seed", "7"];
    let words = "3 results repeated, drawn by seed 7: 3 agree, 0 differ, 0 unknown";
    let page = [["package", "report"].as_slice(), &sample, &["-o", "x.html"]].concat();
    let said = text(&hallmark(root, &page));
    assert!(said.contains(words), "{said}");
    assert!(std::fs::read_to_string(root.join("x.html")).unwrap().contains(words));
    let export = [["package", "export"].as_slice(), &sample, &["--as", "test-result"]].concat();
    let said = hallmark(root, &export);
    assert!(String::from_utf8_lossy(&said.stderr).contains(words), "{}", text(&said));
    serde_json::from_slice::<serde_json::Value>(&said.stdout).unwrap();
    let json = [["package", "verify"].as_slice(), &sample, &["--json"]].concat();
    let said: serde_json::Value = serde_json::from_slice(&hallmark(root, &json).stdout).unwrap();
    assert_eq!(said["repeated"], words);
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
    assert!(said.contains(" 0 differ, 0 unknown"), "{said}");
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

/// A replay loads a collected trace from its capture. Bytes that the submitter made up are not loaded.
#[test]
fn a_collected_trace_is_made_anew() {
    let root = part_of_the_repository(&["queues/loaded"]);
    let root = root.path();
    let suites = "['queues::loaded::load::replays=1::queue=0']";
    profile(root, "all", &PROFILE.replace("['**']", suites));
    let made = hallmark(root, &["certify", "all", "--draft", "-o", "x.hallmark"]);
    assert!(made.status.success(), "{}", text(&made));
    let mut forgery = Forgery::of(&std::fs::read(root.join("x.hallmark")).unwrap());
    let made_up = b"no trace".to_vec();
    let hash = ContentHash::of(&made_up);
    forgery.blob(made_up);
    forgery.captures(|capture| {
        let collected = &mut capture.record.as_mut().unwrap().collected;
        assert!(!collected.is_empty());
        collected.iter_mut().for_each(|trace| trace.hash = hash);
    });
    std::fs::write(root.join("x.hallmark"), forgery.end()).unwrap();
    let (code, said) = replay(root, &[]);
    assert_eq!(code, Some(0), "{said}");
}
