//! `hallmark bless`: the only command that writes goldens.

mod review;

use std::io::IsTerminal as _;
use std::path::PathBuf;

use clap::Args;
use hallmark_execution::interrupt;
use hallmark_execution::whole_file;
use hallmark_pipeline::golden::{self, GoldenDifference, StoredGolden};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{GoldenCheck, Settings, TestFolder, golden_bytes, judge, perform};
use hallmark_schema::plural::counted;
use hallmark_suite::discover::SelectedTest;

use super::answers::{Answer, Answers};
use super::options::{
    ArchitectureOption, ConfiguredRoot, DeviceOption, Devices, EXECUTION, FreshOption,
    ProgramOptions, TimeoutOption,
};
use super::progress::{Form, Progress};
use super::run::unused_goldens;
use super::select::{Selection, tests};
use super::{Failed, output, work};

#[derive(Clone, Debug, Args)]
pub(super) struct BlessArguments {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    architectures: ArchitectureOption,
    #[command(flatten)]
    root: ConfiguredRoot,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    programs: ProgramOptions,
    #[command(flatten)]
    timeout: TimeoutOption,
    #[command(flatten)]
    pub(super) fresh: FreshOption,
    /// Show the goldens that would change one by one; what is accepted is written at once
    ///
    /// Each golden is shown with its difference, and a line of standard input decides: a accepts, r rejects, s skips, q
    /// quits, ? shows help. A rejected golden stays as it is, and the command ends with 1.
    #[arg(long, conflicts_with_all = ["yes", "dry_run"], help_heading = EXECUTION)]
    review: bool,
    /// Show what would change and write nothing
    #[arg(long, conflicts_with = "yes", help_heading = EXECUTION)]
    dry_run: bool,
    /// Write without asking
    #[arg(long, help_heading = EXECUTION)]
    yes: bool,
}

/// The effect of blessing a test.
pub(super) enum Change {
    /// Blessing writes a golden, at a path below the root.
    Write {
        /// The path of the golden.
        path: String,
        /// The bytes of the golden.
        bytes: Vec<u8>,
        /// The changes, a line each.
        lines: Vec<String>,
    },
    /// Blessing writes nothing, because the test does not pass without its golden.
    Refused {
        /// The name of the test.
        name: String,
        /// The failure, a line each.
        lines: Vec<String>,
        /// The exit code of the failure.
        code: ExitCode,
    },
}

pub(super) fn run(arguments: &BlessArguments) -> Result<ExitCode, Failed> {
    let mut configuration = arguments.root.configuration()?;
    let architectures = arguments.architectures.chosen(&configuration, &arguments.selection);
    let programs = arguments.programs.configured(&mut configuration)?;
    let devices = Devices {
        device: Some(&arguments.device),
        programs,
        configuration: Some(&configuration),
        timeout: arguments.timeout,
        ..Devices::default()
    };
    let settings = devices.settings(arguments.root.find()?, &architectures)?;
    let harvested =
        architectures.iter().find(|&&one| settings.workers.test_executors(one).is_harvested());
    if let Some(architecture) = harvested {
        return Err(Failed::new(
            ExitCode::USAGE,
            format!(
                "goldens are of whole chips, and rows or columns are fused off of {}; bless on another device",
                settings.workers.executor(*architecture)
            ),
        ));
    }
    let tests = tests(&settings.root, &architectures, &arguments.selection)?;
    let changes = changes(&settings, &tests)?;
    if let Some(signal) = interrupt::signal() {
        output::say(&format!(
            "{} came before all tests had run; nothing was written",
            signal.name()
        ));
        return Ok(ExitCode::INTERRUPTED);
    }
    let everything = arguments.selection.is_everything();
    let unused = if everything { unused_goldens(&settings, &architectures)? } else { Vec::new() };
    let mut refused = Vec::new();
    let mut proposals: Vec<Proposal<'_>> = Vec::new();
    for change in &changes {
        match change {
            Change::Write { path, bytes, lines } => {
                let path = settings.root.folder().join(path);
                proposals.push(Proposal::Write { path, bytes, lines });
            }
            Change::Refused { name, lines, code } => {
                refused.push(*code);
                output::say(&format!("REFUSED {name}\n  {}", lines.join("\n  ")));
            }
        }
    }
    proposals.extend(unused.iter().map(|name| {
        let path = settings.root.folder().join(name);
        Proposal::Remove { path, name }
    }));
    let total = proposals.len();
    let summary = format!(
        "{}, {} to change, {} refused",
        counted(tests.len(), "test", "tests"),
        counted(total, "golden", "goldens"),
        refused.len()
    );
    if arguments.review && total > 0 {
        output::say(&summary);
        let code = review::review(&proposals)?;
        return Ok(ExitCode::first(refused.into_iter().chain([code])));
    }
    proposals.iter().for_each(|proposal| output::say(&proposal.text()));
    if total == 0 || arguments.dry_run {
        output::say(&format!("{summary}; nothing was written"));
        return Ok(ExitCode::first(refused));
    }
    if !arguments.yes {
        match confirmed(&summary)? {
            Some(true) => {}
            Some(false) => {
                output::say("nothing was written");
                return Ok(ExitCode::first(refused));
            }
            None => {
                output::say("\nnothing was written");
                return Ok(ExitCode::INTERRUPTED);
            }
        }
    }
    for (done, proposal) in proposals.iter().enumerate() {
        proposal.carry_out().map_err(|failed| {
            let all = counted(total, "golden", "goldens");
            let text = format!("{}; {done} of {all} were changed, none by half", failed.text);
            Failed::new(failed.code, text)
        })?;
    }
    output::say(&format!("{summary}; written"));
    Ok(ExitCode::first(refused))
}

