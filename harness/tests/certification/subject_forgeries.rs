//! Forgeries of the subject of a package: its firmware, workload, settings, release and device. The forger is the vendor
//! and makes every hash anew; nobody has signed anything. `subject.rs` has the story with signatures.

use std::sync::LazyLock;

use hallmark_certification::profile::ConformanceProfile;
use hallmark_certification::results::{Basis, ResultLine};
use hallmark_certification::verify::Verifier;
use hallmark_chip::{Architecture, FaultCategory};
use hallmark_package::{Blake3, ENVIRONMENT, Limits, Package, Revoked, SubjectKind, Timestamp};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_schema::commands::{EnqueueReadBuffer, EnqueueWriteBuffer};
use hallmark_schema::model::{Capture, Command, ContentHash, DispatchMode, Expectation, Record};
use hallmark_suite::discover::Root;
use hallmark_suite::language::DeviceKind;

use crate::common::{command, repository, text};
use crate::firmware_builds::{Build, builds};
use crate::forgeries::{Forgery, MANIFEST_OF_FIRMWARE};
use crate::roots::part_of_the_repository;

/// A test of NCRISC and a workload of BRISC, on two chips, launched by host and device.
const PROFILE: &str = "profile: subject
edition: \"1\"
about: What forgers of the subject have to do with.
subjects: [simulator, metalium, firmware, board]
devices:
  - { architecture: wormhole_b0, kinds: [sim, ttsim, pci], harvesting: [0x0, 0x120], dispatch: [host, device] }
tests:
  suites: ['dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_1::noc=noc_0']
  captures: [work.lmb]
";

const WORKLOAD: &str = "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0";

/// Runs of the profile.
const RUNS: u64 = 8;

/// A root with the suite, and the folder of the vendor: a sound build as `1.1`, one on which NCRISC runs no kernel as
/// `1.2`, the profile, its workload, and a genuine package of the sound build.
struct Vendor {
    root: tempfile::TempDir,
    home: tempfile::TempDir,
    package: Vec<u8>,
}

static VENDOR: LazyLock<Vendor> = LazyLock::new(|| {
    let root = part_of_the_repository(&["dataflow/loopback"]);
    let home = builds(&[Build::Sound, Build::Broken("ncrisc.elf")]);
    std::fs::write(home.path().join("subject.yaml"), PROFILE).unwrap();
    let done = |arguments: &[&str]| {
        let mut hallmark = command(home.path());
        let said = hallmark.args(arguments).arg("--root").arg(root.path()).output().unwrap();
        assert!(said.status.success(), "{}", text(&said));
    };
    done(&["capture", WORKLOAD, "-o", "work.lmb"]);
    done(&["certify", "./subject.yaml", "--firmware", "1.1", "-o", "genuine.hallmark"]);
    let package = std::fs::read(home.path().join("genuine.hallmark")).unwrap();
    Vendor { root, home, package }
});

/// The answer of a verifier to a package: the reason for its rejection, or its reservations.
fn verify(bytes: &[u8]) -> Result<String, String> {
    let root = Root::at(VENDOR.root.path()).unwrap();
    let profile =
        ConformanceProfile::read(&root, &VENDOR.home.path().join("subject.yaml")).unwrap();
    let package = Package::read(bytes, &Limits::default()).map_err(|error| error.to_string())?;
    let verifier = Verifier {
        root: &root,
        signers: None,
        revoked: &Revoked::default(),
        profile: Some(&profile),
        lock: None,
        challenge: None,
        at: Timestamp::now(),
        accepts_drafts: false,
        accepts_shards: false,
        jobs: 1,
        listener: None,
    };
    let verified = verifier.verify(&package).map_err(|rejection| rejection.to_string())?;
    let reservations = verified.reservations.iter().map(ToString::to_string);
    Ok(reservations.collect::<Vec<_>>().join("; "))
}

