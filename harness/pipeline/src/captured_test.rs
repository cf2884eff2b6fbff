//! A capture as a test: its calls, with their outcomes, and the required results of its reads.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hallmark_schema::commands;
use hallmark_schema::model::{
    Capture, Command, CommandIndex, Expectation, Outcome, ReadResult, RecordedCommand,
};

use hallmark_suite::bound::{
    AtEnd, BoundCase, BoundEnd, BoundStep, BoundTest, ExpectedOutput, KernelOrigin,
};

/// A capture whose calls can be repeated like those of a test.
#[derive(Clone, Debug)]
pub struct CapturedTest {
    /// The file, as the user named it.
    pub name: String,
    /// The capture.
    pub capture: Arc<Capture>,
    /// Its calls and expectations.
    pub bound: BoundTest,
}

impl CapturedTest {
    /// A capture read from a file. `timeout` is the wall-clock limit of its calls.
    pub fn new(file: &Path, capture: Capture, timeout: Duration) -> Self {
        let name = file.display().to_string();
        let capture = Arc::new(capture);
        let program = &capture.program;
        let step = |recorded: &RecordedCommand| BoundStep {
            line: 0,
            file: None,
            command: recorded.command.clone(),
            failure: match &recorded.outcome {
                Outcome::Failed(failure) => Some(failure.clone()),
                // The outcome that the last call of an unfinished capture would have had is unknown.
                Outcome::Done | Outcome::Unfinished => None,
            },
            place: None,
        };
        let case = BoundCase {
            test: name.clone(),
            architecture: program.architecture.name().to_owned(),
            num_command_queues: program.num_command_queues,
            trace_region_size: program.trace_region_size,
            l1_small_size: program.l1_small_size,
            worker_l1_size: program.worker_l1_size,
            steps: program.commands.iter().map(step).collect(),
            at_end: match capture.at_end() {
                None => AtEnd::Open,
                Some(end) => match end.failure() {
                    Some(failure) => {
                        AtEnd::Fails(BoundEnd { failure: failure.clone(), place: None })
                    }
                    None => AtEnd::Good,
                },
            },
        };
        let blobs = capture.blobs.iter().map(|(hash, bytes)| (*hash, Arc::from(&**bytes)));
        let bound = BoundTest {
            case,
            about: String::new(),
            blobs: blobs.collect(),
            outputs: outputs(&capture),
            expected_failures: Vec::new(),
            timeout,
            asked: capture.asked(),
            digest_golden: false,
            kernels: KernelOrigin::Capture(Arc::clone(&capture)),
            binaries: Vec::new(),
        };
        Self { name, capture, bound }
    }
}

/// The required result of each read, as far as the program or the record states it.
fn outputs(capture: &Capture) -> Vec<ExpectedOutput> {
    let mut outputs = Vec::new();
    for (index, recorded) in (0_u32..).zip(&capture.program.commands) {
        let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, expectation, .. }) =
            &recorded.command
        else {
            continue;
        };
        if recorded.outcome != Outcome::Done {
            continue;
        }
        let mut expected = ExpectedOutput {
            output: output.clone(),
            against: "what the program expects".to_owned(),
            bytes: None,
            hash: None,
            tolerance: None,
            command: index,
            tensor: None,
        };
        match expectation {
            Expectation::Exact { hash } => expected.hash = Some(*hash),
            Expectation::Reference { data, tolerance } => {
                expected.bytes =
                    data.bytes(&capture.blobs).ok().map(|bytes| bytes.into_owned().into());
                expected.hash = Some(data.hash);
                expected.tolerance = Some(tolerance.clone());
            }
            Expectation::AsCaptured => {
                expected.against = "what was captured".to_owned();
                expected.hash = read(capture, index).map(|read| read.hash);
            }
            Expectation::Unchecked { .. } => {}
        }
        if let (None, Some(hash)) = (&expected.bytes, expected.hash) {
            expected.bytes = capture.returned_bytes(hash).map(|bytes| bytes.into_owned().into());
        }
        outputs.push(expected);
    }
    outputs
}

fn read(capture: &Capture, command: u32) -> Option<&ReadResult> {
    capture.read_result(CommandIndex(command))
}
