//! Who wrote configuration, and who may still read it. A unit works on after its instruction was issued, and a core that
//! stores to configuration does not wait for the instructions that it has pushed (`BackendConfiguration.md`, `PACR.md`,
//! `WRCFG.md`).

mod readers;
mod writers;

pub(crate) use self::readers::Readers;
use self::readers::{Read, Reads, Sampled};
use self::writers::Writers;
use crate::chips::Chip;
use crate::configuration::Change;
use crate::frontend::{Instruction, Origin};
use crate::opcodes::opcode;
use crate::order::{self, Disorder, Doing, Issued, Knowledge, Lack, Moment, Party};
use crate::threads::{PerThread, Thread};
use crate::units::Unit;

/// Writes that are remembered, at most.
const REMEMBERED: usize = 512;

/// A write that not all threads are known to come after.
#[derive(Clone, Debug)]
struct Write {
    by: Doing,
    moment: Moment,
    change: Change,
    readers: Readers,
    /// A core's store is known to have reached the configuration.
    is_processed: bool,
    /// The waits that tell so, if somebody wants to know them and nothing else tells.
    processed_by: Vec<Instruction>,
    /// The threads that have not read it yet, by number.
    unread: [bool; Thread::ALL.len()],
}

impl Write {
    fn is_replaced_by(&self, later: &Change) -> bool {
        let Change { bank, word, bits, .. } = self.change;
        (bank, word) == (later.bank, later.word) && bits & !later.bits == 0
    }
}

/// The last instructions of a thread, by reader.
type LastReads = [Option<Issued>; Readers::NUMBER];

/// An instruction that reads configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) by: Issued,
    pub(crate) readers: Readers,
    /// The bank that the thread uses.
    pub(crate) bank: usize,
    /// NOP stands before it.
    pub(crate) after_nop: bool,
}

/// The last writes and reads of configuration.
#[derive(Debug)]
pub(crate) struct ConfigurationOrder {
    reads: Reads,
    writes: Vec<Write>,
    writers: Writers,
    /// The readers of writes that a thread has not read.
    unread: PerThread<Readers>,
    last: PerThread<LastReads>,
    /// The last store of each core, which may have changed nothing.
    last_stores: Vec<LastStore>,
}

/// A core's last store: its bank and word.
#[derive(Clone, Copy, Debug)]
struct LastStore {
    bank: Option<usize>,
    word: u16,
    by: Origin,
}

impl ConfigurationOrder {
    pub(crate) fn new(chip: &Chip) -> Self {
        Self {
            reads: Reads::of(chip),
            writes: Vec::new(),
            writers: Writers::default(),
            unread: PerThread::default(),
            last: PerThread::default(),
            last_stores: Vec::new(),
        }
    }

    /// Whatever comes next comes after all that was done.
    pub(crate) fn forget(&mut self) {
        self.writes.clear();
        self.writers = Writers::default();
        self.last_stores.clear();
        self.unread = PerThread::default();
        self.last = PerThread::default();
    }

    /// An instruction reads configuration. Tells of the order that it lacks.
    #[inline]
    pub(crate) fn read<K: Knowledge>(
        &mut self,
        reading: &Reading,
        knowledge: &mut K,
    ) -> Result<(), K::Error> {
        if self.unread.of(reading.by.thread).meet(reading.readers) {
            self.read_written(reading, knowledge)?;
        }
        let last = self.last.of_mut(reading.by.thread);
        for reader in reading.readers.numbers() {
            if let Some(last) = last.get_mut(reader) {
                *last = Some(reading.by);
            }
        }
        Ok(())
    }

    #[cold]
    fn read_written<K: Knowledge>(
        &mut self,
        reading: &Reading,
        knowledge: &mut K,
    ) -> Result<(), K::Error> {
        let mut left = Readers::default();
        for write in &mut self.writes {
            let thread = reading.by.thread.index();
            if write.unread.get(thread) != Some(&true) {
                continue;
            }
            let is_seen = write.change.bank.is_none_or(|bank| bank == reading.bank);
            if !is_seen || !write.readers.meet(reading.readers) {
                left = left.and(write.readers);
                continue;
            }
            if let Some(lack) = lack_of(write, reading, knowledge) {
                let Change { word, bits, .. } = write.change;
                let mut fields = self.reads.among(word, bits);
                let field = fields.find(|field| field.readers.meet(reading.readers));
                let unit = reading.readers.among(write.readers).iter().next();
                if let (Some(field), Some((unit, _))) = (field, unit) {
                    return Err(knowledge.broken(&Disorder {
                        lack,
                        word,
                        meaning: field.meaning,
                        unit,
                        written: write.by,
                        read: Doing::Instruction(reading.by),
                    }));
                }
            }
            if let Some(unread) = write.unread.get_mut(thread) {
                *unread = false;
            }
        }
        self.writes.retain(|write| write.unread.contains(&true));
        *self.unread.of_mut(reading.by.thread) = left;
        Ok(())
    }

