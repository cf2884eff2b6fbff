//! Reads whose results differ between capture and replay: the words of both sides, the differing pages, and the
//! side that the program's expectation agrees with.

use std::borrow::Cow;

use hallmark_report::Picture;
use hallmark_schema::commands;
use hallmark_schema::model::{Capture, CommandIndex, ContentHash, Expectation};
use hallmark_schema::plural::counted;

use super::mismatch;
use super::pictures::{Sides, differing_bytes};
use super::place::ReadPlace;
use super::tolerance;

/// The largest number of shown reads; the others are counted.
const SHOWN: usize = 4;
/// The name of the reference of a read, for people.
const CAPTURED: &str = "what was captured";

/// The lines about differing reads, and pictures of the first one.
#[derive(Default)]
pub struct DifferingReads {
    /// A line for each of the first reads that differ.
    pub lines: Vec<String>,
    /// Pictures of the first read that differs.
    pub pictures: Vec<Picture>,
}

/// Every differing read that the program checks.
pub(super) fn differing_reads(captured: &Capture, replayed: &Capture) -> DifferingReads {
    let mut differing = DifferingReads::default();
    let mut told: usize = 0;
    let mut left_out: usize = 0;
    for (command, hashes) in changed(captured, replayed) {
        let Some(read) = ChangedRead::of(captured, replayed, command, hashes) else { continue };
        if told == SHOWN {
            left_out = left_out.saturating_add(1);
            continue;
        }
        let about = read.about(captured, replayed);
        if told == 0 {
            differing.pictures = about.pictures;
        }
        differing.lines.extend(about.lines);
        told = told.saturating_add(1);
    }
    if left_out > 0 {
        let more = counted(left_out, "more read differs", "more reads differ");
        differing.lines.push(format!("and {more}"));
    }
    differing
}

/// The reads of two runs that have other results, each with the hashes of both.
fn changed<'c>(
    one: &'c Capture,
    other: &'c Capture,
) -> impl Iterator<Item = (CommandIndex, [ContentHash; 2])> + 'c {
    one.record.iter().flat_map(|record| &record.reads).filter_map(move |read| {
        let now = other.read_result(read.command)?;
        (now.hash != read.hash).then_some((read.command, [read.hash, now.hash]))
    })
}

/// The words and pages of a read that two runs return otherwise: a headline, which names the first run by `reference`, then
/// lines.
fn comparison(
    output: &str,
    reference: &str,
    sides: [(&str, &[u8]); 2],
    read: Option<&ReadPlace>,
) -> Vec<String> {
    let [(_, one), (_, other)] = sides;
    let headline = mismatch::headline(output, reference, one, other, read);
    let headline = headline.trim_start_matches("Mismatch: ").to_owned();
    std::iter::once(headline).chain(mismatch::lines_of(sides, read)).collect()
}

/// The first read whose result differs between a good run and a bad one: how many words differ, the words of both runs, and
/// the pages that differ.
pub fn first_differing_read(good: &Capture, bad: &Capture) -> Vec<String> {
    let Some((command, [expected, actual])) = changed(good, bad).next() else {
        return Vec::new();
    };
    let Some(call) = good.read_call(command) else { return Vec::new() };
    let bytes = (good.returned_bytes(expected), bad.returned_bytes(actual));
    let (Some(one), Some(other)) = bytes else { return Vec::new() };
    let read = ReadPlace::of(bad, command.0);
    let sides = [("good", &*one), ("bad", &*other)];
    comparison(&call.output, "the good side's", sides, read.as_ref())
}

/// A read whose results differ although its expectation permits no difference.
struct ChangedRead<'c> {
    command: CommandIndex,
    call: &'c commands::EnqueueReadBuffer,
    /// The hashes of the captured and of the replayed result.
    hashes: [ContentHash; 2],
}

impl<'c> ChangedRead<'c> {
    /// `None` if the difference is permitted.
    fn of(
        captured: &'c Capture,
        replayed: &'c Capture,
        command: CommandIndex,
        hashes: [ContentHash; 2],
    ) -> Option<Self> {
        let call = captured.read_call(command)?;
        let bytes = || returned_bytes([captured, replayed], hashes);
        (!is_allowed(captured, &call.expectation, bytes)).then_some(Self { command, call, hashes })
    }

    /// Its lines, and pictures of its bytes.
    fn about(&self, captured: &Capture, replayed: &Capture) -> DifferingReads {
        let commands::EnqueueReadBuffer { output, expectation, .. } = self.call;
        let [before, after] = self.hashes;
        let bytes = returned_bytes([captured, replayed], self.hashes);
        let [one, two] = bytes.each_ref().map(Option::as_deref);
        let agrees = |hash: ContentHash, bytes: Option<&[u8]>| match expectation {
            Expectation::Exact { hash: wanted } => Some(hash == *wanted),
            Expectation::Reference { .. } => is_near(captured, expectation, bytes),
            Expectation::AsCaptured | Expectation::Unchecked { .. } => None,
        };
        let agreeing = [agrees(before, one), agrees(after, two)];
        let (mut lines, mut pictures) = (Vec::new(), Vec::new());
        if let (Some(one), Some(two)) = (one, two) {
            let read = ReadPlace::of(replayed, self.command.0);
            let sides = [("captured", one), ("replayed", two)];
            lines = comparison(output, CAPTURED, sides, read.as_ref());
            if let Expectation::Reference { data, tolerance } = expectation
                && let Ok(reference) = data.bytes(&captured.blobs)
                && let Some(outside) = tolerance.outside(&reference, two)
            {
                lines.extend(tolerance::limit_lines(tolerance, &outside));
            }
            let [left, right] = sides;
            let sides = Sides { object: output, left, right };
            pictures = differing_bytes(&sides, read.as_ref(), |one, other| one != other);
        }
        lines.push(match expectation {
            // Then nothing says that the reference is right.
            Expectation::Reference { data, .. } if data.hash == before => {
                format!(
                    "The reference is what the captured run returned for `{output}`; the replay is outside the tolerance."
                )
            }
            _ => who_agrees(output, agreeing),
        });
        DifferingReads { lines, pictures }
    }
}

