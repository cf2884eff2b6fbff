//! TT-Metalium as an executor, with a stand-in for the vendor's library that the system's C++ compiler builds:
//! invalid sites, and a runtime that crashes, prints, exits, hangs or throws. Each gives one verdict with the
//! vendor's text.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/simulator_library.rs"]
mod simulator_library;

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use common::{command, repository, text};
use hallmark_certification::environment::Environment;
use hallmark_certification::log::{LogEvent, LogLine};
use hallmark_package::{
    Contents, ENVIRONMENT, Limits, Package, PackageDraft, RUN, Timestamp, json,
};
use hallmark_runtime::metalium::ReleaseDescription;
use hallmark_schema::model::ContentHash;
use simulator_library::simulator_library;

/// A test with 4096 bytes, at which the stand-in misbehaves, and tests with fewer.
const SUITE: &str = "about: Buffers.
cases:
  round_trip:
    about: What is written is read.
    matrix: { pages: [4, 64] }
    steps:
      - create_buffer: { id: a, type: dram, size: pages * 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 }, blocking: true }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
  two_queues:
    about: A device with two queues has dispatch kernels of its own.
    device: { num_command_queues: 2 }
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 }, blocking: true }
      - enqueue_read_buffer: { buffer: a, as: out, queue: 1, blocking: true }
    expect:
      - equal: [out, a]
";

/// The build ids of described releases.
const BUILD: &str = "23bb346fe8447951975aca3c3eb261b08372522d";
const BUILD_OF_0_80_0: &str = "dc1dbf2959e8459743a45d70a3f48ed1314cf600";
const BUILD_OF_0_79_0: &str = "e948a03fc0fff550ac0748841562566d61b168c1";
const BUILD_OF_0_78_0: &str = "4de0d5b44fe8605363c7186486134839240b832d";
/// A build id that no description has.
const OTHER_BUILD: &str = "0123456789abcdef0123456789abcdef01234567";

/// The folders of a site that Hallmark looks for, besides the library and the metadata.
const FOLDERS: [&str; 6] = [
    "ttnn-0.81.1.dist-info",
    "ttnn/tt_metal/hw/inc",
    "ttnn/tt_metal/pre-compiled",
    "ttnn/tt_metal/soc_descriptors",
    "ttnn/runtime/hw/toolchain",
    "ttnn.libs",
];

