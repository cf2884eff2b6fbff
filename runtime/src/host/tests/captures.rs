//! Captures that cannot begin or go on.

use std::sync::Arc;

use hallmark_engine::{Stop, StopCause};
use hallmark_schema::model::{BufferType, CommandIndex};

use super::opened;
use crate::recorder::{CaptureError, CaptureOptions};
use crate::{BufferConfig, CallError};

#[test]
fn one_capture_at_a_time() {
    let mut device = opened(|_| ()).unwrap();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let error = device.begin_capture(&CaptureOptions::default());
    assert!(matches!(error, Err(CaptureError::AlreadyActive)), "{error:?}");
}

#[test]
fn a_capture_begins_without_objects() {
    let mut device = opened(|_| ()).unwrap();
    device.create_buffer(&BufferConfig::interleaved("b", BufferType::Dram, 64, 64)).unwrap();
    let error = device.begin_capture(&CaptureOptions::default());
    assert!(matches!(error, Err(CaptureError::ObjectsExist { count: 1 })), "{error:?}");
}

#[test]
fn a_lost_device_is_not_captured() {
    let mut device = opened(|_| ()).unwrap();
    device.host.queues.lose(Stop {
        command: CommandIndex(0),
        enqueue: None,
        replaying: None,
        cause: StopCause::Lost { reason: "a test".to_owned() },
        leftovers: Vec::new(),
    });
    let error = device.begin_capture(&CaptureOptions::default());
    assert!(matches!(error, Err(CaptureError::DeviceLost)), "{error:?}");
}

#[test]
fn nothing_follows_what_has_no_outcome() {
    let mut device = opened(|_| ()).unwrap();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    device.create_program("p").unwrap();
    device.host.calls.recorder().give_up(CommandIndex(0));
    let error = device.create_program("q");
    let given_up = CaptureError::GivenUp { command: CommandIndex(0) }.to_string();
    let Err(CallError::Capture(error)) = error else { panic!("{error:?}") };
    assert_eq!(error.to_string(), given_up);
}

#[test]
fn a_source_stays_as_it_is() {
    let mut device = opened(|_| ()).unwrap();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let mut source =
        |text: &str| device.host.calls.recorder().source("a.h", &Arc::from(text.as_bytes()));
    source("one").unwrap();
    source("one").unwrap();
    let error = source("two");
    assert!(matches!(error, Err(CaptureError::SourceChanged { .. })), "{error:?}");
}
