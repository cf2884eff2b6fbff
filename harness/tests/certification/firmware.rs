//! Firmware as the subject of certification: a sound build, an identical build, and one with a planted defect.

use std::collections::BTreeSet;
use std::path::Path;

use hallmark_certification::results::Basis;

use crate::common::{command, repository, text};
use crate::firmware_builds::{Build, builds};
use crate::forgeries::{Forgery, root};

/// A page copied by each of the data-movement cores, launched by the host and by a dispatcher.
pub(crate) const PROFILE: &str = "profile: build
edition: \"1\"
about: What a build of the firmware decides.
subjects: [firmware]
devices:
  - { architecture: wormhole_b0, kinds: [sim], dispatch: [host, device] }
tests: { suites: ['dataflow::loopback::one_core::pages=1::page_size=32'] }
";

#[test]
fn builds_of_firmware_are_certified_and_compared() {
    let builds =
        builds(&[Build::Sound, Build::Unchanged, Build::Broken("ncrisc.elf"), Build::OtherAbi]);
    let folder = builds.path();
    let profile = folder.join("build.yaml");
    std::fs::write(&profile, PROFILE).unwrap();
    // The manifest defines a bundle's identity, not the spelling of its path.
    std::fs::write(folder.join("1.1/.gitignore"), "*").unwrap();
    std::fs::create_dir(folder.join("1.1/symbols")).unwrap();
    let said = |arguments: &[&str]| {
        let mut hallmark = command(folder);
        let said = hallmark.args(arguments).arg("--root").arg(root()).output().unwrap();
        (said.status.code().unwrap(), text(&said))
    };
    let certified = |firmware: &str, package: &str| {
        said(&["certify", "./build.yaml", "--firmware", firmware, "-o", package])
    };
    for (firmware, package) in [("1.1", "base.hallmark"), ("1.2", "same.hallmark")] {
        let (code, words) = certified(firmware, package);
        assert_eq!(code, 0, "{words}");
        assert!(words.contains("build on firmware build 0: "), "{words}");
    }
    let (code, words) = certified("1.3", "night.hallmark");
    assert_ne!(code, 0, "{words}");
    assert!(
        words.contains("on firmware build 2: ") && words.contains("processor=riscv_1"),
        "{words}"
    );

    let harvested = PROFILE.replace("kinds: [sim],", "kinds: [sim], harvesting: [0x0, 0x120],");
    assert_ne!(harvested, PROFILE);
    std::fs::write(folder.join("harvested.yaml"), harvested).unwrap();
    let device = "wormhole_b0=sim firmware=1.1";
    let (code, words) = said(&["certify", "harvested.yaml", "--device", device]);
    assert!(code == 0 && words.contains("on firmware build 0: "), "{words}");

    // The submitter's verifier had the profile; a reviewer states that it is known too.
    let (code, words) = said(&["package", "verify", "base.hallmark"]);
    assert!(
        code == 13 && words.contains("name your own copy of its file with --profile"),
        "{words}"
    );
    let (code, words) = said(&["package", "verify", "base.hallmark", "--profile", "build.yaml"]);
    assert!(code == 14 && words.contains("`firmware build 0` conforms to `build`"), "{words}");
    let (code, words) = said(&["package", "verify", "night.hallmark", "--profile", "build.yaml"]);
    assert!(code == 13 && words.contains("the subject does not conform"), "{words}");

    exported_and_shown(folder, &said);
    annotated(&said);

    let diff = |base: &str, package: &str| {
        let said = command(folder).args(["package", "diff", base, package]).output().unwrap();
        (said.status.code().unwrap(), text(&said))
    };
    let (code, words) = diff("base.hallmark", "same.hallmark");
    assert!(code == 0 && words.contains("0 broken, 0 fixed"), "{words}");
    let (code, words) = diff("base.hallmark", "night.hallmark");
    assert_eq!(code, 1, "{words}");
    let of_ncrisc = |line: &&str| line.contains("processor=riscv_1");
    let listed: Vec<&str> = words.lines().filter(|line| line.starts_with("  worm")).collect();
    assert!(!listed.is_empty() && listed.iter().all(of_ncrisc), "{words}");
    assert_eq!(diff("night.hallmark", "base.hallmark").0, 0);
}