/// The bytes that a read returned in each of two runs, as far as they are kept.
pub(super) fn returned_bytes<'c>(
    runs: [&'c Capture; 2],
    hashes: [ContentHash; 2],
) -> [Option<Cow<'c, [u8]>>; 2] {
    let ([one, two], [before, after]) = (runs, hashes);
    [one.returned_bytes(before), two.returned_bytes(after)]
}

/// Whether two runs may return different bytes: the read is unchecked, or both results are within the
/// tolerance. `bytes` are those of both runs, which only a tolerance asks for.
pub(super) fn is_allowed<'c>(
    captured: &Capture,
    expectation: &Expectation,
    bytes: impl FnOnce() -> [Option<Cow<'c, [u8]>>; 2],
) -> bool {
    match expectation {
        Expectation::Unchecked { .. } => true,
        Expectation::Reference { .. } => {
            let mut bytes = bytes().into_iter();
            bytes.all(|bytes| is_near(captured, expectation, bytes.as_deref()) == Some(true))
        }
        Expectation::Exact { .. } | Expectation::AsCaptured => false,
    }
}

/// Whether bytes are within the tolerance of their reference, if both are known.
fn is_near(captured: &Capture, expectation: &Expectation, bytes: Option<&[u8]>) -> Option<bool> {
    let Expectation::Reference { data, tolerance } = expectation else { return None };
    let reference = data.bytes(&captured.blobs).ok()?;
    Some(tolerance.outside(&reference, bytes?).is_none())
}

fn who_agrees(output: &str, sides: [Option<bool>; 2]) -> String {
    match sides {
        [Some(true), Some(true)] => {
            format!("Both runs return for `{output}` what the program expects.")
        }
        [Some(true), _] => {
            format!(
                "The captured run returns for `{output}` what the program expects; the replay does not."
            )
        }
        [_, Some(true)] => {
            format!(
                "The replay returns for `{output}` what the program expects; the captured run did not."
            )
        }
        [Some(false), _] | [_, Some(false)] => {
            format!("Neither run returns for `{output}` what the program expects.")
        }
        [None, None] => format!("The program expects of `{output}` only what was captured."),
    }
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::{Command, Data, DataType, Real, SharedBytes, Tolerance};

    use super::*;

    /// A capture whose first read has the reference 1.0 with a tolerance of 0.25, and returned a number.
    fn returning(number: f32) -> Capture {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/released/1.0/captures");
        let bytes: SharedBytes =
            std::fs::read(format!("{folder}/data_movement.lmb")).unwrap().into();
        let mut capture = Capture::from_bytes(&bytes).unwrap();
        let read = capture.record.as_ref().unwrap().reads[0];
        let reference = 1.0_f32.to_le_bytes();
        let returned: SharedBytes = number.to_le_bytes().to_vec().into();
        let recorded = &mut capture.program.commands[read.command.0 as usize];
        let Command::EnqueueReadBuffer(call) = &mut recorded.command else { panic!() };
        call.expectation = Expectation::Reference {
            data: Data::blob(&reference),
            tolerance: Tolerance {
                data_type: DataType::Float32,
                ulp: 0,
                reason: "a test".to_owned(),
                absolute: Real::new(0.25).unwrap(),
                relative: Real::ZERO,
                pcc: Real::ZERO,
            },
        };
        capture.blobs.insert(ContentHash::of(&reference), reference.to_vec().into());
        let hash = ContentHash::of(&returned);
        capture.blobs.insert(hash, returned);
        capture.record.as_mut().unwrap().reads[0].hash = hash;
        capture
    }

    #[test]
    fn what_a_tolerance_allows_is_no_difference_and_what_it_forbids_is_one() {
        let said =
            |before, after| differing_reads(&returning(before), &returning(after)).lines.join("\n");
        assert_eq!(said(1.0, 1.0), "");
        assert_eq!(said(1.0, 1.25), "");
        for (before, after, who) in [
            (1.0, 1.5, "The reference is what the captured run returned"),
            (1.5, 1.0, "The replay returns"),
            (1.5, 0.5, "Neither run returns"),
        ] {
            let text = said(before, after);
            assert!(text.contains(who), "{before} {after}: {text}");
            assert!(text.contains("captured  ") && text.contains("replayed  "), "{text}");
        }
    }
}
