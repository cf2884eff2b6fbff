//! Valid profiles, and mistakes with their positions.

use super::*;

const PROFILE: &str = "\
profile: mine
edition: \"1\"
hallmark: \">= 0.1, < 99\"
about: A profile.
subjects: [simulator, firmware]
devices:
  - { architecture: wormhole_b0, kinds: [sim, ttsim], harvesting: [0x0, 0x120], dispatch: [host, device] }
tests:
  suites: [dataflow]
  except: ['*::loopback']
requires: [detects_races, detects_faults]
schedules: { seeds: 1..20 }
repeats: { pci: 5 }
challenge: { required: true, valid_for: 30d }
never_waived: [buffers]
waivers: { at_most: 10, longest: 180d }
score: { at_least: 120, of: 128 }
";

fn read(text: &str) -> Result<ConformanceProfile, SuiteMistakes> {
    ConformanceProfile::of_text("mine.yaml".to_owned(), text, PathBuf::new())
}

#[test]
fn a_profile_says_what_stands_in_it_and_defaults_otherwise() {
    use hallmark_suite::language::{Capability, DeviceKind};

    use super::super::lock::SubjectKind;
    use hallmark_chip::Architecture;

    let locked = read(PROFILE).unwrap().locked();
    assert_eq!(locked.subjects, [SubjectKind::Simulator, SubjectKind::Firmware]);
    let device = LockedDevice {
        architecture: Architecture::WormholeB0,
        kinds: vec![DeviceKind::Sim, DeviceKind::Ttsim],
        harvesting: vec![0, 0x120],
        dispatch: vec![DispatchMode::Host, DispatchMode::Device],
    };
    assert_eq!(locked.devices, [device]);
    assert_eq!(locked.requires, [Capability::DetectsRaces, Capability::DetectsFaults]);
    assert_eq!(locked.schedule_seeds, SeedRange { first: 1, last: 20 });
    assert_eq!(locked.repeats, Repeats { sim: 1, ttsim: 1, pci: 5 });
    assert_eq!(locked.challenge, ChallengeRule { required: true, valid_for_days: 30 });
    assert_eq!(locked.never_waived, ["buffers"]);
    assert_eq!(locked.waivers, WaiverRule { at_most: 10, longest_days: 180 });
    assert_eq!(locked.score, Some(MutationScore { at_least: 120, of: 128 }));
    assert_eq!(locked.file, ContentHash::of(PROFILE.as_bytes()));

    let (short, _) = PROFILE.split_once("requires").unwrap();
    let short = short.replace(", harvesting: [0x0, 0x120], dispatch: [host, device]", "");
    let locked = read(&short).unwrap().locked();
    assert_eq!(locked.devices[0].harvesting, [0]);
    assert_eq!(locked.devices[0].dispatch, [DispatchMode::Host]);
    assert_eq!(locked.schedule_seeds, SeedRange { first: 0, last: 0 });
    assert_eq!(locked.repeats, Repeats { sim: 1, ttsim: 1, pci: 1 });
    assert_eq!(locked.challenge, ChallengeRule { required: false, valid_for_days: CHALLENGE_DAYS });
    assert_eq!(locked.waivers, WaiverRule { at_most: 0, longest_days: 0 });
    assert_eq!((locked.score, locked.requires.len()), (None, 0));
}

#[test]
fn mistakes_are_told_with_their_places_and_the_nearest_name() {
    for (right, wrong, words) in [
        ("edition: \"1\"\n", "", "a conformance profile needs `edition`"),
        ("\"1\"", "2027.1", "expected a text, not a number"),
        ("\"1\"", "1", "put it in quotes"),
        (">= 0.1", ">= 98", "and the profile is for >= 98, < 99"),
        (">= 0.1, < 99", "the newest", "`the newest` is no range of releases"),
        ("requires:", "require:", "mine.yaml:11:1"),
        ("requires:", "require:", "did you mean `requires`?"),
        ("[simulator, firmware]", "[simulater]", "mine.yaml:5:12"),
        ("[simulator, firmware]", "[simulater]", "did you mean `simulator`?"),
        ("[simulator, firmware]", "[]", "`subjects` is empty"),
        ("[sim, ttsim]", "[]", "`kinds` is empty"),
        ("0x120", "0x400", "has bits above 0x3ff"),
        ("0x120", "0x100000000", "more than 32 bits"),
        ("1..20", "20..1", "is not a range of seeds"),
        ("30d", "30", "expected a number of days"),
        ("30d", "0d", "expected a number of days"),
        ("30d", "3651d", "expected a number of days"),
        ("pci: 5", "pci: 0", "a test runs 1 to 1000 times, not 0"),
        ("pci: 5", "pci: 1001", "a test runs 1 to 1000 times, not 1001"),
        ("at_least: 120", "at_least: 129", "129 of 128 cannot be found"),
        ("at_most: 10", "at_most: 4294967296", "this number is out of range"),
        ("[buffers]", "['buf[fers']", "is not a pattern"),
        ("suites: [dataflow]", "suites: []", "the profile demands no test"),
        ("except:", "captures: [../x.lmb]\n  except:", "lies outside the profile's folder"),
        ("except:", "captures: [/x.lmb]\n  except:", "lies outside the profile's folder"),
    ] {
        let text = PROFILE.replacen(right, wrong, 1);
        assert_ne!(text, PROFILE, "{right}");
        let said = read(&text).unwrap_err().to_string();
        assert!(said.contains(words), "{words}\n{said}");
    }
    let entry = "  - { architecture: wormhole_b0, kinds: [sim] }\ntests:";
    let said = read(&PROFILE.replacen("tests:", entry, 1)).unwrap_err().to_string();
    assert!(said.contains("another entry is of wormhole_b0"), "{said}");
    // The limits themselves are valid.
    for (right, limit) in [("30d", "3650d"), ("30d", "1d"), ("pci: 5", "pci: 1000"), ("120", "128")]
    {
        assert!(read(&PROFILE.replacen(right, limit, 1)).is_ok(), "{limit}");
    }
}

