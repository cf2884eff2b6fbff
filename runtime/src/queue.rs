//! What was enqueued and not yet executed, and its execution in order at a synchronizing call.

use std::collections::VecDeque;
use std::sync::Arc;

use hallmark_chip::sabotage::{Defect, planted};
use hallmark_chip::{
    DeviceError, Fault, FaultCategory, FaultPlace, Meaning, TileAddress, Unwritten,
};
use hallmark_schema::model::{
    BufferId, BufferType, CommandIndex, CommandKind, ContentHash, Failure,
};

use crate::device::Bank;
use crate::dispatch::{LaunchEnd, ProgramLaunch, Unfinished};
use crate::error::{CallError, HostError};
use crate::host::{BufferExtent, CompletedRead, Payload};
use crate::{Device, InternalError, Stop};

/// Bytes gathered for one transfer.
const CHUNK: usize = 1 << 20;

/// One enqueued command.
#[derive(Debug)]
pub(crate) enum Work {
    Write { extent: BufferExtent, payload: Payload },
    Read { extent: BufferExtent, buffer: BufferId, output: String, exact: Option<ContentHash> },
    Launch(ProgramLaunch),
}

#[derive(Debug)]
enum Item {
    Work(CommandIndex, Work),
    /// A buffer's memory becomes or ceases to be a buffer. Executed in order with the commands,
    /// because earlier ones may still use the memory.
    Meaning(BufferExtent, Meaning),
}

/// What queued launches may hold together, bytes: far more than any program that finishes now and
/// then, and little enough that no capture fills the host's memory.
pub(crate) const QUEUED_LAUNCHES: u64 = 512 << 20;

/// Commands and annotations in their order.
#[derive(Debug, Default)]
pub(crate) struct QueuedWork {
    items: VecDeque<Item>,
    /// Bytes that launches hold, roughly.
    launches: u64,
}

impl QueuedWork {
    pub(crate) fn push(&mut self, command: CommandIndex, work: Work) {
        if let Work::Launch(launch) = &work {
            self.launches = self.launches.saturating_add(launch.weight());
        }
        self.items.push_back(Item::Work(command, work));
    }

    /// The launches among them, in their order.
    pub(crate) fn queued_launches(&self) -> impl Iterator<Item = (CommandIndex, &ProgramLaunch)> {
        self.items.iter().filter_map(|item| match item {
            Item::Work(command, Work::Launch(launch)) => Some((*command, launch)),
            _ => None,
        })
    }

    /// Bytes that queued launches hold, roughly.
    pub(crate) const fn launches(&self) -> u64 {
        self.launches
    }

    pub(crate) fn annotate_buffer(&mut self, extent: &BufferExtent, allocated: bool) {
        let meaning = if allocated { Meaning::Buffer } else { Meaning::Freed };
        if extent.placement.bank_size > 0 {
            self.items.push_back(Item::Meaning(extent.clone(), meaning));
        }
    }

    /// What is executed next.
    fn next(&mut self) -> Option<Item> {
        if planted(Defect::QueueReversed) {
            return self.items.pop_back();
        }
        self.items.pop_front()
    }

    /// Whether commands wait to be executed.
    pub(crate) fn has_work(&self) -> bool {
        self.items.iter().any(|item| matches!(item, Item::Work(..)))
    }
}

/// How executing one item ended early.
pub(crate) enum Halt {
    Device(DeviceError),
    Deadlock(Vec<hallmark_chip::Waiting>),
    Hang(Unfinished),
    Internal(InternalError),
    Capture(crate::recorder::CaptureError),
}

impl From<DeviceError> for Halt {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

impl From<InternalError> for Halt {
    fn from(error: InternalError) -> Self {
        Self::Internal(error)
    }
}

impl From<crate::recorder::CaptureError> for Halt {
    fn from(error: crate::recorder::CaptureError) -> Self {
        Self::Capture(error)
    }
}

impl Device {
    /// Executes everything enqueued. What halts the device is the outcome of this call, and the
    /// device is lost from then on.
    pub(crate) fn run_queue(
        &mut self,
        command: CommandIndex,
        call: CommandKind,
    ) -> Result<(), CallError> {
        while let Some(item) = self.queue.next() {
            let result = match item {
                Item::Meaning(extent, meaning) => self.annotate_extent(&extent, meaning),
                Item::Work(enqueue, work) => self.run_work(enqueue, work),
            };
            if let Err(halt) = result {
                return Err(self.halt(command, call, halt));
            }
        }
        self.queue.launches = 0;
        Ok(())
    }