    /// Configuration was changed. Tells of the order that this lacks.
    pub(crate) fn write<K: Knowledge>(
        &mut self,
        by: Doing,
        changes: &[Change],
        banks: [usize; Thread::ALL.len()],
        knowledge: &mut K,
    ) -> Result<(), K::Error> {
        let moment = knowledge.moment();
        for change in changes {
            let mut readers = Readers::default();
            for read in self.reads.among(change.word, change.bits) {
                readers = readers.and(read.readers);
                if let Some(disorder) = self.unordered_read(by, (change, read), banks, knowledge) {
                    return Err(knowledge.broken(&disorder));
                }
            }
            self.check_writers(by, (change, moment), knowledge)?;
            if readers == Readers::default() {
                continue;
            }
            self.writes.retain(|write| !write.is_replaced_by(change));
            if self.writes.len() >= REMEMBERED {
                self.writes.remove(0);
            }
            let unread = [true; Thread::ALL.len()];
            let change = *change;
            self.writes.push(Write {
                by,
                moment,
                change,
                readers,
                is_processed: false,
                processed_by: Vec::new(),
                unread,
            });
            for thread in Thread::ALL {
                let of_thread = self.unread.of_mut(thread);
                *of_thread = of_thread.and(readers);
            }
        }
        Ok(())
    }

    /// Tells of the order that a write lacks to another one of the same word.
    fn check_writers<K: Knowledge>(
        &mut self,
        by: Doing,
        (change, moment): (&Change, Moment),
        knowledge: &mut K,
    ) -> Result<(), K::Error> {
        let knows = |other: Party, moment| knowledge.knows(other, moment);
        let Some((earlier, bits)) = self.writers.write(by, (change, moment), knows) else {
            return Ok(());
        };
        let word = change.word;
        let meaning = self.reads.among(word, bits).next().map(|read| read.meaning);
        let reason = format!(
            "{by} and {earlier} write the bits {bits:#x} of configuration word {word}, {}, and nothing orders the two: the word \
             keeps what the later one writes: let each write its own bits alone (RMWCIB.md), or have both hold a mutex \
             meanwhile (ATGETM.md)",
            meaning.unwrap_or("which no unit reads here"),
        );
        Err(knowledge.broken_by(reason, earlier.origin()))
    }

    /// A last read of a field that lacks an order to a change of the field.
    fn unordered_read<K: Knowledge>(
        &self,
        by: Doing,
        (change, field): (&Change, &Read),
        banks: [usize; Thread::ALL.len()],
        knowledge: &mut K,
    ) -> Option<Disorder> {
        let threads = Thread::ALL.into_iter().zip(banks);
        let seeing = threads.filter(|(_, bank)| change.bank.is_none_or(|written| written == *bank));
        let mut last_reads = seeing.flat_map(|(thread, _)| {
            let last = self.last.of(thread);
            let readers = field.readers.numbers().zip(field.readers.iter());
            readers.filter_map(move |(reader, (unit, _))| {
                last.get(reader).copied().flatten().map(|last| (unit, last))
            })
        });
        last_reads.find_map(|(unit, read)| {
            let lack = lack_at_write(&by, field.sampled, (unit, &read), knowledge)?;
            Some(Disorder {
                lack,
                word: change.word,
                meaning: field.meaning,
                unit,
                written: by,
                read: Doing::Instruction(read),
            })
        })
    }

    /// The stores that a core made until it had retired so many instructions have reached the configuration. `wait` tells so,
    /// if somebody wants to know the waits. Gives whether that is news of one of them.
    pub(crate) fn processed(&mut self, upto: Origin, wait: Option<Instruction>) -> bool {
        let mut is_news = false;
        for write in &mut self.writes {
            if let Doing::Store { origin } = write.by
                && origin.core == upto.core
                && origin.retired <= upto.retired
            {
                let is_told_otherwise = write.is_processed && write.processed_by.is_empty();
                match wait {
                    Some(wait) if !is_told_otherwise => {
                        order::add_wait(&mut write.processed_by, wait);
                    }
                    _ => write.processed_by.clear(),
                }
                is_news |= !write.is_processed;
                write.is_processed = true;
            }
        }
        is_news
    }

    /// A core stores to a configuration word.
    pub(crate) fn stored(&mut self, bank: Option<usize>, word: u16, by: Origin) {
        self.last_stores.retain(|last| last.by.core != by.core);
        self.last_stores.push(LastStore { bank, word, by });
    }

