//! Tests of the firmware bundle: every possible problem of a bundle.

use hallmark_chip::sabotage::liars::{Liar, liar, unmatched};

use super::*;
use crate::bundle_layout::{BundleKind, manifest_text};

const ARCHITECTURE: Architecture = Architecture::WormholeB0;

/// The error of the built-in bundle after a change in its folder.
fn changed(
    change: impl Fn(&mut serde_json::Value, &Path),
) -> Result<FirmwareBundle, BundleProblem> {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in WORMHOLE_B0.files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let mut manifest = serde_json::from_slice(WORMHOLE_B0.manifest).unwrap();
    change(&mut manifest, folder.path());
    std::fs::write(folder.path().join("manifest.json"), manifest.to_string()).unwrap();
    FirmwareBundle::load(folder.path(), ARCHITECTURE).map_err(|error| error.problem)
}

#[test]
fn the_built_in_bundle_is_whole() {
    let bundle = FirmwareBundle::builtin(ARCHITECTURE).unwrap();
    assert_eq!(bundle.manifest().name, "hallmark-1");
    assert_eq!(bundle.images().len(), 5);
    assert_eq!(bundle.images()[0].load_address, 0);
    let (name, offset) = bundle.symbol_at(Processor::Ncrisc, 0xFFC0_0000).unwrap();
    assert_eq!((name, offset), ("_start", 0));
    let main = bundle.images()[0].symbols.address_of("firmware_main").unwrap();
    assert_eq!(bundle.symbol_at(Processor::Brisc, main + 4), Some(("firmware_main", 4)));
    assert!(bundle.memory().unreserved_base.is_multiple_of(32));
}

#[test]
fn the_committed_manifest_is_that_of_the_layout() {
    for architecture in Architecture::ALL {
        let text = manifest_text(ChipDescription::of(architecture), BundleKind::Ordinary);
        assert_eq!(built_in(architecture).manifest, text);
        FirmwareBundle::builtin(architecture).unwrap();
    }
}

#[test]
fn the_hash_covers_every_file() {
    let builtin = FirmwareBundle::builtin(ARCHITECTURE).unwrap();
    let renamed = changed(|manifest, _| manifest["name"] = "other".into()).unwrap();
    assert_ne!(renamed.hash(), builtin.hash());
    let same = changed(|_, _| ()).unwrap();
    let patched = changed(|_, folder| {
        let file = folder.join("trisc2.elf");
        let mut bytes = std::fs::read(&file).unwrap();
        // A letter of a symbol's name.
        let at = bytes.windows(4).position(|name| name == b"main").unwrap();
        bytes[at] = b'M';
        std::fs::write(file, bytes).unwrap();
    });
    assert_ne!(patched.unwrap().hash(), same.hash());
}

type Change<'a> = &'a dyn Fn(&mut serde_json::Value);