    fn run_work(&mut self, enqueue: CommandIndex, work: Work) -> Result<(), Halt> {
        match work {
            Work::Write { extent, payload } => {
                Ok(self.write_extent(&extent, &payload.materialize())?)
            }
            Work::Read { extent, buffer, output, exact } => {
                let length = usize::try_from(extent.size())
                    .map_err(|_| InternalError::new("a buffer beyond the address space"))?;
                let mut bytes = vec![0; length];
                self.read_extent(&extent, &mut bytes)?;
                let bytes: Arc<[u8]> = bytes.into();
                self.recorder.read_completed(enqueue, buffer, exact, &bytes)?;
                let read = CompletedRead { command: enqueue, buffer, output, bytes };
                self.reads.insert(enqueue, read);
                Ok(())
            }
            Work::Launch(launch) => {
                self.recorder.executing(enqueue)?;
                self.last_launch = Some(enqueue);
                match self.launch(&launch)? {
                    LaunchEnd::Done => Ok(()),
                    LaunchEnd::Deadlock(waiting) => Err(Halt::Deadlock(waiting)),
                    LaunchEnd::Hang(unfinished) => Err(Halt::Hang(unfinished)),
                }
            }
        }
    }

    fn halt(&mut self, command: CommandIndex, call: CommandKind, halt: Halt) -> CallError {
        self.queue = QueuedWork::default();
        // Device programs are what breaks rules: what shows later is the last launched one's doing.
        let mut stop = Stop {
            command,
            enqueue: self.last_launch,
            reason: String::new(),
            fault: None,
            waits: Vec::new(),
            waiting: Vec::new(),
            running: Vec::new(),
            unfinished: Vec::new(),
        };
        let last_launch = self.last_launch;
        let blamed = |category| last_launch.ok_or(category);
        let failure = match halt {
            Halt::Device(DeviceError::Fault(fault)) => {
                stop.reason = fault.to_string();
                stop.fault = Some(self.fault_record(command, &fault));
                blamed("a fault")
                    .map(|enqueue| Failure::DeviceFault { category: fault.category, enqueue })
            }
            Halt::Device(error @ DeviceError::Lost { .. }) => {
                stop.reason = error.to_string();
                Ok(Failure::DeviceLost {})
            }
            Halt::Deadlock(waiting) => {
                stop.waits = waiting.iter().map(|waiting| self.wait_record(waiting)).collect();
                stop.reason = format!("{} cores wait for each other", stop.waits.len());
                stop.waiting = waiting;
                blamed("a deadlock").map(|enqueue| Failure::Deadlock { enqueue })
            }
            Halt::Hang(Unfinished { ticks, cores }) => {
                stop.reason = format!("not finished after {ticks} ticks");
                stop.unfinished = cores;
                stop.running = self.running_cores();
                blamed("a hang").map(|enqueue| Failure::Hang { enqueue })
            }
            Halt::Device(error) => return self.stop_by(stop, InternalError::from(error).into()),
            Halt::Internal(error) => return self.stop_by(stop, error.into()),
            Halt::Capture(error) => return self.stop_by(stop, error.into()),
        };
        let failure = match failure {
            Ok(failure) => failure,
            Err(what) => {
                let what = format!("{what} before any program ran: {}", stop.describe());
                return self.stop_by(stop, InternalError::new(what).into());
            }
        };
        let error = HostError::new(call, failure).detail(stop.describe());
        let recorded = self.recorder.stopped(stop.fault.as_ref(), &stop.waits);
        self.stop = Some(stop);
        match recorded {
            Ok(()) => error.into(),
            Err(error) => error.into(),
        }
    }

    /// The device is lost through no doing of the host program's.
    fn stop_by(&mut self, mut stop: Stop, error: CallError) -> CallError {
        if stop.reason.is_empty() {
            stop.reason = error.to_string();
        }
        self.stop = Some(stop);
        error
    }

    fn annotate_extent(&mut self, extent: &BufferExtent, meaning: Meaning) -> Result<(), Halt> {
        let length = extent.placement.bank_size;
        if extent.buffer_type == BufferType::L1 {
            // Circular buffers that lay here must be announced again.
            self.tiles.values_mut().for_each(|tile| tile.circular_memory.clear());
        }
        let banks = self.banks(extent.buffer_type).to_vec();
        let used = banks.iter().zip(0..).filter(|(_, index)| extent.mapping.uses(*index));
        for (bank, _) in used.filter(|_| !planted(Defect::FreedMemoryKeepsItsMeaning)) {
            let start = TileAddress(bank.offset.saturating_add(extent.placement.address));
            self.chip.annotate(bank.physical, start, length, meaning)?;
        }
        Ok(())
    }

    pub(crate) fn banks(&self, buffer_type: BufferType) -> &[Bank] {
        match buffer_type {
            BufferType::Dram => &self.dram_banks,
            BufferType::L1 => &self.l1_banks,
        }
    }

