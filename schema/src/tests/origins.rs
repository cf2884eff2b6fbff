//! Captures of programs that did not use Hallmark's runtime: their origins, and the versions that read them.

use super::sample_origins::another_runtime;
use super::samples;
use crate::error::{CaptureError, Rule};
use crate::model::*;
use crate::{Version, diff, dump, from_jsonl, to_jsonl};

fn changed(change: impl FnOnce(&mut Capture, &mut Origin)) -> Result<(), CaptureError> {
    let mut capture = another_runtime();
    let mut origin = capture.record.as_mut().unwrap().origin.take().unwrap();
    change(&mut capture, &mut origin);
    capture.record.as_mut().unwrap().origin = Some(origin);
    capture.validate()
}

fn refused(change: impl FnOnce(&mut Capture, &mut Origin)) -> Rule {
    match changed(change).unwrap_err().problem {
        crate::Problem::Rule(rule) => rule,
        other => panic!("{other}"),
    }
}

fn kernel(capture: &mut Capture, at: usize) -> &mut crate::commands::CreateKernel {
    let Command::CreateKernel(kernel) = &mut capture.program.commands[at].command else {
        panic!("command {at} makes no kernel")
    };
    kernel
}

fn circular_buffer(capture: &mut Capture) -> &mut crate::commands::CreateCircularBuffer {
    let Command::CreateCircularBuffer(made) = &mut capture.program.commands[5].command else {
        panic!("command 5 makes no circular buffer")
    };
    made
}