/// A folder for compiled files, which the processes of all tests share.
fn shared(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("metalium").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The compiled stand-in for the vendor's library with the objects of a release. Its folder is named after all that it is made of.
fn stand_in(release: &str, options: &[&str]) -> PathBuf {
    let header = ReleaseDescription::of_version(release).unwrap().header();
    let repository = repository();
    let source = repository.join("harness/tests/metalium/libtt_metal.cpp");
    let included = ["runtime/metalium/interface", "runtime/metalium/tests"];
    let included = included.map(|folder| repository.join(folder));
    let headers = included.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = headers.map(|entry| entry.unwrap().path()).collect();
    files.push(source.clone());
    files.sort();
    let mut made_of = format!("{options:?}\n{header}").into_bytes();
    for file in files {
        made_of.extend(std::fs::read(file).unwrap());
    }
    let folder = shared("stand-ins").join(ContentHash::of(&made_of).to_string());
    let object = folder.join("libtt_metal.o");
    if object.is_file() {
        return object;
    }
    std::fs::create_dir_all(&folder).unwrap();
    let own = tempfile::tempdir_in(&folder).unwrap();
    std::fs::write(own.path().join("release.hpp"), header).unwrap();
    let part = own.path().join("libtt_metal.o");
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++20", "-fPIC", "-c"]).args(options);
    for include in included.iter().map(PathBuf::as_path).chain([own.path()]) {
        compiler.arg("-I").arg(include);
    }
    let built = compiler.arg(source).arg("-o").arg(&part).output().unwrap();
    assert!(built.status.success(), "{}", text(&built));
    std::fs::rename(part, &object).unwrap();
    object
}

/// A folder with a site, a suite, a chip's library and a cache, all of them stand-ins.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let scene = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(scene.path("suites/group")).unwrap();
        // Compiled interfaces depend on nothing of a scene.
        let cache = scene.path("cache/hallmark/metalium");
        std::fs::create_dir_all(&cache).unwrap();
        std::os::unix::fs::symlink(shared("objects"), cache.join("objects")).unwrap();
        std::fs::write(scene.path("suites/group/suite.yaml"), SUITE).unwrap();
        std::fs::write(scene.path("chip.so"), "no chip").unwrap();
        for folder in FOLDERS {
            std::fs::create_dir_all(scene.path("site").join(folder)).unwrap();
        }
        // A stand-in for the vendor's compiler, so that the search finds no other.
        let compilers = scene.path("site/ttnn/runtime/sfpi/compiler/bin");
        std::fs::create_dir_all(&compilers).unwrap();
        std::fs::create_dir_all(scene.path("site/ttnn/build/lib")).unwrap();
        let compiler = compilers.join("riscv-tt-elf-g++");
        std::fs::write(&compiler, "#!/bin/sh\necho none\n").unwrap();
        std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Builds the stand-in for the vendor's library with a build id.
    fn build(&self, id: &str) {
        self.build_with(id, &[]);
    }

    /// The same with options of the compiler.
    fn build_with(&self, id: &str, options: &[&str]) {
        self.build_as("0.81.1", id, options);
    }

    /// The same with the objects of a release.
    fn build_as(&self, release: &str, id: &str, options: &[&str]) {
        let built = Command::new("c++")
            .arg("-shared")
            .arg(stand_in(release, options))
            .arg(format!("-Wl,--build-id=0x{id}"))
            .arg("-o")
            .arg(self.path("site/ttnn/build/lib/libtt_metal.so"))
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", text(&built));
    }

    /// A library with a build id and nothing else.
    fn build_without_functions(&self, id: &str) {
        std::fs::write(self.path("empty.c"), "").unwrap();
        let built = Command::new("cc")
            .args(["-shared", "-o"])
            .arg(self.path("site/ttnn/build/lib/libtt_metal.so"))
            .arg(self.path("empty.c"))
            .arg(format!("-Wl,--build-id=0x{id}"))
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", text(&built));
    }

    /// Has the wheel's metadata say another release.
    fn rename(&self, from: &str, to: &str) {
        let metadata = |release: &str| self.path(&format!("site/ttnn-{release}.dist-info"));
        std::fs::rename(metadata(from), metadata(to)).unwrap();
    }

    /// The path of a capture whose command 7 enqueues a program.
    fn capture_of_a_launch(&self) -> String {
        let test = "wormhole_b0::dataflow::loopback::one_core::pages=7::page_size=2048::processor=riscv_0::noc=noc_0";
        let capture = self.path("loop.lmb").display().to_string();
        let captured = command(&repository()).args(["capture", test, "-o", &capture]).output();
        let captured = captured.unwrap();
        assert!(captured.status.success(), "{}", text(&captured));
        capture
    }

    fn misbehaves(&self, how: &str) {
        std::fs::write(self.path("site/ttnn/build/lib/misbehaviour"), how).unwrap();
    }

    /// The exit code, and the output without this folder's name.
    fn hallmark(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = command(self.folder.path())
            .args(arguments)
            .env("XDG_CACHE_HOME", self.path("cache"))
            .output()
            .unwrap();
        let folder = self.folder.path().to_str().unwrap();
        (output.status.code(), text(&output).replace(folder, "…"))
    }

    fn device(&self) -> String {
        let [site, chip] = ["site", "chip.so"].map(|name| self.path(name).display().to_string());
        format!("metalium:{site}@ttsim:{chip}")
    }

    /// Compares all tests on the simulator and through TT-Metalium.
    fn compare(&self) -> (Option<i32>, String) {
        let devices = format!("sim:wormhole_b0,{} dispatch=device", self.device());
        self.hallmark(&["compare", "--jobs", "1", "--devices", &devices])
    }
}

/// The misbehaviour of the stand-in, once it is switched on.
const DEVIATIONS: &str = "deviations:
  - name: assertion
    release: 0.81.1
    whose: tt_metal
    reason: A large write ends the process.
    link: https://example.org
    shown_by:
      - { test: group::suite::round_trip, does: killed by signal 6 }
";

/// The text of a comparison before its table, without times, and without the columns whose width depends on
/// paths.
fn said(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("built in "));
    let lines = lines.take_while(|line| !line.starts_with("   wormhole_b0"));
    let narrow = |line: &str| {
        let words: Vec<&str> = line.trim_start().split("  ").filter(|it| !it.is_empty()).collect();
        let indent = line.len() - line.trim_start().len();
        format!(
            "{:indent$}{}\n",
            "",
            words.iter().map(|it| it.trim()).collect::<Vec<_>>().join("  ")
        )
    };
    lines.map(narrow).collect()
}

