//! Tests of the reader with complete, cut, changed and invented recordings.

use proptest::prelude::*;

use super::written::bytes;
use super::*;
use crate::event::{
    BufferAllocated, CircularBufferState, ComputeOptions, ConfiguredIndex, CoreWords,
    DataMovementOptions, DataflowBuffer, DeviceOpened, KernelArguments, KernelDescription,
    KernelOptions, KernelText, LibraryLoaded, ObservedBuffer, ObservedEvent, ObservedProgram,
    ObservedTile, ObservedTrace, ProgramDescription, ProgramEnqueued, Scratchpad,
    SemaphoreDescription, Sharding, Transfer,
};
use crate::selection::{Operation, Selection};
use hallmark_schema::model::CoreRange;

/// Values derived from a number.
struct Values(u64);

impl Values {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        self.0 ^ self.0 >> 33
    }
    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[3]
    }
    fn half(&mut self) -> u32 {
        self.next().to_le_bytes().first_chunk().copied().map_or(0, u32::from_le_bytes)
    }
    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }
    fn pair(&mut self) -> (u32, u32) {
        (self.half(), self.half())
    }
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(4)).map(|_| item(self)).collect()
    }
    fn bytes(&mut self) -> Vec<u8> {
        (0..self.below(40)).map(|_| self.byte()).collect()
    }
    fn text(&mut self) -> String {
        self.list(|values| char::from_u32(values.half() % 0x3000).unwrap_or('-')).iter().collect()
    }
    fn cores(&mut self) -> Vec<CoreRange> {
        self.list(|values| CoreRange { start: values.pair().into(), end: values.pair().into() })
    }
    fn operation(&mut self) -> Operation {
        match self.flag() {
            true => Operation::Number(self.half()),
            false => Operation::Name(format!("operation_{}", self.byte())),
        }
    }
    fn queue_event(&mut self) -> ObservedEvent {
        ObservedEvent { queue: self.byte(), number: self.half() }
    }
    fn transfer(&mut self) -> Transfer {
        Transfer {
            buffer: ObservedBuffer(self.next()),
            queue: self.byte(),
            offset: self.next(),
            size: self.next(),
            blocking: self.flag(),
        }
    }

    fn buffer(&mut self) -> BufferAllocated {
        let sharding = self.flag().then(|| Sharding {
            cores: self.cores(),
            shape: self.pair(),
            orientation: self.half(),
            page_shape: self.pair(),
            tensor_shape_in_pages: self.pair(),
        });
        BufferAllocated {
            buffer: ObservedBuffer(self.next()),
            device: self.half(),
            address: self.next(),
            is_at_given_address: self.flag(),
            size: self.next(),
            page_size: self.next(),
            size_per_bank: self.next(),
            buffer_type: self.half(),
            layout: self.half(),
            bottom_up: [None, Some(false), Some(true)][self.below(3) as usize],
            sharding,
        }
    }

    fn kernel(&mut self) -> KernelDescription {
        let text = if self.flag() {
            let text = self.flag().then(|| self.bytes());
            KernelText::File { path: self.text(), resolved: self.text(), text }
        } else {
            KernelText::Text(self.bytes())
        };
        let (options, opt_level) = match self.below(3) {
            0 => {
                let (processor, noc, noc_mode) = (self.half(), self.byte(), self.byte());
                let options = DataMovementOptions { processor, noc, noc_mode };
                (KernelOptions::DataMovement(options), self.byte())
            }
            1 => {
                let options = ComputeOptions {
                    math_fidelity: self.byte(),
                    fp32_dest_acc_en: self.flag(),
                    dst_full_sync_en: self.flag(),
                    unpack_to_dest_mode: self.bytes(),
                    bfp8_pack_precise: self.flag(),
                    math_approx_mode: self.flag(),
                };
                (KernelOptions::Compute(options), self.byte())
            }
            _ => (KernelOptions::Other(self.text()), 0),
        };
        KernelDescription {
            text,
            cores: self.cores(),
            options,
            opt_level,
            compile_args: self.list(Self::half),
            named_compile_args: self.list(|values| (values.text(), values.half())),
            defines: self.list(|values| (values.text(), values.text())),
            has_generated_bindings: self.flag(),
            scratchpads: self
                .list(|values| Scratchpad { argument: values.half(), size: values.half() }),
        }
    }

    fn program(&mut self) -> ProgramDescription {
        ProgramDescription {
            program: ObservedProgram(self.next()),
            operation: self.text(),
            kernels: self.list(Self::kernel),
            dataflow_buffers: self.list(|values| DataflowBuffer {
                id: values.half(),
                index: values.half(),
                cores: values.cores(),
                entry_size: values.half(),
                entries: values.half(),
                data_format: values.byte(),
            }),
            semaphores: self.list(|values| SemaphoreDescription {
                id: values.half(),
                cores: values.cores(),
                initial_value: values.half(),
                core_type: values.half(),
            }),
        }
    }

    fn enqueued(&mut self) -> ProgramEnqueued {
        ProgramEnqueued {
            program: ObservedProgram(self.next()),
            queue: self.byte(),
            blocking: self.flag(),
            circular_buffers: self.list(|values| CircularBufferState {
                cores: values.cores(),
                total_size: values.half(),
                indices: values.list(|values| ConfiguredIndex {
                    index: values.byte(),
                    page_size: values.half(),
                    data_format: values.byte(),
                    tile: values.flag().then(|| ObservedTile {
                        shape: values.pair(),
                        face_shape: values.pair(),
                        transposes_within_face: values.flag(),
                        transposes_faces: values.flag(),
                    }),
                }),
                given_address: values.flag().then(|| values.half()),
            }),
            arguments: self.list(|values| KernelArguments {
                common: values.list(Self::half),
                cores: values.list(|values| CoreWords {
                    core: values.pair(),
                    words: values.list(Self::half),
                }),
            }),
        }
    }

    fn event(&mut self, kind: u64, thread: ThreadNumber) -> crate::Event {
        use crate::Event;
        match kind {
            0 => Event::LibraryLoaded(LibraryLoaded {
                process: self.half(),
                path: self.text(),
                root: self.text(),
                folder: self.text(),
                cache: self.text(),
                is_slow_dispatch: self.flag(),
                is_simulated: self.flag(),
                selection: Selection {
                    only: self.list(Self::operation),
                    skip: self.list(Self::operation),
                    from: self.flag().then(|| self.operation()),
                    until: self.flag().then(|| self.operation()),
                },
            }),
            1 => Event::DeviceOpened(DeviceOpened {
                device: self.half(),
                architecture: self.half(),
                grid: self.pair(),
                l1_small_size: self.next(),
                trace_region_size: self.next(),
                num_command_queues: self.byte(),
                worker_l1_size: self.next(),
                chip: self.half(),
                harvested: self.list(Self::pair),
            }),
            2 => Event::DeviceClosed { device: self.half() },
            3 => Event::BufferAllocated(self.buffer()),
            4 => Event::BufferFreed { buffer: ObservedBuffer(self.next()) },
            5 => Event::Written { transfer: self.transfer(), data: self.bytes() },
            6 => Event::ReadBegun { read: self.half(), transfer: self.transfer() },
            7 => Event::ReadCompleted { read: self.half(), data: self.bytes() },
            8 => Event::ProgramDescribed(self.program()),
            9 => {
                let program = ObservedProgram(self.next());
                Event::BindingsGenerated { program, kernel: self.half(), text: self.bytes() }
            }
            10 => Event::ProgramEnqueued(self.enqueued()),
            11 => Event::ProgramDestroyed { program: ObservedProgram(self.next()) },
            12 => Event::Finish { queue: self.byte() },
            13 => Event::EventRecorded { event: self.queue_event(), host_visible: self.flag() },
            14 => Event::EventWaitedFor { queue: self.byte(), event: self.queue_event() },
            15 => Event::EventSynchronized { event: self.queue_event() },
            16 => Event::EventQueried { event: self.queue_event(), has_happened: self.flag() },
            17 => Event::TraceBegun { queue: self.byte(), trace: ObservedTrace(self.half()) },
            18 => Event::TraceEnded { queue: self.byte(), trace: ObservedTrace(self.half()) },
            19 => {
                let (queue, trace) = (self.byte(), ObservedTrace(self.half()));
                Event::TraceReplayed { queue, trace, blocking: self.flag() }
            }
            20 => Event::TraceReleased { trace: ObservedTrace(self.half()) },
            21 => Event::CallThrew { thread, text: self.text() },
            22 => Event::Unfollowed { what: self.text() },
            _ => Event::ProcessEnded,
        }
    }

    fn recording(&mut self, kinds: impl Iterator<Item = u64>) -> Recording {
        let end = match self.below(4) {
            0 => RecordingEnd::Broken,
            1 => RecordingEnd::Ended,
            2 => RecordingEnd::Refused,
            _ => RecordingEnd::Stopped { error: 28 },
        };
        let entries = kinds.map(|kind| {
            let thread = ThreadNumber(self.half());
            Entry { thread, event: self.event(kind, thread) }
        });
        let entries = entries.collect();
        Recording {
            process: self.half(),
            build_id: "23bb346fe8447951975aca3c3eb261b08372522d".to_owned(),
            end,
            has_forked_calls: self.flag(),
            cut_at: None,
            entries,
        }
    }
}