    /// A core loads a configuration word: its stores up to that to the same word have reached the configuration.
    pub(crate) fn loaded(&mut self, bank: Option<usize>, word: u16, by: Origin) {
        let last = self.last_stores.iter().find(|last| last.by.core == by.core);
        if let Some(last) = last.filter(|last| (last.bank, last.word) == (bank, word)) {
            let upto = last.by;
            self.processed(upto, None);
            return;
        }
        let same = self.writes.iter().rev().find_map(|write| match write.by {
            Doing::Store { origin }
                if origin.core == by.core
                    && (write.change.bank, write.change.word) == (bank, word) =>
            {
                Some(origin)
            }
            _ => None,
        });
        if let Some(origin) = same {
            self.processed(origin, None);
        }
    }
}

/// The order to a write that an instruction lacks, which reads the written word.
fn lack_of<K: Knowledge>(write: &Write, reading: &Reading, knowledge: &mut K) -> Option<Lack> {
    match write.by {
        Doing::Instruction(Issued { word, thread, number, .. }) if thread == reading.by.thread => {
            let is_next = number.saturating_add(1) == reading.by.number && !reading.after_nop;
            (word >> 24 == opcode::WRCFG && is_next).then_some(Lack::Gap)
        }
        Doing::Store { origin } if origin.core == reading.by.origin.core => {
            if reading.by.origin.retired < origin.retired {
                return Some(Lack::PushedBefore);
            }
            let may_be_late =
                order::may_arrive_behind(origin, reading.by.origin, knowledge.is_strict());
            if may_be_late && !write.processed_by.is_empty() {
                knowledge.ordered_by(origin, &reading.by, &write.processed_by);
            }
            (may_be_late && !write.is_processed).then_some(Lack::Processed)
        }
        _ => (!knowledge.knows(write.by.party(), write.moment)).then_some(Lack::Order),
    }
}

/// Whether an instruction of a unit that computes is over: so many later ones of its thread have been issued. These units
/// take few cycles for each (`MatrixUnit.md`, `VectorUnit.md`), and a thread issues at most one in a cycle.
const fn is_soon_over(by: &Doing, unit: Unit, read: &Issued) -> bool {
    match (by, unit) {
        (Doing::Instruction(Issued { thread, number, .. }), Unit::Matrix | Unit::Vector) => {
            thread.index() == read.thread.index()
                && *number > read.number.saturating_add(order::UNDER_WAY)
        }
        (Doing::Instruction(_) | Doing::Store { .. }, _) => false,
    }
}

