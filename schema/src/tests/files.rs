//! Captures to files and back, and the hashes of program parts, which must never change.

use std::collections::BTreeSet;

use super::samples;
use crate::commands;
use crate::error::Problem;
use crate::model::{Capture, Command, CommandKind, ContentHash, Expectation, OutputHash};
use crate::{
    CaptureError, Golden, GoldenProgram, check_program, program_bytes, program_from_bytes,
};

#[test]
fn samples_hold_every_command() {
    let mut kinds: Vec<CommandKind> = samples::all()
        .iter()
        .flat_map(|(_, capture)| capture.program.commands.iter().map(|made| made.command.kind()))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, CommandKind::ALL);
}

#[test]
fn bytes_give_back_what_they_were_made_of() {
    for (name, capture) in samples::all() {
        let bytes = capture.to_bytes().unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = Capture::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again, capture, "{name}");
        assert_eq!(again.to_bytes().unwrap(), bytes, "{name}");
        let program = program_bytes(&capture.program).unwrap();
        assert_eq!(program_from_bytes(&program).unwrap(), capture.program, "{name}");
    }
}

#[test]
fn goldens_hold_the_program_or_its_hash() {
    for (name, capture) in samples::all() {
        for digest in [false, true] {
            let golden = Golden::of(&capture, digest).unwrap();
            let bytes = golden.to_bytes().unwrap();
            assert_eq!(Golden::from_bytes(&bytes).unwrap(), golden, "{name}");
            assert_eq!(
                golden.program_hash().unwrap(),
                crate::program_hash(&capture.program).unwrap()
            );
            assert_eq!(Capture::from_bytes(&bytes).is_err(), digest, "{name}");
        }
        let whole = capture.to_bytes().unwrap();
        assert_eq!(Golden::from_bytes(&whole).is_err(), capture.record.is_some(), "{name}");
    }
}

#[test]
fn a_golden_has_64_kib_and_no_more() {
    let with = |outputs: u32| {
        let output = |index| OutputHash {
            name: format!("output_{index:06}"),
            length: 4,
            hash: ContentHash([1; 32]),
        };
        let program = GoldenProgram::Digest(ContentHash([2; 32]));
        Golden { program, outputs: (0..outputs).map(output).collect() }
    };
    let most = (1..).find(|outputs| with(outputs + 1).to_bytes().is_err()).unwrap();
    let largest = with(most).to_bytes().unwrap();
    let of_one = with(2).to_bytes().unwrap().len() - with(1).to_bytes().unwrap().len();
    assert!((65_536 - 2 * of_one..=65_536).contains(&largest.len()), "{}", largest.len());
    assert_eq!(Golden::from_bytes(&largest).unwrap(), with(most));
    let too_large = |result: Result<(), CaptureError>| {
        let text = result.unwrap_err().to_string();
        assert!(text.contains("bytes of a golden") && text.contains("65536"), "{text}");
    };
    too_large(with(most + 1).to_bytes().map(drop));
    too_large(Golden::from_bytes(&[0; 65_537]).map(drop));
    let exact = Golden::from_bytes(&[0; 65_536]).unwrap_err().to_string();
    assert!(!exact.contains("bytes of a golden"), "{exact}");
}

#[test]
fn only_the_program_decides_its_bytes() {
    let capture = samples::loopback();
    let mut moved = capture.clone();
    moved.record = None;
    moved.blobs.clear();
    assert_eq!(program_bytes(&capture.program).unwrap(), program_bytes(&moved.program).unwrap());
}

/// The hash of a whole program part, so that no change of the bytes goes unnoticed: goldens hold them. If this
/// test fails, undo the change of the encoding.
#[test]
fn program_bytes_never_change() {
    let hashes = samples::all()
        .into_iter()
        .map(|(name, capture)| {
            let hash = crate::program_hash(&capture.program).unwrap();
            let length = program_bytes(&capture.program).unwrap().len();
            format!("{name} {length} {hash}\n")
        })
        .collect::<String>();
    insta::assert_snapshot!(hashes);
}

#[test]
fn opening_copies_no_blob() {
    let file = crate::model::SharedBytes::from(samples::loopback().to_bytes().unwrap());
    let capture = Capture::open(&file).unwrap();
    assert!(!capture.blobs.is_empty());
    let inside = file.as_ptr_range();
    for blob in capture.blobs.values() {
        assert!(inside.contains(&blob.as_ptr()));
    }
}

#[test]
fn calls_are_checked_against_the_minor_version_of_their_reader() {
    let call = |command| samples::program(vec![samples::done(command)]);
    let later = call(Command::Synchronize(commands::Synchronize {}));
    let error = check_program(&later, 0).unwrap_err();
    assert!(matches!(error.problem, Problem::NotInOlderFormat { .. }), "{error}");
    check_program(&later, 1).unwrap();
    let mut plain = call(samples::buffer(0, "a", 64, 64));
    check_program(&plain, 0).unwrap();
    plain.l1_small_size = 1;
    assert!(check_program(&plain, 0).is_err());
}

#[test]
fn bytes_that_are_referred_to_and_absent_are_named() {
    let whole = samples::pipeline();
    assert_eq!(whole.missing_blobs(), []);
    let sources = whole.program.sources.iter().map(|source| source.hash);
    let elfs = whole.record.iter().flat_map(|record| record.elfs.iter().map(|elf| elf.hash));
    let written = whole.program.commands.iter().filter_map(|made| match &made.command {
        Command::EnqueueWriteBuffer(call) if call.data.generator.is_none() => Some(call.data.hash),
        Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
            expectation: Expectation::Reference { data, .. },
            ..
        }) => Some(data.hash),
        _ => None,
    });
    let referred: BTreeSet<ContentHash> = sources.chain(elfs).chain(written).collect();
    assert!(referred.len() > 2);
    for hash in referred {
        let mut lacking = whole.clone();
        lacking.blobs.remove(&hash);
        assert_eq!(lacking.missing_blobs(), [hash]);
    }
}
