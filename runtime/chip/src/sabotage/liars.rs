//! Judges with liars: each check has a test that tells it a lie, and the test fails while the check is switched off.
//!
//! A test executable holds a table of its checks and liars. [`unmatched`] compares the two, and in a build with the
//! feature `sabotage` `idle` runs every test without its check.

use std::collections::BTreeSet;

/// A check, and the test of the same executable that fails while the check is switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Liar {
    /// What [`VARIABLE`](super::VARIABLE) holds to switch the check off.
    pub check: &'static str,
    /// The test's name, with its modules.
    pub test: &'static str,
}

/// An entry of a table.
pub const fn liar(check: &'static str, test: &'static str) -> Liar {
    Liar { check, test }
}

/// What is wrong with a table, a sentence each: a check without a liar, a liar without a check, a name that stands
/// twice.
pub fn unmatched(checks: &[String], liars: &[Liar]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut known = BTreeSet::new();
    for check in checks {
        if !known.insert(check.as_str()) {
            problems.push(format!("two checks have the name {check}"));
        }
    }
    let mut listed = BTreeSet::new();
    for Liar { check, .. } in liars {
        if !listed.insert(*check) {
            problems.push(format!("two liars name the check {check}"));
        }
    }
    problems.extend(known.difference(&listed).map(|check| format!("{check} has no liar")));
    problems.extend(listed.difference(&known).map(|check| format!("there is no check {check}")));
    problems
}

#[cfg(feature = "sabotage")]
pub use self::processes::{fails_without, idle};

#[cfg(feature = "sabotage")]
mod processes {
    use std::process::{Command, Output};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::{env, io, thread};

    use super::Liar;
    use crate::sabotage::VARIABLE;

    /// The liars that do not notice that their checks are switched off, several looked at at a time. `notices` says
    /// whether the test of one fails without its check.
    ///
    /// # Errors
    /// The first that `notices` gives.
    pub fn idle(
        liars: &[Liar],
        notices: impl Fn(&Liar) -> io::Result<bool> + Sync,
    ) -> io::Result<Vec<Liar>> {
        let next = AtomicUsize::new(0);
        let look = || {
            let mut idle = Vec::new();
            while let Some(liar) = liars.get(next.fetch_add(1, Ordering::Relaxed)) {
                if !notices(liar)? {
                    idle.push(*liar);
                }
            }
            Ok(idle)
        };
        let mut idle = Vec::new();
        thread::scope(|scope| {
            let threads = thread::available_parallelism().map_or(1, usize::from);
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(look)).collect();
            threads.into_iter().try_for_each(|thread| {
                let looked = thread.join();
                idle.extend(looked.unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))?);
                Ok(())
            })
        })
        .map(|()| idle)
    }

    /// Whether a test of this executable fails, in a process of its own, while its check is switched off.
    ///
    /// # Errors
    /// The executable cannot be started, or has no such test.
    pub fn fails_without(liar: &Liar) -> io::Result<bool> {
        let mut command = Command::new(env::current_exe()?);
        let Output { status, stdout, .. } =
            command.args(["--exact", liar.test]).env(VARIABLE, liar.check).output()?;
        if !String::from_utf8_lossy(&stdout).contains("running 1 test") {
            return Err(io::Error::other(format!("there is no test {}", liar.test)));
        }
        Ok(!status.success())
    }
}