#[test]
fn a_known_deviation_is_a_verdict_of_its_own() {
    let scene = Scene::new();
    scene.build(BUILD);
    let list = scene.path("suites/deviations.yaml");
    // A run without TT-Metalium does not even read the list.
    std::fs::write(&list, "deviations: [").unwrap();
    let (code, text) = scene.hallmark(&["bless", "--yes", "--arch", "wormhole_b0"]);
    assert_eq!(code, Some(0), "{text}");
    let simulators = "sim:wormhole_b0,sim:wormhole_b0 schedule_seed=1";
    let (code, text) = scene.hallmark(&["compare", "--jobs", "1", "--devices", simulators]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(scene.compare().0, Some(3), "the list is read");
    std::fs::write(&list, DEVIATIONS).unwrap();

    let device = format!("wormhole_b0={} dispatch=device", scene.device());
    let run = |more: &[&str]| {
        let arguments = ["run", "--arch", "wormhole_b0", "--jobs", "1", "--device", &device];
        scene.hallmark(&[&arguments[..], more].concat())
    };
    scene.misbehaves("write aborts");
    let (json, junit) = (scene.path("report.json"), scene.path("report.xml"));
    let [to_json, to_junit] = [&json, &junit].map(|file| file.display().to_string());
    let (code, text) = run(&["--verbose", "--report", &to_json, "--report", &to_junit]);
    assert_eq!(code, Some(0), "{text}");
    let deviates = "KNOWN DEVIATION wormhole_b0::group::suite::round_trip::pages=64";
    let reason = "`assertion` of tt_metal: A large write ends the process.";
    let counts = ["2 pass", "1 known deviation", "except for 1 known deviation"];
    let closing = format!("known deviation: 1 test, {reason}");
    for words in counts.into_iter().chain([deviates, &closing]) {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    let large = report.pointer("/tests/1").unwrap();
    assert_eq!(large.pointer("/verdict").unwrap(), "KnownDeviation");
    assert_eq!(large.pointer("/reason").unwrap(), reason);
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains(&format!("known deviation {reason}")), "{junit}");

    // Another deviation at the same place is a failure, and its text names the known one.
    scene.misbehaves("write exits_with_3");
    let (code, text) = run(&[]);
    assert_eq!(code, Some(5), "{text}");
    let known = "known     `assertion` says that it does something else: killed by signal 6";
    for words in ["CRASH", "no license", known] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    // A finding of any test is known of a right program, and not of one that is wrong on the modelled chip as well.
    std::fs::write(scene.path("suites/shown.lmb"), "a capture").unwrap();
    let finding = DEVIATIONS.replace(
        "      - { test: group::suite::round_trip, does: killed by signal 6 }\n",
        "      - { capture: shown.lmb, does: two stores }\n      - { finding: DataRace, does: two stores }\n",
    );
    std::fs::write(&list, finding).unwrap();
    scene.misbehaves("write faults");
    let (code, text) = run(&["--filter", "pages=64"]);
    assert!(code == Some(0) && text.contains("1 known deviation"), "{text}");
    let other = "      - create_buffer: { id: b, type: dram, size: pages * 64, page_size: 64 }\n      \
                 - enqueue_write_buffer: { buffer: b, data: { uniform: uint32, seed: 2 }, blocking: true }\n";
    let wrong = SUITE
        .replacen("      - enqueue_read", &format!("{other}      - enqueue_read"), 1)
        .replacen("equal: [out, a]", "equal: [out, b]", 1);
    std::fs::write(scene.path("suites/group/suite.yaml"), wrong).unwrap();
    let (code, text) = run(&["--filter", "pages=64"]);
    assert!(code == Some(1) && text.contains("1 fault"), "{text}");
    std::fs::write(scene.path("suites/group/suite.yaml"), SUITE).unwrap();
    std::fs::write(&list, DEVIATIONS).unwrap();
    // An entry that explains nothing is an error after a run of all tests.
    scene.misbehaves("");
    let (code, text) = run(&[]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("3 pass") && text.contains("explains nothing here"), "{text}");
    assert!(text.contains("1 entry of suites/deviations.yaml without use"), "{text}");
    let (code, text) = run(&["--filter", "pages=64"]);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn a_site_that_is_none_is_one_error() {
    let mut table = String::new();
    let mut row = |what: &str, scene: &Scene| {
        let (code, text) = scene.compare();
        writeln!(table, "# {what}: {}\n{}", code.unwrap(), said(&text)).unwrap();
    };
    let scene = Scene::new();
    row("no library", &scene);
    let library = scene.path("site/ttnn/build/lib/libtt_metal.so");
    std::fs::write(&library, "half a library").unwrap();
    row("half a library", &scene);
    for folder in FOLDERS {
        let (folder, away) = (scene.path("site").join(folder), scene.path("away"));
        std::fs::rename(&folder, &away).unwrap();
        row(&format!("no {}", folder.file_name().unwrap().display()), &scene);
        std::fs::rename(&away, &folder).unwrap();
    }
    scene.build(OTHER_BUILD);
    row("another build", &scene);
    scene.build(BUILD_OF_0_80_0);
    row("the library of another release", &scene);
    scene.rename("0.81.1", "0.82.0");
    row("the library of a release under the name of an unknown one", &scene);
    scene.build(OTHER_BUILD);
    row("an unknown release with every function", &scene);
    scene.build_without_functions(OTHER_BUILD);
    row("an unknown release without functions", &scene);
    scene.rename("0.82.0", "0.80.0");
    scene.build_without_functions(BUILD_OF_0_80_0);
    row("a described release without functions", &scene);
    scene.rename("0.80.0", "0.81.1");
    scene.build(BUILD);
    let whole = std::fs::read(&library).unwrap();
    let record = scene.path("site/ttnn-0.81.1.dist-info/RECORD");
    let list = format!("ttnn/build/lib/libtt_metal.so,sha256=abc,{}\n", whole.len());
    std::fs::write(&record, list).unwrap();
    // Its length, which depends on the compiler, is named beside the whole library's.
    for length in [0, 5, 63, 64, 1000, whole.len() - 1] {
        std::fs::write(&library, &whole[..length]).unwrap();
        let (code, text) = scene.compare();
        assert_eq!(code, Some(5), "{length}: {text}");
        let says = format!("it has {length} B, and the wheel's list of files says {}", whole.len());
        assert!(text.contains("libtt_metal.so is no whole library: "), "{length}: {text}");
        assert!(text.contains(&says) && text.contains("unpack the ttnn wheel again"), "{text}");
    }
    std::fs::rename(scene.path("site"), scene.path("elsewhere")).unwrap();
    row("no folder", &scene);
    insta::assert_snapshot!(table);
}

/// Calls whose C++ differs between releases in kind. Some releases choose the faces of a tile themselves.
const KINDS: &str = "about: Kinds.
cases:
  event:
    about: An event behind a write.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_record_event: { id: written, host_visible: true }
      - event_synchronize: { event: written }
      - enqueue_wait_for_event: { event: written }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, a]
  sharded:
    about: A sharded buffer, and a view of an interleaved one.
    steps:
      - create_buffer: { id: a, type: dram, size: 256, page_size: 64 }
      - create_buffer_view: { id: part, of: a, offset: 64, size: 128 }
      - create_buffer:
          id: s
          type: l1
          size: 128
          page_size: 64
          layout: height_sharded
          shard_spec: { cores: [[3, 2], [4, 2]], shape: [1, 1], page_shape: [1, 1], tensor2d_shape_in_pages: [2, 1] }
      - enqueue_write_buffer: { buffer: s, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: s, as: out, blocking: true }
    expect:
      - equal: [out, s]
  faces:
    about: Faces by the tile's shape, and others.
    matrix: { face: [16, 8] }
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - create_program: { id: p }
      - create_circular_buffer:
          program: p
          id: tiles
          cores: [[0, 0]]
          total_size: 2048
          indices: [{ index: 0, page_size: 1024, data_format: float16_b, tile: { shape: [16, 32], face_shape: [16, face] } }]
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, a]
";

