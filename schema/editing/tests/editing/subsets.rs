//! Any subset of any edits gives a capture.

use std::collections::BTreeMap;

use hallmark_chip::LogicalCore;
use hallmark_schema::commands::Role;
use hallmark_schema::model::{
    BufferId, Capture, CircularBufferId, CommandIndex, CoreRange, ObjectKind, ProgramId, QueueId,
    SemaphoreId, TraceId,
};
use hallmark_schema_editing::{
    CommandSource, Edit, Fill, InsertedExpectation, Symbols, Unit, apply, insert_finish_after,
    legal_cuts, live_buffers, prefix,
};

use super::captures;

/// A deterministic sequence of random numbers: xorshift64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> u32 {
        u32::try_from(self.next() % (limit.max(1) as u64)).unwrap()
    }
}

/// Every removal that is possible in a capture.
fn removals(capture: &Capture) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (index, recorded) in (0..).map(CommandIndex).zip(&capture.program.commands) {
        edits.push(Edit::Remove(Unit::Command(index)));
        recorded.command.for_each_reference(|role, kind, id| {
            if role == Role::Creates {
                edits.push(Edit::Remove(Unit::Object { kind, id }));
            }
        });
    }
    edits
}

/// Some edits of every kind; not all of them apply.
fn edits(capture: &Capture, numbers: &mut Numbers) -> Vec<Edit> {
    let all = removals(capture);
    let count = capture.program.commands.len();
    // A capture may be without commands.
    let removed = (0..numbers.below(8)).map(|_| all.get(numbers.below(all.len()) as usize));
    let mut edits: Vec<Edit> = removed.collect::<Vec<_>>().into_iter().flatten().cloned().collect();
    if numbers.below(3) == 0 {
        edits.push(Edit::Cut { commands: numbers.below(count + 2) });
    }
    for _ in 0..numbers.below(4) {
        let after = CommandIndex(numbers.below(count + 1));
        edits.push(Edit::InsertFinish { after, queue: QueueId(numbers.below(3) as u8) });
        edits.push(Edit::InsertRead {
            after,
            queue: QueueId(numbers.below(2) as u8),
            buffer: BufferId(numbers.below(4)),
            region: None,
            output: format!("inserted.{}", numbers.below(3)),
            expectation: if numbers.below(2) == 0 {
                InsertedExpectation::Unchecked
            } else {
                InsertedExpectation::AsCaptured
            },
        });
    }
    if numbers.below(3) == 0 {
        let after = CommandIndex(numbers.below(count));
        let (queue, buffer) = (QueueId(0), BufferId(numbers.below(4)));
        edits.push(Edit::InsertWrite { after, queue, buffer });
    }
    edits.extend((0..numbers.below(4)).map(|_| change(capture, numbers)));
    edits
}

/// A change of calls, of a random kind.
fn change(capture: &Capture, numbers: &mut Numbers) -> Edit {
    let count = capture.program.commands.len();
    let command = CommandIndex(numbers.below(count));
    let small = numbers.below(3);
    match numbers.below(12) {
        0 => Edit::UnrollTrace { trace: TraceId(small) },
        1 => Edit::MakeBlocking { command },
        2 => Edit::MergeQueues,
        3 => {
            let end = LogicalCore { x: small, y: numbers.below(3) };
            let cores = CoreRange { start: LogicalCore { x: 0, y: 0 }, end };
            let program = ProgramId(numbers.below(2));
            if numbers.below(2) == 0 {
                Edit::KeepCores { program, cores }
            } else {
                Edit::RemoveCores { program, cores }
            }
        }
        4 | 5 => {
            let mut buffers = vec![BufferId(small), BufferId(numbers.below(3))];
            buffers.sort_unstable();
            let (pages, page_size) = (1 + u64::from(numbers.below(2)), 32 << numbers.below(7));
            Edit::ResizeBuffers { buffers, pages, page_size }
        }
        6 => Edit::ResizeCircularBuffer {
            circular_buffer: CircularBufferId(small),
            pages: numbers.below(3),
        },
        7 => Edit::SetInitialValue { semaphore: SemaphoreId(small), value: numbers.below(2) },
        8 => Edit::SetArgument { command, set: numbers.below(2), index: small, value: 1 },
        9 => Edit::FillData { command, fill: Fill::Ones },
        10 => Edit::ExpectAsCaptured,
        _ if small == 0 => Edit::ReplaceNames,
        _ if small == 1 => Edit::ReplaceSymbols(Symbols::Number),
        _ => Edit::ReplaceSources,
    }
}

