//! The command that repeats a test.

use hallmark_execution::executor::{Executor, ExecutorChoice};
use hallmark_suite::name::TestName;

use super::settings::{Settings, WorkerSettings};
use super::test_executors::TestExecutors;

/// A text as one word of a command.
pub fn quoted(text: &str) -> String {
    if text.contains(char::is_whitespace) { format!("'{text}'") } else { text.to_owned() }
}

/// The command that repeats a test.
pub(super) fn again(settings: &Settings, on: &TestExecutors, name: &TestName) -> String {
    let mut command = format!("hallmark run --exact {name}");
    let WorkerSettings { executors, replay_executors, programs, .. } = &settings.workers;
    let flag = |flag: &str, choice: Option<&ExecutorChoice>, unless: &Executor| match choice {
        Some(choice) if choice.executor(name.architecture, programs) != *unless => {
            format!(" {flag} {}", quoted(&format!("{}={choice}", name.architecture)))
        }
        Some(_) | None => String::new(),
    };
    let simulator = ExecutorChoice::simulator().executor(name.architecture, programs);
    command.push_str(&flag("--device", executors.chosen(name.architecture), &simulator));
    let replay = replay_executors.chosen(name.architecture);
    command.push_str(&flag("--replay-device", replay, &on.capture));
    command.push_str(&settings.workers.program_flags());
    command
}
