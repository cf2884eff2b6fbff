//! A build without the cargo feature `recorder`.
#![cfg(not(feature = "recorder"))]

mod common;

use hallmark_runtime::{CaptureError, CaptureOptions};

#[test]
fn beginning_a_capture_is_an_error_and_calls_still_work() {
    let mut device = common::open();
    let error = device.begin_capture(&CaptureOptions::default()).unwrap_err();
    assert!(matches!(error, CaptureError::NotBuiltIn), "{error}");
    device.create_program("p").unwrap();
}
