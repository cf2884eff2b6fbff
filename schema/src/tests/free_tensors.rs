//! Binaries: captures whose inputs and outputs are free.

use super::rules::with_arguments;
use super::samples::{buffer, done, failed, program, read, record};
use crate::commands;
use crate::error::{CaptureError, ErrorLocation, Problem, Rule};
use crate::model::*;
use crate::{Version, diff, dump, from_jsonl, to_jsonl};

/// Two inputs in tiles, an output in rows, constants of its own, and a program.
pub(crate) fn binary() -> Capture {
    let commands = vec![
        done(buffer(0, "left", 4 * 4096, 4096)),
        done(buffer(1, "right", 2 * 576, 576)),
        done(buffer(2, "sums", 60 * 128, 128)),
        done(buffer(3, "weights", 64, 64)),
        done(Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
            queue: QueueId(0),
            buffer: BufferId(3),
            data: Data::generated(Generator::Uniform { data_type: DataType::Uint32, seed: 3 }, 64),
            blocking: false,
            region: None,
        })),
        done(Command::CreateProgram(commands::CreateProgram {
            program: ProgramId(0),
            name: "add".to_owned(),
        })),
        done(Command::EnqueueProgram(commands::EnqueueProgram {
            queue: QueueId(0),
            program: ProgramId(0),
            blocking: false,
        })),
    ];
    let mut program = program(commands);
    let tile = |height, width| Some(Shape2D { height, width });
    program.free_tensors = vec![
        FreeTensor { tile: tile(32, 32), ..tensor("a", 0, &[2, 60, 32]) },
        FreeTensor {
            data_format: DataFormat::Bfp4B,
            tile: tile(32, 32),
            ..tensor("b", 1, &[60, 32])
        },
        FreeTensor { role: TensorRole::Output, ..tensor("sums", 2, &[60, 32]) },
    ];
    Capture { program, record: Some(record()), outputs: Vec::new(), blobs: Blobs::new() }
}

/// An input of 32-bit elements in rows.
pub(super) fn tensor(name: &str, buffer: u32, shape: &[u32]) -> FreeTensor {
    FreeTensor {
        role: TensorRole::Input,
        name: name.to_owned(),
        buffer: BufferId(buffer),
        shape: shape.to_vec(),
        data_format: DataFormat::UInt32,
        tile: None,
    }
}

/// A binary with one input of this shape, in a buffer of this many bytes.
pub(super) fn of_shape(shape: &[u32], bytes: u64) -> Result<(), CaptureError> {
    let mut program = program(vec![done(buffer(0, "b", bytes, 64))]);
    program.free_tensors = vec![tensor("a", 0, shape)];
    program.validate()
}

type Change = fn(&mut ProgramPart);

#[track_caller]
fn refused(change: Change, path: &str, rule: fn(&Rule) -> bool) {
    let mut program = binary().program;
    program.validate().unwrap();
    change(&mut program);
    let error = program.validate().expect_err("the rule is broken");
    assert!(matches!(&error.problem, Problem::Rule(found) if rule(found)), "{error}");
    assert!(
        matches!(&error.place, ErrorLocation::Field { path: found, .. } if found == path),
        "{error}"
    );
    assert!(crate::program_bytes(&program).is_err());
    assert!(program.refused_free_tensor().is_some());
}

#[test]
fn inputs_come_before_outputs() {
    refused(
        |program| program.free_tensors.swap(1, 2),
        "free_tensors[2]",
        |rule| matches!(rule, Rule::InputAfterOutput),
    );
    // Inputs or outputs may be absent.
    let mut outputs = binary().program;
    outputs.free_tensors.drain(..2);
    outputs.validate().unwrap();
}

#[test]
fn tensors_of_a_role_have_names_of_their_own() {
    refused(
        |program| program.free_tensors[1].name = "a".to_owned(),
        "free_tensors[1].name",
        |rule| matches!(rule, Rule::TensorTwice { role: TensorRole::Input, name } if name == "a"),
    );
    for name in ["", "a b", "a/b"] {
        let mut program = binary().program;
        program.free_tensors[0].name = name.to_owned();
        let error = program.validate().unwrap_err();
        assert!(matches!(error.problem, Problem::Rule(Rule::Name { .. })), "{error}");
    }
    let mut program = binary().program;
    program.free_tensors[2].name = "a".to_owned();
    program.validate().unwrap();
}

