//! Tests of the recorder in the process of a command that uses a stand-in for the vendor's library.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use hallmark_metalium::{AnswerSource, AskedFunction, DECLARATIONS, ReleaseDescription, Site};
use hallmark_schema::model::CommandKind;

use super::{Recorder, RecorderError, SOURCES, made_sources};
use crate::conversion::{Conversion, ConversionOptions, DataPolicy, convert, read_source};
use crate::event::{Event, KernelText, ObservedTile};
use crate::journal::{Recording, RecordingEnd};
use crate::selection::Selection;

/// The build id of the vendor's library with the known ABI.
const KNOWN_BUILD: &str = "23bb346fe8447951975aca3c3eb261b08372522d";
const OTHER_BUILD: &str = "00112233445566778899aabbccddeeff00112233";
/// A function that the recorder calls and the stand-in does not need.
const EVENT: &str = "_ZNK2tt8tt_metal11distributed9MeshEvent4implEv";
/// The parts of a site besides the library.
const FOLDERS: [&str; 7] = [
    "ttnn-0.81.1.dist-info",
    "ttnn/build/lib",
    "ttnn/tt_metal/hw/inc",
    "ttnn/tt_metal/pre-compiled",
    "ttnn/tt_metal/soc_descriptors",
    "ttnn/runtime/hw/toolchain",
    "ttnn.libs",
];

/// The release whose numbers the stand-in has.
fn description() -> &'static ReleaseDescription {
    ReleaseDescription::of_version("0.81.1").expect("it is described")
}

fn compile(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("c++");
    command.current_dir(folder).env("LC_ALL", "C").args(arguments);
    let ran = command.output().expect("the compiler starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// Empty definitions of the functions that the stand-in does not define.
fn idle_functions() -> String {
    let release = description();
    let asked = release.asked().iter().filter_map(AskedFunction::symbol);
    let hooked = release.hooks().iter().map(|hook| hook.symbol.as_str());
    let called = release.functions().map(|(_, symbol)| symbol);
    let all: BTreeSet<&str> = asked.chain(hooked).chain(called).collect();
    let label = |name: &&str| format!(".weak {name}\n.type {name}, @function\n{name}:\n");
    let labels: String = all.iter().map(label).collect();
    format!(
        ".text\n{labels}xorl %eax, %eax\nxorl %edx, %edx\nret\n.section .note.GNU-stack, \"\", @progbits\n"
    )
}

/// The objects of the stand-in and of the command.
fn compile_objects(folder: &Path) {
    let files = [
        ("stand_in.hpp", include_str!("tests/stand_in.hpp")),
        ("libtt_metal.cpp", include_str!("tests/libtt_metal.cpp")),
        ("command.cpp", include_str!("tests/command.cpp")),
        ("loader.cpp", include_str!("tests/loader.cpp")),
        ("virtual_queue.hpp", include_str!("../../../metalium/tests/virtual_queue.hpp")),
    ];
    for (name, text) in files.into_iter().chain(DECLARATIONS).chain(SOURCES) {
        std::fs::write(folder.join(name), text).expect("the folder can be written");
    }
    for (name, text) in made_sources(description()) {
        std::fs::write(folder.join(name), text).expect("the folder can be written");
    }
    let symbols = description().asked().iter().map(|asked| match &asked.source {
        AnswerSource::Function(symbol) | AnswerSource::FunctionBeside(symbol) => {
            format!("#define HALLMARK_SYMBOL_{} \"{symbol}\"\n", asked.name)
        }
        AnswerSource::Member(_) => panic!("the stand-in has every function: {asked:?}"),
    });
    let symbols: String = symbols.collect();
    std::fs::write(folder.join("symbols.hpp"), symbols).expect("the folder can be written");
    let idle = idle_functions();
    let without = idle.lines().filter(|line| !line.contains(EVENT)).collect::<Vec<_>>().join("\n");
    for (name, text) in [("idle.S", idle), ("fewer.S", without + "\n")] {
        std::fs::write(folder.join(name), text).expect("the folder can be written");
    }
    compile(folder, &["-std=c++20", "-fPIC", "-c", "libtt_metal.cpp", "command.cpp", "loader.cpp"]);
}

/// The result of a command.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    status: ExitStatus,
    said: String,
}

/// A folder with a command and its library.
struct Installed<'s> {
    scene: &'s Scene,
    folder: PathBuf,
}

