//! What a test does, in words and with its memory map; nothing of it runs.

use std::fmt::Write as _;

use hallmark_chip::{Architecture, ChipDescription, LogicalCore, Processor};
use hallmark_runtime::device_code::MemoryRange;
use hallmark_schema::commands;
use hallmark_schema::dump;
use hallmark_schema::model::{BufferType, Capture, Command, Outcome, RecordedCommand};
use hallmark_schema::plural::{counted, grouped};

use hallmark_execution::worker::plan::{
    BankPlan, BufferPlan, CircularBufferPlan, CorePlan, KernelBinaryPlan, LaunchPlan, Plan,
    SemaphorePlan,
};
use hallmark_pipeline::captured_test::CapturedTest;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Settings, TestExecutors, execute};
use hallmark_suite::bound::{BoundTest, ExpectedOutput};
use hallmark_suite::discover::SelectedTest;
use hallmark_suite::known_bytes::KnownBytes;
use hallmark_suite::read::Choice as _;

/// Cores named one by one.
const SHOWN_CORES: usize = 8;

/// A test cannot be explained.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{text}")]
pub struct ExplainError {
    /// The exit code that it asks for.
    pub code: ExitCode,
    text: String,
}

/// What a test does.
///
/// # Errors
/// Its suite is wrong, or a kernel of it cannot be built.
pub fn explain(settings: &Settings, test: &SelectedTest) -> Result<String, ExplainError> {
    let on = settings.workers.test_executors(test.name.architecture);
    let bound = on
        .bind(test)
        .map_err(|mistakes| ExplainError { code: ExitCode::SUITE, text: mistakes.to_string() })?;
    let text = heading(&on, test, &bound);
    // A plan is made on the built-in simulator of the same chip, whatever the test would run on.
    let mut planning = settings.clone();
    planning.workers.executors = settings.workers.executors.simulated();
    planned(text, &planning, on.architecture, &bound)
}

/// What a capture does. `settings` choose the built-in simulator of its chip.
///
/// # Errors
/// The capture lacks a kernel or data.
pub fn explain_capture(
    settings: &Settings,
    captured: &CapturedTest,
) -> Result<String, ExplainError> {
    let CapturedTest { name, capture, bound } = captured;
    let mut text = format!("{name}\n");
    let told = dump(capture);
    let _ = writeln!(text, "  {}", told.lines().next().unwrap_or_default());
    let unfinished = capture.program.commands.last();
    if unfinished.is_some_and(|last| last.outcome == Outcome::Unfinished) {
        let _ = writeln!(text, "  unfinished: the run that was captured did not end");
    }
    planned(text, settings, capture.program.architecture, bound)
}

/// Adds calls, expectations and memory to a text, from a plan that nothing runs for.
fn planned(
    mut text: String,
    planning: &Settings,
    architecture: Architecture,
    bound: &BoundTest,
) -> Result<String, ExplainError> {
    let error = |code, text: String| ExplainError { code, text };
    let on = planning.workers.test_executors(architecture);
    let executed = execute::plan(planning, &on, bound)
        .map_err(|finding| error(finding.exit_code(), finding.report().join("\n")))?;
    if let Some(problem) = &executed.report.problem {
        return Err(error(ExitCode::NOT_PASSED, problem.to_string()));
    }
    let (Some(plan), Some(capture)) = (&executed.report.plan, &executed.capture) else {
        let text = "the planning worker ended without a plan".to_owned();
        return Err(error(ExitCode::INTERNAL, text));
    };
    let capture = as_the_suite_says(capture, bound);
    calls(&mut text, &capture);
    expected(&mut text, bound);
    memory(&mut text, on.chip, &capture, plan);
    Ok(text)
}

