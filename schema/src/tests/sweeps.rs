//! Files that were cut off, changed, or crafted to do harm.

use super::samples;
use crate::commands;
use crate::container::test_support::with_trailer_recomputed;
use crate::error::{ErrorLocation, Problem};
use crate::model::{Capture, ContentHash};
use crate::{CaptureError, Golden, VERSION, Version, diff, dump, from_jsonl, to_jsonl};

fn files() -> Vec<(&'static str, Capture, Vec<u8>)> {
    let with_bytes = |(name, capture): (_, Capture)| {
        let bytes = capture.to_bytes().unwrap();
        (name, capture, bytes)
    };
    samples::all().into_iter().map(with_bytes).collect()
}

/// Does everything with a capture except running it.
fn walk(capture: &Capture, beside: &Capture) {
    capture.validate().unwrap();
    let bytes = capture.to_bytes().unwrap();
    assert_eq!(Capture::from_bytes(&bytes).unwrap(), *capture);
    assert_eq!(from_jsonl(&to_jsonl(capture)).unwrap(), *capture);
    assert!(!dump(capture).is_empty());
    let differences = diff(beside, capture);
    assert!(!differences.to_string().is_empty());
    // Unreferenced bytes of the file, and the storage of blobs, make no difference.
    let same = (&beside.program, &beside.outputs, &beside.record)
        == (&capture.program, &capture.outputs, &capture.record);
    assert_eq!(differences.is_empty(), same, "{differences}");
    capture.missing_blobs();
    Golden::of(capture, false).unwrap();
}

fn is_placed(error: &CaptureError) -> bool {
    match &error.place {
        ErrorLocation::Byte(_) | ErrorLocation::ByteOfPart { .. } | ErrorLocation::Field { .. } => {
            true
        }
        ErrorLocation::Line { .. } => false,
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let mut flips = 0_u32;
    for (name, _, bytes) in files() {
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                let error = Capture::from_bytes(&changed).expect_err(name);
                assert!(
                    matches!(error.problem, Problem::Corrupt { .. } | Problem::NoTrailer),
                    "{name}: {error}"
                );
                flips += 1;
            }
        }
    }
    println!("{flips} flipped bits, all rejected by the trailer");
    assert!(flips > 0);
}

#[test]
fn a_flipped_bit_of_every_byte_under_a_new_trailer_is_rejected_with_a_place_or_harmless() {
    flip_under_a_new_trailer(|at| at % 8..at % 8 + 1);
}

#[test]
#[ignore = "half a minute; scripts/nightly runs it"]
fn every_flipped_bit_under_a_new_trailer_is_rejected_with_a_place_or_harmless() {
    flip_under_a_new_trailer(|_| 0..8);
}

/// Flips bits of each byte, by the byte's place.
fn flip_under_a_new_trailer(bits: impl Fn(usize) -> std::ops::Range<usize>) {
    let (mut rejected, mut accepted) = (0_u32, 0_u32);
    for (name, capture, bytes) in files() {
        for at in 0..bytes.len() - 32 {
            for bit in bits(at) {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                match Capture::from_bytes(&with_trailer_recomputed(changed)) {
                    Err(error) => {
                        assert!(is_placed(&error), "{name}: {error}");
                        assert!(!error.to_string().is_empty());
                        rejected += 1;
                    }
                    Ok(changed) => {
                        walk(&changed, &capture);
                        accepted += 1;
                    }
                }
            }
        }
    }
    println!("{rejected} rejected with a place, {accepted} accepted and walked");
    assert!(rejected > 0, "nothing was rejected");
    assert!(accepted > 0, "nothing was accepted");
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    for (name, capture, bytes) in files() {
        for length in 0..bytes.len() {
            let error = Capture::from_bytes(&bytes[..length]).expect_err(name);
            assert!(is_placed(&error));
            // Under a new trailer, only unreferenced bytes can be missing.
            let rest = with_magic_and_trailer(&bytes[..length]);
            if let Ok(found) = Capture::from_bytes(&rest) {
                assert_eq!(found, capture, "{name} cut off at {length}");
            }
        }
    }
}

/// The shortened file with a matching trailer.
fn with_magic_and_trailer(bytes: &[u8]) -> Vec<u8> {
    let mut file = bytes.to_vec();
    file.extend_from_slice(b"HLMKBLK3");
    file.extend_from_slice(&[0; 32]);
    with_trailer_recomputed(file)
}

#[test]
fn huge_declared_lengths_are_refused_at_once() {
    for (name, _, bytes) in files() {
        for at in (0..bytes.len() - 40).step_by(4) {
            for length in [u32::MAX, 0x7fff_ffff, 0x4000_0000] {
                let mut changed = bytes.clone();
                changed[at..at + 4].copy_from_slice(&length.to_le_bytes());
                // Whether it is refused depends on the changed byte; it must not hang or allocate.
                if let Err(error) = Capture::from_bytes(&with_trailer_recomputed(changed)) {
                    assert!(is_placed(&error), "{name}: {error}");
                }
            }
        }
    }
}

