//! Failures that a waiver excuses, from the run to the verifier: on one machine, and merged from shards.

use hallmark_package::Timestamp;

use crate::common::{command, text};
use crate::firmware::PROFILE;
use crate::firmware_builds::{Build, builds};
use crate::forgeries::root;

/// A waiver of the tests of NCRISC from yesterday, for `days` days.
fn waiver(matches: u32, days: i64) -> String {
    let day = |days: i64| {
        let at = Timestamp::from_unix(Timestamp::now().unix() + days * 86400).unwrap();
        at.to_string().split_once('T').unwrap().0.to_owned()
    };
    format!(
        "waiver: W-1\ntests: ['dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_1']\nmatches: {matches}\n\
         verdict: UnpredictableValueUsed\nreason: NCRISC of this build does not run its kernel\nissue: https://example.org/1\n\
         from: {}\nuntil: {}\napproved: reviewer@example.org\n",
        day(-1),
        day(days)
    )
}

#[test]
fn a_waiver_excuses_what_it_says_on_one_machine_and_merged() {
    let builds = builds(&[Build::Broken("ncrisc.elf")]);
    let folder = builds.path();
    let profile = format!("{PROFILE}waivers: {{ at_most: 1, longest: 30d }}\n");
    std::fs::write(folder.join("build.yaml"), profile).unwrap();
    std::fs::create_dir(folder.join("waivers")).unwrap();
    let excuse = |text: String| std::fs::write(folder.join("waivers/W-1.yaml"), text).unwrap();
    let said = |arguments: &[&str]| {
        let said = command(folder).args(arguments).arg("--root").arg(root()).output().unwrap();
        (said.status.code().unwrap(), text(&said))
    };
    let certify = |more: &[&str]| {
        let certify = ["certify", "./build.yaml", "--firmware", "1.1", "--draft"];
        said(&[certify.as_slice(), more].concat())
    };
    let (code, words) = certify(&["-o", "bare.hallmark"]);
    assert!(code != 0 && words.contains("4 pass, 4 faults"), "{words}");
    excuse(waiver(2, 20));
    let (code, words) = certify(&["-o", "one.hallmark", "--waivers", "waivers"]);
    assert!(code == 14 && words.contains("4 pass, 4 waived"), "{words}");
    assert!(words.contains("but 4 failures are waived"), "{words}");
    let verify =
        |package: &str| said(&["package", "verify", package, "--profile", "build.yaml", "--draft"]);
    let (code, words) = verify("one.hallmark");
    assert!(code == 14 && words.contains("but 4 failures are waived"), "{words}");

    for shard in ["1/2", "2/2"] {
        let package = format!("{}.hallmark", &shard[..1]);
        let (code, words) = certify(&["-o", &package, "--shard", shard]);
        assert!(code != 0 && words.contains("2 pass, 2 faults"), "{words}");
    }
    let merge = |more: &[&str]| {
        let merge = ["package", "merge", "1.hallmark", "2.hallmark", "--profile", "build.yaml"];
        said(&[merge.as_slice(), &["-o", "both.hallmark"], more].concat())
    };
    let (code, words) = merge(&[]);
    assert!(code == 13 && words.contains("did not pass (Fault)"), "{words}");
    let (code, words) = merge(&["--waivers", "waivers"]);
    assert!(code == 14 && words.contains("but 4 failures are waived"), "{words}");
    let (code, words) = verify("both.hallmark");
    assert!(code == 14 && words.contains("but 4 failures are waived"), "{words}");

    // A waiver with too many tests, too long a term or an expired one excuses nothing.
    for (text, words) in [
        (waiver(3, 20), "waiver `W-1` excuses 2 tests, not 3"),
        (waiver(2, 40), "waiver `W-1` lasts longer than"),
        (waiver(2, -1).replacen("from: ", "from: 2020-01-01 #", 1), "W-1"),
    ] {
        excuse(text);
        let (code, said) = merge(&["--waivers", "waivers"]);
        assert!(code == 3 && said.contains(words), "{code} {said}");
        let (code, said) = certify(&["-o", "two.hallmark", "--waivers", "waivers"]);
        assert!(code == 3 && said.contains(words), "{code} {said}");
    }
}
