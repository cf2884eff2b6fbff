//! What cores do, kept from the moment at which somebody asks for it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use hallmark_chip::{
    Activity, ActivitySpan, CoreActivity, Doing, ExecutedInstruction, Footprint, NocRequest,
    PhysicalCoordinate, Processor, Tick, TileAddress, Transfers,
};

use crate::machine::core::Wait;
use crate::machine::fault::{CoreOrigin, Origin};
use crate::machine::noc::Transfer;
use crate::machine::observer::{CoreAt, Effect, Instruction, MemoryRange, Observer};
use crate::machine::tile::LOOK;
use crate::quick_hash::QuickMap;

/// Instructions of a loop that waits, at most: the same as where cores are parked.
const TURN: u32 = LOOK;

/// Spans and requests that are kept from one time somebody asks to the next, of all cores.
const SPANS: usize = 1 << 20;

/// A core: the number of its tile among the Tensix tiles, and its own.
type CoreNumber = (u16, usize);

/// What the cores of a chip do, if somebody has asked.
#[derive(Debug, Default)]
pub(crate) struct CoreActivities(Option<Box<ActivityLog>>);

impl CoreActivities {
    /// What cores have done since the last call. The first call begins to look.
    pub(crate) fn take(&mut self, now: Tick) -> Activity {
        self.0.get_or_insert_with(|| Box::new(ActivityLog::new(now))).take(now)
    }
}

const fn number(core: CoreAt) -> CoreNumber {
    (core.tile, core.processor.index())
}

impl Observer for CoreActivities {
    #[inline]
    fn accesses(&mut self, range: &MemoryRange, writes: bool, by: Origin) {
        if let (Some(log), Origin::Core(issuer)) = (&mut self.0, by) {
            let core = (issuer.tile, issuer.processor);
            log.moves(core, (range.at, range.start, range.length), writes);
        }
    }

    #[inline]
    fn core_runs(&mut self, core: CoreAt, now: Tick) {
        if let Some(log) = &mut self.0 {
            log.runs(number(core), (core.at, core.processor), now);
        }
    }

    #[inline]
    fn core_stops(&mut self, core: CoreAt, now: Tick, wait: Option<Wait>) {
        if let Some(log) = &mut self.0 {
            log.stops(number(core), now, wait);
        }
    }

    fn follows_instructions(&self) -> bool {
        self.0.is_some()
    }

    fn core_executes(&mut self, core: CoreAt, instruction: Instruction<'_>, now: Tick) {
        if let Some(log) = &mut self.0 {
            let Instruction { pc, effect, registers } = instruction;
            log.executes(number(core), (pc, effect), registers, now);
        }
    }

    #[inline]
    fn request_ended(&mut self, request: &Transfer, now: Tick) {
        if let Some(log) = &mut self.0 {
            log.requested(request, now);
        }
    }
}

#[derive(Debug)]
struct ActivityLog {
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

/// The turn of a loop that a core is in, if the loop may be one that waits.
#[derive(Debug)]
struct Turn {
    /// Where it began.
    start: u32,
    since: Tick,
    /// The core's registers then.
    registers: [u32; 64],
    /// The addresses of its instructions, from the first to the last.
    body: RangeInclusive<u32>,
    /// Instructions so far.
    length: u32,
    /// The first of its instructions that loads a word.
    wait: Option<Wait>,
}

impl Turn {
    fn new(pc: u32, now: Tick, registers: &[u32; 64]) -> Self {
        let (start, since, registers) = (pc, now, *registers);
        Self { start, since, registers, body: pc..=pc, length: 0, wait: None }
    }
}

const fn waits_for(Wait { pc, address }: Wait) -> Doing {
    Doing::Waits { pc, address: TileAddress(address as u64) }
}

#[derive(Debug)]
struct CoreLog {
    at: PhysicalCoordinate,
    processor: Processor,
    /// What it does now, and since when. Nothing in reset.
    now: Option<(Tick, Doing)>,
    turn: Option<Turn>,
    /// Whether it waits and executes the loop of that turn nonetheless.
    polls: bool,
    last_pc: u32,
    spans: Vec<ActivitySpan>,
    instructions: QuickMap<u32, ExecutedInstruction>,
}

impl ActivityLog {
    fn new(since: Tick) -> Self {
        let (cores, transfers) = (BTreeMap::new(), BTreeMap::new());
        Self { since, cores, transfers, spans: 0, dropped: 0 }
    }