fn heading(on: &TestExecutors, test: &SelectedTest, bound: &BoundTest) -> String {
    let mut text = format!("{}\n", test.name);
    let suite = &test.suite().suite;
    for about in [&suite.about, &bound.about] {
        let _ = writeln!(text, "  {about}");
    }
    let first = bound.case.steps.first().map_or(0, |step| step.line);
    let _ = writeln!(
        text,
        "  {}, first call in line {first}; {}",
        test.suite().file.path(),
        counted(bound.case.steps.len(), "call", "calls")
    );
    let ticks = bound.asked.budget.unwrap_or(hallmark_runtime::TICK_BUDGET);
    let _ = writeln!(
        text,
        "  limits: {} s for each of its two runs, {} ticks for a program",
        bound.timeout.as_secs(),
        grouped(ticks)
    );
    if let Some(conditions) = test.conditions() {
        let _ = writeln!(text, "  does not apply everywhere: {}", conditions.reason);
    }
    if let Some(reason) = on.skip_reason(test) {
        let _ = writeln!(text, "  skipped on this device: {reason}");
    }
    for failure in &bound.expected_failures {
        let _ = writeln!(
            text,
            "  expected to fail with {} on {}: {}",
            failure.failure.name(),
            failure.device.name(),
            failure.reason
        );
    }
    text
}

/// The program as the suite has it, with the outcomes that it expects.
fn as_the_suite_says(planned: &Capture, bound: &BoundTest) -> Capture {
    let mut capture = planned.clone();
    capture.record = None;
    capture.outputs.clear();
    capture.program.commands = bound
        .case
        .steps
        .iter()
        .map(|step| RecordedCommand {
            command: step.command.clone(),
            outcome: step.failure.clone().map_or(Outcome::Done, Outcome::Failed),
        })
        .collect();
    capture
}

fn calls(text: &mut String, capture: &Capture) {
    text.push_str("\nCalls\n");
    let told = dump(capture);
    // Between the line about the file and the one about the machine.
    let lines: Vec<&str> = told.lines().collect();
    let last = lines.len().saturating_sub(1);
    for line in lines.get(1..last).unwrap_or_default() {
        let _ = writeln!(text, " {line}");
    }
}

fn expected(text: &mut String, bound: &BoundTest) {
    text.push_str("\nExpected results\n");
    for output in &bound.outputs {
        let _ = writeln!(text, "  `{}` {}", output.output, wanted(output));
    }
    for (index, step) in bound.case.steps.iter().enumerate() {
        if let Some(failure) = &step.failure {
            let name = step.command.kind().name();
            let code = failure.code().name();
            let _ = writeln!(text, "  call {index}, {name}, fails with {code}: {failure}");
        }
    }
    if let Some(end) = bound.case.at_end.fails() {
        let (failure, code) = (&end.failure, end.failure.code().name());
        let _ = writeln!(text, "  the end of the queues fails with {code}: {failure}");
    }
}

fn wanted(output: &ExpectedOutput) -> String {
    let size = output.bytes.as_ref().map(|bytes| counted(bytes.length(), "B", "B"));
    match (&output.tolerance, &output.hash, size) {
        (Some(tolerance), _, _) => format!(
            "is within {} of {}, element by element ({}): {}",
            tolerance.limits(),
            output.against,
            size_text(output),
            tolerance.reason
        ),
        (None, Some(_), Some(size)) => format!("equals {}, {size}", output.against),
        (None, Some(hash), None) => format!("has the hash {hash}"),
        (None, None, _) => "is not checked".to_owned(),
    }
}

fn size_text(output: &ExpectedOutput) -> String {
    counted(output.bytes.as_ref().map_or(0, KnownBytes::length), "B", "B")
}

fn memory(text: &mut String, chip: &ChipDescription, capture: &Capture, plan: &Plan) {
    text.push_str("\nMemory\n");
    if plan.buffers.is_empty() && plan.launches.is_empty() {
        text.push_str("  no buffer and no launch\n");
    }
    for buffer in &plan.buffers {
        buffer_map(text, capture, buffer);
    }
    for launch in &plan.launches {
        launch_map(text, chip, capture, launch);
    }
}

fn command(capture: &Capture, index: u32) -> Option<&Command> {
    let place = usize::try_from(index).ok()?;
    capture.program.commands.get(place).map(|recorded| &recorded.command)
}

