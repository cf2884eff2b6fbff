//! Needles: the capture of the test that catches a defect, among the commands of foreign captures. `hallmark bisect` names
//! the command that the defect spoils, or says that it cannot tell.
//!
//! `cargo test --package hallmark --features sabotage --test sabotage needles -- --ignored --nocapture` takes all defects,
//! which takes many minutes; `HALLMARK_TEST_DEFECT` takes one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hallmark_chip::sabotage::VARIABLE;
use hallmark_runtime::device_code::{Compiler, DevicePatch};
use hallmark_schema::model::{Capture, CommandIndex, CommandKind, Failure, Outcome};
use hallmark_schema_editing::concatenate;
use serde_json::Value;

use super::common::{command, executable, repository};
use super::list::{Catch, Way};
use super::replays::replay_of;
use super::{architecture_of, build_with, catches};

/// Names the one defect that is looked at.
const DEFECT: &str = "HALLMARK_TEST_DEFECT";
/// How many foreign captures take turns around a needle.
const POOL: usize = 3;
/// What stands around needles, as far as a defect leaves it alone: the first ones use most of the chip, the last ones
/// next to nothing.
const FOREIGN: [&str; 12] = [
    "dataflow::loopback::one_core::pages=7::page_size=32::processor=riscv_0::noc=noc_0",
    "circular_buffers::pipeline::two_stages::pages=8::depth=2",
    "semaphores::semaphores::gather::workers=7",
    "dataflow::loopback::types::from=l1::to=l1",
    "arguments::arguments::echo::processor=riscv_1::number=0",
    "cores::cores::all_five::columns=1::rows=1",
    "buffers::round_trip::neighbours::type=dram",
    "buffers::sharded::width_sharded_write_read",
    "buffers::lifetime::reuse::type=l1",
    "buffers::lifetime::out_of_scope",
    "programs::settings::noc_mode",
    "circular_buffers::rules::configuration",
];

/// Defects that spoil calls behind the first one of their kind: behind foreign ones, they spoil the needle's first.
const BEHIND_THE_FIRST: [(&str, CommandKind); 2] = [
    ("SemaphoresResetOnce", CommandKind::EnqueueProgram),
    ("RecorderKeepsTheFirstRead", CommandKind::EnqueueReadBuffer),
];
/// Defects of which other commands hide what shows them alone. Of events, a capture that is joined to others holds no
/// numbers any more; and how often an event is asked about before it has happened is right at one moment alone.
const HIDDEN_IN_COMPANY: [&str; 3] =
    ["EventNumbersShared", "WaitingTakesNoNumber", "QueriesOrderNothing"];

/// What a search answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// A command and its call.
    FirstBad { command: u32, call: String },
    /// Two commands that lack an order.
    Order { first: u32, second: u32 },
    /// Nothing, with the reason.
    Inconclusive(String),
}

/// An answer and what it took.
struct Found {
    answer: Answer,
    runs: u64,
    elapsed: Duration,
}

/// Both sides of a search.
struct Sides {
    good: String,
    bad: String,
}

/// The device of a catch, and how programs are launched there.
fn device(catch: &Catch) -> (String, &'static str) {
    let architecture = architecture_of(catch.test).name();
    match catch.way {
        Way::On { device } | Way::MovedTo { device } => (device.to_owned(), ""),
        // What these tests ask of the device is no part of a capture.
        Way::Plain if catch.test.contains("::overlap::") => {
            (format!("sim:{architecture}"), " dispatch=overlap")
        }
        Way::Plain => (format!("sim:{architecture}"), ""),
        Way::DispatchedOnDevice => (format!("sim:{architecture}"), " dispatch=device"),
    }
}

