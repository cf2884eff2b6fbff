//! The order of L1's banks in a record: its values, when it is present, and which versions read it.

use hallmark_chip::{Architecture, L1BankOrder};

use super::samples;
use crate::commands::{self, Command};
use crate::error::{ErrorLocation, Rule};
use crate::model::{
    BufferLayout, BufferType, Capture, CoreRange, Failure, Outcome, Shape2D, ShardOrientation,
    ShardSpec,
};
use crate::{Version, diff, dump, from_jsonl, to_jsonl};

fn shuffled() -> Capture {
    samples::shuffled_banks()
}

/// Without the order, a replay of the copy would place pages in other banks.
#[test]
fn the_order_is_needed_and_nothing_else_has_changed() {
    let capture = shuffled();
    assert_eq!(capture.version(), Version { major: 1, minor: 1 });
    assert_eq!(Capture::from_bytes(&capture.to_bytes().unwrap()).unwrap(), capture);
    let text = capture.to_bytes_for(0).unwrap_err().to_string();
    let expected = "record, l1_bank_order: `Record.l1_bank_order` exists since format 1.1, and a copy in format 1.0 \
                    cannot leave it out; use a reader of format 1.1 or later";
    assert_eq!(text, expected);
    let mut by_rows = capture;
    by_rows.record.as_mut().unwrap().l1_bank_order = L1BankOrder::RowByRow;
    assert_eq!(by_rows.version(), Version { major: 1, minor: 0 });
    let file = by_rows.to_bytes_for(0).unwrap();
    assert_eq!(Capture::from_bytes(&file).unwrap(), by_rows);
}

#[test]
fn a_shuffled_order_has_a_buffer_interleaved_over_l1() {
    let changes: [fn(&mut commands::CreateBuffer); 2] = [
        |buffer| buffer.buffer_type = BufferType::Dram,
        |buffer| {
            let shape = |height| Shape2D { height, width: 1 };
            buffer.layout = BufferLayout::HeightSharded;
            buffer.shard_spec = Some(ShardSpec {
                cores: vec![CoreRange::single(samples::core(0, 0))],
                shape: shape(10),
                orientation: ShardOrientation::RowMajor,
                page_shape: shape(1),
                tensor2d_shape_in_pages: shape(10),
            });
        },
    ];
    let refused = |capture: &Capture| {
        let error = capture.validate().unwrap_err();
        let other = "the buffers, none of which is interleaved over L1";
        assert_eq!(error.problem, Rule::Contradiction { other }.into());
        let found =
            matches!(&error.place, ErrorLocation::Field { path, .. } if path == "l1_bank_order");
        assert!(found, "{error}");
    };
    for change in changes {
        let mut capture = shuffled();
        if let Command::CreateBuffer(buffer) = &mut capture.program.commands[0].command {
            change(buffer);
        }
        refused(&capture);
    }
    let mut capture = shuffled();
    capture.program.commands[0].outcome = Outcome::Failed(Failure::DeviceLost {});
    refused(&capture);
    capture.program.commands[0].outcome = Outcome::Unfinished;
    capture.validate().unwrap();
}

#[test]
fn texts_and_differences_tell_the_order() {
    let capture = shuffled();
    let mut by_rows = capture.clone();
    by_rows.record.as_mut().unwrap().l1_bank_order = L1BankOrder::RowByRow;
    let text = to_jsonl(&capture);
    assert!(text.contains(r#""l1_bank_order":"shuffled""#), "{text}");
    assert_eq!(from_jsonl(&text).unwrap(), capture);
    assert!(!to_jsonl(&by_rows).contains("l1_bank_order"));
    assert_eq!(from_jsonl(&to_jsonl(&by_rows)).unwrap(), by_rows);
    assert!(dump(&capture).contains("; banks of L1 shuffled as TT-Metalium's\n"));
    assert!(!dump(&by_rows).contains("banks of L1"));
    let differences = diff(&by_rows, &capture).to_string();
    assert!(
        differences.contains("l1_bank_order row_by_row → shuffled  derived field"),
        "{differences}"
    );
}

/// A golden has no record: the chip determines the order.
#[test]
fn without_a_record_the_order_is_the_chips() {
    let mut capture = shuffled();
    capture.record = None;
    assert_eq!(capture.l1_bank_order(), L1BankOrder::Shuffled);
    capture.program.architecture = Architecture::Grayskull;
    assert_eq!(capture.l1_bank_order(), L1BankOrder::RowByRow);
}

/// The order numbers banks even where no buffer depends on it: reports and plans call a bank by the same number.
#[test]
fn where_nothing_is_interleaved_the_order_is_the_chips() {
    let mut capture = shuffled();
    capture.record.as_mut().unwrap().l1_bank_order = L1BankOrder::RowByRow;
    assert_eq!(capture.l1_bank_order(), L1BankOrder::RowByRow);
    for made in &mut capture.program.commands {
        if let Command::CreateBuffer(call) = &mut made.command {
            call.layout = BufferLayout::HeightSharded;
        }
    }
    assert_eq!(capture.l1_bank_order(), L1BankOrder::Shuffled);
}
