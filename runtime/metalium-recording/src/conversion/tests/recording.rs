//! Builds recordings for tests.

use std::collections::BTreeMap;
use std::path::Path;

use hallmark_chip::LogicalCore;
use hallmark_schema::model::CoreRange;

use crate::conversion::{Conversion, ConversionOptions, DataPolicy, convert};
use crate::event::*;
use crate::selection::Selection;

/// TT-Metalium's root in these recordings.
pub(super) const ROOT: &str = "/opt/metal";

pub(super) const QUEUE: u8 = 0;

/// The entries of a recording, and the counters of its buffers and programs.
#[derive(Clone)]
pub(super) struct RecordingBuilder {
    pub(super) entries: Vec<Entry>,
    buffers: u64,
    reads: u32,
    /// The offset added to the addresses of buffers.
    pub(super) shift: u64,
    /// Files on the machine besides those in events.
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

/// A kernel for most tests.
pub(super) fn kernel(path: &str) -> KernelDescription {
    KernelDescription {
        text: KernelText::File {
            path: path.to_owned(),
            resolved: if path.starts_with('/') {
                path.to_owned()
            } else {
                format!("{ROOT}/{path}")
            },
            text: Some(b"void kernel_main() {}\n".to_vec()),
        },
        cores: cores(0, 0, 1, 1),
        options: KernelOptions::DataMovement(DataMovementOptions {
            processor: 0,
            noc: 0,
            noc_mode: 0,
        }),
        opt_level: 1,
        compile_args: vec![4, 5],
        named_compile_args: Vec::new(),
        defines: vec![
            ("NOC_INDEX".to_owned(), "0".to_owned()),
            ("SIZE".to_owned(), "3".to_owned()),
        ],
        has_generated_bindings: false,
        scratchpads: Vec::new(),
    }
}

pub(super) fn with_source(path: &str, source: &str) -> KernelDescription {
    let mut kernel = kernel(path);
    if let KernelText::File { text, .. } = &mut kernel.text {
        *text = Some(source.as_bytes().to_vec());
    }
    kernel
}

pub(super) fn cores(start_x: u32, start_y: u32, end_x: u32, end_y: u32) -> Vec<CoreRange> {
    let (start, end) = (LogicalCore { x: start_x, y: start_y }, LogicalCore { x: end_x, y: end_y });
    vec![CoreRange { start, end }]
}

pub(super) fn words(core: (u32, u32), words: &[u32]) -> CoreWords {
    CoreWords { core, words: words.to_vec() }
}

pub(super) fn circular_buffer(index: u8, page_size: u32, pages: u32) -> CircularBufferState {
    CircularBufferState {
        cores: cores(0, 0, 1, 1),
        total_size: page_size * pages,
        indices: vec![ConfiguredIndex { index, page_size, data_format: 5, tile: None }],
        given_address: None,
    }
}

pub(super) fn transfer(buffer: ObservedBuffer, offset: u64, size: u64) -> Transfer {
    Transfer { buffer, queue: QUEUE, offset, size, blocking: true }
}

impl RecordingBuilder {
    pub(super) fn new() -> Self {
        let mut new = Self::empty();
        new.event(Event::LibraryLoaded(LibraryLoaded {
            process: 4711,
            path: format!("{ROOT}/lib/libtt_metal.so"),
            root: ROOT.to_owned(),
            folder: "/home/user".to_owned(),
            cache: "/home/user/.cache".to_owned(),
            is_slow_dispatch: false,
            is_simulated: true,
            selection: Selection::default(),
        }));
        new.event(Event::DeviceOpened(DeviceOpened {
            device: 0,
            architecture: 2,
            grid: (8, 7),
            l1_small_size: 0,
            trace_region_size: 1 << 20,
            num_command_queues: 2,
            worker_l1_size: 0,
            chip: 0,
            harvested: Vec::new(),
        }));
        new
    }

    pub(super) fn empty() -> Self {
        let (entries, files) = (Vec::new(), BTreeMap::new());
        Self { entries, buffers: 0, reads: 0, shift: 0, files }
    }

    pub(super) fn event(&mut self, event: Event) {
        self.entries.push(Entry { thread: ThreadNumber(0), event });
    }

