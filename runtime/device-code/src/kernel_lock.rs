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
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

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
        let compiler = compiler_of(text)?;
        let lines = text.lines().enumerate().skip(2).map(|(index, line)| (index + 1, line));
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

/// The compiler of a lock file, in its second line.
fn compiler_of(text: &str) -> Result<&str, KernelLockError> {
    let mut lines = text.lines();
    if lines.next() != Some(FIRST_LINE) {
        return Err(KernelLockError::Version);
    }
    let compiler = lines.next().and_then(|line| line.strip_prefix("compiler "));
    compiler
        .filter(|compiler| !compiler.is_empty())
        .ok_or(KernelLockError::Line { line: 2, expected: "`compiler` and its version" })
}

/// Kernels that are looked for in the text before all of it is parsed.
const SEARCHES: usize = 16;

/// The text of a lock file. A process that needs a few of its hundreds of kernels looks for them in the text; a kernel
/// that is not there, and each one after the first few, has the whole file parsed.
#[derive(Debug)]
pub(crate) struct KernelLockText {
    text: String,
    searches: AtomicUsize,
    parsed: OnceLock<Result<KernelLock, KernelLockError>>,
}

impl KernelLockText {
    /// A lock file of which the first two lines are right.
    pub(crate) fn new(bytes: Vec<u8>) -> Result<Self, KernelLockError> {
        let text = String::from_utf8(bytes).map_err(|_| KernelLockError::NotText)?;
        compiler_of(&text)?;
        Ok(Self { text, searches: AtomicUsize::new(0), parsed: OnceLock::new() })
    }

    /// See [`KernelLock::compiler`].
    pub(crate) fn compiler(&self) -> &str {
        compiler_of(&self.text).unwrap_or_default()
    }

    /// The whole file.
    pub(crate) fn parsed(&self) -> Result<&KernelLock, KernelLockError> {
        let parsed = self.parsed.get_or_init(|| KernelLock::parse(self.text.as_bytes()));
        parsed.as_ref().map_err(Clone::clone)
    }

    /// The hash of a kernel's ELF, if the kernel is there.
    pub(crate) fn elf(&self, key: KernelKey) -> Result<Option<ContentHash>, KernelLockError> {
        if self.searches.fetch_add(1, Ordering::Relaxed) < SEARCHES
            && let Some(elf) = self.find(key)
        {
            return Ok(Some(elf));
        }
        Ok(self.parsed()?.kernels.get(&key).map(|kernel| kernel.elf))
    }

    fn find(&self, key: KernelKey) -> Option<ContentHash> {
        let start = format!("\nkernel {key} ");
        let at = memchr::memmem::find(self.text.as_bytes(), start.as_bytes())?;
        let line = self.text.get(at + 1..)?.lines().next()?;
        parse_kernel(line).map(|(_, kernel)| kernel.elf)
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
    fn a_kernel_is_found_in_the_text_and_after_it_was_parsed() {
        let lock = lock();
        let text = KernelLockText::new(lock.render().into_bytes()).unwrap();
        let unknown = KernelKey(ContentHash::of(b"3"));
        assert_eq!(text.compiler(), lock.compiler);
        for round in 0..SEARCHES {
            for (key, kernel) in &lock.kernels {
                assert_eq!(text.elf(*key), Ok(Some(kernel.elf)));
            }
            // Before anybody needs the rest, it is not parsed.
            assert_eq!(text.parsed.get().is_some(), round >= SEARCHES / 2);
        }
        assert_eq!(text.elf(unknown), Ok(None));
        assert_eq!(text.parsed(), Ok(&lock));
    }

    #[test]
    fn damage_is_found_where_a_kernel_is_not() {
        let text = format!("{}<<<<<<< ours\n", lock().render());
        let text = KernelLockText::new(text.into_bytes()).unwrap();
        for (key, kernel) in lock().kernels {
            assert_eq!(text.elf(key), Ok(Some(kernel.elf)));
        }
        let unknown = text.elf(KernelKey(ContentHash::of(b"3")));
        assert!(matches!(unknown, Err(KernelLockError::Line { line: 5, .. })), "{unknown:?}");
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