#[test]
fn any_edits_give_a_capture_that_verifies_and_round_trips() {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let mut inserted = 0;
    let mut made = BTreeMap::new();
    for (path, capture) in captures::all() {
        for _ in 0..30 {
            let edits = edits(&capture, &mut numbers);
            let edited = apply(&edits, &capture);
            let context = || format!("{} after {edits:?}", path.display());
            let bytes = match edited.capture.to_bytes() {
                Ok(bytes) => bytes,
                Err(error) => panic!("{error}: {}", context()),
            };
            assert_eq!(Capture::from_bytes(&bytes).unwrap(), edited.capture, "{}", context());

            let mut shuffled = edits.clone();
            shuffled.reverse();
            shuffled.extend(edits.clone());
            let again = apply(&shuffled, &capture);
            assert_eq!(again.capture, edited.capture, "order or number of edits: {}", context());

            for (_, edit) in edits.iter().enumerate().filter(|(at, _)| !edited.skipped.contains(at))
            {
                let kind = format!("{edit:?}").split(['(', ' ']).next().unwrap().to_owned();
                *made.entry(kind).or_insert(0) += 1;
            }

            let settled = apply(&[], &edited.capture);
            assert_eq!(settled.capture, edited.capture, "nothing is left to do: {}", context());

            // The arguments of a core are removed with the core, and an argument that an edit sets is no
            // address any more.
            let loses_arguments = edits.iter().any(|it| {
                matches!(
                    it,
                    Edit::KeepCores { .. } | Edit::RemoveCores { .. } | Edit::SetArgument { .. }
                )
            });
            assert_eq!(edited.sources.len(), edited.capture.program.commands.len());
            for (place, source) in (0..).map(CommandIndex).zip(&edited.sources) {
                let now = &edited.capture.program.commands[place.0 as usize].command;
                match source {
                    CommandSource::Command(old) => {
                        assert_eq!(edited.place_of(*old), Some(place), "{}", context());
                        let old = &capture.program.commands[old.0 as usize].command;
                        assert_eq!(old.kind(), now.kind(), "{}", context());
                        // The objects are the same, under their new numbers.
                        let (mut before, mut after) = (Vec::new(), Vec::new());
                        old.for_each_reference(|role, kind, id| before.push((role, kind, id)));
                        now.for_each_reference(|role, kind, id| {
                            let id = edited.original_object(kind, id).unwrap();
                            after.push((role, kind, id));
                        });
                        if loses_arguments {
                            let mut before = before.iter();
                            let is_among = |it| before.any(|one| one == it);
                            assert!(after.iter().all(is_among), "{after:?}: {}", context());
                        } else {
                            assert_eq!(before, after, "{}", context());
                        }
                    }
                    CommandSource::Unrolled { .. } => {}
                    CommandSource::Inserted { .. } => inserted += 1,
                }
            }
        }
    }
    assert!(inserted > 100, "only {inserted} insertions could be made");
    assert_eq!(made.len(), 19, "not every kind of edit was made: {made:?}");
}