    /// A buffer of two pages for each 64 bytes of `size`, interleaved over DRAM.
    pub(super) fn dram(&mut self, address: u64, size: u64) -> ObservedBuffer {
        self.buffer(BufferAllocated {
            buffer: ObservedBuffer(0),
            device: 0,
            address: address + self.shift,
            is_at_given_address: false,
            size,
            page_size: 32,
            size_per_bank: size,
            buffer_type: 0,
            layout: 0,
            bottom_up: None,
            sharding: None,
        })
    }

    pub(super) fn l1(&mut self, address: u64, size: u64) -> ObservedBuffer {
        let buffer = self.dram(address, size);
        if let Some(Entry { event: Event::BufferAllocated(made), .. }) = self.entries.last_mut() {
            made.buffer_type = 1;
        }
        buffer
    }

    pub(super) fn buffer(&mut self, made: BufferAllocated) -> ObservedBuffer {
        self.buffers += 1;
        let buffer = ObservedBuffer(self.buffers);
        self.event(Event::BufferAllocated(BufferAllocated { buffer, ..made }));
        buffer
    }

    /// The buffer made last.
    pub(super) fn last_buffer(&mut self) -> &mut BufferAllocated {
        let last = self.entries.iter_mut().rev().find_map(|entry| match &mut entry.event {
            Event::BufferAllocated(made) => Some(made),
            _ => None,
        });
        last.expect("a buffer was made")
    }

    pub(super) fn write(&mut self, buffer: ObservedBuffer, data: &[u8]) {
        let transfer = transfer(buffer, 0, data.len() as u64);
        self.event(Event::Written { transfer, data: data.to_vec() });
    }

    pub(super) fn read(&mut self, buffer: ObservedBuffer, data: &[u8]) {
        let read = self.reads;
        self.reads += 1;
        self.event(Event::ReadBegun { read, transfer: transfer(buffer, 0, data.len() as u64) });
        self.event(Event::ReadCompleted { read, data: data.to_vec() });
    }

    pub(super) fn describe(&mut self, program: u64, kernels: Vec<KernelDescription>) {
        let first = kernels.first().map(|kernel| match &kernel.text {
            KernelText::File { path, .. } => path.as_str(),
            KernelText::Text(_) => "program",
        });
        let folder = first.and_then(|path| path.split("/device/").next()).unwrap_or_default();
        let operation = folder.rsplit('/').next().unwrap_or_default().to_owned();
        self.event(Event::ProgramDescribed(ProgramDescription {
            program: ObservedProgram(program),
            operation,
            kernels,
            dataflow_buffers: Vec::new(),
            semaphores: Vec::new(),
        }));
    }

    pub(super) fn enqueue(&mut self, program: u64, arguments: Vec<KernelArguments>) {
        self.enqueue_with(program, arguments, Vec::new());
    }

    pub(super) fn enqueue_with(
        &mut self,
        program: u64,
        arguments: Vec<KernelArguments>,
        circular_buffers: Vec<CircularBufferState>,
    ) {
        self.event(Event::ProgramEnqueued(ProgramEnqueued {
            program: ObservedProgram(program),
            queue: QUEUE,
            blocking: false,
            circular_buffers,
            arguments,
        }));
    }

    /// Launches a program of one kernel with arguments for one core.
    pub(super) fn launch(&mut self, program: u64, given: &[u32]) {
        let arguments = KernelArguments { common: Vec::new(), cores: vec![words((0, 0), given)] };
        self.enqueue(program, vec![arguments]);
    }

    pub(super) fn convert(&self) -> Conversion {
        self.convert_with(None, DataPolicy::Whole)
    }

    pub(super) fn convert_without_data(&self) -> Conversion {
        self.convert_with(None, DataPolicy::Shape)
    }

    pub(super) fn checked_by(&self, second: &Self) -> Conversion {
        self.convert_with(Some(&second.entries), DataPolicy::Whole)
    }

    fn convert_with(&self, second: Option<&[Entry]>, data: DataPolicy) -> Conversion {
        let read = |path: &Path| {
            self.files.get(path.to_str().expect("tests name files in ASCII")).cloned()
        };
        let options = ConversionOptions {
            read: &read,
            release: "0.81.1",
            description: super::description(),
            build_id: "b1",
            kernel_compiler: "gcc",
            data,
            second,
        };
        let conversion = convert(&self.entries, &options).expect("the recording gives a capture");
        // The written capture can be read back unchanged.
        let bytes = conversion.capture.to_bytes().expect("it is valid");
        let read = hallmark_schema::model::Capture::from_bytes(&bytes);
        assert_eq!(read.expect("it can be read"), conversion.capture);
        conversion
    }
}