/// Every description is one that captures are carried out with, and a run names the release that it used.
#[test]
fn each_described_release_carries_captures_out() {
    let scene = Scene::new();
    std::fs::write(scene.path("suites/group/kinds.yaml"), KINDS).unwrap();
    let builds = [
        ("0.81.1", BUILD),
        ("0.80.0", BUILD_OF_0_80_0),
        ("0.79.0", BUILD_OF_0_79_0),
        ("0.78.0", BUILD_OF_0_78_0),
    ];
    let mut before = "0.81.1";
    for (release, build) in builds {
        if release != before {
            scene.rename(before, release);
        }
        before = release;
        scene.build_as(release, build, &[]);
        let (code, text) = scene.compare();
        let chooses_faces = matches!(release, "0.78.0" | "0.79.0");
        let agreement = match chooses_faces {
            true => "6 equal, 0 differ, 1 not compared",
            false => "7 equal, 0 differ, 0 not compared",
        };
        assert!(code == Some(0) && text.contains(agreement), "{release}: {text}");
        let states =
            text.contains("states its faces, and this release of TT-Metalium chooses others");
        assert_eq!(states, chooses_faces, "{text}");
        let built = std::fs::read_dir(scene.path("cache/hallmark/metalium")).unwrap();
        let mut names = built.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert!(names.any(|name| name.starts_with(&format!("{release}-"))), "{release}");
    }
}