#[test]
fn without_edits_the_commands_stay_as_they_are() {
    for (path, capture) in captures::all() {
        let edited = apply(&[], &capture);
        assert_eq!(edited.capture.program, capture.program, "{}", path.display());
        assert_eq!(edited.capture.outputs, capture.outputs, "{}", path.display());
        let (Some(record), Some(before)) = (&edited.capture.record, &capture.record) else {
            continue;
        };
        assert_eq!(record.elfs, before.elfs, "{}", path.display());
        assert_eq!(record.reads, before.reads, "{}", path.display());
        assert_eq!(record.expected_faults, before.expected_faults, "{}", path.display());
        assert_eq!(edited.capture.missing_blobs(), capture.missing_blobs(), "{}", path.display());
    }
}

#[test]
fn every_prefix_shows_the_state_behind_its_last_command() {
    for (path, capture) in captures::all() {
        let program = &capture.program;
        let count = u32::try_from(program.commands.len()).unwrap();
        let legal = legal_cuts(program);
        assert_eq!(legal.first(), Some(&0));
        for commands in 0..=count + 1 {
            let context = format!("{} commands of {}", commands, path.display());
            let Some(edits) = prefix(program, commands) else {
                assert!(!legal.contains(&commands), "{context}");
                let edited = apply(&[Edit::Cut { commands }], &capture);
                assert_eq!(edited.skipped, [0], "{context}");
                assert_eq!(edited.capture.program, *program, "{context}");
                continue;
            };
            assert!(legal.contains(&commands), "{context}");
            let edited = apply(&edits, &capture);
            edited.capture.validate().unwrap_or_else(|error| panic!("{error}: {context}"));
            let kept =
                edited.sources.iter().filter(|source| matches!(source, CommandSource::Command(_)));
            assert_eq!(kept.count(), commands as usize, "{context}");
            let taken = commands as usize;
            assert_eq!(
                &edited.capture.program.commands[..taken],
                &program.commands[..taken],
                "{context}"
            );
            let ends_open = program.commands[..taken]
                .last()
                .is_some_and(|last| last.outcome == hallmark_schema::model::Outcome::Unfinished);
            if ends_open || commands == 0 {
                continue;
            }
            assert!(edited.skipped.is_empty(), "{context}: {:?}", edited.skipped);
            let read: Vec<u32> = edited.capture.program.commands[taken..]
                .iter()
                .flat_map(|recorded| match &recorded.command {
                    hallmark_schema::commands::Command::EnqueueReadBuffer(call) => {
                        edited.original_object(ObjectKind::Buffer, call.buffer.0)
                    }
                    _ => None,
                })
                .collect();
            let too_large = |buffer: &BufferId| {
                program.commands.iter().any(|recorded| match &recorded.command {
                    hallmark_schema::commands::Command::CreateBuffer(call) => {
                        call.buffer == *buffer && call.size > hallmark_schema::limits::DATA_BYTES
                    }
                    _ => false,
                })
            };
            let live = live_buffers(program, commands).into_iter();
            let live: Vec<u32> =
                live.filter(|buffer| !too_large(buffer)).map(|buffer| buffer.0).collect();
            assert_eq!(read, live, "{context}");
        }
    }
}

#[test]
fn a_finish_follows_each_command_whose_queue_can_be_waited_for() {
    for (path, capture) in captures::released() {
        let program = &capture.program;
        let count = u32::try_from(program.commands.len()).unwrap();
        let every: Vec<CommandIndex> = (0..count).map(CommandIndex).collect();
        let edits = insert_finish_after(program, &every);
        let edited = apply(&edits, &capture);
        edited.capture.validate().unwrap();
        let made = edited.sources.len() - program.commands.len();
        assert_eq!(made + edited.skipped.len(), edits.len(), "{}", path.display());
        // A wait is impossible on a queue that captures a trace, and after a call that did not return.
        let legal = legal_cuts(program);
        for skipped in &edited.skipped {
            let Edit::InsertFinish { after, .. } = edits[*skipped] else { panic!("no finish") };
            assert!(!legal.contains(&(after.0 + 1)), "{}: {after}", path.display());
        }
    }
}