#[test]
fn another_version_names_the_reader_that_it_needs() {
    let (_, _, bytes) = files().remove(2);
    // The version's position in the root table is found by writing another version.
    let written = |major: u16| {
        let from = VERSION.major.to_le_bytes();
        let mut found = Vec::new();
        for at in (8..64).filter(|at| bytes[*at..].starts_with(&from)) {
            let mut changed = bytes.clone();
            changed[at..at + 2].copy_from_slice(&major.to_le_bytes());
            if let Err(error) = Capture::from_bytes(&with_trailer_recomputed(changed)) {
                found.push(error.problem);
            }
        }
        found
    };
    let newer = Problem::NewerVersion { found: Version { major: 2, minor: 0 }, known: VERSION };
    let problems = written(2);
    assert!(problems.contains(&newer), "{problems:?}");
    assert!(newer.to_string().contains("format 2.0"), "{newer}");
    let older = Problem::OlderVersion { found: Version { major: 0, minor: 0 }, known: VERSION };
    assert!(written(0).contains(&older));
}

#[test]
fn what_is_no_capture_is_told() {
    let elf = with_magic_and_trailer(b"\x7fELF\x02\x01\x01\0\0\0\0\0");
    let error = Capture::from_bytes(&elf).unwrap_err();
    assert!(matches!(error.problem, Problem::NotACapture { .. }), "{error}");
    let error = Capture::from_bytes(b"").unwrap_err();
    assert!(matches!(error.problem, Problem::TooShort { .. }), "{error}");
    let zeros = with_magic_and_trailer(&[0; 64]);
    assert!(Capture::from_bytes(&zeros).is_err());
}

#[test]
fn a_program_part_in_another_order_is_not_canonical() {
    // Unreferenced bytes between tables: the same model, other bytes.
    let program = crate::program_bytes(&samples::loopback().program).unwrap();
    let mut padded = program.clone();
    padded.extend_from_slice(&[0; 8]);
    let error = crate::program_from_bytes(&padded).unwrap_err();
    assert_eq!(error.problem, Problem::NotCanonical);
    assert_eq!(
        error.place,
        ErrorLocation::ByteOfPart { part: crate::Part::Program, byte: program.len() as u64 }
    );
}

#[test]
fn blobs_start_at_multiples_of_sixteen() {
    let (_, capture, bytes) = files().remove(1);
    for blob in capture.blobs.values().filter(|blob| !blob.is_empty()) {
        let mut places = (0..bytes.len()).step_by(16);
        assert!(places.any(|at| bytes[at..].starts_with(blob)));
    }
    assert_eq!(ContentHash::of(b""), capture.program.sources[0].hash);
}

/// A small file with shared references that would make a huge tree.
#[test]
fn shared_tables_do_not_multiply() {
    use crate::generated::capture as fb;
    let mut builder = crate::wire::Builder::new();
    let command = crate::model::Command::CreateKernel(commands::CreateKernel {
        kernel: crate::model::KernelId(0),
        name: String::new(),
        program: crate::model::ProgramId(0),
        source: "x".repeat(1000),
        cores: vec![],
        config: crate::model::KernelConfig::compute(crate::model::MathFidelity::LoFi),
        compile_args: vec![1; 1000],
        defines: Default::default(),
        named_compile_args: Default::default(),
        opt_level: None,
        bindings: None,
    });
    let (command_type, command) = crate::wire::encode_command(&mut builder, &command);
    let args = fb::RecordedCommandArgs {
        command_type,
        command: Some(command),
        outcome: fb::OutcomeKind::Done,
        failure: None,
    };
    let recorded = fb::RecordedCommand::create(&mut builder, &args);
    let commands = builder.create_vector(&vec![recorded; 100_000]);
    let args = fb::ProgramArgs {
        architecture: fb::Architecture::Blackhole,
        grid: Some(&fb::Grid::new(1, 1)),
        commands: Some(commands),
        ..Default::default()
    };
    let root = fb::Program::create(&mut builder, &args);
    builder.finish(root, None);
    let bytes = builder.finished_data();
    assert!(bytes.len() < 500_000);
    let error = crate::program_from_bytes(bytes).unwrap_err();
    assert!(matches!(error.problem, Problem::Malformed { .. }), "{error}");
}

#[test]
fn an_unknown_field_is_refused() {
    use crate::generated::capture as fb;
    // A table of a later version, with one field more than this reader knows.
    let mut builder = crate::wire::Builder::new();
    let table = builder.start_table();
    builder.push_slot_always::<u8>(fb::Program::VT_ARCHITECTURE, 2);
    builder.push_slot_always::<&fb::Grid>(fb::Program::VT_GRID, &fb::Grid::new(8, 9));
    builder.push_slot_always::<u32>(fb::Program::VT_FREE_TENSORS + 2, 1);
    let root = builder.end_table(table);
    builder.finish(root, None);
    let error = crate::program_from_bytes(builder.finished_data()).unwrap_err();
    assert_eq!(error.problem, Problem::UnknownField { number: 10, known: VERSION }, "{error}");
}