/// Addresses up to a last one.
fn range(start: u64, end: u64) -> String {
    format!("{start:#x}–{:#x}", end.saturating_sub(1))
}

/// A buffer or view as the calls make it.
struct Described<'c> {
    name: &'c str,
    page_size: u64,
    buffer_type: BufferType,
    /// Of a view, the buffer or view that it is a part of, and its first byte there.
    part_of: Option<(&'c str, u64)>,
}

fn described(capture: &Capture, index: u32) -> Option<Described<'_>> {
    let commands = &capture.program.commands;
    let before = commands.get(..=usize::try_from(index).ok()?)?;
    let (name, mut wanted, offset) = match &before.last()?.command {
        Command::CreateBuffer(commands::CreateBuffer { name, buffer, .. }) => (name, *buffer, None),
        Command::CreateBufferView(commands::CreateBufferView { name, parent, region, .. }) => {
            (name, *parent, Some(region.offset))
        }
        _ => return None,
    };
    let mut nearest = None;
    for recorded in before.iter().rev() {
        match &recorded.command {
            Command::CreateBufferView(commands::CreateBufferView {
                buffer, name, parent, ..
            }) if *buffer == wanted => {
                nearest = nearest.or(Some(name));
                wanted = *parent;
            }
            Command::CreateBuffer(commands::CreateBuffer {
                buffer,
                name: whole,
                page_size,
                buffer_type,
                ..
            }) if *buffer == wanted => {
                return Some(Described {
                    name,
                    page_size: *page_size,
                    buffer_type: *buffer_type,
                    part_of: offset.map(|offset| (nearest.unwrap_or(whole).as_str(), offset)),
                });
            }
            _ => {}
        }
    }
    None
}

fn buffer_map(text: &mut String, capture: &Capture, plan: &BufferPlan) {
    let Some(buffer) = described(capture, plan.command) else { return };
    let pages = plan.banks.iter().fold(plan.more_pages, |sum, bank| sum.saturating_add(bank.pages));
    let place = match buffer.buffer_type {
        BufferType::Dram => "DRAM",
        BufferType::L1 => "L1",
        BufferType::L1Small => "L1_SMALL",
    };
    let part = buffer.part_of.map(|(of, offset)| format!(", a view of {of} from byte {offset}"));
    let _ = writeln!(
        text,
        "  {} (call {}): {} of {} B in {place}{}",
        buffer.name,
        plan.command,
        counted(pages, "page", "pages"),
        buffer.page_size,
        part.unwrap_or_default()
    );
    let alike = |one: &BankPlan, other: &BankPlan| {
        (one.start, one.end, one.pages) == (other.start, other.end, other.pages)
            && one.bank.checked_add(1) == Some(other.bank)
    };
    let mut rest = plan.banks.as_slice();
    while let Some(first) = rest.first() {
        let mut count: usize = 1;
        while let (Some(one), Some(other)) = (rest.get(count.saturating_sub(1)), rest.get(count))
            && alike(one, other)
        {
            count = count.saturating_add(1);
        }
        let (group, others) = rest.split_at(count);
        rest = others;
        let banks = match group {
            [_, .., last] => format!("banks {}–{}", first.bank, last.bank),
            _ => format!("bank {}", first.bank),
        };
        let tiles: Vec<String> = group.iter().take(3).map(|bank| bank.tile.to_string()).collect();
        let more = if group.len() > tiles.len() { ", …" } else { "" };
        let each = if group.len() > 1 { " each" } else { "" };
        let _ = writeln!(
            text,
            "    {banks:<14} {}  {}{each}, on {} {}{more}",
            range(first.start, first.end),
            counted(first.pages, "page", "pages"),
            if group.len() > 1 { "tiles" } else { "tile" },
            tiles.join(" "),
        );
    }
}