struct Scene {
    root: tempfile::TempDir,
    recorder: Recorder,
}

impl Scene {
    /// Builds everything once, because building the recorder takes seconds.
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let path = root.path();
        compile_objects(path);
        let site = site(path, "site", KNOWN_BUILD, "idle.S");
        let site = Site::open(&site.into()).expect("the site is whole");
        let recorder = Recorder::prepare(&site, &path.join("cache")).expect("it can be built");
        Self { root, recorder }
    }

    fn install(&self, name: &str, build: &str, idle: &str) -> Installed<'_> {
        let folder = site(self.root.path(), name, build, idle);
        Installed { scene: self, folder: folder.join("ttnn/build/lib") }
    }
}

/// A site with the stand-in, and with the command as a program and as a library in the library's folder.
fn site(root: &Path, name: &str, build: &str, idle: &str) -> PathBuf {
    let site = root.join(name);
    for folder in FOLDERS {
        std::fs::create_dir_all(site.join(folder)).expect("the folder can be made");
    }
    let folder = site.join("ttnn/build/lib");
    let object = |name: &str| root.join(name).display().to_string();
    let (stand_in, command, loader) =
        (object("libtt_metal.o"), object("command.o"), object("loader.o"));
    let (idle, build) = (object(idle), format!("-Wl,--build-id=0x{build}"));
    let library = ["-shared", "-o", "libtt_metal.so", &stand_in, &idle, &build];
    compile(&folder, &library);
    let linked = ["-L.", "-ltt_metal", "-Wl,-rpath,$ORIGIN"];
    compile(&folder, &[&["-o", "command", &command][..], &linked].concat());
    compile(&folder, &[&["-shared", "-o", "libcommand.so", &command][..], &linked].concat());
    compile(&folder, &["-o", "loader", &loader]);
    let kernels = folder.join("ops/one/device");
    std::fs::create_dir_all(&kernels).expect("the folder can be made");
    std::fs::write(kernels.join("k.cpp"), "void kernel_main() {}\n").expect("it can be written");
    site
}

fn selection(only: &[&str], skip: &[&str], from: &[&str], until: &[&str]) -> Selection {
    let list = |texts: &[&str]| -> Vec<_> {
        texts.iter().map(|text| text.parse().expect("the test names operations")).collect()
    };
    let (from, until) = (list(from).pop(), list(until).pop());
    Selection { only: list(only), skip: list(skip), from, until }
}

impl Installed<'_> {
    fn run(&self, command: &mut Command) -> Ran {
        let output = command.current_dir(&self.folder).output().expect("the command starts");
        let said = [output.stdout, output.stderr].concat();
        Ran { status: output.status, said: String::from_utf8_lossy(&said).into_owned() }
    }

    /// Runs the command without and with the recorder, and checks that its results are the same.
    fn record(&self, program: &str, arguments: &[&str], selection: &Selection) -> Recording {
        let journals = tempfile::tempdir().expect("a folder");
        let variables = self.scene.recorder.environment(journals.path(), None, selection, false);
        let plain = self.run(Command::new(program).args(arguments));
        let recorded = self.run(Command::new(program).args(arguments).envs(variables));
        assert_eq!(recorded, plain, "{arguments:?}");
        let mut files = std::fs::read_dir(journals.path()).expect("the folder is there");
        let file = files.next().expect("the recorder wrote").expect("the folder is there");
        assert!(files.next().is_none(), "one process, one recording");
        Recording::open(&file.path()).expect("it is whole")
    }

    fn record_all(&self, how: &str) -> Recording {
        self.record("./command", &[how], &Selection::default())
    }
}

/// The launches of a recording by operation, and its cuts: `(` begins one, `)` ends it.
fn course(recording: &Recording) -> String {
    let mut operations = std::collections::BTreeMap::new();
    let mut course = Vec::new();
    for entry in &recording.entries {
        match &entry.event {
            Event::ProgramDescribed(program) => {
                operations.insert(program.program, program.operation.as_str());
            }
            Event::ProgramEnqueued(launch) => {
                course.push(operations.get(&launch.program).copied().unwrap_or_default());
            }
            Event::CutBegun => course.push("("),
            Event::CutEnded => course.push(")"),
            _ => {}
        }
    }
    course.join(" ")
}

/// The first bytes of the contents read back at cuts.
fn contents(recording: &Recording) -> Vec<u8> {
    let contents = recording.entries.iter().filter_map(|entry| match &entry.event {
        Event::ContentsReadBack { data, .. } => data.first().copied(),
        _ => None,
    });
    contents.collect()
}

