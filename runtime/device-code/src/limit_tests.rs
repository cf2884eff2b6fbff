//! Every limit of external input: input at the limit is accepted, input one past it is refused, each axis by
//! itself.

mod forged_elf;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use forged_elf::ForgedElf;
use hallmark_chip::{Architecture, SourceFrame};

use crate::kernel_elf::{KernelElfError, KernelImage};
use crate::limits::{self, LIMITS};
use crate::{
    BuildReport, BundleProblem, FirmwareBundle, KernelStore, LineTable, LineTableError,
    SourceClosure, toolchain,
};

/// The result for an input of a given size or count.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// It is accepted.
    Accepted,
    /// The limit's check accepts it; a later check refuses it because it is forged.
    FoundLater,
    /// The limit's check refuses it.
    Refused,
}
use End::{Accepted, FoundLater, Refused};

struct Case {
    limit: &'static str,
    /// The limited item: one of several with the same limit, or one axis.
    of: &'static str,
    /// The result at the limit.
    at: End,
    with: fn(u64) -> End,
}

const fn whole(limit: &'static str, of: &'static str, with: fn(u64) -> End) -> Case {
    Case { limit, of, at: Accepted, with }
}

const fn by_check(limit: &'static str, of: &'static str, with: fn(u64) -> End) -> Case {
    Case { limit, of, at: FoundLater, with }
}

/// The result of parsing a kernel's ELF; an error is the limit's if it contains these words.
fn parsed(elf: &ForgedElf, words: &str) -> End {
    match KernelImage::parse(&elf.to_bytes()) {
        Ok(_) => Accepted,
        Err(error) if error.to_string().contains(words) => Refused,
        Err(KernelElfError::Segment { .. }) => FoundLater,
        Err(error) => panic!("{error}"),
    }
}

/// The result of reading a manifest of this many bytes from a folder.
fn manifest(bytes: u64) -> End {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("manifest.json"), vec![b' '; bytes as usize]).unwrap();
    let error = FirmwareBundle::load(folder.path(), Architecture::WormholeB0).unwrap_err();
    match error.problem {
        BundleProblem::Unreadable { reason, .. } => {
            assert_eq!(reason.kind(), std::io::ErrorKind::FileTooLarge);
            Refused
        }
        BundleProblem::Manifest(_) => FoundLater,
        other => panic!("{other}"),
    }
}

/// The result for a bundle whose first ELF has this many bytes.
fn firmware_elf(bytes: u64) -> End {
    let folder = tempfile::tempdir().unwrap();
    let manifest =
        include_bytes!("../../firmware/bundles/hallmark-1/wormhole_b0/manifest.json").as_slice();
    std::fs::write(folder.path().join("manifest.json"), manifest).unwrap();
    std::fs::write(folder.path().join("brisc.elf"), vec![0; bytes as usize]).unwrap();
    let error = FirmwareBundle::load(folder.path(), Architecture::WormholeB0).unwrap_err();
    match error.problem {
        BundleProblem::Unreadable { reason, .. } => {
            assert_eq!(reason.kind(), std::io::ErrorKind::FileTooLarge);
            Refused
        }
        BundleProblem::Elf { .. } => FoundLater,
        other => panic!("{other}"),
    }
}

fn kernel_elf(bytes: u64) -> End {
    match KernelImage::parse(&vec![0; bytes as usize]) {
        Err(KernelElfError::FileTooLarge { size }) if size as u64 == bytes => Refused,
        Err(KernelElfError::Malformed(_)) => FoundLater,
        other => panic!("{other:?}"),
    }
}

/// Names with this total length, none longer than the kept part of a name.
fn names(bytes: u64) -> ForgedElf {
    let most = limits::SYMBOL_NAME;
    let mut symbols = vec![most; bytes as usize / most];
    symbols.extend(Some(bytes as usize % most).filter(|rest| *rest > 0));
    ForgedElf { symbols, ..ForgedElf::default() }
}

