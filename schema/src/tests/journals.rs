//! Journals that are complete, cut off, changed, or of another version.

use super::samples;
use crate::journal::{
    CompleteError, JournalBegin, JournalBuffer, JournalError, JournalWriter, RecordUpdate, recover,
};
use crate::model::{Capture, CommandIndex, Failure, Outcome, QueuesEnd};
use crate::{VERSION, Version};

/// A buffer that remembers every write, so that a kill can be placed between any two bytes.
#[derive(Debug, Default)]
struct Trail {
    bytes: Vec<u8>,
    writes: Vec<(usize, Vec<u8>)>,
}

impl JournalBuffer for Trail {
    type Error = std::convert::Infallible;

    fn reserve(&mut self, length: usize) -> Result<(), Self::Error> {
        JournalBuffer::reserve(&mut self.bytes, length)
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) {
        self.bytes.write(offset, bytes);
        self.writes.push((offset, bytes.to_vec()));
    }
}

fn write<B: JournalBuffer>(buffer: B, capture: &Capture) -> JournalWriter<B>
where
    B::Error: std::fmt::Debug,
{
    let record = capture.record.clone().unwrap_or_else(samples::record);
    let begin = JournalBegin {
        architecture: capture.program.architecture,
        grid: capture.program.grid,
        num_command_queues: capture.program.num_command_queues,
        trace_region_size: capture.program.trace_region_size,
        l1_small_size: capture.program.l1_small_size,
        worker_l1_size: capture.program.worker_l1_size,
        writer: record.writer.clone(),
        chip: record.chip.clone(),
        firmware: record.firmware.clone(),
        dispatch_mode: record.dispatch_mode,
        asked: record.asked,
        checks: record.checks.clone(),
    };
    let mut writer = JournalWriter::begin(buffer, 1 << 20, &begin).unwrap();
    for source in &capture.program.sources {
        writer.source(&source.path, &capture.blobs[&source.hash]).unwrap();
    }
    for (hash, content) in &capture.blobs {
        if !capture.program.sources.iter().any(|source| source.hash == *hash) {
            writer.blob(content).unwrap();
        }
    }
    for (index, recorded) in capture.program.commands.iter().enumerate() {
        let index = CommandIndex(index as u32);
        writer.command_begun(index, &recorded.command).unwrap();
        if matches!(recorded.command, crate::model::Command::EnqueueProgram(_)) {
            writer.executing(index).unwrap();
        }
        for read in record.reads.iter().filter(|read| read.command == index) {
            writer.read_completed(read, None).unwrap();
        }
        if recorded.outcome != Outcome::Unfinished {
            writer.command_ended(index, &recorded.outcome).unwrap();
        }
    }
    let update = RecordUpdate {
        placement_bound: capture.program.placement_bound,
        addresses: record.addresses.iter().rev().copied().collect(),
        elfs: record.elfs.clone(),
        faults: record.faults.clone(),
        waits: record.waits.clone(),
        collected: record.collected.clone(),
        l1_bank_order: record.l1_bank_order,
    };
    writer.update(&update).unwrap();
    if let Some(end) = &record.at_end {
        writer.queues_drained(&Outcome::Unfinished).unwrap();
        writer.queues_drained(&end.outcome).unwrap();
    }
    writer
}

#[test]
fn a_journal_becomes_the_capture_that_was_recorded() {
    for (name, mut capture) in samples::all() {
        let journal = write(Vec::new(), &capture).into_buffer();
        let recovered = recover(&journal).unwrap_or_else(|error| panic!("{name}: {error}"));
        // A recorder does not see the expectations of the host program's author.
        let record = capture.record.get_or_insert_with(samples::record);
        record.expected_faults.clear();
        record.printed.clear();
        // Nor does it see declarations on the finished capture.
        capture.program.free_tensors.clear();
        // Only Hallmark's own recorder writes journals.
        record.origin = None;
        assert_eq!(recovered.capture, capture, "{name}");
        // A mapped file is longer than its written part.
        let mut mapped = journal;
        mapped.resize(mapped.len() + 4096, 0);
        assert_eq!(recover(&mapped).unwrap().capture, capture, "{name}");
    }
}

#[test]
fn a_read_that_failed_after_its_bytes_had_come_returned_nothing() {
    let mut read = 0;
    for (name, mut capture) in samples::all() {
        let last =
            capture.record.iter().flat_map(|record| &record.reads).map(|it| it.command).max();
        let Some(last) = last else { continue };
        capture.program.commands.truncate(last.0 as usize + 1);
        let recorded = capture.program.commands.last_mut().unwrap();
        recorded.outcome = Outcome::Failed(Failure::DeviceLost {});
        let journal = write(Vec::new(), &capture).into_buffer();
        let Ok(recovered) = recover(&journal) else { continue };
        let found = recovered.capture.record.unwrap();
        assert!(found.reads.iter().all(|read| read.command != last), "{name}");
        read += 1;
    }
    assert!(read > 0);
}