/// Each of the fields alone makes a capture unreadable for 1.0, and the error names the field.
#[test]
fn readers_of_the_first_minor_version_are_told_what_they_lack() {
    let plain = samples::loopback;
    assert_eq!(plain().version(), Version { major: 1, minor: 0 });
    type Case = (&'static str, fn(&mut Capture));
    let cases: &[Case] = &[
        ("CreateKernel.named_compile_args", |capture| {
            kernel(capture, 3).named_compile_args.insert("a".to_owned(), 0);
        }),
        ("CreateKernel.opt_level", |capture| kernel(capture, 3).opt_level = Some(OptLevel::O0)),
        ("CreateKernel.bindings", |capture| {
            kernel(capture, 3).bindings = Some(KernelBindings::default());
        }),
        ("DataMovement.noc_mode", |capture| {
            kernel(capture, 3).config = KernelConfig::DataMovement {
                processor: DataMovementProcessor::Riscv1,
                noc: NocId::Noc0,
                noc_mode: NocMode::Dynamic,
            };
        }),
        ("Compute.dst_full_sync_en", |capture| {
            let mut config = KernelConfig::compute(MathFidelity::LoFi);
            if let KernelConfig::Compute { dst_full_sync_en, .. } = &mut config {
                *dst_full_sync_en = true;
            }
            kernel(capture, 3).config = config;
        }),
        ("Compute.unpack_to_dest_mode", |capture| {
            let mut config = KernelConfig::compute(MathFidelity::LoFi);
            if let KernelConfig::Compute { unpack_to_dest_mode, .. } = &mut config {
                unpack_to_dest_mode.insert(0, UnpackToDestMode::UnpackToDestFp32);
            }
            kernel(capture, 3).config = config;
        }),
        ("Compute.bfp8_pack_precise", |capture| {
            let mut config = KernelConfig::compute(MathFidelity::LoFi);
            if let KernelConfig::Compute { bfp8_pack_precise, .. } = &mut config {
                *bfp8_pack_precise = true;
            }
            kernel(capture, 3).config = config;
        }),
        ("Program.l1_small_size", |capture| capture.program.l1_small_size = 1),
        ("Program.worker_l1_size", |capture| capture.program.worker_l1_size = 1),
        ("Program.free_tensors", |capture| *capture = super::free_tensors::binary()),
        ("Record.origin", |capture| {
            capture.record.as_mut().unwrap().origin = Some(Origin {
                executor: ExecutorRecord::default(),
                missing: Vec::new(),
                relocations: RelocationCheck::Checked,
                placement_bound_words: Vec::new(),
                generated_bindings: Vec::new(),
                dataflow_buffers: Vec::new(),
            });
        }),
    ];
    for (name, change) in cases {
        let mut capture = plain();
        change(&mut capture);
        assert_eq!(capture.version(), Version { major: 1, minor: 1 }, "{name}");
        assert_eq!(Capture::from_bytes(&capture.to_bytes().unwrap()).unwrap(), capture, "{name}");
        let text = capture.to_bytes_for(0).unwrap_err().to_string();
        assert!(text.contains(&format!("`{name}` exists since format 1.1")), "{name}: {text}");
    }
    let text = samples::correlated().to_bytes_for(0).unwrap_err().to_string();
    assert!(text.contains("`Tolerance.pcc` exists since format 1.1"), "{text}");
    for (what, change) in
        [("CircularBufferIndex.tile", None), ("DataFormat.Bfp8B", Some(DataFormat::Bfp8B))]
    {
        let mut capture = samples::pipeline();
        let made = capture.program.commands.iter_mut().find_map(|made| match &mut made.command {
            Command::CreateCircularBuffer(made) => Some(made),
            _ => None,
        });
        let index = &mut made.unwrap().indices[0];
        match change {
            None => index.tile = Some(TileShape::of(Shape2D { height: 32, width: 32 })),
            Some(format) => index.data_format = format,
        }
        let text = capture.to_bytes_for(0).unwrap_err().to_string();
        assert!(text.contains(&format!("`{what}` exists since format 1.1")), "{text}");
    }
}

#[test]
fn texts_and_differences_tell_the_origin() {
    let capture = another_runtime();
    let text = to_jsonl(&capture);
    for part in [
        r#""origin":{"executor":{"name":"TT-Metalium","release":"0.81.1""#,
        r#""relocations":"unchecked""#,
        r#"{"missing":"a global semaphore"}"#,
        r#"{"placement_bound_word":{"command":6,"core":[1,0],"index":1}}"#,
        r#"{"placement_bound_word":{"command":7,"index":0}}"#,
        r#"{"generated_bindings":{"kernel":0,"original":"kernels/reader.cpp"}}"#,
        r#"{"dataflow_buffer":0}"#,
        r#""l1_small_size":24576,"worker_l1_size":1048576"#,
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let mut other = capture.clone();
    let origin = other.record.as_mut().unwrap().origin.as_mut().unwrap();
    origin.relocations = RelocationCheck::Checked;
    origin.executor.release = "0.82.0".to_owned();
    origin.missing.pop();
    origin.placement_bound_words.remove(1);
    origin.generated_bindings[0].original = "kernels/writer.cpp".to_owned();
    origin.dataflow_buffers.clear();
    insta::assert_snapshot!(diff(&capture, &other).to_string());
    let mut none = capture.clone();
    none.record.as_mut().unwrap().origin = None;
    assert!(!dump(&none).contains("TT-Metalium"));
    assert!(!diff(&none, &capture).is_empty());
    let orphan = text.replacen(r#","origin":{"#, r#","removed":{"#, 1);
    assert!(from_jsonl(&orphan).is_err());
    let line = "{\"missing\":\"x\"}\n";
    let error = from_jsonl(&format!("{}{line}", to_jsonl(&none))).unwrap_err().to_string();
    assert!(error.contains("the record has none"), "{error}");
}

#[test]
fn an_origin_names_what_the_program_has() {
    changed(|_, _| {}).unwrap();
    let undefined = |object, id| Rule::Undefined { object, id };
    assert_eq!(
        refused(|_, origin| origin.generated_bindings[1].kernel = KernelId(2)),
        undefined(ObjectKind::Kernel, 2)
    );
    assert_eq!(
        refused(|_, origin| origin.dataflow_buffers[0] = CircularBufferId(1)),
        undefined(ObjectKind::CircularBuffer, 1)
    );
    let twice = [
        refused(|_, origin| origin.generated_bindings[1].kernel = KernelId(0)),
        refused(|_, origin| origin.dataflow_buffers.push(CircularBufferId(0))),
        refused(|_, origin| origin.placement_bound_words.swap(0, 1)),
    ];
    assert_eq!(twice, [const { Rule::NotAscending }; 3]);
    assert_eq!(refused(|_, origin| origin.missing[0] = " ".to_owned()), Rule::NoReason);
}

#[test]
fn placement_bound_words_are_plain_numbers_of_a_call() {
    let not_there = |at: usize, change: fn(&mut PlacementBoundWord)| {
        refused(|_, origin| {
            origin.placement_bound_words = vec![origin.placement_bound_words[at]];
            change(&mut origin.placement_bound_words[0]);
        })
    };
    let rule = |command, index| Rule::NotThatWord { command: CommandIndex(command), index };
    // The places of words: a compile-time argument, a core's argument, a common argument.
    assert_eq!(not_there(0, |word| word.index = 2), rule(3, 2));
    assert_eq!(not_there(0, |word| word.core = Some(samples::core(0, 0))), rule(3, 0));
    assert_eq!(not_there(1, |word| word.index = 2), rule(6, 2));
    assert_eq!(not_there(1, |word| word.index = 0), rule(6, 0));
    assert_eq!(not_there(1, |word| word.core = None), rule(6, 1));
    assert_eq!(not_there(1, |word| word.core = Some(samples::core(2, 0))), rule(6, 1));
    assert_eq!(not_there(2, |word| word.index = 1), rule(7, 1));
    assert_eq!(not_there(2, |word| word.command = CommandIndex(8)), rule(8, 0));
    assert_eq!(not_there(2, |word| word.command = CommandIndex(9)), rule(9, 0));
    let other = "the program part, which is not placement-bound";
    let bound = refused(|capture, _| capture.program.placement_bound = false);
    assert_eq!(bound, Rule::Contradiction { other });
}

#[test]
fn kernels_and_circular_buffers_say_what_metalium_takes() {
    for name in ["", "a\"b", "a\\b", "a\nb", "a\0b"] {
        let rule = refused(|capture, _| {
            kernel(capture, 3).named_compile_args.insert(name.to_owned(), 1);
        });
        assert_eq!(rule, Rule::NamedCompileArg { name: name.to_owned() });
    }
    for (at, level) in [(3, OptLevel::O2), (4, OptLevel::O3)] {
        let rule = refused(|capture, _| kernel(capture, at).opt_level = Some(level));
        assert_eq!(rule, Rule::DefaultOptLevel);
    }
    let rule = refused(|capture, _| {
        let config = &mut kernel(capture, 4).config;
        if let KernelConfig::Compute { unpack_to_dest_mode, .. } = config {
            unpack_to_dest_mode.insert(32, UnpackToDestMode::UnpackToDestFp32);
        }
    });
    assert_eq!(rule, Rule::CircularBufferIndex { index: 32, limit: 32 });
    let rule = refused(|capture, _| {
        circular_buffer(capture).indices[1].tile.as_mut().unwrap().shape.height = 3;
    });
    assert!(matches!(rule, Rule::TileShape { .. }), "{rule}");
    let rule = refused(|capture, _| capture.program.l1_small_size = 0);
    assert_eq!(rule, Rule::NoL1SmallRegion);
    // The arguments of a failed call may hold all of these.
    changed(|capture, origin| {
        *kernel(capture, 4).named_compile_args.entry(String::new()).or_default() = 1;
        circular_buffer(capture).indices[1].tile.as_mut().unwrap().shape.height = 3;
        let failures =
            [(4, Failure::NamedCompileArgInvalid {}), (5, Failure::TileShapeInvalid { index: 1 })];
        for (at, failure) in failures {
            capture.program.commands[at].outcome = Outcome::Failed(failure);
        }
        capture.program.commands.truncate(6);
        origin.placement_bound_words.truncate(1);
    })
    .unwrap();
}

#[test]
fn bindings_have_the_values_of_their_kind() {
    let changed_names = |change: fn(&mut Vec<KernelBinding>)| {
        let rule = refused(|capture, _| {
            change(&mut kernel(capture, 3).bindings.as_mut().unwrap().names);
        });
        let Rule::KernelBinding { reason } = rule else { panic!("{rule}") };
        reason
    };
    let values = "it has another number of values than its kind";
    assert_eq!(changed_names(|names| names[1].values.truncate(2)), values);
    assert_eq!(changed_names(|names| names[0].values.truncate(7)), values);
    assert_eq!(changed_names(|names| names[3].values.push(0)), values);
    assert_eq!(changed_names(|names| names[9].values.clear()), values);
    let word = "a value has no word of that number";
    assert_eq!(changed_names(|names| names[1].values[2] = 4), word);
    assert_eq!(changed_names(|names| names[3].values[1] = 4), word);
    let offset = "an argument has an offset of whole words";
    assert_eq!(changed_names(|names| names[4].values[1] = 6), offset);
    assert_eq!(changed_names(|names| names[6].values[0] = 3), offset);
    let identifier = "a name is an identifier";
    assert_eq!(changed_names(|names| names[8].name = "a b".to_owned()), identifier);
    assert_eq!(changed_names(|names| names[8].name.clear()), identifier);
    assert_eq!(changed_names(|names| names[8].name = "7a".to_owned()), identifier);
    let twice = "its namespace has the name twice";
    assert_eq!(changed_names(|names| names[7].name = "rows".to_owned()), twice);
    assert_eq!(changed_names(|names| names[2].name = "output".to_owned()), twice);
    let group = "a group has names of one namespace of the list";
    for members in [vec![], vec![1, 3], vec![10], vec![2]] {
        let rule = refused(|capture, _| {
            kernel(capture, 3).bindings.as_mut().unwrap().names[2].values = members;
        });
        assert_eq!(rule, Rule::KernelBinding { reason: group });
    }
    // A failed call may have any.
    changed(|capture, origin| {
        kernel(capture, 4).bindings = kernel(capture, 3).bindings.clone();
        kernel(capture, 4).bindings.as_mut().unwrap().names[1].values.clear();
        let failure = Failure::NamedCompileArgInvalid {};
        capture.program.commands[4].outcome = Outcome::Failed(failure);
        capture.program.commands.truncate(5);
        origin.placement_bound_words.truncate(1);
        origin.dataflow_buffers.clear();
    })
    .unwrap();
}

/// A replay that ends early keeps the first calls, and only the origin's entries about them.
#[test]
fn the_origin_of_the_first_calls_speaks_of_no_others() {
    let whole = another_runtime();
    for length in 0..=whole.program.commands.len() {
        let mut capture = whole.clone();
        capture.program.commands.truncate(length);
        let record = capture.record.as_mut().unwrap();
        let origin = record.origin.as_mut().unwrap();
        origin.truncate(&capture.program.commands);
        let origin = origin.clone();
        let said = |origin: &Origin| {
            let words = origin.placement_bound_words.len();
            (words, origin.generated_bindings.len(), origin.dataflow_buffers.len())
        };
        if length == 0 {
            assert_eq!(said(&origin), (0, 0, 0));
        }
        if length == whole.program.commands.len() {
            assert_eq!(Some(origin), whole.record.clone().unwrap().origin);
        }
        let rest = Record { origin: record.origin.clone(), ..samples::record() };
        *record = rest;
        capture.outputs.clear();
        capture.program.commands.retain(|it| it.command.kind() != CommandKind::EnqueueReadBuffer);
        capture.validate().unwrap_or_else(|error| panic!("{length}: {error}"));
    }
}
