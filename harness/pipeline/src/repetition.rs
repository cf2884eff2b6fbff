//! The command that repeats a test.

use hallmark_execution::executor::{Executor, ExecutorChoice};
use hallmark_suite::name::TestName;

use super::settings::{Settings, WorkerSettings};
use super::test_executors::TestExecutors;

/// A text as one word of a shell's command.
pub fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "@%+=:,./_-".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_one_word() {
        for (text, word) in [
            ("out/a-b_1.lmb", "out/a-b_1.lmb"),
            ("sim:wormhole_b0,timeout=3", "sim:wormhole_b0,timeout=3"),
            ("année", "année"),
            ("two words", "'two words'"),
            ("a&b", "'a&b'"),
            ("$HOME", "'$HOME'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(text), word);
        }
    }
}