#[test]
fn a_wrong_bundle_is_refused_with_what_is_wrong() {
    let problem = |change: &dyn Fn(&mut serde_json::Value)| {
        changed(|manifest, _| change(manifest)).unwrap_err().to_string()
    };
    let cases: [(Change, &str); 20] = [
        (
            &|m| m["data_cache"] = "off".into(),
            "data_cache is `off`, but this chip has no data cache: write `absent`",
        ),
        (&|m| m["data_cache"] = "cold".into(), "unknown variant `cold`"),
        (&|m| drop(m.as_object_mut().unwrap().remove("data_cache")), "missing field `data_cache`"),
        (&|m| m["launch_abi"] = 2.into(), "the bundle has launch ABI 2"),
        (&|m| m["dispatch"]["dispatch_abi"] = 99.into(), "the dispatcher has dispatch ABI 99"),
        (
            &|m| m["brisc"]["private"]["stack"]["end"] = 0xFFC0_0000_u32.into(),
            "leaves the core's private memory",
        ),
        (
            &|m| m["architecture"] = "blackhole".into(),
            "the bundle is for blackhole, not for wormhole_b0",
        ),
        (&|m| m["brisc"]["file"] = "../brisc.elf".into(), "is not a plain file name"),
        (&|m| m["brisc"]["file"] = "none.elf".into(), "cannot read none.elf"),
        (&|m| m["brisc"]["file"] = "trisc0.elf".into(), "the load address is 0x1000"),
        (&|m| m["ncrisc"]["entry"] = 16.into(), "the entry point is 0xffc00000"),
        (&|m| m["memory"]["unreserved_base"] = 0x16_E000.into(), "unreserved"),
        (&|m| m["memory"]["mailbox"]["start"] = 0.into(), "overlaps another range"),
        (
            &|m| m["limits"]["circular_buffers"] = 33.into(),
            "circular_buffers is 33; it must be at least 32",
        ),
        // Firmware cannot lower the promised limits, because outcomes of host programs would depend on it.
        (&|m| m["limits"]["semaphores"] = 15.into(), "semaphores is 15; it must be at least 16"),
        (
            &|m| m["limits"]["runtime_args"] = 340.into(),
            "at least 341, which the host API promises, and at most 4096",
        ),
        (&|m| m["trisc0"]["private"]["kernel"]["start"] = 0xFFB0_0050_u32.into(), "ABI 1 links"),
        (&|m| m["surprise"] = 1.into(), "unknown field `surprise`"),
        (
            &|m| {
                m["memory"]["profiler"] = serde_json::json!({ "start": 0x1_5700, "end": 0x1_8000 })
            },
            "overlaps another range",
        ),
        (
            &|m| {
                m["memory"]["kernel_config"]["end"] = 0x1_5700.into();
                m["memory"]["profiler"] = serde_json::json!({ "start": 0x1_5710, "end": 0x1_8000 });
            },
            "is too small",
        ),
    ];
    for (change, expected) in cases {
        let found = problem(change);
        assert!(found.contains(expected), "{found:?} does not say {expected:?}");
    }
}

#[test]
fn what_a_launch_holds_has_a_least_and_a_most() {
    let with =
        |what: &str, value: u32| changed(|manifest, _| manifest["limits"][what] = value.into());
    for (limit, least, most) in
        [("runtime_args", 341, 4096), ("semaphores", 16, 64), ("circular_buffers", 32, 32)]
    {
        with(limit, least).unwrap();
        with(limit, most).unwrap();
        for value in [least - 1, most + 1] {
            let problem = with(limit, value).unwrap_err();
            let found = matches!(problem, BundleProblem::Limit { what, .. } if what == limit);
            assert!(found, "{limit} {value}: {problem}");
        }
    }
}

const LIARS: &[Liar] = &[
    liar("BundleProblem::LaunchAbi", WRONG),
    liar("BundleProblem::DispatchAbi", WRONG),
    liar("BundleProblem::Architecture", WRONG),
    liar("BundleProblem::Range", WRONG),
    liar("BundleProblem::Limit", "bundle::tests::what_a_launch_holds_has_a_least_and_a_most"),
    liar("BundleProblem::DataCache", WRONG),
    liar("BundleProblem::FileName", WRONG),
    liar("BundleProblem::Disagreement", WRONG),
];
const WRONG: &str = "bundle::tests::a_wrong_bundle_is_refused_with_what_is_wrong";

#[test]
fn every_check_has_a_liar() {
    let checks: Vec<String> = BundleProblem::CHECKS.iter().map(|&check| check.to_owned()).collect();
    assert_eq!(unmatched(&checks, LIARS), Vec::<String>::new());
}

#[cfg(feature = "sabotage")]
#[test]
fn a_test_fails_without_its_check() {
    use hallmark_chip::sabotage::liars::{fails_without, idle};
    assert_eq!(idle(LIARS, fails_without).unwrap(), Vec::new(), "their tests pass without");
}

#[test]
fn a_folder_without_a_bundle_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = FirmwareBundle::load(folder.path(), ARCHITECTURE).unwrap_err().to_string();
    assert!(error.contains("manifest.json"), "{error}");
    assert!(error.contains(&folder.path().display().to_string()), "{error}");
}
