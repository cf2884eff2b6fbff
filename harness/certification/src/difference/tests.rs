//! Each kind of difference between results, and equal results.

use hallmark_pipeline::signature::Signature;
use hallmark_schema::model::{DispatchMode, SharedBytes};

use super::*;
use crate::results::{Basis, Headroom, Pass, RunVerdict};

fn result(test: &str, verdict: Verdict) -> ResultLine {
    ResultLine {
        run: RunKey {
            test: format!("wormhole_b0::group::suite::{test}").parse().unwrap(),
            device: DeviceKind::Ttsim,
            harvesting: 0,
            dispatch: DispatchMode::Host,
            schedule_seed: 0,
            repeat: 1,
            pass: Pass::Canonical,
        },
        verdict: RunVerdict(verdict),
        signature: None,
        lines: Vec::new(),
        basis: Basis::Asserted,
        program: None,
        capture: None,
        replay: None,
        milliseconds: 1_500,
        headroom: Vec::new(),
        waiver: None,
    }
}

fn skipped() -> Verdict {
    Verdict::Skipped { reason: "races are not detected".to_owned() }
}

/// The kinds of differences between two results of the same test.
fn kinds(before: ResultLine, after: ResultLine) -> Vec<ChangeKind> {
    let difference = Difference::between_results(&[before], &[after], |_, _| None);
    assert_eq!(difference.compared, 1);
    difference.changes.iter().map(|change| change.kind).collect()
}

#[test]
fn a_draft_without_a_challenge_lacks_nothing_of_a_release_with_one() {
    let canonical = || result("t", Verdict::Pass);
    let mut challenged = canonical();
    challenged.run.pass = Pass::Challenge;
    let release = [canonical(), challenged.clone()];
    let missing = |base: &[ResultLine], new: &[ResultLine]| {
        Difference::between_results(base, new, |_, _| None).count(ChangeKind::Missing)
    };
    assert_eq!(missing(&release, &[canonical()]), 0);
    // A test with a run under a challenge has all of them.
    challenged.run.test = "wormhole_b0::group::suite::other".parse().unwrap();
    assert_eq!(missing(&release, &[canonical(), challenged]), 1);
}

#[test]
fn what_only_one_kind_of_device_has_is_not_missing_on_another() {
    let on = |device, harvesting| {
        let mut result = result("t", Verdict::Pass);
        (result.run.device, result.run.harvesting) = (device, harvesting);
        result
    };
    let whole_and_harvested = [on(DeviceKind::Sim, 0), on(DeviceKind::Sim, 1)];
    let missing = |new: &[ResultLine]| {
        let difference = Difference::between_results(&whole_and_harvested, new, |_, _| None);
        (difference.compared, difference.count(ChangeKind::Missing))
    };
    assert_eq!(missing(&[on(DeviceKind::Ttsim, 0)]), (1, 0));
    assert_eq!(missing(&[on(DeviceKind::Sim, 0)]), (1, 1));
    assert_eq!(left_out(&whole_and_harvested, &[], LeftOut::OfOtherDevices), 0);
    // A missing test on the same chip counts, whatever the device.
    let mut other = on(DeviceKind::Ttsim, 1);
    other.run.test = "wormhole_b0::group::suite::other".parse().unwrap();
    assert_eq!(missing(&[on(DeviceKind::Ttsim, 0), other]), (1, 1));
}

#[test]
fn each_change_of_a_verdict_has_its_kind() {
    use ChangeKind::{Broken, Fixed, NewlySkipped, NewlyUnsupported, NewlyWaived};
    let (pass, fault) = (|| Verdict::Pass, || Verdict::Fault);
    let waived = |verdict| ResultLine { waiver: Some("W-1".to_owned()), ..result("t", verdict) };
    for (before, after, kind) in [
        (result("t", pass()), result("t", fault()), Some(Broken)),
        (waived(fault()), result("t", fault()), Some(Broken)),
        (result("t", skipped()), result("t", fault()), Some(Broken)),
        (result("t", fault()), result("t", pass()), Some(Fixed)),
        (result("t", skipped()), result("t", pass()), Some(Fixed)),
        (result("t", fault()), waived(fault()), Some(NewlyWaived)),
        (result("t", pass()), result("t", skipped()), Some(NewlySkipped)),
        (result("t", pass()), result("t", Verdict::Unsupported), Some(NewlyUnsupported)),
        (result("t", pass()), result("t", pass()), None),
        (result("t", skipped()), result("t", skipped()), None),
        (result("t", fault()), result("t", fault()), None),
        (waived(fault()), waived(fault()), None),
    ] {
        let told = format!("{before:?} {after:?}");
        assert_eq!(kinds(before, after), Vec::from_iter(kind), "{told}");
    }
}