/// The launches that a recording states it was requested for.
fn asked_for(recording: &Recording) -> &Selection {
    let asked = recording.entries.iter().find_map(|entry| match &entry.event {
        Event::LibraryLoaded(loaded) => Some(&loaded.selection),
        _ => None,
    });
    asked.expect("the library was loaded")
}

fn converted(recording: &Recording) -> Conversion {
    let options = ConversionOptions {
        read: &read_source,
        release: "0.81.1",
        description: description(),
        build_id: &recording.build_id,
        kernel_compiler: "",
        data: DataPolicy::Whole,
        second: None,
    };
    convert(&recording.entries, &options).expect("there is a device")
}

fn written(recording: &Recording) -> usize {
    let writes = recording.entries.iter().filter(|it| matches!(it.event, Event::Written { .. }));
    writes.count()
}

/// A single test, because the recorder is built once for all of these checks.
#[test]
fn a_command_is_recorded_and_stays_as_it_is() {
    let scene = Scene::new();
    let known = scene.install("known", KNOWN_BUILD, "idle.S");
    a_chain_of_programs_is_recorded_whole(&known);
    cuts_are_where_they_were_asked_for(&known);
    large_data_are_recorded_piece_by_piece(&known);
    a_write_without_a_queue_has_its_data(&known);
    exceptions_pass(&known);
    whatever_ends_the_command_leaves_what_it_began(&known);
    other_threads_and_processes_are_told_apart(&known);
    a_full_disk_ends_the_recording_alone(&known);
    a_second_run_has_its_buffers_elsewhere(&known);
    another_library_is_refused_and_the_command_goes_on(&scene);
}

fn a_chain_of_programs_is_recorded_whole(installed: &Installed<'_>) {
    for program in ["./command", "./loader"] {
        let recording = installed.record(program, &["chains"], &Selection::default());
        assert_eq!(recording.end, RecordingEnd::Ended);
        assert_eq!(recording.build_id, KNOWN_BUILD);
        assert_eq!(course(&recording), "one two three");
        assert_eq!(written(&recording), 2);
        let described = recording.entries.iter().find_map(|entry| match &entry.event {
            Event::ProgramDescribed(program) => Some(program),
            _ => None,
        });
        let program = described.expect("a program was described");
        let kernel = program.kernels.first().expect("it has a kernel");
        let KernelText::File { path, text, .. } = &kernel.text else { panic!("{kernel:?}") };
        assert_eq!(path, "ops/one/device/k.cpp");
        assert_eq!(text.as_deref(), Some(&b"void kernel_main() {}\n"[..]));
        assert_eq!(kernel.compile_args, [4, 5]);
        assert_eq!(kernel.named_compile_args, [("pages".to_owned(), 6)]);
        assert_eq!(kernel.defines, [("SIZE".to_owned(), "3".to_owned())]);
        assert_eq!(program.semaphores.first().map(|semaphore| semaphore.initial_value), Some(7));
        let launched = recording.entries.iter().find_map(|entry| match &entry.event {
            Event::ProgramEnqueued(launch) => launch.circular_buffers.first(),
            _ => None,
        });
        let circular_buffer = launched.expect("the program has a circular buffer");
        let tiles: Vec<_> = circular_buffer.indices.iter().map(|it| (it.index, it.tile)).collect();
        let tile = ObservedTile {
            shape: (16, 32),
            face_shape: (16, 8),
            transposes_within_face: true,
            transposes_faces: true,
        };
        assert_eq!(tiles, [(2, Some(tile)), (5, None)]);
        let conversion = converted(&recording);
        // The sources of the other programs are missing.
        assert_eq!(conversion.missing.len(), 2, "{:?}", conversion.missing);
        let record = conversion.capture.record.as_ref().expect("it says how it was made");
        assert_eq!((record.chip.device.as_str(), record.chip.harvesting_mask), ("pci:3", 1 << 2));
        assert_eq!(record.reads.len(), 1);
        assert_eq!(conversion.relocations.matched, 2);
    }
}

