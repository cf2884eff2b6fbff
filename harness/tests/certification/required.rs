//! Capabilities that a conformance profile requires: a subject without one fails instead of skipping.

use crate::common::text;
use crate::roots::{hallmark, part_of_the_repository, profile};
use crate::simulator_library::simulator_library;

/// A race. A library with the ABI of `libttsim.so` cannot report it.
const PROFILE: &str = "profile: races
edition: \"1\"
about: Stores of two processors to one word.
subjects: [simulator]
devices:
  - { architecture: wormhole_b0, kinds: [sim, ttsim] }
tests: { suites: ['faults::races::two_stores'] }
";

#[test]
fn a_required_capability_that_a_subject_lacks_is_a_failure() {
    let root = part_of_the_repository(&["faults/races"]);
    profile(root.path(), "races", PROFILE);
    let required = PROFILE.replace("races\n", "required\n") + "requires: [detects_races]\n";
    profile(root.path(), "required", &required);
    let library = format!("wormhole_b0=ttsim:{}", simulator_library().display());
    let certify = |profile: &str, device: &str| {
        let arguments = ["certify", profile, "--draft", "--device", device, "-o", "x.hallmark"];
        let said = hallmark(root.path(), &arguments);
        (said.status.code().unwrap(), text(&said))
    };
    // The simulator reports the race with and without the requirement.
    for profile in ["races", "required"] {
        let (code, said) = certify(profile, "wormhole_b0=sim");
        assert!(code == 0 && said.contains("1 pass  "), "{said}");
    }
    let (code, said) = certify("races", &library);
    assert!(code == 0 && said.contains("1 skipped  "), "{said}");
    let (code, said) = certify("required", &library);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("1 mismatch  ") && !said.contains("skipped"), "{said}");
    let said = hallmark(root.path(), &["package", "verify", "--draft", "x.hallmark"]);
    assert_eq!(said.status.code(), Some(13), "{}", text(&said));
    assert!(text(&said).contains("did not pass (Mismatch)"), "{}", text(&said));
}