/// The exit code and the words of `package verify --replay`.
fn replayed(bytes: &[u8]) -> (i32, String) {
    let package = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(package.path(), bytes).unwrap();
    let mut verify = command(VENDOR.home.path());
    let verify = verify.args(["package", "verify"]).arg(package.path());
    let verify = verify.args(["--profile", "subject.yaml", "--replay", "--root"]);
    let said = verify.arg(VENDOR.root.path()).output().unwrap();
    (said.status.code().unwrap(), text(&said))
}

/// What a verifier answers to a forgery.
#[derive(Clone, Copy)]
enum Answer {
    /// It is rejected with these words.
    Rejected(&'static str),
    /// It is accepted with reservations, exit code 14; with --replay, this exit code and these words.
    Submitted(i32, &'static str),
}
use Answer::{Rejected, Submitted};

/// What the packed firmware gives is not what the captures hold.
const DIFFERS: Answer =
    Submitted(13, "was repeated on the package's subject and came out otherwise");
/// The packed firmware gives what the captures hold: the package says nothing false about it.
const AGREES: Answer = Submitted(14, "8 results repeated: 8 agree, 0 differ, 0 unknown");
/// Hallmark does not bring the subject, so nobody can repeat the results without naming it.
const ASSERTED: Answer = Submitted(2, "which Hallmark does not bring; name it with --device");

fn file(name: &str) -> String {
    format!("firmware/wormhole_b0/{name}")
}

/// Packs files of a build.
fn pack(it: &mut Forgery, build: &str, files: &[&str]) {
    for name in files {
        let bytes = std::fs::read(VENDOR.home.path().join(build).join(name)).unwrap();
        it.write(&file(name), bytes);
    }
}

/// Claims the packed firmware in the statement and in each capture.
fn claim(it: &mut Forgery) {
    it.claim_firmware_in_captures();
}

/// Changes the manifest of the packed firmware, and claims the result.
fn manifest(it: &mut Forgery, old: &str, new: &str) {
    it.replace(MANIFEST_OF_FIRMWARE, old, new);
    claim(it);
}

/// Changes the record of each capture.
fn record(it: &mut Forgery, change: impl Fn(&mut Record)) {
    it.captures(|capture| change(capture.record.as_mut().unwrap()));
}

/// Changes the calls of each capture that match.
fn call(it: &mut Forgery, change: impl Fn(&mut Command)) {
    it.captures(|capture| {
        capture.program.commands.iter_mut().for_each(|made| change(&mut made.command));
    });
}

/// A library as the subject, under a name.
fn called(it: &mut Forgery, name: &str) {
    of_simulator(it);
    with_library(it);
    on_device(it, DeviceKind::Ttsim, "ttsim");
    it.replace(ENVIRONMENT, "\"libttsim.so\"", &format!("\"{name}\""));
    it.predicate.subject.name = name.to_owned();
    it.predicate.subject.hash = Some("ab".repeat(32).parse().unwrap());
}

/// The environment without a library, and with one.
fn with_library(it: &mut Forgery) {
    let library = format!(r#""library":"libttsim.so","library_hash":"{}""#, "ab".repeat(32));
    it.replace(ENVIRONMENT, r#""library":null,"library_hash":null"#, &library);
}

/// Claims that the simulator with the built-in firmware was tested.
fn of_simulator(it: &mut Forgery) {
    it.files.retain(|name, _| !name.starts_with("firmware/"));
    let builtin = FirmwareBundle::builtin(Architecture::WormholeB0).unwrap();
    record(it, |record| {
        record.firmware.hash = builtin.hash();
        record.firmware.name.clone_from(&builtin.manifest().name);
    });
    it.predicate.subject.kind = SubjectKind::Simulator;
    it.predicate.subject.name = format!("the simulator of Hallmark {}", env!("CARGO_PKG_VERSION"));
    it.predicate.subject.hash = None;
}

/// Claims that everything ran on another kind of device, with the runs of that kind.
fn on_device(it: &mut Forgery, kind: DeviceKind, name: &str) {
    it.replace(ENVIRONMENT, "\"device\":\"sim\"", &format!("\"device\":\"{name}\""));
    record(it, |record| record.chip.device = name.to_owned());
    it.results(|results| {
        results.retain(|result| result.run.harvesting == 0);
        for result in results.iter_mut() {
            result.run.device = kind;
            result.basis = Basis::Asserted;
        }
    });
    it.drop_unused();
}

/// Gives the results that match the captures of others.
fn exchange(
    it: &mut Forgery,
    is_one: impl Fn(&ResultLine) -> bool,
    is_other: impl Fn(&ResultLine, &ResultLine) -> bool,
) {
    it.results(|results| {
        let all = results.clone();
        for result in results.iter_mut().filter(|result| is_one(result)) {
            let other = all.iter().find(|other| is_other(result, other)).unwrap();
            (result.capture, result.replay) = (other.capture, other.replay);
        }
    });
    it.drop_unused();
}

/// A forgery: its name, the change to the package, and the verifier's answer.
type Row = (&'static str, fn(&mut Forgery), Answer);

const ALL: [&str; 6] =
    ["brisc.elf", "ncrisc.elf", "trisc0.elf", "trisc1.elf", "trisc2.elf", "dispatch.elf"];

#[rustfmt::skip] // A forgery a line.
const OF_FIRMWARE: &[Row] = &[
    ("files of another build", |it| { pack(it, "1.2", &ALL); pack(it, "1.2", &["manifest.json"]); claim(it); }, DIFFERS),
    ("files of another build under the first one's manifest", |it| { pack(it, "1.2", &ALL); claim(it); }, DIFFERS),
    ("one core of another build", |it| { pack(it, "1.2", &["ncrisc.elf"]); claim(it); }, DIFFERS),
    ("files of another build, and fewer checks", |it| { pack(it, "1.2", &ALL); claim(it); record(it, |record| record.checks.retain(|check| *check != FaultCategory::UnpredictableValueUsed)); }, Rejected("the checks of its release")),
    ("files of another build, and no checks", |it| { pack(it, "1.2", &ALL); claim(it); record(it, |record| record.checks.clear()); }, Rejected("the checks of its release")),
    ("another build, and captures that name the first", |it| { pack(it, "1.2", &ALL); drop(it.claim_firmware()); }, Rejected("the firmware")),
    ("captures with another name of the build", |it| record(it, |record| record.firmware.name = "release 9".to_owned()), Rejected("the firmware's name")),
    ("captures that name another build", |it| record(it, |record| record.firmware.hash = ContentHash([7; 32])), Rejected("the firmware")),
    ("another name in the manifest", |it| manifest(it, "build 0", "release 9"), AGREES),
    ("another name in the statement", |it| it.predicate.subject.name = "firmware release 9".to_owned(), Rejected("as the name of the subject")),
    ("another hash in the statement", |it| it.predicate.subject.hash = Some(Blake3::of(b"another")), Rejected("as the hash of the subject")),
    ("no hash in the statement", |it| it.predicate.subject.hash = None, Rejected("claims `none` as the hash of the subject")),
    ("the built-in firmware under another name", |it| { it.pack_firmware(&repository().join("runtime/firmware/bundles/hallmark-1/wormhole_b0")); manifest(it, "hallmark-1", "build 3"); }, Rejected("is the built-in one")),
    ("a file beside the bundle", |it| it.write(&file("brisc2.elf"), b"a file".to_vec()), Rejected("its manifest does not name it")),
    ("a byte that no core loads", |it| { let name = file("trisc2.elf"); let mut elf = it.files[&name].clone(); elf.push(0); it.write(&name, elf); claim(it); }, AGREES),
    ("no dispatcher's file", |it| { it.files.remove(&file("dispatch.elf")); }, Rejected("the firmware cannot be loaded")),
    ("no firmware", |it| it.files.retain(|name, _| !name.starts_with("firmware/")), Rejected("its files are not in the package")),
    ("two cores exchanged", |it| it.replace(MANIFEST_OF_FIRMWARE, "trisc1.elf", "trisc2.elf"), Rejected("the firmware cannot be loaded")),
    ("firmware of another architecture", |it| it.pack_firmware(&repository().join("runtime/firmware/bundles/hallmark-1/blackhole")), Rejected("the bundle is for blackhole")),
    ("firmware of a second architecture", |it| it.write("firmware/blackhole/manifest.json", b"{}".to_vec()), Rejected("the profile demands nothing of the architecture")),
    ("another division of L1", |it| manifest(it, "\"unreserved_base\": 98304", "\"unreserved_base\": 98320"), AGREES),
    ("other limits", |it| manifest(it, "\"semaphores\": 16", "\"semaphores\": 32"), AGREES),
    ("another launch ABI", |it| it.replace(MANIFEST_OF_FIRMWARE, "\"launch_abi\": 1", "\"launch_abi\": 2"), Rejected("the bundle has launch ABI 2")),
    ("firmware as a simulator", |it| it.predicate.subject.kind = SubjectKind::Simulator, Rejected("firmware is not what was tested")),
    ("the simulator's own, from captures of a build", of_simulator, AGREES),
];

#[rustfmt::skip] // A forgery a line.
const OF_WORKLOAD: &[Row] = &[
    ("other data", |it| call(it, |made| if let Command::EnqueueWriteBuffer(EnqueueWriteBuffer { blocking, .. }) = made { *blocking = !*blocking; }), Rejected("another enqueue_write_buffer than that of")),
    ("an expectation less", |it| call(it, |made| if let Command::EnqueueReadBuffer(EnqueueReadBuffer { expectation, .. }) = made { *expectation = Expectation::AsCaptured; }), Rejected("another enqueue_read_buffer than that of")),
    ("a call less", |it| it.captures(|capture| { capture.program.commands.pop(); }), Rejected("calls, and the test has")),
    ("a call more", |it| it.captures(|capture| { let last = capture.program.commands.last().unwrap().clone(); capture.program.commands.push(last); }), Rejected("calls, and the test has")),
    ("a result of a read", |it| { it.blob(vec![0xa5; 32]); it.captures(|capture| { let wrong = ContentHash::of(&[0xa5; 32]); capture.outputs.iter_mut().for_each(|output| output.hash = wrong); capture.record.iter_mut().flat_map(|record| &mut record.reads).for_each(|read| read.hash = wrong); }); }, Rejected("capture")),
    ("other ELFs", |it| { it.blob(b"an ELF".to_vec()); record(it, |record| record.elfs.iter_mut().for_each(|elf| elf.hash = ContentHash::of(b"an ELF"))); }, Rejected("ran other kernels than the test's")),
    ("no ELFs", |it| record(it, |record| record.elfs.clear()), Rejected("nothing says as what kernel")),
    ("the ELF of another core", |it| record(it, |record| record.elfs.iter_mut().for_each(|elf| elf.processor ^= 1)), Rejected("ran other kernels than the test's")),
    ("other sources", |it| { it.blob(b"a source".to_vec()); it.captures(|capture| capture.program.sources.iter_mut().for_each(|source| source.hash = ContentHash::of(b"a source"))); }, Rejected("source")),
    ("other sources of the workload alone", |it| { it.blob(b"a source".to_vec()); it.captures(|capture| if is_workload(capture) { capture.program.sources.iter_mut().for_each(|source| source.hash = ContentHash::of(b"a source")); }); }, Rejected("the list of sources")),
    ("other sources of the workload on a harvested chip", |it| { it.blob(b"a source".to_vec()); it.captures(|capture| if is_workload(capture) && capture.record.as_ref().unwrap().chip.harvesting_mask != 0 { capture.program.sources.iter_mut().for_each(|source| source.hash = ContentHash::of(b"a source")); }); }, Rejected("the list of sources")),
    ("the test's captures as the workload's", |it| exchange(it, |one| one.run.test.group == "captures", |one, other| one.run.test != other.run.test && of_one_place(one, other)), Rejected("is another create_kernel than that of")),
    ("the workload's captures as the test's", |it| exchange(it, |one| one.run.test.group != "captures", |one, other| one.run.test != other.run.test && of_one_place(one, other)), Rejected("is another create_kernel than that of")),
    ("two command queues", |it| it.captures(|capture| capture.program.num_command_queues = 2), Rejected("the number of command queues")),
    ("a region for traces", |it| it.captures(|capture| capture.program.trace_region_size = 4096), Rejected("the size of the trace region")),
    ("a region for L1_SMALL", |it| it.captures(|capture| capture.program.l1_small_size = 4096), Rejected("the size of the region for L1_SMALL")),
    ("less L1", |it| it.captures(|capture| capture.program.worker_l1_size = 4096), Rejected("the size of the cores' L1")),
];

#[rustfmt::skip] // A forgery a line.
const OF_SETTINGS: &[Row] = &[
    ("another mask", |it| record(it, |record| record.chip.harvesting_mask ^= 1), Rejected("what is fused off")),
    ("another grid", |it| record(it, |record| record.chip.grid.rows -= 1), Rejected("the chip's grid")),
    ("captures of the whole chip as those of a harvested one", |it| exchange(it, |one| one.run.harvesting != 0, |one, other| other.run.harvesting == 0 && one.run.test == other.run.test && one.run.dispatch == other.run.dispatch), Rejected("is not of its test: the grid")),
    ("captures of one dispatch as those of the other", |it| exchange(it, |one| one.run.dispatch == DispatchMode::Device, |one, other| other.run.dispatch == DispatchMode::Host && one.run.test == other.run.test && one.run.harvesting == other.run.harvesting), Rejected("who launched programs")),
    ("another dispatch", |it| record(it, |record| record.dispatch_mode = DispatchMode::Host), Rejected("who launched programs")),
    ("a budget", |it| record(it, |record| record.asked.budget = Some(1)), Rejected("what was asked of the device")),
    ("launches that overlap", |it| record(it, |record| record.asked.dispatch.overlap = true), Rejected("what was asked of the device")),
    ("another ring", |it| record(it, |record| record.asked.dispatch.ring_size = 4096), Rejected("what was asked of the device")),
    ("other addresses", |it| record(it, |record| record.addresses.iter_mut().for_each(|it| it.address += 64)), Rejected("where no chip puts them")),
    ("no addresses", |it| record(it, |record| record.addresses.clear()), Rejected("where no chip puts them")),
    ("no end of the queues", |it| record(it, |record| record.at_end = None), Rejected("nothing is said of the work for which no call waits")),
    ("the harvested chip left out", |it| { it.results(|all| all.retain(|result| result.run.harvesting == 0)); it.drop_unused(); }, Rejected("there is no result of")),
];

#[rustfmt::skip] // A forgery a line.
const OF_RELEASE: &[Row] = &[
    ("another release in the statement", |it| it.predicate.hallmark = "9.9.9".to_owned(), Rejected("it is of Hallmark `9.9.9`")),
    ("another release in the environment", |it| it.replace(ENVIRONMENT, "\"hallmark\":\"", "\"hallmark\":\"9."), Rejected("environment.json: it is of Hallmark `9.")),
    ("another release in the captures", |it| record(it, |record| record.writer = "hallmark 9.9.9".to_owned()), Rejected("the writer is \"hallmark 9.9.9\"")),
    ("another schema", |it| record(it, |record| record.schema_hash = ContentHash([7; 32])), Rejected("the schema")),
    ("another launch ABI in the captures", |it| record(it, |record| record.firmware.launch_abi += 1), Rejected("the launch ABI")),
    ("TT-Metalium in the environment", |it| it.replace(ENVIRONMENT, "\"metalium\":null", "\"metalium\":\"0.81.1\""), Rejected("TT-Metalium is not the subject")),
    ("a build of TT-Metalium in the environment", |it| it.replace(ENVIRONMENT, "\"metalium\":null", "\"metalium\":null,\"metalium_build\":\"ab\""), Rejected("a build of TT-Metalium is named, and no release")),
    ("files of TT-Metalium in the environment", |it| it.replace(ENVIRONMENT, "\"metalium\":null", &format!("\"metalium\":null,\"metalium_files\":\"{}\"", "ab".repeat(32))), Rejected("files of TT-Metalium are named, and no build")),
    ("TT-Metalium as the subject", |it| { of_simulator(it); it.predicate.subject.kind = SubjectKind::Metalium; it.predicate.subject.name = "TT-Metalium 0.81.1".to_owned(); }, Rejected("on which no metalium is tested")),
    ("another day", |it| it.predicate.made = "2025-01-01T00:00:00Z".parse().unwrap(), AGREES),
    ("tomorrow", |it| it.predicate.made = Timestamp::from_unix(Timestamp::now().unix() + 86_400).unwrap(), Rejected("after the time of verification")),
];

#[rustfmt::skip] // A forgery a line.
const OF_DEVICE: &[Row] = &[
    ("a card in the captures", |it| record(it, |record| record.chip.device = "pci:0".to_owned()), Rejected("the device is \"pci:0\"")),
    ("a card in the environment", |it| it.replace(ENVIRONMENT, "\"device\":\"sim\"", "\"device\":\"pci\""), Rejected("names a device of another kind")),
    ("words behind the device", |it| it.replace(ENVIRONMENT, "\"device\":\"sim\"", "\"device\":\"sim: verified by the vendor\""), Rejected("its device has more than the name of a kind")),
    ("no device", |it| it.replace(ENVIRONMENT, "\"wormhole_b0\":", "\"grayskull\":"), Rejected("it does not say on what")),
    ("a device of another architecture", |it| { let devices = String::from_utf8(it.files[ENVIRONMENT].clone()).unwrap(); let (_, own) = devices.split_once("\"wormhole_b0\":").unwrap(); let (own, _) = own.split_once('}').unwrap(); let blackhole = format!("\"wormhole_b0\":{own}}},\"blackhole\":{own}}}"); let before = format!("\"wormhole_b0\":{own}}}"); it.replace(ENVIRONMENT, &before, &blackhole); }, Rejected("the profile demands nothing of it")),
    ("a library in the environment", with_library, Rejected("its device is no library")),
    ("a library as the subject, and Hallmark's simulator", |it| { of_simulator(it); with_library(it); it.predicate.subject.name = "libttsim.so".to_owned(); it.predicate.subject.hash = Some("ab".repeat(32).parse().unwrap()); }, Rejected("its device is no library")),
    ("a library called as firmware", |it| called(it, "firmware build 1.1"), Rejected("its library has a name that no library has")),
    ("a library called as Hallmark's simulator", |it| called(it, "the simulator of Hallmark 0.1.0"), Rejected("its library has a name that no library has")),
    ("a library with words behind its name", |it| called(it, "libttsim.so of Tenstorrent"), Rejected("its library has a name that no library has")),
    ("a library of another file name", |it| called(it, "libttsim_wh-1.10.so.2"), ASSERTED),
    ("a library without a name", |it| on_device(it, DeviceKind::Ttsim, "ttsim"), Rejected("its device is a library without a name")),
    ("firmware on a library", |it| { with_library(it); on_device(it, DeviceKind::Ttsim, "ttsim"); }, ASSERTED),
    ("firmware on a card", |it| on_device(it, DeviceKind::Pci, "pci"), ASSERTED),
    ("a card", |it| { of_simulator(it); on_device(it, DeviceKind::Pci, "pci"); it.predicate.subject.kind = SubjectKind::Board; it.predicate.subject.name = "pci".to_owned(); }, ASSERTED),
    ("a library", |it| { of_simulator(it); with_library(it); on_device(it, DeviceKind::Ttsim, "ttsim"); it.predicate.subject.name = "libttsim.so".to_owned(); it.predicate.subject.hash = Some("ab".repeat(32).parse().unwrap()); }, ASSERTED),
    ("a card whose results are called replayed", |it| { on_device(it, DeviceKind::Pci, "pci"); it.results(|all| all.iter_mut().for_each(|result| result.basis = Basis::Replayed)); }, Rejected("another basis")),
    ("a device that misbehaves", |it| { it.replace(ENVIRONMENT, "\"device\":\"sim\"", "\"device\":\"misbehaving\""); record(it, |record| record.chip.device = "misbehaving".to_owned()); }, Rejected("the device is \"misbehaving\"")),
    ("another chip", |it| record(it, |record| record.chip.pci_id ^= 1), Rejected("the chip's PCI id")),
];

/// Whether a capture is the workload's: its kernel runs on BRISC.
fn is_workload(capture: &Capture) -> bool {
    capture.record.iter().flat_map(|record| &record.elfs).any(|elf| elf.processor == 0)
}

/// Whether two results ran on the same chip, launched by the same.
fn of_one_place(one: &ResultLine, other: &ResultLine) -> bool {
    let place = |result: &ResultLine| {
        (result.run.harvesting, result.run.dispatch, result.run.schedule_seed)
    };
    place(one) == place(other)
}

/// The answer to a forgery that is accepted, in words; an error if the answer is not the expected one.
fn answered((name, forge, expected): &Row) -> Result<Option<String>, String> {
    let mut forgery = Forgery::of(&VENDOR.package);
    forge(&mut forgery);
    let bytes = forgery.end();
    let reservations = match (verify(&bytes), expected) {
        (Err(reason), Rejected(words)) if reason.contains(words) => return Ok(None),
        (Err(reason), _) => return Err(format!("{name}: rejected: {reason}")),
        (Ok(reservations), _) => reservations,
    };
    let (code, said) = replayed(&bytes);
    let answer = format!("{name}: accepted with 14, {reservations}; with --replay {code}");
    let is_reserved = ["as submitted", "on the submitter's word"];
    let is_reserved = is_reserved.iter().any(|words| reservations.contains(words));
    match expected {
        Submitted(expected, words) if is_reserved && code == *expected && said.contains(words) => {
            Ok(Some(answer))
        }
        Submitted(..) | Rejected(_) => Err(format!("{answer}: {said}")),
    }
}

#[test]
fn no_forged_subject_is_accepted_without_a_reservation() {
    let genuine = Package::read(&VENDOR.package, &Limits::default()).unwrap();
    let genuine = genuine.statement(Timestamp::now()).unwrap().predicate;
    assert_eq!(genuine.totals["Pass"], RUNS);
    let rows = [OF_FIRMWARE, OF_WORKLOAD, OF_SETTINGS, OF_RELEASE, OF_DEVICE].concat();
    let half = rows.len().div_ceil(2);
    let answers: Vec<Result<Option<String>, String>> = std::thread::scope(|scope| {
        let halves = rows.chunks(half);
        let halves = halves.map(|rows| scope.spawn(|| rows.iter().map(answered).collect()));
        let halves: Vec<_> = halves.collect();
        halves.into_iter().flat_map(|half| -> Vec<_> { half.join().unwrap() }).collect()
    });
    let (answers, wrong): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    println!("{} forgeries; accepted with a reservation:", rows.len());
    answers.into_iter().flatten().flatten().for_each(|accepted| println!("{accepted}"));
    let wrong: Vec<String> = wrong.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
