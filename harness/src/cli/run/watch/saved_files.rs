//! Waits until files below the suites are saved.
//!
//! The system's notices only say when to look: a file is another one if its time, length or number is. So neither a read
//! nor an editor's way of saving matters, and where the system gives no notices, a look now and then does the same.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant, SystemTime};

use hallmark_execution::interrupt;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_suite::discover::{Root, is_prebuilt};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use walkdir::{DirEntry, WalkDir};

use crate::cli::{Failed, output};

/// The time after which a signal is noticed.
const PATIENCE: Duration = Duration::from_millis(50);
/// The time between two looks where the system gives notices.
const SELDOM: Duration = Duration::from_secs(5);
/// The time between two looks where it gives none.
const OFTEN: Duration = Duration::from_millis(500);
/// Files that were saved together come within this time of each other.
const TOGETHER: Duration = Duration::from_millis(100);

/// The properties of a file that change when it is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    modified: Option<SystemTime>,
    length: u64,
    number: u64,
}

/// The files by their paths below the root, with `/`.
type Versions = BTreeMap<String, Version>;

/// The files below the suites of a root.
pub(super) struct SavedFiles {
    suites: PathBuf,
    known: Versions,
    notices: Receiver<()>,
    /// Kept because notices end with it; `None` where the system gives none.
    watcher: Option<RecommendedWatcher>,
}

impl SavedFiles {
    /// Begins to watch.
    pub(super) fn of(root: &Root) -> Result<Self, Failed> {
        let suites = root.suites();
        // Notices are of the folder, not of a link to it.
        let folder = suites.canonicalize().map_err(|error| {
            Failed::new(ExitCode::USAGE, format!("{} cannot be read: {error}", suites.display()))
        })?;
        let (sender, notices) = sync_channel(1);
        let watcher = notify::recommended_watcher(move |notice: notify::Result<Event>| {
            // A look opens folders, and must not be the reason for the next one.
            if !notice.is_ok_and(|event| event.kind.is_access()) {
                // One notice that was not yet read is enough.
                let _ = sender.try_send(());
            }
        });
        let watcher = watcher.and_then(|mut watcher| {
            watcher.watch(&folder, RecursiveMode::Recursive)?;
            Ok(watcher)
        });
        let watcher = watcher
            .inspect_err(|error| {
                output::note(&format!(
                    "the system reports no saved files ({error}); hallmark looks for them"
                ));
            })
            .ok();
        let known = versions(&folder);
        Ok(Self { suites: folder, known, notices, watcher })
    }

    /// Waits for saved, new and removed files. `None` once the watch is over.
    pub(super) fn next(&mut self, is_over: impl Fn() -> bool) -> Option<BTreeSet<String>> {
        let between = if self.watcher.is_some() { SELDOM } else { OFTEN };
        let mut looked: Option<Instant> = None;
        loop {
            if is_over() {
                return None;
            }
            let is_told = match self.notices.recv_timeout(PATIENCE) {
                Ok(()) => true,
                Err(RecvTimeoutError::Timeout) => false,
                // The watcher is gone, and so are its notices.
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(PATIENCE);
                    false
                }
            };
            if !is_told && looked.is_some_and(|at| at.elapsed() < between) {
                continue;
            }
            looked = Some(Instant::now());
            let changed = self.changed();
            if !changed.is_empty() {
                return Some(changed);
            }
        }
    }

    /// The files that changed since the last time, once no other changes.
    fn changed(&mut self) -> BTreeSet<String> {
        let mut now = versions(&self.suites);
        if now != self.known {
            loop {
                std::thread::sleep(TOGETHER);
                let later = versions(&self.suites);
                if later == now || interrupt::requested() {
                    break;
                }
                now = later;
            }
        }
        let before = std::mem::replace(&mut self.known, now);
        let now = &self.known;
        let differs = |path: &&String| before.get(*path) != now.get(*path);
        before.keys().chain(now.keys()).filter(differs).cloned().collect()
    }
}

