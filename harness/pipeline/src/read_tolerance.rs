//! Tolerances for the reads of a capture whose only expectation is the captured bytes.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands::EnqueueReadBuffer;
use hallmark_schema::model::{
    Capture, Command, CommandIndex, Data, Expectation, ReadResult, Tolerance,
};
use hallmark_suite::bind::ReadTolerance;
use hallmark_suite::mistake::suggest;
use hallmark_suite::read::Choice as _;

/// Why no tolerance can be given to a capture's reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadToleranceError {
    /// Each read has an expectation of its own, or there are none.
    #[error("no read takes a tolerance: each completed read has an expectation of its own")]
    NoRead,
    /// A read that is named is not there, or has an expectation of its own.
    #[error("no read `{output}` takes a tolerance; {help}")]
    NoSuchRead {
        /// The name.
        output: String,
        /// The names that may be meant.
        help: String,
    },
    /// A read that is named has an expectation of its own.
    #[error("the read of `{output}` has an expectation of its own, and takes no other tolerance")]
    HasExpectation {
        /// The name of the output.
        output: String,
    },
    /// Two tolerances are for the same reads.
    #[error("two tolerances are for {reads}; leave one out")]
    Twice {
        /// The reads.
        reads: String,
    },
    /// A read that is named did not complete when it was captured.
    #[error(
        "the read of `{output}` did not complete in the captured run, so a replay has nothing to compare; leave its tolerance out"
    )]
    Incomplete {
        /// The name of the output.
        output: String,
    },
    /// Only the hash of what a read returned is known.
    #[error("the capture does not hold the bytes that the read of `{output}` returned")]
    BytesMissing {
        /// The name of the output.
        output: String,
    },
    /// What a read returned has no whole number of elements.
    #[error(
        "the read of `{output}` has {bytes} B, which are not a whole number of {data_type} elements"
    )]
    Elements {
        /// The name of the output.
        output: String,
        /// The number of its bytes.
        bytes: usize,
        /// The name of the type.
        data_type: &'static str,
    },
}

/// Makes the captured bytes of each read without an expectation of its own a reference with a tolerance, so that a replay
/// compares the read as one that a suite expects to be near. A read for which there is no tolerance stays as it is.
///
/// # Errors
/// [`ReadToleranceError`]; the capture is then as it was.
pub fn give_tolerances(
    capture: &mut Capture,
    tolerances: &[ReadTolerance],
) -> Result<(), ReadToleranceError> {
    let commands: Vec<CommandIndex> = reads_of(capture)
        .filter(|(_, call)| matches!(call.expectation, Expectation::AsCaptured))
        .map(|(command, _)| command)
        .collect();
    let outputs = commands.iter().filter_map(|command| capture.read_call(*command));
    let outputs: BTreeSet<&str> = outputs.map(|call| call.output.as_str()).collect();
    let mut by_output: BTreeMap<Option<&str>, &Tolerance> = BTreeMap::new();
    for ReadTolerance { read, tolerance } in tolerances {
        let read = read.as_deref();
        if let Some(output) = read.filter(|output| !outputs.contains(output)) {
            let help = suggest(output, outputs.iter().copied());
            let is_read = reads_of(capture).any(|(_, call)| call.output == output);
            let output = output.to_owned();
            return Err(if is_read {
                ReadToleranceError::HasExpectation { output }
            } else if outputs.is_empty() {
                ReadToleranceError::NoRead
            } else {
                ReadToleranceError::NoSuchRead { output, help }
            });
        }
        if by_output.insert(read, tolerance).is_some() {
            let reads = read.map_or_else(
                || "all reads that no tolerance names".to_owned(),
                |output| format!("the read `{output}`"),
            );
            return Err(ReadToleranceError::Twice { reads });
        }
    }
    let mut given = Vec::new();
    for command in commands {
        let (call, read) = (capture.read_call(command), capture.read_result(command));
        let Some(call) = call else { continue };
        let named = by_output.get(&Some(call.output.as_str()));
        let Some(tolerance) = named.or(by_output.get(&None)) else { continue };
        let Some(&ReadResult { hash, .. }) = read else {
            if named.is_some() {
                return Err(ReadToleranceError::Incomplete { output: call.output.clone() });
            }
            continue;
        };
        let Some(bytes) = capture.returned_bytes(hash) else {
            return Err(ReadToleranceError::BytesMissing { output: call.output.clone() });
        };
        if !bytes.len().is_multiple_of(tolerance.data_type.size()) {
            return Err(ReadToleranceError::Elements {
                output: call.output.clone(),
                bytes: bytes.len(),
                data_type: tolerance.data_type.name(),
            });
        }
        given.push((command, hash, bytes.into_owned(), (*tolerance).clone()));
    }
    if given.is_empty() {
        return Err(ReadToleranceError::NoRead);
    }
    for (command, hash, bytes, tolerance) in given {
        let recorded = usize::try_from(command.0).ok();
        let recorded = recorded.and_then(|place| capture.program.commands.get_mut(place));
        if let Some(Command::EnqueueReadBuffer(call)) =
            recorded.map(|recorded| &mut recorded.command)
        {
            let data = Data::blob(&bytes);
            call.expectation = Expectation::Reference { data, tolerance };
            capture.blobs.insert(hash, bytes.into());
        }
    }
    Ok(())
}

