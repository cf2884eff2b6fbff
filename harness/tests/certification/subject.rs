//! Packages whose evidence is of another subject than the one that they name. The forger is the vendor: every hash and
//! every signature is made anew.

use std::path::Path;
use std::sync::LazyLock;

use hallmark_certification::log::LogEvent;
use hallmark_certification::results::Basis;
use hallmark_package::{ENVIRONMENT, Namespace, SIGNATURE};

use crate::common::{command, text};
use crate::firmware::PROFILE;
use crate::firmware_builds::{Build, builds};
use crate::forgeries::{Forgery, root};
use crate::roots::{hallmark, part_of_the_repository, profile};
use crate::signed::Keys;

/// A sound build of the firmware as `1.1`, one on which NCRISC runs no kernel as `1.2`, builds whose dispatcher stops with a
/// fault as `1.3` and jumps to itself as `1.4`, and the profile as `build.yaml`.
static BUILDS: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let all = [Build::Sound, Build::Broken("ncrisc.elf"), Build::Sound, Build::Sound];
    let builds = builds(&all);
    for (build, instruction) in [("1.3", 0_u32), ("1.4", 0x0000_006f)] {
        let dispatch = builds.path().join(build).join("dispatch.elf");
        let mut elf = std::fs::read(&dispatch).unwrap();
        let first = first_instruction(&elf);
        elf.splice(first..first + 4, instruction.to_le_bytes());
        std::fs::write(dispatch, elf).unwrap();
    }
    std::fs::write(builds.path().join("build.yaml"), PROFILE).unwrap();
    builds
});

/// The place of an ELF's first instruction in its file.
fn first_instruction(elf: &[u8]) -> usize {
    let word = |at: usize| u32::from_le_bytes(*elf[at..].first_chunk().unwrap()) as usize;
    let half = |at: usize| usize::from(u16::from_le_bytes(*elf[at..].first_chunk().unwrap()));
    let (entry, headers, size, count) = (word(24), word(28), half(42), half(44));
    let mut places = (0..count).map(|index| headers + index * size).filter_map(|header| {
        let (offset, address, length) = (word(header + 4), word(header + 8), word(header + 16));
        (address..address + length).contains(&entry).then(|| offset + entry - address)
    });
    places.next().unwrap()
}

fn said(arguments: &[&str]) -> (i32, String) {
    let mut hallmark = command(BUILDS.path());
    let said = hallmark.args(arguments).output().unwrap();
    (said.status.code().unwrap(), text(&said))
}

/// The arguments of `package verify`.
fn verify<'a>(package: &'a str, more: &[&'a str]) -> (i32, String) {
    let root = root().to_str().unwrap();
    let verify = ["package", "verify", package, "--profile", "build.yaml", "--root", root];
    said(&[verify.as_slice(), more].concat())
}

/// A package of the sound build.
fn genuine() -> &'static [u8] {
    static GENUINE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let root = root().to_str().unwrap();
        let certify = ["certify", "./build.yaml", "--firmware", "1.1", "--root", root];
        let (code, words) = said(&[certify.as_slice(), &["-o", "genuine.hallmark"]].concat());
        assert_eq!(code, 0, "{words}");
        std::fs::read(BUILDS.path().join("genuine.hallmark")).unwrap()
    });
    &GENUINE
}

/// The captures of the sound build in a package with the files of another build.
fn of_another_build() -> Forgery {
    of_build("1.2")
}

fn of_build(other: &str) -> Forgery {
    let mut forgery = Forgery::of(genuine());
    forgery.pack_firmware(&BUILDS.path().join(other));
    forgery.claim_firmware_in_captures();
    forgery
}

fn write(name: &str, bytes: &[u8]) {
    std::fs::write(BUILDS.path().join(Path::new(name)), bytes).unwrap();
}