/// A golden that blessing would change.
enum Proposal<'a> {
    /// It is written.
    Write {
        /// The file.
        path: PathBuf,
        /// The new content.
        bytes: &'a [u8],
        /// The changes, a line each.
        lines: &'a [String],
    },
    /// It is removed, because it belongs to no test.
    Remove {
        /// The file.
        path: PathBuf,
        /// The path below the root.
        name: &'a str,
    },
}

impl Proposal<'_> {
    /// The change in words.
    fn text(&self) -> String {
        match self {
            Self::Write { lines, .. } => lines.join("\n  "),
            Self::Remove { name, .. } => format!("remove {name}: it belongs to no test"),
        }
    }

    /// Makes the change. A golden is written to a temporary file and renamed: a full disk leaves no partial golden.
    fn carry_out(&self) -> Result<(), Failed> {
        let (path, verb, changed) = match self {
            Self::Write { path, bytes, .. } => {
                (path, "written", whole_file::write_durably(path, bytes))
            }
            Self::Remove { path, .. } => (path, "removed", std::fs::remove_file(path)),
        };
        changed.map_err(|error| {
            let text = format!("{} cannot be {verb}: {error}", path.display());
            Failed::new(ExitCode::INTERNAL, text)
        })
    }
}

/// Whether the user agrees to all changes; `None` if a signal asks to stop.
fn confirmed(summary: &str) -> Result<Option<bool>, Failed> {
    if !std::io::stdin().is_terminal() {
        return Err(Failed::new(
            ExitCode::USAGE,
            format!(
                "{summary}; there is no terminal to ask on; use --yes to write, --dry-run to look, or --review to decide \
                 on each"
            ),
        ));
    }
    let answers = Answers::of_stdin();
    answers.forget_what_was_typed();
    output::say_lines(&format!("{summary}. Write? [y/N] "));
    if output::is_lost() {
        let text = "the changes were not shown; nothing was written";
        return Err(Failed::new(ExitCode::INTERNAL, text));
    }
    Ok(match answers.next() {
        Answer::Line(answer) => Some(matches!(answer.as_str(), "y" | "Y" | "yes")),
        Answer::Ended | Answer::Unreadable(_) => Some(false),
        Answer::Stopped => None,
    })
}

fn changes(settings: &Settings, tests: &[SelectedTest]) -> Result<Vec<Change>, Failed> {
    let progress = Progress::with_estimate(tests.len(), "tests", Form::of_stderr());
    let changes = work::each(tests, work::processors(), |test| {
        progress.begin(&test.name.to_string());
        let change = change(settings, test);
        let passed = !matches!(change, Err(_) | Ok(Some(Change::Refused { .. })));
        progress.end(passed, None::<fn()>);
        change
    });
    progress.close();
    Ok(changes?.into_iter().flatten().collect())
}

/// The effect of blessing a test; `None` if its golden is right, or if the test cannot have a golden here.
pub(super) fn change(settings: &Settings, test: &SelectedTest) -> Result<Option<Change>, Failed> {
    let on = settings.workers.test_executors(test.name.architecture);
    if on.skip_reason(test).is_some() {
        return Ok(None);
    }
    let bound = on.bind(test)?;
    let executor = &on.capture;
    let kept = TestFolder::new(&settings.root, &test.name, executor.programs.schedule_seed);
    let name = test.name.to_string();
    let ran = perform(settings, &on, &test.name, &bound, &kept, GoldenCheck::Ignore);
    if let Some(finding) = ran.findings.first() {
        let kind = hallmark_execution::devices::kind(&executor.device);
        let expected = bound
            .expected_failures
            .iter()
            .any(|expected| expected.device == kind && finding.is_a(expected.failure));
        if expected {
            return Ok(None);
        }
        return Ok(Some(Change::Refused {
            name,
            lines: finding.report(),
            code: finding.exit_code(),
        }));
    }
    kept.clear();
    let Some(capture) = ran.capture else { return Ok(None) };
    let path = test.name.golden_path();
    let bytes = match golden_bytes(&capture, ran.digest_golden) {
        Ok(bytes) => bytes,
        Err(problem) => {
            return Ok(Some(Change::Refused {
                name,
                lines: vec![problem.to_string()],
                code: ExitCode::NOT_PASSED,
            }));
        }
    };
    let size = counted(bytes.len(), "B", "B");
    let lines = match golden::read(&settings.root, &test.name) {
        StoredGolden::Absent => vec![format!("new {path} ({size})")],
        StoredGolden::Unreadable(problem) => {
            vec![format!("replace {path} ({size})"), format!("it cannot be used: {problem}")]
        }
        StoredGolden::Present(stored) => {
            let difference = golden::compare(&stored, &capture)
                .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
            let on_disk = std::fs::read(golden::path(&settings.root, &test.name));
            let mut lines = vec![format!("change {path} ({size})")];
            match difference {
                None if on_disk.is_ok_and(|before| before == bytes) => return Ok(None),
                None => lines.push("the same content in another form".to_owned()),
                Some(GoldenDifference::Program(before)) => {
                    lines.extend(judge::program_differences(&before, &capture.program));
                }
                Some(GoldenDifference::Digest { golden, capture }) => {
                    lines.push(format!("program part: {} → {}", golden.short(), capture.short()));
                }
                Some(GoldenDifference::Outputs(outputs)) => lines.extend(outputs),
            }
            lines
        }
    };
    Ok(Some(Change::Write { path, bytes, lines }))
}