/// A release without a description runs by the nearest one if the user asks for it and the library has its functions and
/// slots; every text says so.
#[test]
fn an_unknown_release_is_tried_by_the_nearest_description() {
    let scene = Scene::new();
    scene.build(OTHER_BUILD);
    scene.rename("0.81.1", "0.82.0");
    let device = format!("{} abi=nearest", scene.device());
    let compare = || {
        let devices = format!("sim:wormhole_b0,{device} dispatch=device");
        scene.hallmark(&["compare", "--jobs", "1", "--devices", &devices])
    };
    let (code, text) = compare();
    assert!(code == Some(0) && text.contains("3 equal, 0 differ"), "{text}");
    assert!(text.contains("chip.so abi=nearest dispatch=device"), "{text}");
    // A build that the description of its own release does not cover.
    scene.rename("0.82.0", "0.81.1");
    let (code, text) = compare();
    assert!(code == Some(0) && text.contains("3 equal, 0 differ"), "{text}");
    scene.rename("0.81.1", "0.82.0");
    let capture = scene.path("test.lmb").display().to_string();
    let name = "wormhole_b0::group::suite::round_trip::pages=4";
    let (code, text) = scene.hallmark(&["capture", name, "--output", &capture]);
    assert_eq!(code, Some(0), "{text}");
    let replay = || scene.hallmark(&["replay", &capture, "--device", &device]);
    let (code, text) = replay();
    assert!(code == Some(0) && text.contains("chip.so abi=nearest; every outcome"), "{text}");
    let run = ["run", "--arch", "wormhole_b0", "--report", "report.json"];
    let named = format!("wormhole_b0={device}");
    let (_, _) = scene.hallmark(&["bless", "--yes", "--arch", "wormhole_b0"]);
    let (code, text) = scene.hallmark(&[&run[..], &["--device", &named]].concat());
    assert_eq!(code, Some(0), "{text}");
    let report = std::fs::read_to_string(scene.path("report.json")).unwrap();
    assert!(text.contains("abi=nearest") && report.contains("abi=nearest"), "{text}{report}");

    let mut table = String::new();
    let mut row = |what: &str, (code, text): (Option<i32>, String)| {
        writeln!(table, "# {what}: {}\n{text}", code.unwrap()).unwrap();
    };
    scene.build_with(OTHER_BUILD, &["-DHALLMARK_ANOTHER_FUNCTION_IN_FRONT"]);
    row("another table of virtual functions", replay());
    scene.build_with(OTHER_BUILD, &["-DHALLMARK_ANOTHER_TILE"]);
    row("another object", replay());
    scene.build_without_functions(OTHER_BUILD);
    row("no functions", replay());
    scene.build(BUILD_OF_0_80_0);
    row("the library of another release", replay());
    insta::assert_snapshot!(table);
}