#[test]
fn a_failure_is_another_one_by_its_signature() {
    let hang = |program: &str| {
        let program = Some(program.to_owned());
        ResultLine { signature: Some(Signature::Hang { program }), ..result("t", Verdict::Hang) }
    };
    assert_eq!(kinds(hang("one"), hang("one")), []);
    assert_eq!(kinds(hang("one"), hang("other")), [ChangeKind::OtherFailure]);
    assert_eq!(kinds(hang("one"), result("t", Verdict::Hang)), [ChangeKind::OtherFailure]);
    assert_eq!(kinds(hang("one"), result("t", Verdict::Crash)), [ChangeKind::OtherFailure]);
}

#[test]
fn headroom_and_time_change_at_their_limits() {
    let uses = |used| {
        let headroom = vec![Headroom { output: "out".to_owned(), used }];
        ResultLine { headroom, ..result("t", Verdict::Pass) }
    };
    // Half of the remaining distance is enough; less is not.
    assert_eq!(kinds(uses(0), uses(500_000)), []);
    assert_eq!(kinds(uses(0), uses(500_001)), [ChangeKind::HeadroomHalved]);
    assert_eq!(kinds(uses(900_000), uses(950_001)), [ChangeKind::HeadroomHalved]);
    assert_eq!(kinds(uses(u32::MAX), uses(u32::MAX)), []);
    let takes = |milliseconds| ResultLine { milliseconds, ..result("t", Verdict::Pass) };
    assert_eq!(kinds(takes(1_500), takes(3_000)), []);
    assert_eq!(kinds(takes(1_500), takes(3_001)), [ChangeKind::Slower]);
    // A very short run does not count as slower.
    assert_eq!(kinds(takes(1), takes(1_000)), []);
    assert_eq!(kinds(takes(u64::MAX), takes(u64::MAX)), []);
}

#[test]
fn runs_of_one_package_alone_are_missing_or_added() {
    let (base, new) = ([result("a", Verdict::Pass)], [result("b", Verdict::Pass)]);
    let difference = Difference::between_results(&base, &new, |_, _| None);
    let kinds: Vec<ChangeKind> = difference.changes.iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [ChangeKind::Missing, ChangeKind::Added]);
    assert!(difference.is_regression());
    assert_eq!(difference.summary(), "0 broken, 1 missing, 1 added, 0 fixed");
    // Another device kind makes no different run.
    let mut other = result("a", Verdict::Pass);
    other.run.device = DeviceKind::Sim;
    let difference = Difference::between_results(&base, &[other], |_, _| None);
    assert_eq!((difference.compared, difference.changes.len()), (1, 0));
    assert!(!difference.is_regression());
}

#[test]
fn captures_of_one_program_are_compared_by_outputs_and_addresses() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../schema/released/1.0/captures/data_movement.lmb"
    );
    let bytes: SharedBytes = std::fs::read(path).unwrap().into();
    let capture = Capture::from_bytes(&bytes).unwrap();
    let kept = |program: &[u8], capture: &[u8]| ResultLine {
        program: Some(ContentHash::of(program)),
        capture: Some(ContentHash::of(capture)),
        ..result("t", Verdict::Pass)
    };
    let kinds = |new: ResultLine, after: &Capture| -> Vec<ChangeKind> {
        let captures = |_: &ResultLine, _: &ResultLine| Some([capture.clone(), after.clone()]);
        let old = kept(b"program", b"one");
        let difference = Difference::between_results(&[old], &[new], captures);
        difference.changes.iter().map(|change| change.kind).collect()
    };
    assert_eq!(kinds(kept(b"program", b"other"), &capture), []);
    let mut moved = capture.clone();
    moved.outputs[0].hash = ContentHash::of(b"other bytes");
    moved.record.as_mut().unwrap().addresses[0].address += 64;
    let both = [ChangeKind::OutputsWithinTolerance, ChangeKind::Derived];
    assert_eq!(kinds(kept(b"program", b"other"), &moved), both);
    // Captures of different programs, and identical captures, are not opened.
    assert_eq!(kinds(kept(b"another", b"other"), &moved), []);
    assert_eq!(kinds(kept(b"program", b"one"), &moved), []);
}