/// Whether a symbol's whole name is kept.
fn name(bytes: u64) -> End {
    let elf = ForgedElf { symbols: vec![bytes as usize], ..ForgedElf::default() };
    let image = KernelImage::parse(&elf.to_bytes()).unwrap();
    let (kept, _) = image.symbol_at(0, 0).unwrap();
    if kept.len() as u64 == bytes {
        return Accepted;
    }
    assert_eq!(kept.len(), limits::SYMBOL_NAME);
    Refused
}

fn frame(function: &str) -> SourceFrame {
    SourceFrame { function: function.to_owned(), file: "k".to_owned(), line: 1 }
}

/// The result for a line table of this many bytes; its single function has a long enough name.
fn line_table(bytes: u64) -> End {
    let with_name =
        |length: usize| LineTable::of_words([[frame(&"f".repeat(length))].as_slice()]).encode();
    // The length prefix of the name is as long in this table as in the requested one.
    let rest = with_name(200).len() - 200;
    let table = with_name(bytes as usize - rest);
    assert_eq!(table.len() as u64, bytes);
    match LineTable::decode(&table) {
        Ok(_) => Accepted,
        Err(LineTableError::TooLarge { size }) if size as u64 == bytes => Refused,
        Err(error) => panic!("{error}"),
    }
}

/// The result for a line table that covers this many bytes of code.
fn line_table_of_code(bytes: u64) -> End {
    let stack = [frame("f")];
    let words = (0..bytes.div_ceil(4)).map(|_| stack.as_slice());
    match LineTable::decode(&LineTable::of_words(words).encode()) {
        Ok(_) => Accepted,
        Err(LineTableError::TooLong) => Refused,
        Err(error) => panic!("{error}"),
    }
}

fn source_file(bytes: u64) -> End {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.cpp"), vec![b'\n'; bytes as usize]).unwrap();
    match SourceClosure::read(folder.path(), "k.cpp") {
        Ok(_) => Accepted,
        Err(error) if error.to_string().contains("larger than") => Refused,
        Err(error) => panic!("{error}"),
    }
}

/// The result for a kernel with includes, this many files in total.
fn source_files(count: u64) -> End {
    let includes: String = (1..count).map(|number| format!("#include \"{number}.h\"\n")).collect();
    let nothing: Arc<[u8]> = Arc::from([]);
    let mut files: BTreeMap<String, Arc<[u8]>> =
        (1..count).map(|number| (format!("{number}.h"), Arc::clone(&nothing))).collect();
    files.insert("k.cpp".to_owned(), Arc::from(includes.as_bytes()));
    match SourceClosure::from_files("k.cpp", &files) {
        Ok(closure) => {
            assert_eq!(closure.files().len() as u64, count);
            Accepted
        }
        Err(error) if error.to_string().contains("includes more than") => Refused,
        Err(error) => panic!("{error}"),
    }
}