#[test]
fn a_kill_at_any_byte_leaves_every_command_that_began() {
    let capture = samples::fault();
    let trail = write(Trail::default(), &capture).into_buffer();
    let mut memory = vec![0; trail.bytes.len()];
    let (mut before, mut unfinished, mut recovered) = (0, 0, 0);
    for (offset, bytes) in &trail.writes {
        for (at, byte) in bytes.iter().enumerate() {
            match recover(&memory) {
                Err(JournalError::NeverBegan) => before += 1,
                Err(error) => panic!("after byte {at} of the write at {offset}: {error}"),
                Ok(found) => {
                    let commands = &found.capture.program.commands;
                    let whole = &capture.program.commands;
                    let same = commands
                        .iter()
                        .zip(whole)
                        .filter(|(found, whole)| found.command == whole.command);
                    assert_eq!(same.count(), commands.len());
                    recovered += 1;
                    unfinished += u32::from(found.unfinished().is_some());
                    found.capture.to_bytes().unwrap();
                }
            }
            memory[offset + at] = *byte;
        }
    }
    assert_eq!(recover(&memory).unwrap().capture, capture);
    assert!(before > 0 && unfinished > 0 && recovered > unfinished);
}

#[test]
fn a_journal_that_was_changed_is_refused_or_ends_earlier() {
    let capture = samples::loopback();
    let journal = write(Vec::new(), &capture).into_buffer();
    let (mut refused, mut shorter) = (0, 0);
    for at in 0..journal.len() {
        for bit in 0..8 {
            let mut changed = journal.clone();
            changed[at] ^= 1 << bit;
            match recover(&changed) {
                Err(_) => refused += 1,
                // The checksum does not cover padding, and a commit word may become zero.
                Ok(_) => shorter += 1,
            }
        }
    }
    assert!(refused > shorter * 10, "{refused} refused, {shorter} not");
    for length in 0..journal.len() {
        assert!(recover(&journal[..length]).is_err(), "cut off at {length}");
    }
}

#[test]
fn a_parent_completes_what_a_fault_ended() {
    let mut capture = samples::fault();
    capture.program.commands.truncate(4);
    let Outcome::Failed(failure) = capture.program.commands[3].outcome.clone() else { panic!() };
    let mut cut = capture.clone();
    cut.program.commands[3].outcome = Outcome::Unfinished;
    let journal = write(Vec::new(), &cut).into_buffer();
    let mut recovered = recover(&journal).unwrap();
    assert_eq!(recovered.executing, Some(CommandIndex(2)));
    assert_eq!(recovered.unfinished(), Some(CommandIndex(3)));
    let wrong = Failure::Hang { enqueue: CommandIndex(0) };
    assert!(matches!(
        recovered.complete_with(Outcome::Failed(wrong)),
        Err(CompleteError::Invalid(_))
    ));
    recovered.complete_with(Outcome::Failed(failure)).unwrap();
    assert_eq!(
        crate::program_bytes(&recovered.capture.program).unwrap(),
        crate::program_bytes(&capture.program).unwrap()
    );
    assert!(matches!(
        recovered.complete_with(Outcome::Done),
        Err(CompleteError::NothingUnfinished)
    ));
}

#[test]
fn a_journal_of_an_unknown_version_is_one_error_that_names_both() {
    let capture = samples::loopback();
    let journal = write(Vec::new(), &capture).into_buffer();
    let saying = |major: u16, minor: u16| {
        let mut changed = journal.clone();
        changed[4..6].copy_from_slice(&major.to_le_bytes());
        changed[6..8].copy_from_slice(&minor.to_le_bytes());
        let hash = blake3::hash(&changed[..32]);
        changed[32..64].copy_from_slice(hash.as_bytes());
        recover(&changed)
    };
    let Version { major, minor } = VERSION;
    for older in 0..=minor {
        assert_eq!(saying(major, older).unwrap().capture, capture);
    }
    for found in [
        Version { major, minor: minor + 1 },
        Version { major: major + 1, minor: 0 },
        Version { major: major - 1, minor },
    ] {
        let error = saying(found.major, found.minor).unwrap_err();
        assert_eq!(error, JournalError::Version { found, known: VERSION });
        let text = error.to_string();
        assert!(text.contains(&found.to_string()) && text.contains(&VERSION.to_string()), "{text}");
    }
}

#[test]
fn what_is_no_journal_is_told() {
    let cases: [(&[u8], &str); 4] = [
        (b"", "not a journal"),
        (&[0; 63], "not a journal"),
        (&[0; 64], "ended before"),
        (&[0x7f; 200], "not a journal"),
    ];
    for (bytes, words) in cases {
        let error = recover(bytes).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_recorder_that_is_killed_while_queues_are_drained_leaves_their_end_open() {
    let mut capture = samples::raced_at_the_end();
    capture.record.as_mut().unwrap().at_end = None;
    let mut writer = write(Vec::new(), &capture);
    assert_eq!(recover(writer.buffer()).unwrap().capture.at_end(), None);
    writer.queues_drained(&Outcome::Unfinished).unwrap();
    let mut recovered = recover(writer.buffer()).unwrap();
    assert!(recovered.is_draining() && recovered.unfinished().is_none());
    // The parent of the killed process knows how it ended; what does not fit changes nothing.
    let unfit = Failure::Hang { enqueue: CommandIndex(9) };
    recovered.complete_with(Outcome::Failed(unfit)).unwrap_err();
    assert!(recovered.is_draining());
    let fit = Failure::Hang { enqueue: CommandIndex(2) };
    recovered.complete_with(Outcome::Failed(fit.clone())).unwrap();
    assert_eq!(recovered.capture.at_end().and_then(QueuesEnd::failure), Some(&fit));
    assert!(recovered.complete_with(Outcome::Done).is_err());
    // No call follows the end.
    writer.command_begun(CommandIndex(3), &samples::FINISH).unwrap();
    let error = recover(writer.buffer()).unwrap_err();
    assert!(error.to_string().contains("out of turn"), "{error}");
}
