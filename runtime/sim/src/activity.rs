//! What cores do, kept from the moment at which somebody asks for it.

use std::collections::BTreeMap;

use hallmark_chip::{
    Activity, ActivitySpan, CoreActivity, Doing, ExecutedInstruction, Footprint, NocRequest,
    PhysicalCoordinate, Processor, Tick, TileAddress, Transfers,
};

use crate::core::Wait;
use crate::fault::CoreOrigin;
use crate::noc::Transfer;
use crate::quick_hash::QuickMap;

/// Spans and requests that are kept from one time somebody asks to the next, of all cores.
const SPANS: usize = 1 << 20;

/// A core: the number of its tile among the Tensix tiles, and its own.
type CoreNumber = (u16, usize);

#[derive(Debug)]
pub(crate) struct ActivityLog {
    since: Tick,
    cores: BTreeMap<CoreNumber, CoreLog>,
    transfers: BTreeMap<(PhysicalCoordinate, Processor), TransferLog>,
    spans: usize,
    dropped: u64,
}

/// What requests of a core moved, and when.
#[derive(Debug, Default)]
struct TransferLog {
    requests: Vec<NocRequest>,
    touched: Footprint,
    /// Packets and bytes by the memory's tile, and whether they wrote.
    counts: BTreeMap<(PhysicalCoordinate, bool), (u64, u64)>,
}

impl TransferLog {
    fn take(&mut self) -> (Vec<Transfers>, Vec<NocRequest>) {
        let Self { requests, touched, counts } = std::mem::take(self);
        let transfers = counts.into_iter().map(|((tile, writes), (packets, bytes))| {
            let ranges = touched.ranges(writes).filter(|(at, _, _)| *at == tile);
            let ranges = ranges.map(|(_, start, end)| (start, end)).take(Transfers::RANGES);
            Transfers { tile, writes, packets, bytes, ranges: ranges.collect() }
        });
        (transfers.collect(), requests)
    }
}

#[derive(Debug)]
struct CoreLog {
    at: PhysicalCoordinate,
    processor: Processor,
    /// What it does now, and since when. Nothing in reset.
    now: Option<(Tick, Doing)>,
    spans: Vec<ActivitySpan>,
    instructions: QuickMap<u32, ExecutedInstruction>,
}

impl ActivityLog {
    pub(crate) fn new(since: Tick) -> Self {
        let (cores, transfers) = (BTreeMap::new(), BTreeMap::new());
        Self { since, cores, transfers, spans: 0, dropped: 0 }
    }

    /// A request of a core reads or writes memory.
    pub(crate) fn moves(
        &mut self,
        core: (PhysicalCoordinate, Processor),
        (tile, address, length): (PhysicalCoordinate, u64, u64),
        writes: bool,
    ) {
        let log = self.transfers.entry(core).or_default();
        log.touched.add(tile, address, length, writes);
        let (packets, bytes) = log.counts.entry((tile, writes)).or_default();
        *packets = packets.saturating_add(1);
        *bytes = bytes.saturating_add(length);
    }

    /// A request of a core has ended.
    pub(crate) fn requested(&mut self, transfer: &Transfer, now: Tick) {
        if self.is_full() {
            return;
        }
        let tiles = transfer.targets.tiles();
        let Some(tile) = tiles.first().copied() else { return };
        let request = NocRequest {
            noc: transfer.noc,
            kind: transfer.operation.kind(),
            tile,
            tiles: u32::try_from(tiles.len()).unwrap_or(u32::MAX),
            bytes: transfer.operation.length(),
            from: Tick(transfer.accepted),
            until: now,
        };
        let CoreOrigin { tile, processor, .. } = transfer.origin;
        self.transfers.entry((tile, processor)).or_default().requests.push(request);
    }

    /// Whether one span more does not fit. Counts it as dropped or kept.
    fn is_full(&mut self) -> bool {
        if self.spans == SPANS {
            self.dropped += 1;
            return true;
        }
        self.spans += 1;
        false
    }

    /// The core executes instructions from now on, if it did not before.
    pub(crate) fn runs(
        &mut self,
        core: CoreNumber,
        (at, processor): (PhysicalCoordinate, Processor),
        now: Tick,
    ) {
        let log = self.cores.entry(core).or_insert_with(|| CoreLog {
            at,
            processor,
            now: None,
            spans: Vec::new(),
            instructions: QuickMap::default(),
        });
        if !matches!(log.now, Some((_, Doing::Runs))) {
            let before = log.now.replace((now, Doing::Runs));
            self.close(core, before, now);
        }
    }

    /// The core is about to execute an instruction.
    pub(crate) fn executes(&mut self, core: CoreNumber, pc: u32, now: Tick) {
        let Some(log) = self.cores.get_mut(&core) else { return };
        let first = ExecutedInstruction { pc, count: 0, first: now, last: now };
        let executed = log.instructions.entry(pc).or_insert(first);
        executed.count += 1;
        executed.last = now;
    }

    /// The core executes nothing from now on: it waits, or is in reset.
    pub(crate) fn stops(&mut self, core: CoreNumber, now: Tick, wait: Option<Wait>) {
        let Some(log) = self.cores.get_mut(&core) else { return };
        let waits = wait
            .map(|wait| Doing::Waits { pc: wait.pc, address: TileAddress(wait.address.into()) });
        let before = std::mem::replace(&mut log.now, waits.map(|waits| (now, waits)));
        self.close(core, before, now);
    }

    /// What there is to tell up to now, which is told once.
    pub(crate) fn take(&mut self, now: Tick) -> Activity {
        let open: Vec<CoreNumber> = self.cores.keys().copied().collect();
        for core in open {
            let doing = self.cores.get_mut(&core).and_then(|log| log.now.as_mut());
            let before = doing.map(|(since, doing)| (std::mem::replace(since, now), *doing));
            self.close(core, before, now);
        }
        self.spans = 0;
        let cores = self.cores.values_mut().filter_map(|log| {
            let spans = std::mem::take(&mut log.spans);
            let mut instructions: Vec<_> = log.instructions.drain().map(|(_, it)| it).collect();
            instructions.sort_unstable_by_key(|it| it.pc);
            let CoreLog { at: tile, processor, .. } = *log;
            let moved = self.transfers.get_mut(&(tile, processor));
            let (transfers, requests) = moved.map(TransferLog::take).unwrap_or_default();
            let activity =
                CoreActivity { tile, processor, spans, instructions, transfers, requests };
            (!activity.spans.is_empty()).then_some(activity)
        });
        Activity {
            cores: cores.collect(),
            from: std::mem::replace(&mut self.since, now),
            until: now,
            dropped: std::mem::take(&mut self.dropped),
        }
    }

    fn close(&mut self, core: CoreNumber, span: Option<(Tick, Doing)>, until: Tick) {
        let Some((from, doing)) = span else { return };
        if from == until || self.is_full() {
            return;
        }
        if let Some(log) = self.cores.get_mut(&core) {
            log.spans.push(ActivitySpan { from, until, doing });
        }
    }
}