impl Sides {
    /// The simulator with a defect and without.
    fn of(catch: &Catch, folder: &Path) -> Self {
        let (device, dispatch) = device(catch);
        let good = format!("{device}{dispatch}");
        if let Some(patch) = DevicePatch::of(catch.defect).filter(|patch| patch.is_firmware()) {
            let firmware = folder.join("firmware").join(catch.defect);
            if !firmware.is_dir() {
                build_with(patch, architecture_of(catch.test), &firmware);
            }
            return Self {
                good,
                bad: format!("{device} firmware={}{dispatch}", firmware.display()),
            };
        }
        let script = folder.join(format!("{}.sh", catch.defect));
        let text = format!(
            "#!/bin/sh\n{VARIABLE}={} exec {} \"$@\"\n",
            catch.defect,
            executable().display()
        );
        std::fs::write(&script, text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, mode).unwrap();
        Self { good, bad: format!("hallmark:{}@{device}{dispatch}", script.display()) }
    }

    /// Where the two part on a capture.
    fn bisect(&self, file: &Path) -> Found {
        let Self { good, bad } = self;
        let begin = Instant::now();
        let mut command = command(&repository());
        command.arg("bisect").arg(file).args(["--good", good, "--bad", bad, "--json"]);
        let output = command.output().unwrap();
        let elapsed = begin.elapsed();
        let said = String::from_utf8_lossy(&output.stderr);
        let Ok(answer) = serde_json::from_slice::<Value>(&output.stdout) else {
            panic!("{good} and {bad}: {said}");
        };
        let number = |pointer: &str| {
            answer.pointer(pointer).and_then(Value::as_u64).map(|it| u32::try_from(it).unwrap())
        };
        let text = |pointer: &str| {
            answer.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let found = match text("/answer").as_str() {
            "first_bad" => Answer::FirstBad {
                command: number("/first_bad/command").unwrap(),
                call: text("/first_bad/call"),
            },
            "order" => Answer::Order {
                first: number("/first/command").unwrap(),
                second: number("/second/command").unwrap(),
            },
            _ => Answer::Inconclusive(text("/reason")),
        };
        // A capture that the bad side refuses is refused, which has a code of its own.
        let codes: &[i32] = if matches!(found, Answer::Inconclusive(_)) { &[11, 12] } else { &[0] };
        let code = output.status.code();
        assert!(code.is_some_and(|code| codes.contains(&code)), "{code:?}: {said}");
        let runs = answer.pointer("/runs/to_find").and_then(Value::as_u64).unwrap_or_default();
        Found { answer: found, runs, elapsed }
    }
}

/// A test, and a device that is not the default one.
type Made = (String, Option<&'static str>);

/// Captures of tests, each made once, on a good device.
#[derive(Default)]
pub(super) struct Captures {
    made: Mutex<BTreeMap<Made, Option<Capture>>>,
    files: AtomicUsize,
}

impl Captures {
    /// What a test captures; nothing where it is none of the device's, or has no prebuilt kernels.
    fn of(&self, test: &str, way: Way, folder: &Path) -> Option<Capture> {
        let device = match way {
            Way::On { device } => Some(device),
            Way::DispatchedOnDevice => Some("dispatch"),
            Way::Plain | Way::MovedTo { .. } => None,
        };
        let key = (test.to_owned(), device);
        if let Some(known) = self.made.lock().unwrap().get(&key) {
            return known.clone();
        }
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let file = folder.join(format!("capture_{number}.lmb"));
        let mut command = command(&repository());
        command.args(["capture", test, "-o"]).arg(&file);
        match way {
            Way::On { device } => _ = command.args(["--device", device]),
            Way::DispatchedOnDevice => _ = command.args(["--dispatch", "device"]),
            Way::Plain | Way::MovedTo { .. } => {}
        }
        command.output().unwrap();
        let bytes = std::fs::read(&file).ok();
        let capture = bytes.map(|bytes| Capture::from_bytes(&bytes).unwrap());
        self.made.lock().unwrap().insert(key, capture.clone());
        capture
    }
}

/// A needle among foreign commands.
struct Haystack {
    file: PathBuf,
    /// Of each command, which one of the needle it is.
    of_needle: Vec<Option<CommandIndex>>,
}

/// Whether nothing can follow a capture.
fn ends_the_run(capture: &Capture) -> bool {
    capture.program.commands.iter().any(|made| match &made.outcome {
        Outcome::Failed(failure) => Failure::ends_the_run(failure),
        Outcome::Unfinished => true,
        Outcome::Done => false,
    })
}

impl Haystack {
    /// A needle in the middle of so many foreign commands, or behind them if nothing can follow it.
    fn new(needle: &Capture, pool: &[Capture], commands: usize, folder: &Path, name: &str) -> Self {
        let before = if ends_the_run(needle) { commands } else { commands / 2 };
        let (mut parts, mut count, mut place) = (Vec::new(), 0, None);
        for foreign in pool.iter().cycle() {
            if place.is_none() && count >= before {
                place = Some(parts.len());
                parts.push(needle);
            }
            if count >= commands {
                break;
            }
            count += foreign.program.commands.len();
            parts.push(foreign);
        }
        let joined = concatenate(&parts).unwrap();
        let of_needle = joined.sources.iter();
        let of_needle = of_needle.map(|(part, at)| at.filter(|_| Some(*part) == place)).collect();
        let file = folder.join(name);
        std::fs::write(&file, joined.capture.to_bytes().unwrap()).unwrap();
        Self { file, of_needle }
    }

    /// An answer about the haystack as one about the needle alone; nothing if it names a foreign command.
    fn as_of_needle(&self, answer: Answer) -> Option<Answer> {
        let place = |at: u32| self.of_needle.get(at as usize).copied().flatten().map(|at| at.0);
        Some(match answer {
            Answer::FirstBad { command, call } => {
                Answer::FirstBad { command: place(command)?, call }
            }
            Answer::Order { first, second } => {
                Answer::Order { first: place(first)?, second: place(second)? }
            }
            Answer::Inconclusive(reason) => Answer::Inconclusive(reason),
        })
    }
}

/// A search in a haystack.
struct Search {
    commands: usize,
    runs: u64,
    elapsed: Duration,
}

/// What became of a defect.
struct Looked {
    alone: Answer,
    searches: Vec<Search>,
    /// What is wrong with the answers.
    problems: Vec<String>,
}

/// Looks for a defect in its needle alone and among so many foreign commands.
fn look(catch: &Catch, sizes: &[usize], captures: &Captures, folder: &Path) -> Looked {
    let replay = replay_of(catch.defect);
    let needle = captures.of(catch.test, catch.way, folder).unwrap();
    let sides = Sides::of(catch, folder);
    let file = folder.join(format!("{}.lmb", catch.defect));
    std::fs::write(&file, needle.to_bytes().unwrap()).unwrap();
    let alone = sides.bisect(&file).answer;
    let mut looked = Looked { alone, searches: Vec::new(), problems: Vec::new() };
    if !replay.fits(&looked.alone) {
        looked.problems.push(format!("the needle alone: {:?}", looked.alone));
    }
    let pool = unharmed(catch, &sides, &needle, captures, folder);
    // Of a defect that spoils everything, the first foreign command is as bad as the needle.
    for &commands in sizes.iter().filter(|_| !pool.is_empty()) {
        let name = format!("{}_{commands}.lmb", catch.defect);
        let haystack = Haystack::new(&needle, &pool, commands, folder, &name);
        let Found { answer, runs, elapsed } = sides.bisect(&haystack.file);
        let is_right = match (&looked.alone, haystack.as_of_needle(answer.clone())) {
            // The reasons name what the capture has.
            (Answer::Inconclusive(_), Some(Answer::Inconclusive(_))) => true,
            (_, Some(Answer::Inconclusive(_))) => HIDDEN_IN_COMPANY.contains(&catch.defect),
            (alone, answer) => answer.as_ref() == Some(alone),
        };
        if !is_right {
            looked.problems.push(format!("among {commands}: {answer:?}, alone {:?}", looked.alone));
        }
        looked.searches.push(Search { commands, runs, elapsed });
        std::fs::remove_file(&haystack.file).unwrap();
    }
    looked
}

/// Foreign captures that a defect leaves alone even behind other commands, and that can stand beside a needle.
fn unharmed(
    catch: &Catch,
    sides: &Sides,
    needle: &Capture,
    captures: &Captures,
    folder: &Path,
) -> Vec<Capture> {
    let architecture = architecture_of(catch.test).name();
    let file = folder.join(format!("{}_foreign.lmb", catch.defect));
    let fits = |test: &str| -> Option<Capture> {
        let capture = captures.of(&format!("{architecture}::{test}"), catch.way, folder)?;
        concatenate(&[&capture, needle]).ok()?;
        let has = |kind: CommandKind| {
            capture.program.commands.iter().any(|made| made.command.kind() == kind)
        };
        if BEHIND_THE_FIRST.iter().any(|(defect, kind)| *defect == catch.defect && has(*kind)) {
            return None;
        }
        // Some defects spoil the second call of a kind, wherever it is.
        let twice = concatenate(&[&capture, &capture]).ok()?.capture;
        std::fs::write(&file, twice.to_bytes().unwrap()).unwrap();
        let is_alike = match sides.bisect(&file).answer {
            Answer::Inconclusive(reason) => reason.contains("both sides end every call alike"),
            Answer::FirstBad { .. } | Answer::Order { .. } => false,
        };
        is_alike.then_some(capture)
    };
    FOREIGN.iter().filter_map(|test| fits(test)).take(POOL).collect()
}

/// Looks at some defects, several at a time: what became of each in a line, and what is wrong with that.
#[expect(clippy::print_stdout, reason = "a table that takes minutes is read while it grows")]
fn each(catches: &[Catch], sizes: &[usize]) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let captures = Captures::default();
    let next = AtomicUsize::new(0);
    let (lines, problems) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let compiler = Compiler::find().is_some();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(catch) = catches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let is_firmware =
                        DevicePatch::of(catch.defect).is_some_and(DevicePatch::is_firmware);
                    if is_firmware && !compiler {
                        let line =
                            format!("{:<34} not planted: {}", catch.defect, Compiler::INSTALL);
                        lines.lock().unwrap().push(line);
                        continue;
                    }
                    let looked = look(catch, sizes, &captures, folder.path());
                    let line = format!("{:<34} {looked}", catch.defect);
                    println!("{line}");
                    lines.lock().unwrap().push(line);
                    let mut all = problems.lock().unwrap();
                    all.extend(looked.problems.iter().map(|it| format!("{}: {it}", catch.defect)));
                }
            });
        }
    });
    (lines.into_inner().unwrap(), problems.into_inner().unwrap())
}