#[test]
fn each_tensor_has_a_buffer_of_its_own() {
    refused(
        |program| {
            program.free_tensors[1] =
                FreeTensor { name: "b".to_owned(), ..program.free_tensors[0].clone() };
        },
        "free_tensors[1].buffer",
        |rule| matches!(rule, Rule::SharedTensorBuffer { buffer: 0 }),
    );
    let none = |rule: &Rule| matches!(rule, Rule::NoTensorBuffer { .. });
    refused(|program| program.free_tensors[2].buffer = BufferId(4), "free_tensors[2].buffer", none);
    refused(
        |program| {
            let failure = Failure::DeviceLost {};
            program.commands[2].outcome = Outcome::Failed(failure);
        },
        "free_tensors[2].buffer",
        none,
    );
    refused(
        |program| {
            program.commands.truncate(2);
            program.commands.push(RecordedCommand {
                command: buffer(2, "sums", 60 * 128, 128),
                outcome: Outcome::Unfinished,
            });
        },
        "free_tensors[2].buffer",
        none,
    );
    // A view has no memory of its own.
    refused(
        |program| {
            let region = BufferRegion { offset: 0, size: 64 };
            let view = commands::CreateBufferView {
                buffer: BufferId(4),
                name: "view".to_owned(),
                parent: BufferId(3),
                region,
            };
            program.commands.push(done(Command::CreateBufferView(view)));
            program.free_tensors[2].buffer = BufferId(4);
        },
        "free_tensors[2].buffer",
        none,
    );
}

#[test]
fn no_command_uses_what_a_free_buffer_holds() {
    let path = "free_tensors[2].buffer";
    let used =
        |rule: &Rule| matches!(rule, Rule::FreeBufferUsed { buffer: 2, command: CommandIndex(7) });
    refused(
        |program| {
            let data = Generator::Uniform { data_type: DataType::Uint32, seed: 3 };
            program.commands.push(done(super::rules::write(2, Data::generated(data, 60 * 128))));
        },
        path,
        used,
    );
    refused(
        |program| program.commands.push(done(read(2, "out", Expectation::AsCaptured))),
        path,
        used,
    );
    // A failed command also shows that the tensor was not meant to be given later.
    refused(
        |program| {
            let read = read(2, "out", Expectation::AsCaptured);
            program.commands.push(failed(read, Failure::DeviceLost {}));
        },
        path,
        used,
    );
    refused(
        |program| {
            let free = commands::DeallocateBuffer { buffer: BufferId(2) };
            program.commands.push(done(Command::DeallocateBuffer(free)));
        },
        path,
        used,
    );
    refused(
        |program| {
            let view = commands::CreateBufferView {
                buffer: BufferId(4),
                name: "view".to_owned(),
                parent: BufferId(2),
                region: BufferRegion { offset: 0, size: 128 },
            };
            program.commands.push(done(Command::CreateBufferView(view)));
        },
        path,
        used,
    );
    // A kernel may take the tensor's address as an argument.
    let address = RelocatedArgument::BufferAddress { buffer: BufferId(0), offset: 0 };
    let word = ArgumentRelocation { index: 0, argument: address };
    let mut told = with_arguments(&[0], &[word]);
    told.free_tensors = vec![tensor("a", 0, &[16])];
    told.validate().unwrap();
}

#[test]
fn a_tensor_fits_its_buffer() {
    refused(
        |program| program.free_tensors[2].shape = vec![60, 33],
        "free_tensors[2].buffer",
        |rule| matches!(rule, Rule::TensorBeyondBuffer { needed: 7920, size: 7680 }),
    );
    // The padding of tiles counts.
    refused(
        |program| program.free_tensors[0].shape = vec![2, 65, 32],
        "free_tensors[0].buffer",
        |rule| matches!(rule, Rule::TensorBeyondBuffer { needed: 24_576, size: 16_384 }),
    );
    refused(
        |program| program.free_tensors[0].tile = Some(Shape2D { height: 31, width: 32 }),
        "free_tensors[0].tile",
        |rule| matches!(rule, Rule::TileShape { .. }),
    );
    of_shape(&[], 64).unwrap();
    of_shape(&[16], 64).unwrap();
    of_shape(&[u32::MAX, u32::MAX, 0], 64).unwrap();
    assert!(of_shape(&[17], 64).is_err());
}

#[test]
fn a_capture_without_free_tensors_is_what_it_was_before() {
    let mut plain = binary();
    assert!(plain.program.is_binary());
    plain.program.free_tensors.clear();
    assert!(!plain.program.is_binary());
    assert_eq!(plain.version(), Version { major: 1, minor: 0 });
    assert!(!to_jsonl(&plain).contains("free_tensor"));
    let older = plain.to_bytes_for(0).unwrap();
    assert_eq!(Capture::from_bytes(&older).unwrap(), plain);
    let text = binary().to_bytes_for(0).unwrap_err().to_string();
    assert!(text.contains("`Program.free_tensors` exists since format 1.1"), "{text}");
}