fn cases() -> Vec<Case> {
    vec![
        by_check("TEXT_FILE", "a bundle's manifest", manifest),
        by_check("ELF_FILE", "a kernel", kernel_elf),
        by_check("ELF_FILE", "a firmware image", firmware_elf),
        whole("LOADED_IMAGE", "one segment", |bytes| {
            let segments = vec![(0, bytes as u32)];
            parsed(&ForgedElf { segments, ..ForgedElf::default() }, "is too large")
        }),
        by_check("LOADED_IMAGE", "the distance between segments", |bytes| {
            let segments = vec![(0, 4), (bytes as u32, 4)];
            parsed(&ForgedElf { segments, ..ForgedElf::default() }, "lies too far from the others")
        }),
        whole("LOADED_IMAGE", "all segments", |bytes| {
            let segments = vec![(0, 4), (4, bytes as u32 - 4)];
            parsed(&ForgedElf { segments, ..ForgedElf::default() }, "together with the others")
        }),
        whole("LOADED_IMAGE", "the code of a line table", line_table_of_code),
        whole("SYMBOLS", "functions", |count| {
            let symbols = vec![1; count as usize];
            parsed(&ForgedElf { symbols, ..ForgedElf::default() }, "symbols")
        }),
        whole("SYMBOL_NAME", "a function's name", name),
        whole("SYMBOL_NAMES", "all names", |bytes| parsed(&names(bytes), "bytes of names")),
        whole("SEGMENTS", "program headers", |count| {
            let empty_segments = count as usize - 1;
            parsed(&ForgedElf { empty_segments, ..ForgedElf::default() }, "segments")
        }),
        whole("SECTIONS", "section headers", |count| {
            let elf = ForgedElf::default();
            let empty_sections = count as usize - elf.sections();
            parsed(&ForgedElf { empty_sections, ..elf }, "sections")
        }),
        whole("RELOCATIONS", "relocations of one section", |count| {
            let relocations = [count as usize, 0];
            parsed(&ForgedElf { relocations, ..ForgedElf::default() }, "relocations")
        }),
        whole("RELOCATIONS", "relocations of two sections", |count| {
            let relocations = [count as usize - 7, 7];
            parsed(&ForgedElf { relocations, ..ForgedElf::default() }, "relocations")
        }),
        whole("LINE_TABLE", "a table", line_table),
        whole("LINE_TABLES", "all tables", |line_tables| {
            let report = BuildReport { line_tables, ..BuildReport::default() };
            assert_eq!(KernelStore::MOST_LINE_TABLES, limits::LINE_TABLES);
            if report.line_tables_fit() { Accepted } else { Refused }
        }),
        whole("SOURCE_FILE", "a kernel's source", source_file),
        whole("SOURCE_FILES", "a kernel and what it includes", source_files),
        whole("COMPILER_OUTPUT", "a compiler's messages", |bytes| {
            let messages = vec![b'e'; bytes as usize];
            let kept = toolchain::kept(&messages);
            let is_whole = kept == messages;
            assert!(is_whole || kept.len() < limits::COMPILER_OUTPUT + 40);
            if is_whole { Accepted } else { Refused }
        }),
    ]
}

#[test]
fn of_too_many_messages_the_first_and_the_last_lines_are_kept() {
    let warnings: String =
        (0..4000).map(|line| format!("k.cpp:{line}: warning: unused\n")).collect();
    let messages = format!("k.cpp:7: error: the first\n{warnings}k.cpp:9: error: the last\n");
    let kept = String::from_utf8(toolchain::kept(messages.as_bytes())).unwrap();
    let lines: Vec<&str> = kept.lines().collect();
    let (marks, others): (Vec<&str>, Vec<&str>) =
        lines.iter().partition(|line| line.ends_with("bytes left out …"));
    assert_eq!(marks.len(), 1, "{marks:?}");
    assert!(others.iter().all(|line| messages.lines().any(|whole| whole == *line)));
    assert_eq!(others.first(), Some(&"k.cpp:7: error: the first"));
    assert_eq!(others.last(), Some(&"k.cpp:9: error: the last"));
    let long = format!("{}\n", "x".repeat(100_000));
    let kept = String::from_utf8(toolchain::kept(long.as_bytes())).unwrap();
    assert!(kept.ends_with("xxx\n"));
}

#[test]
fn every_limit_has_its_cases() {
    let cases = cases();
    let named: BTreeSet<&str> = cases.iter().map(|case| case.limit).collect();
    let limits: BTreeSet<&str> = LIMITS.iter().map(|(name, _)| *name).collect();
    println!("{} limits, {} cases at and past them", limits.len(), cases.len());
    assert_eq!(limits, named);
}

#[test]
fn what_lies_at_a_limit_is_accepted_and_one_past_it_refused() {
    for Case { limit, of, at, with } in cases() {
        let (_, most) = LIMITS.iter().find(|(name, _)| *name == limit).unwrap();
        assert_eq!(with(*most), at, "{limit}, {of}, at it");
        assert_eq!(with(*most + 1), Refused, "{limit}, {of}, past it");
    }
}
