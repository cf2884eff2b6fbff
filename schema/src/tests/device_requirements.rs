//! The requirements on the device in a record: each number by itself, in each form.

use super::samples;
use crate::model::{Capture, DeviceRequirements, DispatchSettings};
use crate::{Version, diff, from_jsonl, to_jsonl};

fn each() -> Vec<DeviceRequirements> {
    let none = DispatchSettings::default();
    let dispatch = [
        DispatchSettings { ring_size: 0x1000, ..none },
        DispatchSettings { completion_size: 0x2000, ..none },
        DispatchSettings { first_position: u32::MAX - 63, ..none },
        DispatchSettings { first_count: u32::MAX - 1, ..none },
        DispatchSettings { overlap: true, ..none },
    ];
    let of_dispatch =
        dispatch.into_iter().map(|dispatch| DeviceRequirements { budget: None, dispatch });
    let budget = |budget| DeviceRequirements { budget: Some(budget), dispatch: none };
    of_dispatch.chain([1, u64::MAX].map(budget)).collect()
}

fn with(asked: DeviceRequirements) -> Capture {
    let mut capture = samples::pipeline();
    capture.record.get_or_insert_with(samples::record).asked = asked;
    capture
}

#[test]
fn what_was_asked_is_kept_in_bytes_and_lines_and_told_apart() {
    let plain = with(DeviceRequirements::default());
    for asked in each() {
        let capture = with(asked);
        assert_eq!(capture.asked(), asked);
        assert_eq!(Capture::from_bytes(&capture.to_bytes().unwrap()).unwrap(), capture);
        assert_eq!(from_jsonl(&to_jsonl(&capture)).unwrap(), capture);
        assert_eq!(diff(&plain, &capture).as_slice().len(), 1, "{asked:?}");
        assert!(!to_jsonl(&plain).contains("asked"));
    }
}

/// A reader of the first format replays the copy on a device without requirements, as it always has.
#[test]
fn a_copy_for_an_older_reader_leaves_it_out() {
    let plain = with(DeviceRequirements::default());
    assert_eq!(plain.asked(), DeviceRequirements::default());
    for asked in each() {
        let capture = with(asked);
        assert_eq!(capture.version(), Version { major: 1, minor: 1 });
        assert_eq!(capture.to_bytes_for(0).unwrap(), plain.to_bytes_for(0).unwrap());
    }
}