#[test]
fn a_runtime_that_misbehaves_costs_one_verdict() {
    let scene = Scene::new();
    scene.build(BUILD);
    // The compilation at opening happens once, even if two processes begin at the same time.
    let both = std::thread::scope(|scope| {
        [0, 1].map(|_| scope.spawn(|| scene.compare())).map(|thread| thread.join().unwrap())
    });
    let [(one, first), (two, second)] = both;
    assert_eq!((one, two), (Some(0), Some(0)), "{first}{second}");
    for queues in ["one queue", "2 queues"] {
        let once = format!(
            "building TT-Metalium's firmware and dispatch kernels for wormhole_b0 with {queues}, once"
        );
        let said = format!("{first}{second}");
        assert_eq!(said.matches(&once).count(), 1, "{said}");
    }
    assert!(first.contains("3 equal, 0 differ"), "{first}");
    let (code, text) = scene.compare();
    assert_eq!((code, text.contains("building")), (Some(0), false), "{text}");
    // The user's own programs run in the same environment.
    let device = format!("wormhole_b0={}", scene.device());
    let (_, doctor) = scene.hallmark(&["doctor", "--arch", "wormhole_b0", "--device", &device]);
    for variable in ["TT_METAL_SIMULATOR", "TT_METAL_RUNTIME_ROOT", "TT_METAL_CACHE"] {
        let value = format!("{variable}=…/cache/hallmark/metalium/");
        assert!(doctor.contains(&value), "{doctor}");
    }

    let mut table = String::new();
    let capture = scene.path("test.lmb").display().to_string();
    let name = "wormhole_b0::group::suite::round_trip::pages=64";
    let (code, text) = scene.hallmark(&["capture", name, "--output", &capture]);
    assert_eq!(code, Some(0), "{text}");
    // The device opens in no test, and one message reports it.
    for how in
        ["open crashes", "open aborts", "open exits_with_0", "open exits_with_3", "open throws"]
    {
        scene.misbehaves(how);
        let (code, text) = scene.compare();
        writeln!(table, "# compare, {how}: {}\n{}", code.unwrap(), said(&text)).unwrap();
    }
    // One of three tests fails.
    for how in ["write crashes", "write aborts", "write exits_with_0", "write exits_with_3"] {
        scene.misbehaves(how);
        let (code, text) = scene.compare();
        writeln!(table, "# compare, {how}: {}\n{}", code.unwrap(), said(&text)).unwrap();
        assert!(text.contains("2 equal, 1 differ"), "{how}: {text}");
    }
    // After an exception, neither the device's closing nor the end of the process waits for the device.
    scene.misbehaves("write throws\nclose hangs\nexit hangs");
    let begin = Instant::now();
    let replay = |seconds: &str| {
        let device = format!("{} dispatch=device", scene.device());
        scene.hallmark(&["replay", &capture, "--device", &device, "--timeout", seconds])
    };
    let (code, text) = replay("600");
    assert!(begin.elapsed().as_secs() < 300);
    writeln!(table, "# replay, write throws, close hangs: {}\n{text}", code.unwrap()).unwrap();
    for how in ["open hangs", "write hangs", "close hangs"] {
        scene.misbehaves(how);
        let (code, text) = replay("5");
        writeln!(table, "# replay, {how}: {}\n{text}", code.unwrap()).unwrap();
    }
    // What the vendor prints on the stream of reports is no report, and its end is none of the worker's.
    // A simulator's library ends the process at a fault: a kernel's fault during a call, its own otherwise.
    for how in ["open faults", "write faults"] {
        scene.misbehaves(how);
        let (code, text) = replay("600");
        writeln!(table, "# replay, {how}: {}\n{text}", code.unwrap()).unwrap();
    }
    for how in ["open prints\nwrite prints", "close crashes", "close throws", "exit exits_with_3"] {
        scene.misbehaves(how);
        let (code, text) = replay("600");
        writeln!(table, "# replay, {how}: {}\n{text}", code.unwrap()).unwrap();
    }
    insta::assert_snapshot!(table);
    // The run writes nothing into the site.
    let mut names: Vec<_> =
        walkdir::WalkDir::new(scene.path("site")).into_iter().map(|it| it.unwrap()).collect();
    names.retain(|entry| entry.file_type().is_file());
    assert_eq!(names.len(), 3, "{names:?}");
}

/// Lines come from the vendor's print server, if a kernel of the capture prints, the release can print, and the simulator is
/// Hallmark's.
#[test]
fn what_kernels_print_comes_into_the_same_report() {
    let scene = Scene::new();
    scene.build(BUILD);
    let chip = scene.path("chip.so");
    std::fs::remove_file(&chip).unwrap();
    std::os::unix::fs::symlink(simulator_library(), &chip).unwrap();
    let header = scene.path("site/ttnn/tt_metal/hw/inc/api/debug/device_print.h");
    std::fs::create_dir_all(header.parent().unwrap()).unwrap();
    std::fs::write(&header, "").unwrap();
    let printing = "wormhole_b0::debug::prints::lines::processor=riscv_0::lines=3";
    let capture = scene.path("prints.lmb").display().to_string();
    let captured = command(&repository()).args(["capture", printing, "-o", &capture]).output();
    assert!(captured.unwrap().status.success());
    let silent = scene.capture_of_a_launch();
    let replay = |capture: &str, device: &str| {
        let device = format!("{device} dispatch=device");
        scene.hallmark(&["replay", capture, "--device", &device, "--print"]).1
    };
    let place = "printed by `k` on (3,5) BRISC in program `program` (enqueued by command 6):";
    let other = "printed by (4,1) TRISC2 in program `program` (enqueued by command 6):";
    scene.misbehaves("launch tells");
    let said = replay(&capture, &scene.device());
    for words in [place, "| told", other, "| for worker"] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    let built = "dispatch kernels for wormhole_b0 with one queue and prints, once";
    assert!(said.contains(built), "{said}");
    let said = replay(&silent, &scene.device());
    assert!(!said.contains("printed by") && !said.contains("and prints"), "{said}");
    // What came before the end of the process is kept.
    scene.misbehaves("launch tells\nlaunch faults");
    let said = replay(&capture, &scene.device());
    for words in ["DataRace", "printed by (3,5) BRISC:", "| told", "printed by (4,1) TRISC2:"] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    let vendors = scene.device().replace("chip.so", "other.so");
    std::fs::write(scene.path("other.so"), "no chip").unwrap();
    scene.misbehaves("launch tells");
    // The launch takes place all the same: the stand-in's programs write nothing.
    let launched = "read of `out`";
    let said = replay(&capture, &vendors);
    assert!(said.contains(launched) && !said.contains("printed by"), "{said}");
    std::fs::remove_file(header).unwrap();
    let said = replay(&capture, &scene.device());
    assert!(said.contains(launched) && !said.contains("printed by"), "{said}");
}