fn launch_map(text: &mut String, chip: &ChipDescription, capture: &Capture, plan: &LaunchPlan) {
    let program = match command(capture, plan.command) {
        Some(Command::EnqueueProgram(commands::EnqueueProgram { program, .. })) => Some(*program),
        _ => None,
    };
    let name = capture.program.commands.iter().find_map(|recorded| match &recorded.command {
        Command::CreateProgram(commands::CreateProgram { program: id, name })
            if Some(*id) == program =>
        {
            Some(name.as_str())
        }
        _ => None,
    });
    let _ = writeln!(text, "  launch of {} (call {})", name.unwrap_or("?"), plan.command);
    let mut groups: Vec<(&CorePlan, Vec<LogicalCore>)> = Vec::new();
    let alike =
        |one: &CorePlan, other: &CorePlan| CorePlan { core: other.core, ..one.clone() } == *other;
    for core in &plan.cores {
        match groups.iter_mut().find(|(known, _)| alike(known, core)) {
            Some((_, cores)) => cores.push(core.core),
            None => groups.push((core, vec![core.core])),
        }
    }
    for (core, cores) in groups {
        let _ = writeln!(text, "    on {}", core_list(chip, &cores));
        core_map(text, capture, program, core);
    }
}

fn core_list(chip: &ChipDescription, cores: &[LogicalCore]) -> String {
    let tile = |core: &LogicalCore| {
        let tile = chip.physical(*core);
        tile.map_or_else(|| core.to_string(), |tile| format!("core {core}, tile {tile}"))
    };
    match cores {
        [only] => tile(only),
        [first, .., last] => {
            let columns = u64::from(last.x.saturating_sub(first.x)).saturating_add(1);
            let rows = u64::from(last.y.saturating_sub(first.y)).saturating_add(1);
            if u64::try_from(cores.len()).ok() == columns.checked_mul(rows) {
                return format!("cores {first}–{last}, {} in all", cores.len());
            }
            let mut names: Vec<String> =
                cores.iter().take(SHOWN_CORES).map(ToString::to_string).collect();
            if cores.len() > names.len() {
                names.push(format!("… {} in all", cores.len()));
            }
            format!("cores {}", names.join(" "))
        }
        [] => "no core".to_owned(),
    }
}

fn core_map(
    text: &mut String,
    capture: &Capture,
    program: Option<hallmark_schema::model::ProgramId>,
    core: &CorePlan,
) {
    let mut rows: Vec<(MemoryRange, String)> = Vec::new();
    for SemaphorePlan { number, address, initial_value } in &core.semaphores {
        let range = MemoryRange { start: *address, end: address.saturating_add(4) };
        rows.push((range, format!("semaphore {number}, initial value {initial_value}")));
    }
    rows.push((core.words, "launch block, circular buffer table, arguments".to_owned()));
    for CircularBufferPlan { index, address, size, pages } in &core.circular_buffers {
        let range = MemoryRange { start: *address, end: address.saturating_add(*size) };
        let pages = counted(*pages, "page", "pages");
        rows.push((range, format!("circular buffer {index}, {pages}")));
    }
    for KernelBinaryPlan { processor, range } in &core.kernel_binaries {
        let kernel = kernel_on(capture, program, core.core, *processor).unwrap_or("?");
        rows.push((*range, format!("code of {kernel}, {}", processor.name())));
    }
    rows.sort_by_key(|(range, _)| (range.start, range.end));
    for (MemoryRange { start, end }, what) in rows {
        let _ = writeln!(text, "      {:<17} {what}", range(start.into(), end.into()));
    }
}

fn kernel_on(
    capture: &Capture,
    wanted: Option<hallmark_schema::model::ProgramId>,
    core: LogicalCore,
    processor: Processor,
) -> Option<&str> {
    capture.program.commands.iter().find_map(|recorded| match &recorded.command {
        Command::CreateKernel(commands::CreateKernel { name, program, cores, config, .. })
            if Some(*program) == wanted
                && cores.iter().any(|range| range.contains(core))
                && config.processors().contains(&processor) =>
        {
            Some(name.as_str())
        }
        _ => None,
    })
}
