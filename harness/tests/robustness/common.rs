//! The repository's own suites and goldens, and the `hallmark` command.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hallmark_schema::model::ContentHash;
use hallmark_suite::discover::Root;

#[path = "../common/mod.rs"]
mod command;

pub(crate) use command::{command, executable, text};

/// This repository.
pub(crate) fn repository() -> Root {
    Root::above(&command::repository()).unwrap()
}

/// A copy of the command in a folder, with no environment and in the folder's empty folder.
pub(crate) fn hallmark_alone(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(folder.join("hallmark"));
    command.args(arguments).env_clear().current_dir(folder.join("empty"));
    loop {
        match command.output() {
            // Another thread's child may hold the copy for writing until it becomes another program.
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(1));
            }
            output => return output.unwrap(),
        }
    }
}

pub(crate) fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

/// The capture of a test of this repository, through the command.
pub(crate) fn capture_of(test: &str) -> Vec<u8> {
    capture_below(repository().folder(), test)
}

/// The capture of a test of a suite `suites/small/suite.yaml` that is nowhere but here.
pub(crate) fn capture_of_text(suite: &str, test: &str) -> Vec<u8> {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("suites/small");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("suite.yaml"), suite).unwrap();
    capture_below(root.path(), test)
}

fn capture_below(root: &Path, test: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("capture.lmb");
    let captured = command(root).args(["capture", test, "-o"]).arg(&file).output().unwrap();
    assert_eq!(code(&captured), Some(0), "{}", text(&captured));
    std::fs::read(file).unwrap()
}

/// A changed file with the trailer that fits it.
pub(crate) fn with_trailer(mut file: Vec<u8>) -> Vec<u8> {
    let start = file.len() - 32;
    let hash = ContentHash::of(&file[..start]);
    file[start..].copy_from_slice(&hash.0);
    file
}

/// Does something with each number below `count` on all processors, in no order.
pub(crate) fn in_parallel<T: Send>(count: usize, perform: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(count) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let result = perform(number);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}