const SUITE: &str = "about: A suite.
cases:
  one:
    about: A refused call.
    steps:
      - create_buffer: { id: b, type: dram, size: 100, page_size: 64 }
        expect_error: { code: SizeNotPageMultiple, size: 100, page_size: 64 }
  other:
    about: A refused call.
    steps:
      - create_buffer: { id: b, type: dram, size: 90, page_size: 64 }
        expect_error: { code: SizeNotPageMultiple, size: 90, page_size: 64 }
";

/// A root with two suites and a capture beside a profile.
fn root() -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    for suite in ["group/first", "group/second"] {
        let path = folder.path().join(format!("suites/{suite}.yaml"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, SUITE).unwrap();
    }
    let profiles = folder.path().join("suites").join(CONFORMANCE_PROFILES);
    std::fs::create_dir_all(profiles.join("corpus")).unwrap();
    std::fs::write(profiles.join("corpus/add.lmb"), "a capture").unwrap();
    let root = Root::at(folder.path()).unwrap();
    (folder, root)
}

fn selecting(tests: &str) -> String {
    let (before, _) = PROFILE.split_once("tests:").unwrap();
    format!("{before}tests:\n{tests}\n")
}

#[test]
fn a_profile_selects_tests_and_captures() {
    let (_folder, root) = root();
    let profiles = root.suites().join(CONFORMANCE_PROFILES);
    let write = |name: &str, tests: &str| {
        std::fs::write(profiles.join(format!("{name}.yaml")), selecting(tests)).unwrap();
    };
    let names = |name: &str| -> Vec<String> {
        let profile = ConformanceProfile::find(&root, name).unwrap();
        profile.tests(&root).unwrap().iter().map(|test| test.name.to_string()).collect()
    };
    write("all", "  suites: ['**']");
    let all = ["first::one", "first::other", "second::one", "second::other"];
    assert_eq!(names("all"), all.map(|test| format!("wormhole_b0::group::{test}")));
    write(
        "some",
        "  suites: [group::first, '*::second::one']\n  except: [wormhole_b0::group::first::one]",
    );
    assert_eq!(
        names("some"),
        ["wormhole_b0::group::first::other", "wormhole_b0::group::second::one"]
    );
    write("captures", "  suites: []\n  captures: [corpus/*.lmb]");
    let captures = ConformanceProfile::find(&root, "captures").unwrap().captures().unwrap();
    assert_eq!(captures.into_iter().collect::<Vec<_>>(), [PathBuf::from("corpus/add.lmb")]);

    let refused = |name: &str| {
        let profile = ConformanceProfile::find(&root, name).unwrap();
        let tests = profile.tests(&root).map(|_| ());
        tests.and(profile.captures().map(|_| ())).unwrap_err().to_string()
    };
    write("wrong", "  suites: [group::frist]");
    let said = refused("wrong");
    assert!(said.contains("no test is selected by `group::frist`"), "{said}");
    assert!(said.contains("did you mean `group::first`?") && said.contains(":9:12"), "{said}");
    write("wrong", "  suites: [group]\n  captures: [corpus/sub.lmb]");
    assert!(refused("wrong").contains("there is no file `corpus/sub.lmb`"));
    let error = ConformanceProfile::find(&root, "smoe").unwrap_err().to_string();
    assert!(error.starts_with("there is no conformance profile `smoe`"), "{error}");
    let error = ConformanceProfile::find(&root, "al").unwrap_err().to_string();
    assert!(error.contains("did you mean `all`?"), "{error}");
}