    fn write_extent(&mut self, extent: &BufferExtent, bytes: &[u8]) -> Result<(), DeviceError> {
        let mut banks = self.banks(extent.buffer_type).to_vec();
        if planted(Defect::WritesToTheNextBank) {
            banks.rotate_left(1);
        }
        let mut gathered = Vec::new();
        for (bank, index) in banks.iter().zip(0..) {
            for Run { start, pages } in Runs::new(extent, index, bank) {
                // Padding between pages stays as it is: a run has none.
                gathered.clear();
                for source in pages.iter().filter_map(|&page| bytes.get(slice(extent, page)?)) {
                    gathered.extend_from_slice(source);
                }
                self.chip.write(bank.tile, start, &gathered)?;
            }
        }
        self.chip.order()
    }

    fn read_extent(&mut self, extent: &BufferExtent, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let banks = self.banks(extent.buffer_type).to_vec();
        let page_size = usize::try_from(extent.page_size).unwrap_or(usize::MAX).max(1);
        let mut scattered = Vec::new();
        // What a program should have written and did not must not equal an expectation by chance.
        // Padding is not asked about. A capture blames the program that ran last, so before the first
        // one there is nobody to blame, and what is read is what the chip happens to hold.
        let asks = self.last_launch.is_some() && self.chip.capabilities().detects_uninitialised;
        for (bank, index) in banks.iter().zip(0..) {
            for Run { start, pages } in Runs::new(extent, index, bank) {
                scattered.resize(pages.len() * page_size, 0);
                self.chip.read(bank.tile, start, &mut scattered)?;
                if asks {
                    let length = scattered.len() as u64;
                    if let Some(found) = self.chip.unwritten(bank.tile, start, length)? {
                        let first = extent.pages.start;
                        return Err(unwritten(&pages, first, page_size, found).into());
                    }
                }
                if planted(Defect::ReadsMissAPage) {
                    scattered.truncate(scattered.len() - page_size);
                }
                for (&page, source) in pages.iter().zip(scattered.chunks(page_size)) {
                    let target = slice(extent, page).and_then(|range| bytes.get_mut(range));
                    if let Some(target) = target {
                        target.copy_from_slice(source);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The host asked for a byte that nothing has written; the pages are those of the range in question.
fn unwritten(pages: &[u64], first: u64, page_size: usize, found: Unwritten) -> Fault {
    let Unwritten { tile, offset, source } = found;
    let page_size = page_size as u64;
    let index = usize::try_from(offset / page_size).unwrap_or(usize::MAX);
    let page = pages.get(index).copied().unwrap_or_default().saturating_sub(first);
    Fault {
        category: FaultCategory::UnpredictableValueUsed,
        reason: format!(
            "byte {} of page {page} of a buffer that the host reads comes from {source}, which nothing \
             has written since power-on or since it was freed",
            offset % page_size
        ),
        place: Some(FaultPlace {
            tile,
            processor: None,
            pc: None,
            instruction: None,
            retired: None,
        }),
        against: None,
    }
}

/// Pages that follow one another in a bank without padding between them.
struct Run {
    start: TileAddress,
    pages: Vec<u64>,
}

/// The runs of an extent in one bank.
struct Runs {
    pages: std::iter::Peekable<Box<dyn Iterator<Item = (u64, u64)>>>,
    /// Where the bank's first page lies.
    base: u64,
    stride: u64,
    /// Pages of the longest run that is handed out.
    longest: usize,
}

impl Runs {
    fn new(extent: &BufferExtent, index: u64, bank: &Bank) -> Self {
        let stride = extent.placement.page_stride;
        let dense = stride == extent.page_size;
        let page_size = usize::try_from(extent.page_size).unwrap_or(usize::MAX).max(1);
        Self {
            pages: extent.mapping.pages_of(index, extent.pages.clone()).peekable(),
            base: bank.offset.saturating_add(extent.placement.address),
            stride,
            longest: if dense { (CHUNK / page_size).max(1) } else { 1 },
        }
    }
}

impl Iterator for Runs {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let (page, first) = self.pages.next()?;
        let mut pages = vec![page];
        let mut expected = first.saturating_add(1);
        while pages.len() < self.longest {
            let Some((page, _)) = self.pages.next_if(|(_, slot)| *slot == expected) else { break };
            pages.push(page);
            expected = expected.saturating_add(1);
        }
        // The allocator has checked that all of this fits into a bank.
        let start = self.base.saturating_add(first.saturating_mul(self.stride));
        Some(Run { start: TileAddress(start), pages })
    }
}

/// Where a page of the whole buffer lies in the host's bytes of an extent.
fn slice(extent: &BufferExtent, page: u64) -> Option<std::ops::Range<usize>> {
    let page_size = usize::try_from(extent.page_size).ok()?;
    let place = usize::try_from(page.checked_sub(extent.pages.start)?).ok()?;
    let start = place.checked_mul(page_size)?;
    Some(start..start.checked_add(page_size)?)
}