/// GitHub shows each failing test beside its case.
fn annotated(said: &impl Fn(&[&str]) -> (i32, String)) {
    let export = |package: &str| {
        let form = ["--as", "github-annotations", "--profile", "build.yaml"];
        said(&[["package", "export", package].as_slice(), &form].concat())
    };
    let (code, words) = export("base.hallmark");
    assert!(code == 14 && words.is_empty(), "{code} {words}");
    let (code, words) = export("night.hallmark");
    assert_eq!(code, 13, "{words}");
    let suite = std::fs::read_to_string(repository().join("suites/dataflow/loopback.yaml"));
    let case = suite.unwrap().lines().position(|line| line == "  one_core:").unwrap() + 1;
    let begin = format!("::error file=suites/dataflow/loopback.yaml,line={case},title=");
    assert_eq!(words.lines().count(), 2, "{words}");
    assert!(words.lines().all(|line| line.starts_with(&begin)), "{words}");
    assert!(words.contains("processor=riscv_1%3A%3Anoc=noc_0::Fault in 2 runs%0A"), "{words}");
    // A file that is no package yields no export.
    let (code, words) = export("build.yaml");
    assert!(code == 13 && !words.contains("::error"), "{words}");
}

/// The exports and the pages of the sound build and of the broken one.
fn exported_and_shown(folder: &Path, said: &impl Fn(&[&str]) -> (i32, String)) {
    let export = |package: &str, file: &str, more: &[&str], code: i32| {
        let profile = ["--profile", "build.yaml", "-o", file];
        let export = ["package", "export", package, "--as", "test-result"];
        let (ended, words) = said(&[export.as_slice(), &profile, more].concat());
        assert_eq!(ended, code, "{words}");
        let text = std::fs::read(folder.join(file)).unwrap();
        serde_json::from_slice::<serde_json::Value>(&text).unwrap()
    };
    let names = |value: &serde_json::Value| {
        value
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    // The fields are those of the specification.
    let sound = export("base.hallmark", "base.json", &["--replay"], 14);
    let fields = |value: &serde_json::Value, names: &[&str]| {
        let found: BTreeSet<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(found, names.iter().copied().collect());
    };
    fields(&sound, &["_type", "subject", "predicateType", "predicate"]);
    assert_eq!(sound["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(sound["predicateType"], "https://in-toto.io/attestation/test-result/v0.1");
    let predicate = &sound["predicate"];
    let lists = ["passedTests", "warnedTests", "failedTests"];
    fields(predicate, &[["result", "configuration"].as_slice(), &lists].concat());
    // The verifier got no list of signers.
    assert_eq!(predicate["result"], "WARNED");
    assert!(
        names(&predicate["failedTests"]).is_empty() && !names(&predicate["passedTests"]).is_empty()
    );
    // What nobody has repeated is a warning.
    let submitted = export("base.hallmark", "submitted.json", &[], 14);
    assert_eq!(submitted["predicate"]["warnedTests"], predicate["passedTests"]);
    assert!(names(&submitted["predicate"]["passedTests"]).is_empty());
    for resource in [&sound["subject"], &predicate["configuration"]] {
        for resource in resource.as_array().unwrap() {
            let digest = resource["digest"]["sha256"].as_str().unwrap();
            assert!(digest.len() == 64 && resource["name"].is_string(), "{resource}");
        }
    }
    let subjects = sound["subject"].as_array().unwrap();
    assert!(subjects.iter().any(|it| it["name"].as_str().unwrap().starts_with("firmware/")));
    assert_eq!(predicate["configuration"][0]["name"], "profile.yaml");

    let broken = export("night.hallmark", "night.json", &[], 13);
    assert_eq!(broken["predicate"]["result"], "FAILED");
    let failed = names(&broken["predicate"]["failedTests"]);
    assert!(!failed.is_empty() && failed.iter().all(|name| name.contains("processor=riscv_1")));
    // A package's own word that a result was repeated makes no test pass.
    let mut forgery = Forgery::of(&std::fs::read(folder.join("night.hallmark")).unwrap());
    forgery.results(|all| all.iter_mut().for_each(|it| it.basis = Basis::Replayed));
    std::fs::write(folder.join("claims.hallmark"), forgery.end()).unwrap();
    let claims = export("claims.hallmark", "claims.json", &[], 13);
    assert_eq!(names(&claims["predicate"]["passedTests"]), [""; 0]);
    assert_eq!(claims["predicate"]["warnedTests"], broken["predicate"]["warnedTests"]);
    let of_other = ["package", "export", "base.hallmark", "--as", "test-result", "-o", "none.json"];
    assert_eq!(said(&of_other).0, 13);
    assert!(!folder.join("none.json").exists());
}

#[test]
fn firmware_that_is_no_subject_is_refused_before_anything_runs() {
    let builds = builds(&[Build::OtherAbi, Build::Sound]);
    let folder = builds.path();
    std::fs::write(folder.join("build.yaml"), PROFILE).unwrap();
    let chips = "kinds: [sim] }\n  - { architecture: blackhole, kinds: [sim] }\n";
    let two = PROFILE.replace("kinds: [sim], dispatch: [host, device] }\n", chips);
    assert!(two.contains("blackhole"));
    std::fs::write(folder.join("two.yaml"), two).unwrap();
    let bundle = repository().join("runtime/firmware/bundles/hallmark-1/wormhole_b0");
    let other = folder.join("1.1");
    std::fs::create_dir(folder.join("taken")).unwrap();
    let refused = |profile: &str, firmware: &Path, code: i32, words: &str| {
        let mut hallmark = command(folder);
        let hallmark = hallmark.args(["certify", profile, "-o", "x.hallmark", "--firmware"]);
        let said = hallmark.arg(firmware).arg("--root").arg(root()).output().unwrap();
        let said_text = text(&said);
        assert_eq!(said.status.code(), Some(code), "{said_text}");
        assert!(said_text.contains(words), "{words}: {said_text}");
        assert!(!folder.join("x.hallmark.run").exists(), "{said_text}");
    };
    refused("./build.yaml", &bundle, 2, "wormhole_b0 is the built-in one");
    refused("./build.yaml", &other, 5, "the bundle has launch ABI 2");
    refused("./two.yaml", &bundle, 2, "is the built-in one");
    let own = &folder.join("own");
    std::fs::create_dir(own).unwrap();
    for entry in std::fs::read_dir(bundle).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, own.join(path.file_name().unwrap())).unwrap();
    }
    let manifest = std::fs::read_to_string(own.join("manifest.json")).unwrap();
    std::fs::write(own.join("manifest.json"), manifest.replace("hallmark-1", "mine")).unwrap();
    refused("./build.yaml", own, 2, "wormhole_b0 is the built-in one");
    let own = &folder.join("1.2");
    let kernels = format!("sim firmware={} kernels={}", own.display(), own.display());
    for (arguments, words) in [
        (["-o", "taken", "--device", "sim"], "taken cannot be written"),
        (
            ["-o", "x.hallmark", "--device", &kernels],
            "chooses kernels, which the conformance profile says",
        ),
    ] {
        let mut hallmark = command(folder);
        let hallmark = hallmark.args(["certify", "build.yaml", "--firmware"]).arg(own);
        let said = hallmark.args(arguments).arg("--root").arg(root()).output().unwrap();
        assert_eq!(said.status.code(), Some(2), "{}", text(&said));
        assert!(text(&said).contains(words), "{}", text(&said));
        assert!(!folder.join("taken.run").exists());
    }
    refused("./two.yaml", own, 5, "--device 'blackhole=sim firmware=FOLDER'");
}