/// The time in which TT-Metalium compiles the kernels of a capture's programs makes no hang; a launch that hangs does.
#[test]
fn a_run_whose_kernels_take_long_to_compile_begins_again() {
    let scene = Scene::new();
    scene.build(BUILD);
    let capture = scene.capture_of_a_launch();
    let replay = || {
        let device = format!("{} dispatch=device", scene.device());
        scene.hallmark(&["replay", &capture, "--device", &device, "--timeout", "7"])
    };
    let again = "the time limit of 7 s was up at command 7 while TT-Metalium compiled kernels; the run starts again and uses them";
    let stopped = "did not end in 7 s and was stopped";
    // Programs do nothing on the stand-in library, so the read is another one.
    scene.misbehaves("launch compiles");
    let (code, text) = replay();
    assert_eq!((code, text.matches(again).count()), (Some(1), 2), "{text}");
    assert!(text.contains("read of `out`") && !text.contains(stopped), "{text}");
    scene.misbehaves("launch hangs");
    let (_, text) = replay();
    assert!(text.contains(stopped) && !text.contains(again), "{text}");
}

/// Of two installations, one with another header returns other bytes. The search names the release, the command, its kernel,
/// the words, and the header.
#[test]
fn a_search_over_installations_names_the_command_and_the_header() {
    let scene = Scene::new();
    scene.build(BUILD);
    let header = |site: &str, text: &str| {
        let includes = scene.path(site).join("ttnn/tt_metal/hw/inc");
        std::fs::write(includes.join("api.h"), "void copy();\n").unwrap();
        std::fs::write(includes.join("noc.h"), format!("// A network.\n{text}\n")).unwrap();
        // No kernel includes it.
        std::fs::write(includes.join("other.h"), site).unwrap();
    };
    header("site", "void write(int size);");
    for other in ["site-2", "site-3"] {
        let folders = ["site", other].map(|name| scene.path(name));
        assert!(Command::new("cp").arg("-r").args(folders).status().unwrap().success());
    }
    for bad in ["site-2", "site-3"] {
        header(bad, "void write(long size);");
        let how = scene.path(bad).join("ttnn/build/lib/misbehaviour");
        std::fs::write(how, "launch flips\n").unwrap();
    }
    let capture = scene.capture_of_a_launch();
    let chip = scene.path("chip.so").display().to_string();
    let device = |site: &str| format!("metalium:{}@ttsim:{chip}", scene.path(site).display());
    let axis = ["site", "site-2", "site-3"].map(&device).join(",");
    let bisect = |axis: &str, more: &[&str]| {
        let axis = format!("executor={axis}");
        // Programs do nothing on the stand-in library, so the reads of the capture are no reference.
        let good = device("site");
        let search = ["bisect", &capture, "--over", "versions", "--axis", &axis, "--good", &good];
        let (code, said) = scene.hallmark(&[&search[..], more].concat());
        let is_told = |line: &&str| !line.contains("sure  ") && !line.contains("built in ");
        (code, said.lines().filter(is_told).collect::<Vec<_>>().join("\n"))
    };
    let (code, said) = bisect(&axis, &[]);
    assert_eq!(code, Some(0), "{said}");
    insta::assert_snapshot!(said);
    // The other way round, the answer is the same pair.
    let back = ["site-3", "site-2", "site"].map(&device).join(",");
    let (code, said) = bisect(&back, &["--json"]);
    assert_eq!(code, Some(0), "{said}");
    let from = said.find('{').unwrap();
    let document: serde_json::Value = serde_json::from_str(&said[from..]).unwrap();
    assert_eq!(document["answer"], "first_good");
    assert_eq!(document["closer"]["command"], 7);
    let files = document.pointer("/closer/installations/files").unwrap();
    assert_eq!(files.as_array().unwrap().len(), 1, "{files}");
    assert_eq!(files[0]["path"], "ttnn/tt_metal/hw/inc/noc.h");
    assert_eq!(files[0]["change"], serde_json::json!({ "line": 2 }));
}