#[test]
fn the_dump_tells_inputs_and_outputs() {
    let text = dump(&binary());
    let lines: Vec<&str> = text.lines().take(4).collect();
    assert!(lines[0].contains("a binary of 2 inputs and 1 output"), "{text}");
    assert_eq!(
        lines[1..],
        [
            "input 0 `a`: 2×60×32, uint32 in tiles of 32×32; buffer left stands for it",
            "input 1 `b`: 60×32, bfp4_b in tiles of 32×32; buffer right stands for it",
            "output 0 `sums`: 60×32, uint32 in rows; buffer sums stands for it",
        ]
    );
}

#[test]
fn lines_come_in_any_order_and_are_checked() {
    let text = to_jsonl(&binary());
    let line = r#"{"free_tensor":{"role":"output","name":"sums","buffer":2,"shape":[60,32],"data_format":"uint32"}}"#;
    assert!(text.contains(line), "{text}");
    let moved = format!("{}{line}\n", text.replacen(&format!("{line}\n"), "", 1));
    assert_eq!(from_jsonl(&moved).unwrap(), binary());
    let twice = format!("{text}{line}\n");
    assert!(matches!(
        from_jsonl(&twice).unwrap_err().problem,
        Problem::Rule(Rule::TensorTwice { .. })
    ));
    assert!(from_jsonl(&text.replacen("\"tile\"", "\"tiles\"", 1)).is_err());
}

#[test]
fn differences_are_told_by_tensor_and_field() {
    let first = binary();
    let told = |change: Change| {
        let mut second = first.clone();
        change(&mut second.program);
        let found = diff(&first, &second);
        assert!(found.in_program());
        let shown = found.as_slice().iter().map(|difference| {
            let text = |value: &Option<String>| value.clone().unwrap_or_default();
            let (one, other) = (text(&difference.first), text(&difference.second));
            format!("{}: {one} → {other}", difference.field)
        });
        shown.collect::<Vec<_>>()
    };
    assert_eq!(told(|it| it.free_tensors[0].name = "c".to_owned()), ["input 0.name: a → c"]);
    assert_eq!(
        told(|it| it.free_tensors[1].data_format = DataFormat::Bfp8B),
        ["input 1.data_format: bfp4_b → bfp8_b"]
    );
    assert_eq!(told(|it| it.free_tensors[2].shape[1] = 31), ["output 0.shape[1]: 32 → 31"]);
    assert_eq!(
        told(|it| it.free_tensors[1].tile = Some(Shape2D { height: 16, width: 32 })),
        [r#"input 1.tile: {"height":32,"width":32} → {"height":16,"width":32}"#]
    );
    assert_eq!(
        told(|it| it.free_tensors[2].tile = Some(Shape2D { height: 1, width: 32 })),
        [r#"output 0.tile:  → {"height":1,"width":32}"#]
    );
    assert_eq!(
        told(|it| it.free_tensors[2].buffer = BufferId(3)),
        ["output 0.buffer: sums → weights"]
    );
    let moved = told(|it| it.free_tensors[1].role = TensorRole::Output);
    assert_eq!(moved.first().unwrap(), "input 1: `b` → ");
    assert_eq!(moved.last().unwrap(), "output 1:  → `sums`");
    assert_eq!(told(|it| drop(it.free_tensors.pop())), ["output 0: `sums` → "]);
    assert_eq!(
        told(|it| it
            .free_tensors
            .push(FreeTensor { role: TensorRole::Output, ..tensor("more", 3, &[4]) })),
        ["output 1:  → `more`"]
    );
}

/// Buffers are matched by name, whatever their ids are.
#[test]
fn another_number_of_the_same_buffer_is_no_difference_of_the_tensor() {
    let mut second = binary();
    second.program.commands.insert(0, done(buffer(0, "first", 64, 64)));
    for recorded in &mut second.program.commands[1..] {
        recorded.command.for_each_reference_mut(|_, kind, id| {
            if kind == ObjectKind::Buffer {
                *id += 1;
            }
        });
    }
    for tensor in &mut second.program.free_tensors {
        tensor.buffer.0 += 1;
    }
    second.validate().unwrap();
    let found = diff(&binary(), &second);
    assert_eq!(found.as_slice().len(), 1, "{found}");
    assert!(found.to_string().contains("only in the second"), "{found}");
}