/// The kinds of events.
const KINDS: u64 = 24;

proptest! {
    #[test]
    fn what_is_written_is_read(seed: u64) {
        let recording = Values(seed).recording(0..KINDS);
        prop_assert_eq!(Recording::from_bytes(&bytes(&recording)), Ok(recording));
    }

    #[test]
    fn made_up_contents_are_read_or_refused(
        kind in 0_u32..30,
        payload in proptest::collection::vec(any::<u8>(), 0..200),
        data in proptest::collection::vec(0_u8..3, 0..20),
    ) {
        // Small numbers are valid lengths, so that the reader gets past the first list.
        let small = |byte: u8| if byte < 200 { byte % 3 } else { byte };
        let payload: Vec<u8> = payload.into_iter().map(small).collect();
        let content = Content { payload, data };
        if let Ok(event) = events::read(kind, ThreadNumber(0), content) {
            let entries = vec![Entry { thread: ThreadNumber(0), event }];
            let recording = Recording { entries, ..Values(1).recording(0..0) };
            prop_assert_eq!(Recording::from_bytes(&bytes(&recording)), Ok(recording));
        }
    }
}

#[test]
fn a_cut_leaves_all_entries_before_it() {
    let recording = Values(7).recording(0..KINDS);
    let whole = bytes(&recording);
    let starts: Vec<usize> = (0..=recording.entries.len())
        .map(|count| {
            let entries = recording.entries.iter().take(count).cloned().collect();
            bytes(&Recording { entries, ..recording.clone() }).len()
        })
        .collect();
    for length in 0..whole.len() {
        let read = Recording::from_bytes(&whole[..length]);
        if length < HEADER {
            assert_eq!(read, Err(JournalProblem::NoRecording), "{length}");
            continue;
        }
        let read = read.unwrap();
        let before = starts.iter().filter(|&&start| start <= length).count() - 1;
        assert_eq!(read.entries, recording.entries[..before], "{length}");
        let start = starts[before];
        assert_eq!(read.cut_at, (start != length).then_some(start as u64), "{length}");
    }
}