/// The files below a folder of suites. A file that goes meanwhile is none.
fn versions(suites: &Path) -> Versions {
    let entries = WalkDir::new(suites).into_iter().filter_entry(|entry| !is_left_out(entry));
    let files = entries.filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
    files
        .filter_map(|entry| {
            let about = entry.metadata().ok()?;
            let below = entry.path().strip_prefix(suites).ok()?;
            let parts: Vec<_> = below.iter().map(OsStr::to_string_lossy).collect();
            let version = Version {
                modified: about.modified().ok(),
                length: about.len(),
                number: number(&about),
            };
            Some((format!("suites/{}", parts.join("/")), version))
        })
        .collect()
}

/// The number of a file, which another has that took its name.
#[cfg(unix)]
fn number(about: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(about)
}

/// Other systems number no files.
#[cfg(not(unix))]
const fn number(_: &std::fs::Metadata) -> u64 {
    0
}

/// Whether no person saves an entry: a prebuilt kernel, or a file that an editor keeps beside another.
fn is_left_out(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    // vim(1) tries with a file of the name 4913 whether it may write.
    let is_of_editor = name.starts_with('.') || name.ends_with('~') || name == "4913";
    entry.depth() > 0 && (is_prebuilt(entry) || is_of_editor)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files that change by an action.
    fn changed(saved: &mut SavedFiles, action: impl FnOnce(&Path)) -> Vec<String> {
        action(&saved.suites);
        saved.changed().into_iter().collect()
    }

    fn write(path: &str, text: &'static str) -> impl FnOnce(&Path) {
        move |suites: &Path| {
            let path = suites.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    #[test]
    fn a_file_changes_when_it_is_written_replaced_renamed_or_removed() {
        let folder = tempfile::tempdir().unwrap();
        write("suites/group/suite.yaml", "one")(folder.path());
        let mut saved = SavedFiles::of(&Root::at(folder.path()).unwrap()).unwrap();
        let none = Vec::<String>::new();
        assert_eq!(changed(&mut saved, |_| {}), none);
        let suite = ["suites/group/suite.yaml"];
        assert_eq!(changed(&mut saved, write("group/suite.yaml", "longer")), suite);
        assert_eq!(changed(&mut saved, |_| {}), none);
        // An editor writes another file and gives it the name. Its length and time may be those of the one before.
        let replaced = |suites: &Path| {
            let (path, new) = (suites.join("group/suite.yaml"), suites.join("group/.new"));
            let before = path.metadata().unwrap().modified().unwrap();
            std::fs::write(&new, "LONGER").unwrap();
            std::fs::File::options().write(true).open(&new).unwrap().set_modified(before).unwrap();
            std::fs::rename(new, path).unwrap();
        };
        assert_eq!(changed(&mut saved, replaced), suite);
        let renamed = |suites: &Path| {
            std::fs::rename(suites.join("group"), suites.join("other")).unwrap();
        };
        assert_eq!(
            changed(&mut saved, renamed),
            ["suites/group/suite.yaml", "suites/other/suite.yaml"]
        );
        let removed = |suites: &Path| std::fs::remove_dir_all(suites.join("other")).unwrap();
        assert_eq!(changed(&mut saved, removed), ["suites/other/suite.yaml"]);
    }

    #[test]
    fn what_no_person_saves_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        write("suites/group/suite.yaml", "one")(folder.path());
        let mut saved = SavedFiles::of(&Root::at(folder.path()).unwrap()).unwrap();
        for path in
            ["group/.suite.yaml.swp", "group/suite.yaml~", "group/4913", "kernels/prebuilt/a/b.elf"]
        {
            assert_eq!(changed(&mut saved, write(path, "x")), Vec::<String>::new(), "{path}");
        }
        assert_eq!(changed(&mut saved, write("kernels/k.h", "x")), ["suites/kernels/k.h"]);
        let group = "prebuilt/suite.yaml";
        assert_eq!(changed(&mut saved, write(group, "x")), ["suites/prebuilt/suite.yaml"]);
    }
}