/// The reads of a capture.
fn reads_of(capture: &Capture) -> impl Iterator<Item = (CommandIndex, &EnqueueReadBuffer)> {
    let commands = (0..).map(CommandIndex).zip(&capture.program.commands);
    commands.filter_map(|(index, recorded)| match &recorded.command {
        Command::EnqueueReadBuffer(call) => Some((index, call)),
        _ => None,
    })
}

/// The number of reads that a replay returned with other bytes, within the tolerance of their expectation. The replay is known
/// to repeat its capture.
pub fn reads_within_tolerance(captured: &Capture, replayed: &Capture) -> usize {
    let reads = captured.record.iter().flat_map(|record| &record.reads);
    let near = reads.filter(|read| {
        let call = captured.read_call(read.command);
        let has_reference =
            call.is_some_and(|call| matches!(call.expectation, Expectation::Reference { .. }));
        has_reference && replayed.read_result(read.command).is_some_and(|now| now.hash != read.hash)
    });
    near.count()
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::{ContentHash, DataType, Real};

    use super::*;

    fn of(read: Option<&str>, ulp: u32) -> ReadTolerance {
        let tolerance = Tolerance {
            data_type: DataType::Float32,
            ulp,
            reason: "a test".to_owned(),
            absolute: Real::ZERO,
            relative: Real::ZERO,
            pcc: Real::ZERO,
        };
        ReadTolerance { read: read.map(str::to_owned), tolerance }
    }

    /// A capture of a suite's test whose reads have the given expectation.
    fn with_reads(expectation: &Expectation) -> Capture {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../schema/released/1.0/captures/data_movement.lmb"
        );
        let mut capture = Capture::from_bytes(&std::fs::read(path).unwrap()).unwrap();
        for recorded in &mut capture.program.commands {
            if let Command::EnqueueReadBuffer(call) = &mut recorded.command {
                call.expectation = expectation.clone();
            }
        }
        capture
    }

    #[test]
    fn what_was_captured_becomes_the_reference() {
        let mut capture = with_reads(&Expectation::AsCaptured);
        give_tolerances(&mut capture, &[of(None, 2)]).unwrap();
        let read = capture.record.as_ref().unwrap().reads[0];
        let call = capture.read_call(read.command).unwrap();
        let Expectation::Reference { data, tolerance } = &call.expectation else { panic!() };
        assert_eq!((data.hash, tolerance.ulp), (read.hash, 2));
        data.bytes(&capture.blobs).unwrap();
    }

    #[test]
    fn a_read_with_an_expectation_of_its_own_keeps_it() {
        for expectation in [
            Expectation::Exact { hash: ContentHash([7; 32]) },
            Expectation::Unchecked { reason: "a test".to_owned() },
        ] {
            let mut capture = with_reads(&expectation);
            let before = capture.clone();
            let given = give_tolerances(&mut capture, &[of(None, 2)]);
            assert_eq!(given, Err(ReadToleranceError::NoRead));
            assert_eq!(capture.program, before.program);
        }
    }

    #[test]
    fn only_reads_that_have_a_reference_are_within_a_tolerance() {
        let mut captured = with_reads(&Expectation::AsCaptured);
        let mut replayed = captured.clone();
        replayed.record.as_mut().unwrap().reads[0].hash = ContentHash([9; 32]);
        assert_eq!(reads_within_tolerance(&captured, &replayed), 0);
        give_tolerances(&mut captured, &[of(None, 2)]).unwrap();
        assert_eq!(reads_within_tolerance(&captured, &replayed), 1);
        assert_eq!(reads_within_tolerance(&captured, &captured), 0);
    }

    #[test]
    fn bytes_that_are_missing_are_told() {
        let mut capture = with_reads(&Expectation::AsCaptured);
        let other = ContentHash([7; 32]);
        capture.record.as_mut().unwrap().reads[0].hash = other;
        let given = give_tolerances(&mut capture, &[of(None, 2)]);
        assert!(matches!(given, Err(ReadToleranceError::BytesMissing { .. })), "{given:?}");
    }

    #[test]
    fn a_read_that_is_named_has_a_tolerance_of_its_own() {
        let mut capture = with_reads(&Expectation::AsCaptured);
        let read = capture.record.as_ref().unwrap().reads[0];
        let output = capture.read_call(read.command).unwrap().output.clone();
        give_tolerances(&mut capture, &[of(None, 2), of(Some(&output), 3)]).unwrap();
        let call = capture.read_call(read.command).unwrap();
        let Expectation::Reference { tolerance, .. } = &call.expectation else { panic!() };
        assert_eq!(tolerance.ulp, 3);
    }

    #[test]
    fn a_read_that_is_named_wrongly_or_twice_is_told() {
        let mut capture = with_reads(&Expectation::AsCaptured);
        let said = |capture: &mut Capture, tolerances: &[ReadTolerance]| {
            give_tolerances(capture, tolerances).unwrap_err().to_string()
        };
        let read = capture.record.as_ref().unwrap().reads[0];
        let output = capture.read_call(read.command).unwrap().output.clone();
        assert_eq!(
            said(&mut capture, &[of(Some("oout"), 2)]),
            format!("no read `oout` takes a tolerance; did you mean `{output}`?")
        );
        assert_eq!(
            said(&mut capture, &[of(Some(&output), 2), of(Some(&output), 3)]),
            format!("two tolerances are for the read `{output}`; leave one out")
        );
        assert_eq!(
            said(&mut capture, &[of(None, 2), of(None, 3)]),
            "two tolerances are for all reads that no tolerance names; leave one out"
        );
    }

    #[test]
    fn a_read_that_did_not_complete_is_told_if_it_is_named() {
        let mut capture = with_reads(&Expectation::AsCaptured);
        let read = capture.record.as_mut().unwrap().reads.remove(0);
        let output = capture.read_call(read.command).unwrap().output.clone();
        let named = give_tolerances(&mut capture, &[of(None, 2), of(Some(&output), 3)]);
        assert_eq!(named, Err(ReadToleranceError::Incomplete { output }));
        let given = give_tolerances(&mut capture, &[of(None, 2)]);
        assert_eq!(given, Err(ReadToleranceError::NoRead));
        let call = capture.read_call(read.command).unwrap();
        assert_eq!(call.expectation, Expectation::AsCaptured);
    }

    #[test]
    fn a_read_with_an_expectation_of_its_own_is_told_if_it_is_named() {
        let exact = Expectation::Exact { hash: ContentHash([7; 32]) };
        let mut capture = with_reads(&exact);
        let read = capture.record.as_ref().unwrap().reads[0];
        let output = capture.read_call(read.command).unwrap().output.clone();
        let named = give_tolerances(&mut capture, &[of(Some(&output), 2)]);
        assert_eq!(named, Err(ReadToleranceError::HasExpectation { output }));
        let other = give_tolerances(&mut capture, &[of(Some("oout"), 2)]);
        assert_eq!(other, Err(ReadToleranceError::NoRead));
    }
}
