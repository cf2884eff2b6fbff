//! The text forms of the sample captures: JSON lines and the dump that people read.

use super::sample_origins::another_runtime;
use super::samples;
use crate::commands::Command;
use crate::error::ErrorLocation;
use crate::model::{KernelConfig, UnpackToDestMode};
use crate::{dump, from_jsonl, program_bytes, to_jsonl};

#[test]
fn json_lines_give_back_the_capture() {
    for (name, capture) in samples::all() {
        let text = to_jsonl(&capture);
        let again = from_jsonl(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again, capture, "{name}");
        assert_eq!(
            program_bytes(&again.program).unwrap(),
            program_bytes(&capture.program).unwrap()
        );
    }
}

#[test]
fn json_lines_look_like_this() {
    // The schema's hash changes with every comment in the schema.
    let text = to_jsonl(&samples::loopback());
    insta::assert_snapshot!(text.replace(&crate::class::schema_hash().to_string(), "(schema)"));
}

#[test]
fn dumps_look_like_this() {
    for (name, capture) in samples::all() {
        insta::assert_snapshot!(format!("dump_{name}"), dump(&capture));
    }
}

/// TT-Metalium's recordings state a mode for each of 32 indices.
#[test]
fn a_dump_tells_indices_of_one_mode_together() {
    let mut capture = another_runtime();
    for recorded in &mut capture.program.commands {
        if let Command::CreateKernel(kernel) = &mut recorded.command
            && let KernelConfig::Compute { unpack_to_dest_mode, .. } = &mut kernel.config
        {
            let mode = |index| (index, UnpackToDestMode::UnpackToDestFp32);
            *unpack_to_dest_mode = [1, 2, 3, 5, 30, 31].map(mode).into();
        }
    }
    let modes = ", indices 1 to 3 unpack_to_dest_fp32, index 5 unpack_to_dest_fp32, indices 30 to 31 unpack_to_dest_fp32, compile";
    let text = dump(&capture);
    assert!(text.contains(modes), "{text}");
}

#[test]
fn mistakes_in_json_lines_are_placed() {
    let text = to_jsonl(&samples::loopback());
    let cases = [
        (text.replacen("\"create_buffer\"", "\"create_bufer\"", 1), 2),
        (text.replacen("\"page_size\":2048", "\"page_size\":-1", 1), 2),
        (text.replacen("}\n", "}\n{\n", 3), 2),
        // A definition that occurs twice is refused: neither value is the right one.
        (text.replacen("\"defines\":{}", "\"defines\":{\"A\":\"1\",\"A\":\"2\"}", 1), 5),
        (String::new(), 1),
        (text.replacen("\"1.0\"", "\"1.9\"", 1), 1),
        (text.replacen("\"format\"", "\"unknown\":1,\"format\"", 1), 1),
    ];
    for (text, line) in cases {
        let error = from_jsonl(&text).expect_err("the text is wrong");
        assert!(
            matches!(error.place, ErrorLocation::Line { line: found, .. } if found == line),
            "{error}"
        );
    }
}