impl std::fmt::Display for Looked {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.alone {
            Answer::FirstBad { call, .. } => write!(formatter, "{call:<32}")?,
            Answer::Order { .. } => write!(formatter, "{:<32}", "order")?,
            Answer::Inconclusive(_) => write!(formatter, "{:<32}", "inconclusive")?,
        }
        for Search { commands, runs, elapsed } in &self.searches {
            write!(formatter, "  {commands}: {runs} runs {:.2} s", elapsed.as_secs_f64())?;
        }
        if self.searches.is_empty() {
            write!(formatter, "  no foreign capture stands beside it unharmed")?;
        }
        for problem in &self.problems {
            write!(formatter, "\n    {problem}")?;
        }
        Ok(())
    }
}

/// One of each kind: what is launched, what is asked of a chip, a refusal of the host's, and what no replay shows.
#[test]
fn defects_of_each_kind_are_found_in_foreign_commands() {
    let chosen = [
        "CoordinatesSwapped",
        "MulticastDropsLastTarget",
        "OneArgumentTooMany",
        "RecorderForgetsDefines",
    ];
    let of_chosen = |catch: &Catch| chosen.contains(&catch.defect);
    let sample: Vec<Catch> = catches().into_iter().filter(of_chosen).collect();
    assert_eq!(sample.len(), chosen.len());
    let (lines, problems) = each(&sample, &[100]);
    assert_eq!(problems, Vec::<String>::new(), "{lines:?}");
    assert!(lines.iter().all(|line| line.contains("100: ")), "{lines:?}");
}

#[test]
#[ignore = "takes many minutes"]
fn every_defect_is_found_in_foreign_commands() {
    let chosen = std::env::var(DEFECT).ok();
    let mut all = catches();
    all.retain(|catch| chosen.as_deref().is_none_or(|chosen| chosen == catch.defect));
    let (_, problems) = each(&all, &[10, 100, 1000]);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