/// The order that a write lacks to an instruction that has read.
fn lack_at_write<K: Knowledge>(
    by: &Doing,
    sampled: Sampled,
    (unit, read): (Unit, &Issued),
    knowledge: &mut K,
) -> Option<Lack> {
    let reads_until_its_end = match sampled {
        Sampled::AtStart => false,
        Sampled::UntilTheEnd => true,
        Sampled::AtSomeStart => knowledge.is_strict(),
        Sampled::Unsaid => knowledge.is_strict() && !is_soon_over(by, unit, read),
    };
    if reads_until_its_end {
        return (!knowledge.knows_end(unit, read, by)).then_some(Lack::End);
    }
    match by {
        Doing::Instruction(Issued { thread, .. }) if *thread == read.thread => None,
        _ => (!knowledge.knows_issue(read.thread, read.number)).then_some(Lack::Start),
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{Architecture, Processor};

    use super::*;
    use crate::order::UNDER_WAY;
    use crate::refusal::Refusal;

    /// An actor that knows everything but the listed moments, issues and ends.
    #[derive(Default)]
    struct Knows {
        strict: bool,
        unknown_moments: Vec<(Party, Moment)>,
        unknown_issues: Vec<(Thread, u64)>,
        unknown_ends: Vec<(Unit, Thread, u64)>,
        now: u32,
        told: Vec<Disorder>,
    }

    impl Knowledge for Knows {
        type Error = Refusal;

        fn is_strict(&self) -> bool {
            self.strict
        }

        fn moment(&mut self) -> Moment {
            Moment(self.now)
        }

        fn knows(&mut self, of: Party, moment: Moment) -> bool {
            !self.unknown_moments.contains(&(of, moment))
        }

        fn knows_issue(&mut self, thread: Thread, number: u64) -> bool {
            !self.unknown_issues.contains(&(thread, number))
        }

        fn knows_end(&mut self, unit: Unit, of: &Issued, _: &Doing) -> bool {
            !self.unknown_ends.contains(&(unit, of.thread, of.number))
        }

        fn broken(&mut self, disorder: &Disorder) -> Refusal {
            self.told.push(*disorder);
            Refusal::new(hallmark_chip::FaultCategory::DataRace, disorder.to_string())
        }
    }

    const UNPACKER_1_BASE: [Change; 2] = [
        Change { bank: Some(0), word: 104, bits: 0x30, written: 0x30 },
        Change { bank: Some(0), word: 105, bits: 0x70, written: 0x70 },
    ];
    const PACKER_1_ADDRESS: Change =
        Change { bank: Some(0), word: 85, bits: 0x100, written: 0x100 };
    const PACKER_1_OFFSET: Change = Change { bank: None, word: 153, bits: 2, written: 2 };
    const PACKER_1_FORMAT: Change = Change { bank: Some(0), word: 86, bits: 0x10, written: 0x10 };
    const MATRIX_FLAG: Change = Change { bank: Some(0), word: 2, bits: 1, written: 1 };
    const WRCFG: u32 = 0xB000_0000;
    const RMWCIB: u32 = 0xB300_0000;

    fn order() -> ConfigurationOrder {
        ConfigurationOrder::new(Chip::of(Architecture::WormholeB0))
    }

    fn core_of(thread: Thread) -> Processor {
        [Processor::Trisc0, Processor::Trisc1, Processor::Trisc2][thread.index()]
    }

    fn origin(core: Processor, retired: u64) -> Origin {
        Origin { core, pc: 0x6000 + 4 * retired as u32, retired }
    }

    /// An instruction that a thread's core pushed when it had retired ten times its number.
    fn reading(thread: Thread, word: u32, number: u64, readers: Readers) -> Reading {
        let origin = origin(core_of(thread), 10 * number);
        Reading { by: Issued { word, thread, number, origin }, readers, bank: 0, after_nop: false }
    }

    fn instruction(thread: Thread, word: u32, number: u64) -> Doing {
        let origin = origin(core_of(thread), 10 * number);
        Doing::Instruction(Issued { word, thread, number, origin })
    }

    fn store(core: Processor, retired: u64) -> Doing {
        Doing::Store { origin: origin(core, retired) }
    }

    fn unpacks(number: u64, context: usize) -> Reading {
        reading(Thread::Unpack, 0x4280_0000, number, Readers::unpacker(1, context))
    }

    fn packs(number: u64) -> Reading {
        let readers = Readers::of(crate::units::Units::packers(0b0010));
        reading(Thread::Pack, 0x4100_0200, number, readers)
    }

    fn multiplies(thread: Thread, number: u64) -> Reading {
        let readers = Readers::of(crate::units::Units::of(Unit::Matrix));
        reading(thread, 0x2600_0000, number, readers)
    }

    fn write(
        order: &mut ConfigurationOrder,
        by: Doing,
        change: Change,
        knows: &mut Knows,
    ) -> Option<Lack> {
        let told = knows.told.len();
        let written = order.write(by, &[change], [0; 3], knows);
        assert_eq!(written.is_err(), knows.told.len() > told);
        knows.told.get(told).map(|disorder| disorder.lack)
    }

    fn read(order: &mut ConfigurationOrder, reading: &Reading, knows: &mut Knows) -> Option<Lack> {
        let told = knows.told.len();
        let was_read = order.read(reading, knows);
        assert_eq!(was_read.is_err(), knows.told.len() > told);
        knows.told.get(told).map(|disorder| disorder.lack)
    }

    #[test]
    fn a_packer_reads_until_it_has_finished() {
        let by = instruction(Thread::Pack, WRCFG, 9);
        for (unknown, lack) in
            [(vec![], None), (vec![(Unit::Packer(1), Thread::Pack, 4)], Some(Lack::End))]
        {
            let mut order = order();
            let mut knows = Knows { unknown_ends: unknown, ..Knows::default() };
            assert_eq!(read(&mut order, &packs(3), &mut knows), None);
            assert_eq!(read(&mut order, &packs(4), &mut knows), None);
            assert_eq!(write(&mut order, by, PACKER_1_FORMAT, &mut knows), lack);
            // The address is sampled when PACR starts.
            assert_eq!(write(&mut order, by, PACKER_1_ADDRESS, &mut knows), None);
            // Another bank, or bits that no packer reads.
            let elsewhere = Change { bank: Some(1), ..PACKER_1_FORMAT };
            assert_eq!(write(&mut order, by, elsewhere, &mut knows), None);
            assert_eq!(write(&mut order, by, MATRIX_FLAG, &mut knows), None);
            assert_eq!(write(&mut order, by, Change { bits: 4, ..MATRIX_FLAG }, &mut knows), lack);
        }
    }

    #[test]
    fn other_units_read_until_they_have_finished_if_one_is_strict() {
        for (strict, lack) in [(false, None), (true, Some(Lack::End))] {
            let mut order = order();
            let unknown_ends = vec![(Unit::Matrix, Thread::Math, 4)];
            let mut knows = Knows { strict, unknown_ends, ..Knows::default() };
            assert_eq!(read(&mut order, &multiplies(Thread::Math, 4), &mut knows), None);
            let by = instruction(Thread::Math, RMWCIB, 5);
            assert_eq!(write(&mut order, by, MATRIX_FLAG, &mut knows), lack);
        }
    }

    /// If one is strict, 32 later instructions of the same thread tell that a unit that computes has finished.
    #[test]
    fn units_that_compute_are_over_after_some_instructions() {
        let packer = Readers::of(crate::units::Units::packers(0b0010));
        let matrix = Readers::of(crate::units::Units::of(Unit::Matrix));
        let within = 4 + order::UNDER_WAY;
        for (by, unit, lacks) in [
            (instruction(Thread::Math, RMWCIB, within), Unit::Matrix, true),
            (instruction(Thread::Math, RMWCIB, within + 1), Unit::Matrix, false),
            (instruction(Thread::Pack, RMWCIB, within + 1), Unit::Matrix, true),
            (store(Processor::Trisc1, 10 * (within + 1)), Unit::Matrix, true),
            (instruction(Thread::Math, RMWCIB, within + 1), Unit::Packer(1), true),
        ] {
            let mut order = order();
            let unknown_ends = vec![(unit, Thread::Math, 4)];
            let mut knows = Knows { strict: true, unknown_ends, ..Knows::default() };
            let (readers, change) = match unit {
                Unit::Matrix => (matrix, MATRIX_FLAG),
                _ => (packer, PACKER_1_FORMAT),
            };
            let reads = reading(Thread::Math, 0x2600_0000, 4, readers);
            assert_eq!(read(&mut order, &reads, &mut knows), None);
            let lack = write(&mut order, by, change, &mut knows);
            assert_eq!(lack, lacks.then_some(Lack::End), "{by:?} {unit}");
        }
    }

    #[test]
    fn a_store_comes_behind_the_issue_of_what_reads_before() {
        let mut order = order();
        let unknown_issues = vec![(Thread::Unpack, 4)];
        let mut knows = Knows { unknown_issues, ..Knows::default() };
        assert_eq!(read(&mut order, &unpacks(3, 0), &mut knows), None);
        assert_eq!(read(&mut order, &unpacks(4, 1), &mut knows), None);
        let [first, second] = UNPACKER_1_BASE;
        let by = store(Processor::Trisc0, 45);
        assert_eq!(write(&mut order, by, first, &mut knows), None);
        assert_eq!(write(&mut order, by, second, &mut knows), Some(Lack::Start));
        // A thread's own instruction comes behind those before it, another thread's does not.
        assert_eq!(
            write(&mut order, instruction(Thread::Unpack, WRCFG, 5), second, &mut knows),
            None
        );
        let by = instruction(Thread::Math, WRCFG, 5);
        assert_eq!(write(&mut order, by, second, &mut knows), Some(Lack::Start));
    }

    #[test]
    fn what_was_pushed_before_a_store_does_not_read_it() {
        let [change, _] = UNPACKER_1_BASE;
        for (retired, lack) in [(41, Some(Lack::PushedBefore)), (39, Some(Lack::Processed))] {
            let (mut order, mut knows) = (order(), Knows::default());
            assert_eq!(
                write(&mut order, store(Processor::Trisc0, retired), change, &mut knows),
                None
            );
            assert_eq!(read(&mut order, &unpacks(4, 1), &mut knows), None);
            assert_eq!(read(&mut order, &unpacks(4, 0), &mut knows), lack);
        }
    }

    #[test]
    fn a_store_has_arrived_behind_a_wait_or_a_load() {
        let [change, other] = UNPACKER_1_BASE;
        let by = store(Processor::Trisc0, 35);
        let trisc0 = |retired| origin(Processor::Trisc0, retired);
        type Arrives = fn(&mut ConfigurationOrder, Origin);
        let load: Arrives = |order, at| order.loaded(Some(0), 104, at);
        let cases: [(Arrives, Origin, Option<Lack>); 7] = [
            (|_, _| {}, trisc0(0), Some(Lack::Processed)),
            (|order, at| _ = order.processed(at, None), trisc0(36), None),
            (|order, at| _ = order.processed(at, None), trisc0(34), Some(Lack::Processed)),
            (
                |order, at| _ = order.processed(at, None),
                origin(Processor::Trisc1, 36),
                Some(Lack::Processed),
            ),
            (load, trisc0(36), None),
            (load, origin(Processor::Brisc, 36), Some(Lack::Processed)),
            (|order, at| order.loaded(Some(0), 105, at), trisc0(36), Some(Lack::Processed)),
        ];
        for (number, (arrives, at, lack)) in cases.into_iter().enumerate() {
            let (mut order, mut knows) = (order(), Knows::default());
            assert_eq!(write(&mut order, by, change, &mut knows), None);
            arrives(&mut order, at);
            assert_eq!(read(&mut order, &unpacks(4, 0), &mut knows), lack, "{number}");
        }
        // A load of a word that was stored later tells of the stores before it.
        let (mut order, mut knows) = (order(), Knows::default());
        assert_eq!(write(&mut order, by, change, &mut knows), None);
        assert_eq!(write(&mut order, store(Processor::Trisc0, 36), other, &mut knows), None);
        order.loaded(Some(0), 105, trisc0(37));
        assert_eq!(read(&mut order, &unpacks(4, 0), &mut knows), None);
    }

    #[test]
    fn a_load_of_the_word_that_was_stored_last_tells_of_all_stores_although_it_did_not_change() {
        let [change, _] = UNPACKER_1_BASE;
        let trisc0 = |retired| origin(Processor::Trisc0, retired);
        let cases = [
            (Processor::Trisc0, 200, 37, None),
            // Another core's, another word, and a store of the same core in between.
            (Processor::Trisc1, 200, 37, Some(Lack::Processed)),
            (Processor::Trisc0, 201, 37, Some(Lack::Processed)),
            (Processor::Trisc0, 200, 38, Some(Lack::Processed)),
        ];
        for (core, word, stores_until, lack) in cases {
            let (mut order, mut knows) = (order(), Knows::default());
            let by = store(Processor::Trisc0, 35);
            assert_eq!(write(&mut order, by, change, &mut knows), None);
            order.stored(Some(0), 200, trisc0(36));
            (37..stores_until).for_each(|retired| order.stored(Some(0), 202, trisc0(retired)));
            order.loaded(Some(0), word, origin(core, 38));
            assert_eq!(read(&mut order, &unpacks(4, 0), &mut knows), lack, "{core:?} {word}");
        }
        // Nothing is left of it behind a rest.
        let (mut order, mut knows) = (order(), Knows::default());
        order.stored(Some(0), 200, trisc0(36));
        order.forget();
        assert_eq!(write(&mut order, store(Processor::Trisc0, 35), change, &mut knows), None);
        order.loaded(Some(0), 200, trisc0(37));
        assert_eq!(read(&mut order, &unpacks(4, 0), &mut knows), Some(Lack::Processed));
    }

    #[test]
    fn a_store_is_under_way_for_some_instructions() {
        let [change, _] = UNPACKER_1_BASE;
        for (retired, strict, lack) in [
            (100 - UNDER_WAY, false, Some(Lack::Processed)),
            (99 - UNDER_WAY, false, None),
            (99 - UNDER_WAY, true, Some(Lack::Processed)),
        ] {
            let (mut order, mut knows) = (order(), Knows { strict, ..Knows::default() });
            let by = store(Processor::Trisc0, retired);
            assert_eq!(write(&mut order, by, change, &mut knows), None);
            assert_eq!(read(&mut order, &unpacks(10, 0), &mut knows), lack, "{retired} {strict}");
        }
    }

    #[test]
    fn wrcfg_takes_effect_an_instruction_later() {
        for (word, number, after_nop, lack) in [
            (WRCFG, 4, false, Some(Lack::Gap)),
            (WRCFG, 4, true, None),
            (WRCFG, 5, false, None),
            (RMWCIB, 4, false, None),
        ] {
            let (mut order, mut knows) = (order(), Knows::default());
            let by = instruction(Thread::Math, word, 3);
            assert_eq!(write(&mut order, by, MATRIX_FLAG, &mut knows), None);
            let next = Reading { after_nop, ..multiplies(Thread::Math, number) };
            assert_eq!(read(&mut order, &next, &mut knows), lack, "{word:#x} {number}");
        }
    }

    #[test]
    fn others_know_of_a_write_before_they_read() {
        let unknown_moments = vec![
            (Party::Thread(Thread::Pack), Moment(7)),
            (Party::Core(Processor::Brisc), Moment(8)),
        ];
        for (by, now, lack) in [
            (instruction(Thread::Pack, RMWCIB, 3), 7, Some(Lack::Order)),
            (instruction(Thread::Pack, RMWCIB, 3), 6, None),
            (store(Processor::Brisc, 90), 8, Some(Lack::Order)),
            (store(Processor::Brisc, 90), 9, None),
        ] {
            let mut order = order();
            let unknown_moments = unknown_moments.clone();
            let mut knows = Knows { unknown_moments, now, ..Knows::default() };
            assert_eq!(write(&mut order, by, MATRIX_FLAG, &mut knows), None);
            assert_eq!(read(&mut order, &multiplies(Thread::Math, 4), &mut knows), lack);
            // The second thread that reads is looked at as the first is.
            assert_eq!(read(&mut order, &multiplies(Thread::Unpack, 4), &mut knows), lack);
            order.forget();
            assert_eq!(read(&mut order, &multiplies(Thread::Math, 5), &mut knows), None);
        }
    }

    #[test]
    fn a_write_is_remembered_until_another_one_covers_it() {
        let (mut order, mut knows) = (order(), Knows::default());
        let unknown = Moment(3);
        knows.unknown_moments = vec![(Party::Thread(Thread::Pack), unknown)];
        knows.now = 3;
        let by = instruction(Thread::Pack, RMWCIB, 3);
        let relu = Change { bits: 1 | 4, ..MATRIX_FLAG };
        assert_eq!(write(&mut order, by, MATRIX_FLAG, &mut knows), None);
        knows.now = 4;
        assert_eq!(write(&mut order, by, Change { bits: 4, ..MATRIX_FLAG }, &mut knows), None);
        assert_eq!(read(&mut order, &multiplies(Thread::Math, 4), &mut knows), Some(Lack::Order));
        assert_eq!(write(&mut order, by, relu, &mut knows), None);
        assert_eq!(read(&mut order, &multiplies(Thread::Math, 5), &mut knows), None);
    }

    /// The moment that nobody knows.
    const UNKNOWN: u32 = 3;

    fn knows_all_but_one_moment() -> Knows {
        let unknown_moments = vec![(Party::Core(Processor::Brisc), Moment(UNKNOWN))];
        Knows { unknown_moments, now: UNKNOWN, ..Knows::default() }
    }

    /// BRISC changes the configuration at the moment that nobody knows.
    fn write_unknown(order: &mut ConfigurationOrder, change: Change, knows: &mut Knows) {
        knows.now = UNKNOWN;
        assert_eq!(write(order, store(Processor::Brisc, 90), change, knows), None);
        knows.now = UNKNOWN + 1;
    }

    #[test]
    fn only_a_write_of_all_its_bits_in_its_bank_replaces_another() {
        let both = Change { bits: 1 | 4, ..MATRIX_FLAG };
        for (later, lack) in [
            (Change { bank: Some(1), ..both }, Some(Lack::Order)),
            (Change { word: 3, ..both }, Some(Lack::Order)),
            (Change { bits: 4, ..both }, Some(Lack::Order)),
            (both, None),
        ] {
            let (mut order, mut knows) = (order(), knows_all_but_one_moment());
            write_unknown(&mut order, both, &mut knows);
            let by = store(Processor::Brisc, 91);
            assert_eq!(write(&mut order, by, later, &mut knows), None);
            let math = multiplies(Thread::Math, 4);
            assert_eq!(read(&mut order, &math, &mut knows), lack, "{later:?}");
        }
    }

    #[test]
    fn a_bank_is_read_by_the_threads_that_use_it() {
        let (mut order, mut knows) = (order(), knows_all_but_one_moment());
        let second = Change { bank: Some(1), ..MATRIX_FLAG };
        write_unknown(&mut order, second, &mut knows);
        let [first_bank, second_bank] =
            [0, 1].map(|bank| Reading { bank, ..multiplies(Thread::Math, 4) });
        assert_eq!(read(&mut order, &first_bank, &mut knows), None);
        assert_eq!(read(&mut order, &second_bank, &mut knows), Some(Lack::Order));
    }

    #[test]
    fn a_word_that_both_banks_share_is_read_from_each() {
        let offset_of_packer_1 = Change { bank: None, word: 153, bits: 2, written: 2 };
        for bank in [0, 1] {
            let reading = Reading { bank, ..packs(4) };
            let (mut order, mut knows) = (order(), knows_all_but_one_moment());
            write_unknown(&mut order, offset_of_packer_1, &mut knows);
            assert_eq!(read(&mut order, &reading, &mut knows), Some(Lack::Order), "{bank}");
            let (mut order, mut knows) = (self::order(), Knows::default());
            knows.unknown_issues = vec![(Thread::Pack, 4)];
            assert_eq!(read(&mut order, &reading, &mut knows), None);
            let by = store(Processor::Trisc2, 45);
            let written = order.write(by, &[offset_of_packer_1], [bank; 3], &mut knows);
            assert!(written.is_err() && knows.told[0].lack == Lack::Start, "{bank}");
        }
    }

    #[test]
    fn a_write_is_unread_until_each_thread_has_read_it() {
        let (mut order, mut knows) = (order(), knows_all_but_one_moment());
        let unknown = knows.unknown_moments.clone();
        write_unknown(&mut order, MATRIX_FLAG, &mut knows);
        // An instruction of another unit reads another word.
        let of_vector = Change { bits: 1 << 30, word: 1, ..MATRIX_FLAG };
        assert_eq!(write(&mut order, store(Processor::Brisc, 91), of_vector, &mut knows), None);
        let vector = Readers::of(crate::units::Units::of(Unit::Vector));
        let other = reading(Thread::Math, 0x7000_0000, 3, vector);
        assert_eq!(read(&mut order, &other, &mut knows), None);
        let math = multiplies(Thread::Math, 4);
        assert_eq!(read(&mut order, &math, &mut knows), Some(Lack::Order));
        // The first thread to read knows of it, the others do not.
        knows.unknown_moments = Vec::new();
        assert_eq!(read(&mut order, &math, &mut knows), None);
        knows.unknown_moments = unknown;
        assert_eq!(read(&mut order, &math, &mut knows), None);
        for thread in [Thread::Unpack, Thread::Pack] {
            let other = multiplies(thread, 4);
            assert_eq!(read(&mut order, &other, &mut knows), Some(Lack::Order), "{thread:?}");
        }
    }

    #[test]
    fn a_word_of_two_units_is_unread_by_each() {
        for is_packer in [false, true] {
            let (mut order, mut knows) = (order(), knows_all_but_one_moment());
            let both = Change { bits: 1 | 4, ..MATRIX_FLAG };
            write_unknown(&mut order, both, &mut knows);
            let reading = if is_packer { packs(4) } else { multiplies(Thread::Math, 4) };
            assert_eq!(read(&mut order, &reading, &mut knows), Some(Lack::Order), "{is_packer}");
        }
    }

    #[test]
    fn each_packer_of_an_instruction_reads() {
        let readers = Readers::of(crate::units::Units::packers(0b0110));
        for (packer, word) in [(1, 86), (2, 98)] {
            let unknown_ends = vec![(Unit::Packer(packer), Thread::Pack, 4)];
            let (mut order, mut knows) = (order(), Knows { unknown_ends, ..Knows::default() });
            let reading = reading(Thread::Pack, 0x4100_0600, 4, readers);
            assert_eq!(read(&mut order, &reading, &mut knows), None);
            let change = Change { word, ..PACKER_1_FORMAT };
            let by = instruction(Thread::Pack, RMWCIB, 5);
            assert_eq!(write(&mut order, by, change, &mut knows), Some(Lack::End), "{packer}");
        }
    }

    #[test]
    fn what_a_page_says_to_be_sampled_at_the_start_is_so_although_one_is_strict() {
        let unknown_ends = vec![(Unit::Packer(1), Thread::Pack, 4)];
        let (mut order, mut knows) =
            (order(), Knows { strict: true, unknown_ends, ..Knows::default() });
        assert_eq!(read(&mut order, &packs(4), &mut knows), None);
        let by = instruction(Thread::Pack, RMWCIB, 5);
        assert_eq!(write(&mut order, by, PACKER_1_OFFSET, &mut knows), None);
        assert_eq!(write(&mut order, by, PACKER_1_FORMAT, &mut knows), Some(Lack::End));
        // Another page allows another instruction's start.
        assert_eq!(write(&mut order, by, PACKER_1_ADDRESS, &mut knows), Some(Lack::End));
    }

    #[test]
    fn nothing_is_left_of_what_was_before_a_rest() {
        let (mut order, mut knows) = (order(), knows_all_but_one_moment());
        write_unknown(&mut order, MATRIX_FLAG, &mut knows);
        assert_eq!(read(&mut order, &packs(4), &mut knows), None);
        order.forget();
        knows.unknown_ends = vec![(Unit::Packer(1), Thread::Pack, 4)];
        let by = instruction(Thread::Pack, RMWCIB, 5);
        assert_eq!(write(&mut order, by, PACKER_1_FORMAT, &mut knows), None);
        // A later write makes threads look for writes again.
        let other = Change { bits: 1 << 8, word: 1, ..MATRIX_FLAG };
        let source_b = Change { bits: 1 << 21, ..other };
        assert_eq!(write(&mut order, by, source_b, &mut knows), None);
        assert_eq!(read(&mut order, &multiplies(Thread::Math, 5), &mut knows), None);
    }

    #[test]
    fn a_load_tells_of_all_stores_to_its_word_in_its_bank() {
        let [change, _] = UNPACKER_1_BASE;
        for (loaded, lack) in
            [(Some(0), None), (Some(1), Some(Lack::Processed)), (None, Some(Lack::Processed))]
        {
            let (mut order, mut knows) = (order(), Knows::default());
            for (retired, bits) in [(31, 0x30), (35, 0xC0)] {
                let (by, change) = (store(Processor::Trisc0, retired), Change { bits, ..change });
                assert_eq!(write(&mut order, by, change, &mut knows), None);
            }
            order.loaded(loaded, 104, origin(Processor::Trisc0, 36));
            assert_eq!(read(&mut order, &unpacks(4, 0), &mut knows), lack, "{loaded:?}");
        }
    }

    #[test]
    fn the_first_write_is_forgotten_when_many_come() {
        let (mut order, mut knows) = (order(), Knows::default());
        let all = (0..188).flat_map(|word| (0..32).map(move |bit| (word, 1 << bit)));
        let changes = all.map(|(word, bits)| Change { bank: Some(0), word, bits, written: bits });
        let mut written = 0;
        for change in changes {
            if order.reads.among(change.word, change.bits).next().is_none() {
                continue;
            }
            knows.now = written;
            let by = store(Processor::Brisc, 90);
            assert_eq!(write(&mut order, by, change, &mut knows), None);
            written += 1;
            let first = written.saturating_sub(REMEMBERED as u32);
            let moments = order.writes.iter().map(|write| write.moment.0);
            assert!(moments.eq(first..written), "{change:?}");
        }
        assert!(written > REMEMBERED as u32 + 1);
    }
}