fn cuts_are_where_they_were_asked_for(installed: &Installed<'_>) {
    let recorded = |asked: &Selection| installed.record("./command", &["chains"], asked);
    let only_two = selection(&["two"], &[], &[], &[]);
    let recording = recorded(&only_two);
    assert_eq!(course(&recording), "( one ) two ( three");
    // The contents of the four buffers before and after the launch.
    assert_eq!(contents(&recording), [1, 2, 0, 0, 1, 2, 3, 0]);
    let cut = |asked: Selection, expected: &str| {
        let recording = recorded(&asked);
        assert_eq!(course(&recording), expected, "{asked:?}");
        assert_eq!(asked_for(&recording), &asked);
        let never = asked.never_came(&recording.entries);
        assert_eq!(never, [], "{asked:?}");
    };
    cut(selection(&["0", "three"], &[], &[], &[]), "( ) one ( two ) three");
    cut(selection(&[], &["1"], &[], &[]), "one ( two ) three");
    cut(selection(&[], &[], &["1"], &[]), "( one ) two three");
    cut(selection(&[], &[], &[], &["two"]), "one two ( three");
    cut(selection(&[], &["two"], &["one"], &["2"]), "( ) one ( two ) three");
    let never = selection(&["four"], &[], &["two"], &["one"]);
    let recording = recorded(&never);
    assert_eq!(course(&recording), "( one two three");
    assert_eq!(contents(&recording), [0; 0]);
    assert_eq!(never.never_came(&recording.entries).len(), 2);
}