    /// A request of a core reads or writes memory.
    fn moves(
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
    fn requested(&mut self, transfer: &Transfer, now: Tick) {
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
            address: transfer.address,
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
    fn runs(
        &mut self,
        core: CoreNumber,
        (at, processor): (PhysicalCoordinate, Processor),
        now: Tick,
    ) {
        let log = self.cores.entry(core).or_insert_with(|| CoreLog {
            at,
            processor,
            now: None,
            turn: None,
            polls: false,
            last_pc: 0,
            spans: Vec::new(),
            instructions: QuickMap::default(),
        });
        if !log.polls && !matches!(log.now, Some((_, Doing::Runs))) {
            log.turn = None;
            let before = log.now.replace((now, Doing::Runs));
            self.close(core, before, now);
        }
    }

    /// The core is about to execute an instruction. As long as a loop changes no register and does nothing but load words,
    /// the core waits as a parked one does: when a core is parked depends on how busy it was before, and this does not.
    fn executes(
        &mut self,
        core: CoreNumber,
        (pc, effect): (u32, Effect),
        registers: &[u32; 64],
        now: Tick,
    ) {
        let Some(log) = self.cores.get_mut(&core) else { return };
        let last_pc = std::mem::replace(&mut log.last_pc, pc);
        let begins_anew = log.turn.as_ref().is_some_and(|turn| turn.start == pc && turn.length > 0);
        let is_over = match &log.turn {
            // It does something, or has left the loop.
            Some(turn) if log.polls => effect == Effect::Acts || !turn.body.contains(&pc),
            // Another loop begins.
            Some(turn) => turn.length >= TURN || (pc < last_pc && !begins_anew),
            None => true,
        };
        let changed =
            begins_anew && log.turn.as_ref().is_some_and(|turn| turn.registers != *registers);
        let mut before = None;
        if log.polls && (is_over || changed) {
            log.polls = false;
            before = log.now.replace((now, Doing::Runs)).map(|span| (span, now));
        }
        if effect == Effect::Acts {
            log.turn = None;
        } else if is_over || changed {
            log.turn = Some(Turn::new(pc, now, registers));
        } else if begins_anew
            && !log.polls
            && let Some(turn) = &log.turn
            && let Some((runs, Doing::Runs)) = log.now
        {
            // What is waited for may have been asked for before somebody asked what cores do.
            let since = turn.since.max(runs);
            let wait = turn.wait.unwrap_or(Wait { pc, address: pc });
            log.polls = true;
            log.now = Some((since, waits_for(wait)));
            before = Some(((runs, Doing::Runs), since));
        }
        if let Some(turn) = &mut log.turn {
            turn.length = turn.length.saturating_add(1);
            if !log.polls {
                turn.body = *turn.body.start().min(&pc)..=*turn.body.end().max(&pc);
            }
            if let Effect::Watches(address) = effect
                && turn.wait.is_none_or(|wait| pc < wait.pc)
            {
                turn.wait = Some(Wait { pc, address });
            }
        }
        if !log.polls {
            let first = ExecutedInstruction { pc, count: 0, first: now, last: now };
            let executed = log.instructions.entry(pc).or_insert(first);
            executed.count += 1;
            executed.last = now;
        }
        if let Some((span, until)) = before {
            self.close(core, Some(span), until);
        }
    }

    /// The core executes nothing from now on: it waits, or is in reset.
    fn stops(&mut self, core: CoreNumber, now: Tick, wait: Option<Wait>) {
        let Some(log) = self.cores.get_mut(&core) else { return };
        let waits = wait.map(waits_for);
        let polled = std::mem::take(&mut log.polls);
        log.turn = None;
        // A core that is parked has waited before.
        if polled && waits.is_some() && log.now.map(|(_, doing)| doing) == waits {
            return;
        }
        let before = std::mem::replace(&mut log.now, waits.map(|waits| (now, waits)));
        self.close(core, before, now);
    }

    /// What there is to tell up to now, which is told once.
    fn take(&mut self, now: Tick) -> Activity {
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
            let activity = CoreActivity {
                tile,
                processor,
                spans,
                instructions,
                transfers,
                requests,
                unit_waits: Vec::new(),
            };
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