#[test]
fn results_of_another_build_are_submitted_until_the_packed_build_gives_them() {
    let Some(keys) = Keys::new() else {
        println!("skipped: ssh-keygen is not installed");
        return;
    };
    let signed = |bytes: &[u8]| keys.signed(bytes, "submitter", SIGNATURE, Namespace::Package);
    write("honest.hallmark", &signed(genuine()));
    write("swapped.hallmark", &signed(&of_another_build().end()));
    write("allowed", keys.allowed.as_bytes());
    let signers = ["--signers", "allowed"];
    for package in ["honest.hallmark", "swapped.hallmark"] {
        let (code, words) = verify(package, &signers);
        assert_eq!(code, 14, "{words}");
        assert!(
            words.contains("8 results are as submitted") && !words.contains("replayed"),
            "{words}"
        );
    }
    let (_, words) = verify("honest.hallmark", &signers);
    assert!(words.contains("  wormhole_b0 on `sim`, as the submitter says\n"), "{words}");
    let (code, words) = verify("honest.hallmark", &[signers.as_slice(), &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&words).unwrap();
    let firmware = &json["firmware"]["wormhole_b0"];
    assert_eq!((&firmware["name"], &firmware["files"]), (&"build 0".into(), &json["subject_hash"]));
    assert_eq!(firmware["loaded"].as_str().unwrap().len(), 64, "{words}");
    assert!(code == 14 && words.contains("\"bases\":{\"submitted\":8}"), "{words}");
    assert!(words.contains("and nobody has repeated a run."), "{words}");
    // The firmware of the package runs, whatever lies in the current folder.
    let (code, words) = said(&["package", "replay", "honest.hallmark"]);
    assert_eq!(code, 0, "{words}");
    let (code, words) = said(&["package", "replay", "swapped.hallmark"]);
    assert_eq!(code, 13, "{words}");
    assert!(words.contains("8 results repeated: 4 agree, 4 differ, 0 unknown"), "{words}");
    let replayed = |package, more: &[&str]| {
        verify(package, &[signers.as_slice(), &["--replay"], more].concat())
    };
    let (code, words) = replayed("swapped.hallmark", &[]);
    assert_eq!(code, 13, "{words}");
    assert!(words.contains("step 9 of 11, replays: results.jsonl, line 5: "), "{words}");
    let (code, words) = replayed("honest.hallmark", &[]);
    assert_eq!(code, 0, "{words}");
    let device = "  wormhole_b0 on `sim`, on which this verifier repeated each result\n";
    assert!(words.contains(device) && !words.contains("as the submitter says"), "{words}");
    assert!(words.contains("rests on runs of this verifier: 8 results were repeated"), "{words}");
    let (code, words) = replayed("honest.hallmark", &["--json"]);
    assert!(code == 0 && words.contains("\"bases\":{\"replayed\":8}"), "{words}");
    // A sample leaves the others as they were submitted.
    let (code, words) = replayed("honest.hallmark", &["3", "--seed", "7"]);
    assert!(
        code == 14 && words.contains("3 results repeated, drawn by seed 7: 3 agree"),
        "{words}"
    );
    assert!(words.contains("but 5 results are as submitted"), "{words}");
    let (code, words) = replayed("honest.hallmark", &["0"]);
    assert!(code == 2 && words.contains("write a number of results, or `all`"), "{words}");
    let (code, words) = verify("honest.hallmark", &["--seed", "3"]);
    assert!(code == 2 && words.contains("add --replay"), "{words}");
}

/// Four of the results were dispatched on the device.
#[test]
fn firmware_that_stops_before_any_program_gives_other_results() {
    write("stopping.hallmark", &of_build("1.3").end());
    let (code, words) = said(&["package", "replay", "stopping.hallmark"]);
    assert_eq!(code, 13, "{words}");
    assert!(words.contains("8 results repeated: 4 agree, 4 differ, 0 unknown"), "{words}");
    assert!(words.contains("the firmware stopped the device before any program ran: "), "{words}");
}

/// The subject fails its tests: the package says so, a verifier agrees, and a repetition stops again.
#[test]
fn firmware_that_stops_before_any_program_fails_its_certification() {
    for (firmware, how) in [
        ("1.3", "the firmware stopped the device before any program ran: UndefinedBehavior: "),
        ("1.4", "did not start within"),
    ] {
        let package = format!("fails-{firmware}.hallmark");
        let root = root().to_str().unwrap();
        let certify = ["certify", "./build.yaml", "--firmware", firmware, "--root", root];
        let (code, words) = said(&[certify.as_slice(), &["-o", &package]].concat());
        assert_eq!(code, 5, "{words}");
        assert!(words.contains("4 pass, 4 crashes"), "{words}");
        assert!(words.contains(how), "{words}");
        let (code, words) = verify(&package, &[]);
        assert!(code == 13 && words.contains("did not pass (Crash)"), "{words}");
        let (code, words) = said(&["package", "replay", &package]);
        assert_eq!(code, 0, "{words}");
        assert!(words.contains("8 results repeated: 8 agree, 0 differ, 0 unknown"), "{words}");
    }
}

/// Where no call waits for the program, the device stops after the last call.
#[test]
fn firmware_that_stops_after_the_last_call_fails_its_certification() {
    let root = part_of_the_repository(&["queues/events"]);
    let tests = PROFILE.replace(
        "dataflow::loopback::one_core::pages=1::page_size=32",
        "queues::events::device_only",
    );
    profile(root.path(), "build", &tests);
    let firmware = BUILDS.path().join("1.3");
    let certify = ["certify", "build", "-o", "x.hallmark", "--firmware"];
    let said = hallmark(root.path(), &[certify.as_slice(), &[firmware.to_str().unwrap()]].concat());
    assert_eq!(said.status.code(), Some(5), "{}", text(&said));
    let stops = "the firmware stopped the device before any program ran: ";
    assert!(text(&said).contains(stops), "{}", text(&said));
    let said = hallmark(root.path(), &["package", "verify", "x.hallmark"]);
    assert!(text(&said).contains("did not pass (Crash)"), "{}", text(&said));
    let said = hallmark(root.path(), &["package", "replay", "x.hallmark"]);
    assert!(text(&said).contains("2 agree, 0 differ, 0 unknown"), "{}", text(&said));
}

/// The first page says what the verdict rests on, and each result on what basis.
#[test]
fn the_page_calls_replayed_only_what_its_verifier_repeated() {
    write("page.hallmark", genuine());
    let root = root().to_str().unwrap();
    let page = |more: &[&str]| {
        let report = ["package", "report", "page.hallmark", "--profile", "build.yaml"];
        let to = ["-o", "page.html", "--root", root];
        let (code, words) = said(&[report.as_slice(), &to, more].concat());
        assert_eq!(code, 14, "{words}");
        std::fs::read_to_string(BUILDS.path().join("page.html")).unwrap()
    };
    let submitted = page(&[]);
    assert!(submitted.contains("from them, and nobody has repeated a run."), "{submitted}");
    assert_eq!(submitted.matches("<td>submitted</td>").count(), 8, "{submitted}");
    assert!(!submitted.contains(">replayed<"), "{submitted}");
    let replayed = page(&["--replay"]);
    assert!(replayed.contains("The verdict rests on runs of this verifier: "), "{replayed}");
    assert_eq!(replayed.matches("<td>replayed</td>").count(), 8, "{replayed}");
}

/// Firmware that is not the package's is refused, and both are named.
#[test]
fn another_build_repeats_nothing() {
    write("honest-too.hallmark", genuine());
    let replay =
        |device: &str| said(&["package", "replay", "honest-too.hallmark", "--device", device]);
    let (code, words) = replay("sim firmware=1.1");
    assert_eq!(code, 0, "{words}");
    let (code, words) = replay("sim firmware=1.2");
    assert_eq!(code, 2, "{words}");
    let both = words.contains("are of firmware `build 0` ")
        && words.contains("--device names firmware `build 1` ");
    assert!(both, "{words}");
    // The packed build is the other one, and the captures name the first.
    let mut forgery = Forgery::of(genuine());
    forgery.pack_firmware(&BUILDS.path().join("1.2"));
    forgery.claim_firmware();
    write("unlike.hallmark", &forgery.end());
    let (code, words) = said(&["package", "replay", "unlike.hallmark"]);
    assert!(code == 13 && words.contains("0 agree, 8 differ"), "{words}");
    assert!(words.contains("its capture names the firmware "), "{words}");
    // The simulator of another release is another one.
    let mut forgery = Forgery::of(genuine());
    let here = format!("\"hallmark\":\"{}\"", env!("CARGO_PKG_VERSION"));
    forgery.replace(ENVIRONMENT, &here, "\"hallmark\":\"9.9.9\"");
    forgery.predicate.hallmark = "9.9.9".to_owned();
    write("later.hallmark", &forgery.end());
    let (code, words) = said(&["package", "replay", "later.hallmark"]);
    assert!(
        code == 2 && words.contains("of the simulator of Hallmark `9.9.9`, and this is"),
        "{words}"
    );
    // Without its firmware nothing runs, certainly not the built-in one.
    let mut forgery = Forgery::of(genuine());
    forgery.files.retain(|name, _| !name.starts_with("firmware/"));
    write("without.hallmark", &forgery.end());
    let (code, words) = said(&["package", "replay", "without.hallmark"]);
    assert!(code == 13 && words.contains("its files are not in the package"), "{words}");
}

/// Earlier releases called what the submitter alone had replayed by the word that only a verifier may use.
#[test]
fn a_claim_of_an_earlier_release_is_read_as_submitted() {
    let mut forgery = Forgery::of(genuine());
    forgery.results(|all| all.iter_mut().for_each(|it| it.basis = Basis::Replayed));
    write("earlier.hallmark", &forgery.end());
    let (code, words) = verify("earlier.hallmark", &[]);
    assert!(code == 14 && words.contains("8 results are as submitted"), "{words}");
}

/// Logs of earlier releases do not name the subject of their runs.
#[test]
fn a_log_of_an_earlier_release_is_a_reservation() {
    let mut forgery = Forgery::of(genuine());
    forgery.events(|events| {
        let LogEvent::Begin(identity) = &mut events[0] else { panic!("the log begins") };
        identity.subjects.clear();
    });
    forgery.forgets_logs = true;
    write("unnamed.hallmark", &forgery.end());
    let (code, words) = verify("unnamed.hallmark", &["--replay"]);
    assert_eq!(code, 14, "{words}");
    let reservation = "but 1 log does not name the subject of the runs, as those of earlier";
    assert!(words.contains(reservation), "{words}");
    write("named.hallmark", genuine());
    let (_, words) = verify("named.hallmark", &["--replay"]);
    assert!(!words.contains("does not name the subject"), "{words}");
}

/// A file beside the bundle, and bytes that no core loads: the one is refused, the others are reported.
#[test]
fn what_no_core_loads_is_refused_or_reported() {
    let mut forgery = Forgery::of(genuine());
    forgery.write("firmware/wormhole_b0/notes.txt", b"a note".to_vec());
    write("stray.hallmark", &forgery.end());
    let (code, words) = verify("stray.hallmark", &[]);
    assert!(code == 13 && words.contains("its manifest does not name it"), "{words}");

    let mut forgery = Forgery::of(genuine());
    let elf = "firmware/wormhole_b0/trisc2.elf";
    let mut bytes = forgery.files[elf].clone();
    bytes.push(0);
    forgery.write(elf, bytes);
    forgery.claim_firmware_in_captures();
    write("longer.hallmark", &forgery.end());
    write("genuine-too.hallmark", genuine());
    let [was, is] = ["genuine-too.hallmark", "longer.hallmark"].map(|package| {
        let (code, words) = verify(package, &["--replay"]);
        assert_eq!(code, 14, "{words}");
        assert!(words.contains("  wormhole_b0 firmware `build 0`\n"), "{words}");
        let hash = |of: &str| {
            let mut lines = words.lines().filter_map(|line| line.trim().strip_prefix(of));
            let hash = lines.next().unwrap().trim().to_owned();
            // Whole, since two builds with the same eight digits are found in seconds.
            assert_eq!(hash.len(), 64, "{words}");
            hash
        };
        (hash("files "), hash("cores load "))
    });
    assert!(was.0 != is.0 && was.1 == is.1, "{was:?} {is:?}");
}