fn large_data_are_recorded_piece_by_piece(installed: &Installed<'_>) {
    let recording = installed.record_all("moves_much");
    let all: Vec<u8> = (0..(1_usize << 20) + 100).map(|at| (at % 251) as u8).collect();
    let moved: Vec<&[u8]> = (recording.entries.iter())
        .filter_map(|entry| match &entry.event {
            Event::Written { data, .. } | Event::ReadCompleted { data, .. } => Some(&**data),
            _ => None,
        })
        .collect();
    // The write with unreadable data is reported. Later entries keep their positions.
    assert!(moved == [&all[..], &all[..], &[2; 64]], "{:?}", moved.len());
    let unfollowed: Vec<&str> = (recording.entries.iter())
        .filter_map(|entry| match &entry.event {
            Event::Unfollowed { what } => Some(what.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(unfollowed, ["a write whose data cannot be copied"]);
    assert_eq!(recording.end, RecordingEnd::Ended);
}

fn a_write_without_a_queue_has_its_data(installed: &Installed<'_>) {
    let recording = installed.record_all("writes without a queue");
    let written = recording.entries.iter().filter_map(|entry| match &entry.event {
        Event::Written { transfer, data } => Some((transfer.queue, transfer.blocking, data[0])),
        _ => None,
    });
    assert_eq!(written.collect::<Vec<_>>(), [(0, true, 4), (0, false, 2)]);
    let returned = recording.entries.iter().find_map(|entry| match &entry.event {
        Event::ReadCompleted { data, .. } => Some(data.as_slice()),
        _ => None,
    });
    assert_eq!(returned, Some(&[4; 64][..]));
    let unfollowed = recording.entries.iter().filter_map(|entry| match &entry.event {
        Event::Unfollowed { what } => Some(what.as_str()),
        _ => None,
    });
    let moment = "the moment of a write without a queue, which the capture has wait for queue 0";
    assert_eq!(unfollowed.collect::<Vec<_>>(), [moment]);
}

fn exceptions_pass(installed: &Installed<'_>) {
    let recording = installed.record_all("throws");
    let thrown = recording.entries.iter().filter_map(|entry| match &entry.event {
        Event::CallThrew { text, .. } => Some(text.lines().next().unwrap_or_default()),
        _ => None,
    });
    let thrown: Vec<&str> = thrown.collect();
    assert_eq!(thrown, ["TT_THROW @ a.cpp:1: the queue is stuck", "thrown again"]);
    assert_eq!(recording.end, RecordingEnd::Ended);
}

fn whatever_ends_the_command_leaves_what_it_began(installed: &Installed<'_>) {
    for how in ["aborts", "crashes", "leaves"] {
        let recording = installed.record_all(how);
        assert_eq!(recording.end, RecordingEnd::Broken, "{how}");
        assert_eq!((written(&recording), recording.cut_at), (1, None), "{how}");
        let last = recording.entries.last().map(|entry| &entry.event);
        assert!(matches!(last, Some(Event::Written { .. })), "{how}: {last:?}");
        let conversion = converted(&recording);
        let commands = conversion.capture.program.commands;
        let kinds: Vec<_> = commands.iter().map(|recorded| recorded.command.kind()).collect();
        assert_eq!(kinds, [CommandKind::CreateBuffer, CommandKind::EnqueueWriteBuffer], "{how}");
    }
}

fn other_threads_and_processes_are_told_apart(installed: &Installed<'_>) {
    let recording = installed.record_all("threads");
    let threads = recording.entries.iter().filter_map(|entry| match &entry.event {
        Event::Written { .. } => Some(entry.thread.0),
        _ => None,
    });
    assert_eq!(threads.collect::<Vec<_>>(), [1, 0]);
    assert!(!recording.has_forked_calls);
    let recording = installed.record_all("forks");
    assert!(recording.has_forked_calls);
    assert_eq!((written(&recording), recording.end), (1, RecordingEnd::Ended));
}

/// A limit on file sizes has the effect of a full disk; the command itself writes no files.
fn a_full_disk_ends_the_recording_alone(installed: &Installed<'_>) {
    let limited = ["-c", "ulimit -f 8 && exec ./command floods"];
    let recording = installed.record("sh", &limited, &Selection::default());
    /// `EFBIG`.
    const TOO_LARGE: i32 = 27;
    assert_eq!(recording.end, RecordingEnd::Stopped { error: TOO_LARGE });
    assert!((1..100).contains(&written(&recording)), "{}", written(&recording));
}

fn a_second_run_has_its_buffers_elsewhere(installed: &Installed<'_>) {
    let address = |shifts: bool| {
        let journals = tempfile::tempdir().expect("a folder");
        let everything = Selection::default();
        let recorder = &installed.scene.recorder;
        let variables = recorder.environment(journals.path(), None, &everything, shifts);
        let ran = installed.run(Command::new("./command").arg("floods").envs(variables));
        assert_eq!(ran.status.code(), Some(5));
        let mut files = std::fs::read_dir(journals.path()).expect("the folder is there");
        let file = files.next().expect("the recorder wrote").expect("the folder is there");
        let recording = Recording::open(&file.path()).expect("it is whole");
        recording.entries.iter().find_map(|entry| match &entry.event {
            Event::BufferAllocated(made) => Some(made.address),
            _ => None,
        })
    };
    assert_eq!((address(false), address(true)), (Some(0x1000), Some(0x1040)));
}

fn another_library_is_refused_and_the_command_goes_on(scene: &Scene) {
    for (name, build, idle) in [("other", OTHER_BUILD, "idle.S"), ("fewer", KNOWN_BUILD, "fewer.S")]
    {
        let installed = scene.install(name, build, idle);
        let recording = installed.record_all("chains");
        assert_eq!((recording.end, recording.build_id.as_str()), (RecordingEnd::Refused, build));
        assert_eq!(recording.entries, []);
    }
    // The same problem is found before a command runs.
    let site = |name| Site::open(&scene.root.path().join(name).into());
    let refused = site("other").expect_err("its library is another");
    assert!(refused.to_string().contains(OTHER_BUILD), "{refused}");
    let fewer = site("fewer").expect("its library says that it is the right one");
    let refused = Recorder::prepare(&fewer, &scene.root.path().join("cache"));
    let lacks = ("0.81.1".to_owned(), vec![EVENT.to_owned()]);
    assert_eq!(refused, Err(RecorderError::NoFunctions { release: lacks.0, functions: lacks.1 }));
}

/// Every source with the numbers of the newest release, and the assertions on numbers with those of each.
#[test]
fn the_sources_have_no_warnings_for_any_release() {
    let all = ReleaseDescription::all().expect("they are right");
    for release in all {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = DECLARATIONS.into_iter().chain(SOURCES);
        let sources = sources.map(|(name, text)| (name, text.to_owned()));
        for (name, text) in sources.chain(made_sources(release)) {
            std::fs::write(folder.path().join(name), text).expect("the folder can be written");
        }
        let is_newest = release.version() == ReleaseDescription::newest();
        let is_compiled = |name: &&str| match is_newest {
            true => name.ends_with(".cpp"),
            false => *name == "library.cpp",
        };
        let compiled = SOURCES.iter().map(|(name, _)| *name).filter(is_compiled);
        let options = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"];
        let build = "-DHALLMARK_BUILD_ID=\"\"";
        compile(
            folder.path(),
            &options.into_iter().chain([build]).chain(compiled).collect::<Vec<_>>(),
        );
    }
}