/// A profile of one test on TT-Metalium.
const PROFILE: &str = "profile: release
edition: \"1\"
about: A release of TT-Metalium.
subjects: [metalium]
devices:
  - { architecture: wormhole_b0, kinds: [ttsim], dispatch: [device] }
tests: { suites: ['group::suite::round_trip::pages=4'] }
";

/// The build id of a library does not tell its headers: a copy with another header is another subject.
#[test]
fn an_installation_with_other_headers_is_another_subject() {
    let scene = Scene::new();
    scene.build(BUILD);
    let header = "ttnn/tt_metal/hw/inc/api.h";
    std::fs::write(scene.path("site").join(header), "#define LOOPS 1\n").unwrap();
    std::fs::create_dir(scene.path("suites/conformance-profiles")).unwrap();
    std::fs::write(scene.path("suites/conformance-profiles/release.yaml"), PROFILE).unwrap();
    let (code, text) = scene.hallmark(&["bless", "--yes", "--arch", "wormhole_b0"]);
    assert_eq!(code, Some(0), "{text}");
    let device = format!("wormhole_b0={}", scene.device());
    let certify = ["certify", "release", "--draft", "-o", "x.hallmark", "--device", &device];
    let (code, text) = scene.hallmark(&certify);
    assert_eq!(code, Some(14), "{text}");
    let replay = || {
        let replay =
            ["package", "verify", "x.hallmark", "--draft", "--replay", "--device", &device];
        scene.hallmark(&replay)
    };
    let (code, text) = replay();
    assert!(code == Some(14) && text.contains("1 agree, 0 differ, 0 unknown"), "{text}");
    assert!(!text.contains("were not compared"), "{text}");
    // Of a package of an earlier release, which names the build alone, the words say what was not compared.
    let package = std::fs::read(scene.path("x.hallmark")).unwrap();
    std::fs::write(scene.path("earlier.hallmark"), of_an_earlier_release(&package)).unwrap();
    let of_earlier = |command: &[&str]| {
        let (name, more) = command.split_first().unwrap();
        let package = ["package", name, "earlier.hallmark", "--device", &device];
        let (code, text) = scene.hallmark(&[package.as_slice(), more].concat());
        assert!(text.contains("1 agree, 0 differ, 0 unknown"), "{text}");
        let words = "the package names its build alone, so the headers and sources that kernels are built from";
        assert!(text.contains(words) && text.contains("were not compared"), "{text}");
        code
    };
    assert_eq!(of_earlier(&["replay"]), Some(0));
    assert_eq!(of_earlier(&["verify", "--draft", "--replay"]), Some(14));
    std::fs::write(scene.path("site").join(header), "#define LOOPS 2\n").unwrap();
    let (code, text) = replay();
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("only the package's subject can repeat them"), "{text}");
}

/// The package as an earlier release wrote it: without the hash of TT-Metalium's files, and without the subject in the log.
fn of_an_earlier_release(package: &[u8]) -> Vec<u8> {
    let package = Package::read(package, &Limits::default()).unwrap();
    let predicate = package.statement(Timestamp::now()).unwrap().predicate;
    let mut environment: Environment = json::read(package.file(ENVIRONMENT).unwrap()).unwrap();
    environment.devices.values_mut().for_each(|device| device.metalium_files = None);
    let (mut log, mut before) = (Vec::new(), ContentHash([0; 32]));
    for mut line in json::read_lines::<LogLine>(package.file(RUN).unwrap()).unwrap() {
        if let LogEvent::Begin(identity) = &mut line.event {
            identity.subjects.clear();
        }
        let bytes = json::write(&LogLine { before, event: line.event }).unwrap();
        before = ContentHash::of(&bytes);
        log.extend(bytes);
    }
    let changed = [(ENVIRONMENT, json::write(&environment).unwrap()), (RUN, log)];
    let mut draft = PackageDraft::new();
    for (name, bytes) in package.files().filter(|(name, _)| name.is_in_manifest()) {
        let changed = changed.iter().find(|(changed, _)| name.as_str() == *changed);
        let bytes = changed.map_or(bytes, |(_, bytes)| bytes);
        draft.add(name.clone(), Contents::Bytes(bytes.to_vec())).unwrap();
    }
    let mut bytes = Vec::new();
    draft.write(predicate, &mut bytes).unwrap();
    bytes
}