#[test]
fn a_changed_byte_is_found_wherever_it_is() {
    let recording = Values(8).recording(0..KINDS);
    let whole = bytes(&recording);
    for at in 0..whole.len() {
        for change in [1, 0x80, 0xFF] {
            let mut changed = whole.clone();
            changed[at] ^= change;
            let problem = Recording::from_bytes(&changed).unwrap_err();
            match problem {
                JournalProblem::NoRecording => assert!(at < 8),
                JournalProblem::OtherFormat { .. } => assert!((8..12).contains(&at)),
                JournalProblem::Damaged { .. } => assert!(at >= 12),
                other => panic!("byte {at}: {other}"),
            }
        }
    }
}

#[test]
fn data_without_a_head_are_a_cut() {
    let recording = Values(7).recording(0..KINDS);
    let whole = bytes(&recording);
    // The file that a recorder leaves if it is killed while it writes large data.
    let unfinished = [&whole[..], &[0; ENTRY], &[7; 300]].concat();
    let read = Recording::from_bytes(&unfinished).unwrap();
    assert_eq!(read.cut_at, Some(whole.len() as u64));
    assert_eq!(read.entries, recording.entries);
    let mut damaged = unfinished;
    damaged[whole.len()] = 1;
    assert!(Recording::from_bytes(&damaged).is_err());
}

#[test]
fn an_entry_of_an_unknown_kind_is_named_with_its_place() {
    let recording = Values(9).recording(11..13);
    let mut changed = bytes(&recording);
    changed[HEADER + 8] = 99;
    changed[HEADER + 24..HEADER + 32].fill(0);
    let sum = checksum(&[&changed[HEADER..HEADER + ENTRY]]);
    changed[HEADER + 24..HEADER + 32].copy_from_slice(&sum.to_le_bytes());
    let problem = Recording::from_bytes(&changed).unwrap_err();
    assert_eq!(
        problem.to_string(),
        "the recording is damaged: the entry at byte 128 has 99 for its kind, which stands for nothing"
    );
}

#[test]
fn bytes_behind_the_fields_are_refused() {
    let content = Content { payload: vec![0, 0], data: Vec::new() };
    let read = events::read(Kind::Finish.number(), ThreadNumber(0), content);
    assert_eq!(read, Err(ContentError::TooLong(1)));
    let content = Content { payload: vec![0], data: vec![1, 2, 3] };
    assert_eq!(
        events::read(Kind::Finish.number(), ThreadNumber(0), content),
        Err(ContentError::TooLong(3))
    );
}
