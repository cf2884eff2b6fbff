//! Tests of checks: each check has a test (a *liar*) that presents a violation and fails while the check is
//! switched off.
//!
//! A test executable holds a table of its checks and liars. [`unmatched`] compares the table with the list of
//! checks. In a build with the feature `sabotage`, `idle` runs every test without its check.

use std::collections::BTreeSet;

/// A check, and the test of the same executable that fails while the check is switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Liar {
    /// The value of [`VARIABLE`](super::VARIABLE) that switches the check off.
    pub check: &'static str,
    /// The test's name with its module path.
    pub test: &'static str,
}

/// An entry of a table.
pub const fn liar(check: &'static str, test: &'static str) -> Liar {
    Liar { check, test }
}

/// The problems of a table, one sentence each: a check without a liar, a liar without a check, a duplicate
/// name.
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

    /// The liars that still pass while their checks are switched off. Several run in parallel. `notices`
    /// returns whether a test fails without its check.
    ///
    /// # Errors
    /// The first error that `notices` returns.
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

    /// Whether a test of this executable fails, in a separate process, while its check is switched off.
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
