//! The list of prebuilt kernels of an architecture: the compiler that built them, and the ELF of each key.
//!
//! One fact per line, so that two branches that add kernels merge:
//! ```text
//! hallmark-kernels 1
//! compiler riscv64-unknown-elf-gcc (12.2.0-14+deb12u1+11+b2) 12.2.0
//! kernel <key> <hash of the ELF> BRISC kernels/loopback.cpp
//! ```
//! Processor and path are for people; the key identifies the kernel.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hallmark_schema::model::ContentHash;

use super::KernelKey;

const FIRST_LINE: &str = "hallmark-kernels 1";

/// A lock file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelLock {
    /// The first line of the compiler's version output.
    pub compiler: String,
    /// Prebuilt kernels by key.
    pub kernels: BTreeMap<KernelKey, LockedKernel>,
}

/// A prebuilt kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedKernel {
    /// The hash of its ELF, which is the file's name.
    pub elf: ContentHash,
    /// Processor and source, for people.
    pub comment: String,
}

/// A lock file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelLockError {
    /// Not text.
    #[error("the file is not UTF-8")]
    NotText,
    /// Written by another version of Hallmark.
    #[error("line 1: expected `{FIRST_LINE}`; another version of Hallmark wrote this file")]
    Version,
    /// A line is wrong.
    #[error("line {line}: expected {expected}")]
    Line {
        /// The line, counted from 1.
        line: usize,
        /// The expected content.
        expected: &'static str,
    },
    /// A key appears twice.
    #[error("line {line}: duplicate key")]
    Duplicate {
        /// The line, counted from 1.
        line: usize,
    },
}

impl KernelLock {
    /// Reads a lock file.
    pub fn parse(bytes: &[u8]) -> Result<Self, KernelLockError> {
        let text = std::str::from_utf8(bytes).map_err(|_| KernelLockError::NotText)?;
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        if lines.next().is_none_or(|(_, first)| first != FIRST_LINE) {
            return Err(KernelLockError::Version);
        }
        let compiler = lines
            .next()
            .and_then(|(_, line)| line.strip_prefix("compiler "))
            .filter(|compiler| !compiler.is_empty())
            .ok_or(KernelLockError::Line { line: 2, expected: "`compiler` and its version" })?;
        let mut kernels = BTreeMap::new();
        for (line, content) in lines {
            let (key, kernel) = parse_kernel(content).ok_or(KernelLockError::Line {
                line,
                expected: "`kernel`, a key, the hash of an ELF, a processor and a path",
            })?;
            if kernels.insert(key, kernel).is_some() {
                return Err(KernelLockError::Duplicate { line });
            }
        }
        Ok(Self { compiler: compiler.to_owned(), kernels })
    }

    /// The file's text, kernels ascending by source, processor and key.
    pub fn render(&self) -> String {
        let mut text = format!("{FIRST_LINE}\ncompiler {}\n", self.compiler);
        let mut kernels: Vec<_> = self.kernels.iter().collect();
        kernels.sort_by_key(|(key, kernel)| {
            let (processor, path) = kernel.comment.split_once(' ').unwrap_or(("", ""));
            (path, processor, **key)
        });
        for (key, kernel) in kernels {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "kernel {key} {} {}", kernel.elf, kernel.comment);
        }
        text
    }
}

fn parse_kernel(line: &str) -> Option<(KernelKey, LockedKernel)> {
    let rest = line.strip_prefix("kernel ")?;
    let (key, rest) = rest.split_once(' ')?;
    let (elf, comment) = rest.split_once(' ')?;
    if !comment.contains(' ') {
        return None;
    }
    let kernel = LockedKernel { elf: elf.parse().ok()?, comment: comment.to_owned() };
    Some((KernelKey(key.parse().ok()?), kernel))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> KernelLock {
        let kernel = |path: &str| LockedKernel {
            elf: ContentHash::of(path.as_bytes()),
            comment: format!("BRISC kernels/{path}"),
        };
        KernelLock {
            compiler: "gcc 12".to_owned(),
            kernels: BTreeMap::from([
                (KernelKey(ContentHash::of(b"1")), kernel("b.cpp")),
                (KernelKey(ContentHash::of(b"2")), kernel("a.cpp")),
            ]),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let text = lock().render();
        assert_eq!(KernelLock::parse(text.as_bytes()).unwrap(), lock());
        let first = text.lines().nth(2).unwrap();
        assert!(first.ends_with("kernels/a.cpp"), "{text}");
    }

    #[test]
    fn damage_is_named_by_line() {
        let text = lock().render();
        let error = |text: String| KernelLock::parse(text.as_bytes()).unwrap_err();
        assert_eq!(error(text.replace("kernels 1", "kernels 2")), KernelLockError::Version);
        assert!(matches!(
            error(text.replace("compiler ", "compiled ")),
            KernelLockError::Line { line: 2, .. }
        ));
        let doubled = format!("{text}{}\n", text.lines().last().unwrap());
        assert_eq!(error(doubled), KernelLockError::Duplicate { line: 5 });
        assert!(matches!(
            error(format!("{text}kernel 12 34 BRISC x\n")),
            KernelLockError::Line { line: 5, .. }
        ));
        assert_eq!(KernelLock::parse(&[0xFF]), Err(KernelLockError::NotText));
    }
}
