//! Programs of the vendor's kind on a bare coprocessor: they unpack, compute and pack. The expected bytes are computed by
//! integers.

#![expect(clippy::indexing_slicing, clippy::expect_used, reason = "a wrong index fails the test")]

use hallmark_chip::{Architecture, FaultCategory, Processor, Random};
use hallmark_tensix::{
    Chip, Coprocessor, Disorder, Doing, Entrance, Handover, Hazard, Instruction, Issued, Knowledge,
    Lack, Moment, Origin, Overlap, Party, Refusal, Source, Step, Surroundings, Thread, Unit,
    Unknown, Use, Wait,
};

/// L1 of a tile, and the stores to its registers.
struct Tile {
    l1: Vec<u8>,
    /// Of each byte of L1 the bits that nothing has written.
    unknown: Vec<u8>,
    stores: Vec<(u32, u32)>,
    /// The number of the instruction that is executed.
    number: u64,
    /// What was posted, by which instruction.
    posted: Vec<(u64, Handover)>,
    /// What was taken, by which instruction.
    taken: Vec<(u64, Handover)>,
    /// What was known to have finished, by which instruction.
    finished: Vec<(u64, Unit, Thread, u64)>,
    /// The uses of Dst that came after others.
    overlaps: Vec<Overlap>,
    /// Whether anybody wants to know of the order.
    watches_order: bool,
    /// Whether threads and cores know of all that others did, or of nothing.
    knows_others: bool,
    /// Whether the checks are strict.
    is_strict: bool,
    /// Writes of configuration that lack an order.
    disorders: Vec<Disorder>,
}

impl Tile {
    fn new() -> Self {
        Self {
            l1: vec![0; 0x1_0000],
            unknown: vec![0; 0x1_0000],
            stores: Vec::new(),
            number: 0,
            posted: Vec::new(),
            taken: Vec::new(),
            finished: Vec::new(),
            overlaps: Vec::new(),
            watches_order: true,
            knows_others: true,
            is_strict: false,
            disorders: Vec::new(),
        }
    }

    fn range(address: u64, length: usize) -> Result<std::ops::Range<usize>, Refusal> {
        let start = address as usize;
        if start + length > 0x1_0000 {
            return Err(Refusal::new(FaultCategory::UndefinedBehavior, "past L1"));
        }
        Ok(start..start + length)
    }

    fn put(&mut self, address: usize, values: impl IntoIterator<Item = u16>) {
        let bytes: Vec<u8> = values.into_iter().flat_map(u16::to_le_bytes).collect();
        self.l1[address..address + bytes.len()].copy_from_slice(&bytes);
    }

    fn values(&self, address: usize, count: usize) -> Vec<u16> {
        let bytes = self.l1[address..address + 2 * count].chunks(2);
        bytes.map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]])).collect()
    }
}

impl Knowledge for Tile {
    type Error = Refusal;

    fn watches_order(&self) -> bool {
        self.watches_order
    }

    fn is_strict(&self) -> bool {
        self.is_strict
    }

    fn knows(&mut self, _: Party, _: Moment) -> bool {
        self.knows_others
    }

    fn knows_issue(&mut self, _: Thread, _: u64) -> bool {
        self.knows_others
    }

    fn knows_end(&mut self, _: Unit, _: &Issued, _: &Doing) -> bool {
        self.knows_others
    }

    fn has_heard_of_end(&mut self, _: Unit, _: &Issued) -> bool {
        self.knows_others
    }

    fn broken(&mut self, disorder: &Disorder) -> Refusal {
        self.disorders.push(*disorder);
        Refusal::new(FaultCategory::DataRace, disorder.to_string())
    }
}

impl Surroundings for Tile {
    fn executes(&mut self, _: Origin, number: u64) {
        self.number = number;
    }

    fn read(&mut self, _: Unit, address: u64, bytes: &mut [u8]) -> Result<Unknown, Refusal> {
        let range = Self::range(address, bytes.len())?;
        bytes.copy_from_slice(&self.l1[range.clone()]);
        let masks = self.unknown[range].to_vec();
        Ok(masks.iter().any(|&mask| mask != 0).then_some(masks))
    }

    fn write(
        &mut self,
        _: Unit,
        address: u64,
        bytes: &[u8],
        masks: Unknown,
    ) -> Result<(), Refusal> {
        let range = Self::range(address, bytes.len())?;
        self.l1[range.clone()].copy_from_slice(bytes);
        self.unknown[range].copy_from_slice(&masks.unwrap_or_else(|| vec![0; bytes.len()]));
        Ok(())
    }

    fn comes_after(&mut self, overlap: &Overlap) -> Result<(), Refusal> {
        self.overlaps.push(overlap.clone());
        Ok(())
    }

    fn posts(&mut self, handover: Handover) {
        self.posted.push((self.number, handover));
    }

    fn takes(&mut self, handover: Handover) {
        self.taken.push((self.number, handover));
    }

    fn finished(&mut self, unit: Unit, thread: Thread, upto: u64, _: Option<Instruction>) {
        self.finished.push((self.number, unit, thread, upto));
    }

    fn store_register(&mut self, address: u32, value: u32) -> Result<(), Refusal> {
        self.stores.push((address, value));
        Ok(())
    }
}

/// A coprocessor and its tile.
struct Bench {
    coprocessor: Coprocessor,
    tile: Tile,
    numbers: &'static Numbers,
    /// Data of a tile.
    count: u32,
}

const FIRST: usize = 0x1230;
const SECOND: usize = 0x2340;
const OUTPUT: usize = 0x5670;
/// Rows of SrcA, SrcB and Dst that an instruction advances by.
const EIGHT: u32 = 8;

const FLOAT16B: u32 = 5;

/// UNPACR of an unpacker by the thread's context, after which the bank is valid.
fn unpacr(unpacker: u32) -> u32 {
    0x4200_0000 | unpacker << 23 | 1 << 7 | 1 << 6 | 1
}

/// PACR of all packers, with the last row of a tile or not.
fn pacr(last: u32) -> u32 {
    0x4100_0000 | 15 << 8 | last
}

fn setc16(word: u32, value: u32) -> u32 {
    0xB200_0000 | word << 16 | value
}

/// SETADCXX: the first and the last datum of a row, of a mask of units.
fn setadcxx(units: u32, last: u32) -> u32 {
    0x5E00_0000 | units << 21 | last << 10
}

const SEMINIT: u32 = 0xA300_0000 | 1 << 20 | 2 << 2;
const SEMPOST: u32 = 0xA400_0000 | 2 << 2;
const SEMGET: u32 = 0xA500_0000 | 2 << 2;
/// Blocks everything while the semaphore is 0.
const SEMWAIT_ZERO: u32 = 0xA600_0000 | 0x1FF << 15 | 2 << 2 | 1;
const ZEROACC_ALL: u32 = 0x1018_0000;

/// Where a chip is configured.
struct Numbers {
    architecture: Architecture,
    /// The first words of the unpackers, of the packers, and of their counters.
    unpackers: [u32; 2],
    packers: &'static [u32],
    counters: u32,
    /// Strides of Dst, edge masks, places in Dst.
    strides: u32,
    edges: u32,
    offsets: u32,
    /// Words of a thread: SrcA's address, the first address modifiers of the sources, of Dst and of the packers.
    source_a: u32,
    sources: u32,
    dst: u32,
    pack: u32,
}

const WORMHOLE_B0: Numbers = Numbers {
    architecture: Architecture::WormholeB0,
    unpackers: [52, 92],
    packers: &[56, 84, 96, 124],
    counters: 24,
    strides: 8,
    edges: 20,
    offsets: 152,
    source_a: 3,
    sources: 7,
    dst: 23,
    pack: 31,
};

const BLACKHOLE: Numbers = Numbers {
    architecture: Architecture::Blackhole,
    unpackers: [64, 112],
    packers: &[68],
    counters: 28,
    strides: 12,
    edges: 24,
    offsets: 180,
    source_a: 5,
    sources: 12,
    dst: 28,
    pack: 37,
};

impl Bench {
    /// With 16-bit floats in L1 and everywhere else, and tiles of `count` data.
    fn new(numbers: &'static Numbers, count: u32) -> Self {
        let chip = Chip::of(numbers.architecture);
        let coprocessor = Coprocessor::new(chip);
        let mut bench = Self { coprocessor, tile: Tile::new(), numbers, count };
        let line = |address: usize| address as u32 / 16 - 1;
        bench.configure(1, FLOAT16B << 17 | FLOAT16B << 21 | FLOAT16B << 25);
        let [first, second] = numbers.unpackers;
        for (unpacker, address) in [(first, FIRST), (second, SECOND)] {
            bench.configure(unpacker, FLOAT16B | 1 << 4 | count << 16);
            bench.configure(unpacker + 1, 1 << 16 | 1);
            bench.configure(unpacker + 8, FLOAT16B | 2 << 4);
            bench.configure(unpacker + 9, 3);
            bench.configure(unpacker + 12, line(address));
        }
        // Unpacker 0 writes to row 0 of SrcA, which is datum 64.
        bench.configure(first + 20, 64);
        bench.configure(first + 22, count);
        // Strides of Dst in bytes; all columns of all rows.
        let y_stride_at = if numbers.packers.len() == 4 { 12 } else { 16 };
        bench.configure(numbers.strides, 32 << y_stride_at | 2);
        bench.configure(numbers.strides + 1, 512);
        bench.configure(numbers.edges, 0xFFFF);
        for (number, section) in (0..).zip(numbers.packers) {
            bench.configure(section + 1, line(OUTPUT + (count / 2 * number) as usize));
            bench.configure(section + 2, FLOAT16B << 8 | FLOAT16B << 4);
            bench.configure(numbers.counters + number, 16 << 8);
            bench.configure(numbers.offsets + number, count / 64 * number);
        }
        bench
    }

    fn configure(&mut self, word: u32, value: u32) {
        self.coprocessor
            .configure((word, value), None, &mut self.tile)
            .expect("a word that exists");
    }

    fn set_macro_word(&mut self, thread: Thread, index: usize, word: u32) {
        let set = self.coprocessor.set_macro_word(thread, (index, word), &mut self.tile);
        assert_eq!(set, Ok(true));
    }

    fn push(&mut self, thread: Thread, words: &[u32]) {
        for (word, pc) in words.iter().zip((0x6000..).step_by(4)) {
            let core = [Processor::Trisc0, Processor::Trisc1, Processor::Trisc2][thread.index()];
            let origin = Origin { core, pc, retired: 0 };
            assert!(self.coprocessor.push(thread, *word, Entrance::MacroExpander, origin));
        }
    }

    /// Runs all threads until none goes on.
    fn run(&mut self) -> Result<(), Refusal> {
        loop {
            let mut issued = false;
            for thread in Thread::ALL {
                while self.coprocessor.step(thread, &mut self.tile)? == Step::Issued {
                    issued = true;
                }
            }
            if !issued {
                return Ok(());
            }
        }
    }

    /// A thread that unpacks a tile to each source, and one that packs a tile once the math thread has posted the
    /// semaphore.
    fn push_around_math(&mut self) {
        let Numbers { source_a, pack, packers, .. } = *self.numbers;
        let count = self.count;
        self.push(
            Thread::Unpack,
            &[setc16(source_a, 4), setadcxx(3, count - 1), unpacr(0), unpacr(1)],
        );
        self.push(Thread::Math, &[SEMINIT, ZEROACC_ALL]);
        if packers.len() == 4 {
            let words = [setadcxx(4, count / 4 - 1), SEMWAIT_ZERO, pacr(1), SEMGET];
            self.push(Thread::Pack, &words);
            return;
        }
        // Through all four interfaces a row each, four rows further on each time.
        let mut words = vec![setc16(pack, 4), setadcxx(4, 15), SEMWAIT_ZERO];
        words.extend((1..count / 64).map(|_| 0x4100_0000));
        words.extend([0x4100_0001, SEMGET]);
        self.push(Thread::Pack, &words);
    }

    /// The math thread advances by 8 rows of SrcA, if it is told so, and of SrcB and Dst.
    fn advance_by_eight(&mut self, of_source_a: bool) {
        let Numbers { sources, dst, .. } = *self.numbers;
        let source_a = if of_source_a { EIGHT } else { 0 };
        self.push(Thread::Math, &[setc16(sources, source_a | EIGHT << 8), setc16(dst, EIGHT)]);
    }
}

/// A small integer as a 16-bit float, exactly.
fn float(value: i32) -> u16 {
    let bits = (value as f32).to_bits();
    assert_eq!(bits & 0xFFFF, 0, "{value} has too many digits");
    (bits >> 16) as u16
}

/// Integers that differ from place to place.
fn integers(seed: u32, range: u32) -> impl Fn(usize) -> i32 {
    move |index| {
        let mixed = (index as u32 + 7).wrapping_mul(0x9E37_79B1 ^ seed) >> 13;
        (mixed % range) as i32 - (range / 2) as i32
    }
}

#[test]
fn a_tile_is_added_to_a_tile() {
    for numbers in [&WORMHOLE_B0, &BLACKHOLE] {
        add_tiles(numbers);
    }
}

fn add_tiles(numbers: &'static Numbers) {
    let mut bench = Bench::new(numbers, 1024);
    let (first, second) = (integers(1, 101), integers(2, 77));
    bench.tile.put(FIRST, (0..1024).map(|index| float(first(index))));
    bench.tile.put(SECOND, (0..1024).map(|index| float(second(index))));
    bench.push_around_math();
    // ELWADD of 8 rows, eight times; the last gives both banks back.
    bench.advance_by_eight(true);
    let mut math = vec![0x2800_0000; 7];
    math.extend([0x2800_0000 | 3 << 22, SEMPOST]);
    bench.push(Thread::Math, &math);
    bench.run().expect("legal");
    for thread in Thread::ALL {
        assert!(bench.coprocessor.is_empty(thread), "{:?}", bench.coprocessor.waiting(thread));
    }
    let expected: Vec<u16> = (0..1024).map(|index| float(first(index) + second(index))).collect();
    assert_eq!(bench.tile.values(OUTPUT, 1024), expected);
    assert!(bench.tile.unknown.iter().all(|&mask| mask == 0));
}

#[test]
fn each_packer_knows_whether_it_is_within_a_tile() {
    let mut bench = Bench::new(&WORMHOLE_B0, 256);
    let (first, second) = (integers(5, 91), integers(6, 67));
    bench.tile.put(FIRST, (0..256).map(|index| float(first(index))));
    bench.tile.put(SECOND, (0..256).map(|index| float(second(index))));
    bench.push(
        Thread::Unpack,
        &[setc16(WORMHOLE_B0.source_a, 4), setadcxx(3, 255), unpacr(0), unpacr(1)],
    );
    bench.push(Thread::Math, &[SEMINIT, ZEROACC_ALL]);
    bench.advance_by_eight(true);
    bench.push(Thread::Math, &[0x2800_0000, 0x2800_0000 | 3 << 22, SEMPOST]);
    // Packer 0 alone packs a quarter and does not end its tile. Packers 1 to 3 begin theirs with the next instruction.
    let alone = 0x4100_0000 | 1 << 8;
    bench.push(Thread::Pack, &[setadcxx(4, 63), SEMWAIT_ZERO, alone, pacr(1), SEMGET]);
    let below = bench.tile.values(0, 256);
    bench.run().expect("legal");
    let expected: Vec<u16> = (0..256).map(|index| float(first(index) + second(index))).collect();
    assert_eq!(bench.tile.values(OUTPUT, 256), expected);
    assert_eq!(bench.tile.values(0, 256), below);
}

#[test]
fn a_face_is_multiplied_with_a_face() {
    for numbers in [&WORMHOLE_B0, &BLACKHOLE] {
        multiply_faces(numbers);
    }
}

fn multiply_faces(numbers: &'static Numbers) {
    let mut bench = Bench::new(numbers, 256);
    let (first, second) = (integers(3, 7), integers(4, 5));
    bench.tile.put(FIRST, (0..256).map(|index| float(first(index))));
    bench.tile.put(SECOND, (0..256).map(|index| float(second(index))));
    bench.push_around_math();
    // MVMUL of 8 rows of SrcB with 16 rows of SrcA, by a macro of two turns.
    bench.advance_by_eight(false);
    let nop = 0x0200_0000;
    let mvmul = 0x2600_0000;
    let words = [1, 2, nop, SEMPOST, nop, mvmul, nop, mvmul | 3 << 22, nop];
    for (index, word) in words.into_iter().enumerate() {
        bench.set_macro_word(Thread::Math, index, word);
    }
    bench.push(Thread::Math, &[0x0180_0000]);
    bench.run().expect("legal");
    let product = |row: usize, column: usize| -> i32 {
        (0..16).map(|k| second(16 * row + k) * first(16 * k + column)).sum()
    };
    let expected: Vec<u16> = (0..256).map(|index| float(product(index / 16, index % 16))).collect();
    assert_eq!(bench.tile.values(OUTPUT, 256), expected);
}

/// UNPACR of unpacker 0 in a context, of zeros in place of data, after which the unpacker keeps the bank.
fn zeros(context: u32) -> u32 {
    0x4200_0000 | context << 10 | 1 << 7 | 1 << 4 | 1
}

#[test]
fn zeros_go_to_srca_in_any_format_and_beyond_context_1_nowhere() {
    // The destination of context 0, and how many data of SrcA become 0.
    let cases = [(0, 64, 32), (0, 64 + 48, 32), (2, 64, 0), (7, 64, 0), (0, 64 + 1024, 0)];
    for (context, destination, cleared) in cases {
        let mut bench = Bench::new(&WORMHOLE_B0, 1024);
        let (first, second) = (integers(5, 60), integers(6, 40));
        bench.tile.put(FIRST, (0..1024).map(|index| float(first(index))));
        bench.tile.put(SECOND, (0..1024).map(|index| float(second(index))));
        // The unpacker keeps the bank, zeros follow, and UNPACR_NOP gives the bank to the matrix unit.
        let keeps = unpacr(0) & !(1 << 6);
        bench.push(Thread::Unpack, &[setc16(3, 4), setadcxx(3, 1023), keeps, unpacr(1)]);
        bench.run().expect("legal");
        // As the vendor's low-level kernels do, in the format of Dst, which SrcA does not hold.
        bench.configure(52, 1 << 4 | 1024 << 16);
        bench.configure(60, 2 << 4);
        bench.configure(72, destination);
        bench.push(Thread::Unpack, &[setadcxx(1, 31), zeros(context), 0x4300_0007]);
        bench.push(Thread::Pack, &[setadcxx(4, 255), SEMWAIT_ZERO, pacr(1), SEMGET]);
        let mut math = vec![SEMINIT, ZEROACC_ALL, setc16(7, EIGHT | EIGHT << 8), setc16(23, EIGHT)];
        math.extend([0x2800_0000; 8]);
        math.push(SEMPOST);
        bench.push(Thread::Math, &math);
        bench.run().expect("legal");
        let start = destination as usize - 64;
        let cleared = start..start + cleared;
        let expected: Vec<u16> = (0..1024)
            .map(|index| if cleared.contains(&index) { 0 } else { first(index) } + second(index))
            .map(float)
            .collect();
        assert_eq!(bench.tile.values(OUTPUT, 1024), expected, "context {context}");
    }
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    bench.push(Thread::Unpack, &[setc16(3, 4), setadcxx(3, 15), zeros(2) | 1 << 6]);
    let refusal = bench.run().expect_err("gives a bank that it did not write");
    assert!(refusal.reason.contains("in a context beyond 1"), "{refusal}");
}

#[test]
fn only_an_instruction_that_gives_a_bank_gave_one() {
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    bench.push_around_math();
    // SETC16, SETADCXX, and UNPACR of both sources.
    for gives in [false, false, true, true] {
        let step = bench.coprocessor.step(Thread::Unpack, &mut bench.tile).expect("legal");
        assert_eq!(step, Step::Issued);
        assert_eq!(bench.coprocessor.gave_a_bank(Thread::Unpack), gives);
        assert!(!bench.coprocessor.gave_a_bank(Thread::Math));
    }
    // What the matrix unit gives back is no gift to it.
    bench.push(Thread::Math, &[0x3700_0000 | 3 << 22]);
    bench.run().expect("legal");
    assert!(!bench.coprocessor.gave_a_bank(Thread::Math));
}

#[test]
fn instructions_that_clear_a_bank_come_with_the_one_that_gave_the_other() {
    // UNPACR of SrcA gives a bank; UNPACR_NOP clears SrcB and gives nothing, as often as it comes.
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    let clear = 0x4380_0001;
    let mut words =
        vec![setc16(3, 4), setadcxx(3, 1023), unpacr(0), clear, clear, setadcxx(3, 7), clear];
    bench.push(Thread::Unpack, &words);
    for gives in [false, false, true, true, true, false, false] {
        let step = bench.coprocessor.step(Thread::Unpack, &mut bench.tile).expect("legal");
        assert_eq!(step, Step::Issued);
        assert_eq!(bench.coprocessor.gave_a_bank(Thread::Unpack), gives);
    }
    // A slice ends in spite of any number of them.
    words = vec![unpacr(0)];
    bench.push(Thread::Unpack, &words);
    bench.coprocessor.step(Thread::Unpack, &mut bench.tile).expect("legal");
    for number in 1..=70 {
        bench.push(Thread::Unpack, &[clear]);
        bench.coprocessor.step(Thread::Unpack, &mut bench.tile).expect("legal");
        assert_eq!(bench.coprocessor.gave_a_bank(Thread::Unpack), number < 64, "{number}");
    }
}

#[test]
fn a_thread_that_waits_for_a_bank_is_named_when_one_is_given_back() {
    // Both banks of SrcB are given; UNPACR_NOP clears the next one and waits until the matrix unit gives back its own.
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    let words = [setc16(3, 4), setadcxx(3, 1023), unpacr(0), unpacr(1), 0x4380_0001];
    bench.push(Thread::Unpack, &words);
    bench.run().expect("legal");
    let waiting = bench.coprocessor.waiting(Thread::Unpack).expect("waits");
    assert_eq!(waiting.wait, Wait::SourceEmpty(Source::B));
    // SETRWC without a bank, with that of SrcA, with that of SrcB, and without one again.
    bench.push(Thread::Math, &[0, 1, 2, 0].map(|banks| 0x3700_0000 | banks << 22));
    for waits in [None, None, Some(Thread::Unpack), None] {
        bench.coprocessor.step(Thread::Math, &mut bench.tile).expect("legal");
        assert_eq!(bench.coprocessor.let_go_by(Thread::Math), waits);
    }
    bench.run().expect("legal");
    assert_eq!(bench.coprocessor.let_go_by(Thread::Unpack), None);
    assert!(bench.coprocessor.is_empty(Thread::Unpack));
}

#[test]
fn an_instruction_waits_for_what_it_names() {
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    bench.push_around_math();
    bench.push(Thread::Math, &[0xA200_0000 | 8 << 15 | 0x100, 0x2800_0000]);
    bench.run().expect("legal");
    let waits = Thread::ALL.map(|thread| bench.coprocessor.waiting(thread).map(|one| one.wait));
    // The unpackers have filled their banks, and STALLWAIT looks at the next ones, which are empty.
    assert_eq!(waits, [None, None, Some(Wait::SemaphoreNotZero(1))]);
    let waiting = bench.coprocessor.waiting(Thread::Pack).expect("waits");
    assert_eq!((waiting.origin.core, waiting.origin.pc), (Processor::Trisc2, 0x6004));
}

/// STALLWAIT with a block bit and a condition.
fn stallwait(block: u32, condition: u32) -> u32 {
    0xA200_0000 | 1 << (15 + block) | 1 << condition
}

#[test]
fn a_wait_is_told_of_where_it_first_holds_an_instruction_back() {
    // Two unpacks, and a wait for unpacker 1 that holds back the scalar unit (B5, C2): SETADCXX passes it.
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    let store_register = 0x6700_0000 | 4 << 12;
    let words = [
        setc16(3, 4),
        setadcxx(3, 1023),
        unpacr(0),
        unpacr(1),
        stallwait(5, 2),
        setadcxx(3, 15),
        0x4500_0000 | 7 << 8 | 3 << 1,
        store_register,
    ];
    bench.push(Thread::Unpack, &words);
    bench.run().expect("legal");
    // The fourth instruction is the last one of unpacker 1.
    assert_eq!(bench.tile.finished, [(7, Unit::Unpacker(1), Thread::Unpack, 4)]);
    // The matrix unit that uses both banks knows that the two unpacks have finished, the third and the fourth instruction.
    bench.push(Thread::Math, &[setc16(7, EIGHT), 0x2800_0000]);
    bench.run().expect("legal");
    let given = [(Unit::Unpacker(0), 3), (Unit::Unpacker(1), 4)];
    let given = given.map(|(unit, upto)| (2, unit, Thread::Unpack, upto));
    assert_eq!(bench.tile.finished.get(1..), Some(&given[..]));
}

#[test]
fn the_second_of_two_filled_banks_is_told_of_when_it_is_used() {
    // Both banks of SrcA are filled before the matrix unit looks at one: the third and the fourth instruction.
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    bench.push(Thread::Unpack, &[setc16(3, 4), setadcxx(3, 127), unpacr(0), unpacr(0)]);
    bench.run().expect("legal");
    // MOVA2D, SETRWC with the bank of SrcA, MOVA2D.
    bench.push(Thread::Math, &[0x1200_2000, 0x3700_0000 | 1 << 22, 0x1200_2000]);
    bench.run().expect("legal");
    let told = [(1, 3), (3, 4)];
    let told = told.map(|(at, upto)| (at, Unit::Unpacker(0), Thread::Unpack, upto));
    assert_eq!(bench.tile.finished, told);
}

#[test]
fn a_bank_that_no_unpacker_filled_says_nothing_of_unpackers() {
    // SETDVALID gives the bank that an unpacker may still be filling.
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    bench.push(Thread::Unpack, &[0x5700_0001]);
    bench.push(Thread::Math, &[0x1200_2000]);
    bench.run().expect("legal");
    assert_eq!(bench.coprocessor.issued(Thread::Math), 1);
    assert_eq!(bench.tile.taken, [(1, Handover::Filled(Source::A))]);
    assert!(bench.tile.finished.is_empty());
}

#[test]
fn what_was_done_before_somebody_watches_is_over() {
    const SFPLOAD: u32 = 0x7000_0000;
    let steps =
        [(Thread::Math, ZEROACC_ALL), (Thread::Unpack, SFPLOAD), (Thread::Math, ZEROACC_ALL)];
    let told: [&[Unit]; 4] = [&[Unit::Matrix, Unit::Vector], &[Unit::Vector], &[], &[]];
    for (watched_from, told) in told.into_iter().enumerate() {
        let mut bench = Bench::new(&WORMHOLE_B0, 1024);
        for (number, (thread, word)) in steps.into_iter().enumerate() {
            bench.tile.watches_order = number >= watched_from;
            bench.push(thread, &[word]);
            bench.run().expect("legal");
        }
        let units: Vec<Unit> = bench.tile.overlaps.iter().map(|overlap| overlap.unit).collect();
        assert_eq!(units, told, "from {watched_from} on");
    }
}

#[test]
fn instructions_without_sources_have_waited_for_none() {
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    bench.push(Thread::Unpack, &[setc16(3, 4), setadcxx(3, 1023), unpacr(0), unpacr(1)]);
    bench.run().expect("legal");
    bench.tile.taken.clear();
    // ZEROACC of all rows reads neither source, MOVA2D SrcA alone.
    bench.push(Thread::Math, &[0x1018_0000, 0x1200_2000]);
    bench.run().expect("legal");
    assert_eq!(bench.tile.taken, [(2, Handover::Filled(Source::A))]);
    let of_unpackers = bench.tile.finished.iter().filter(|one| one.1 != Unit::Matrix);
    assert_eq!(Vec::from_iter(of_unpackers), [&(2, Unit::Unpacker(0), Thread::Unpack, 3)]);
}

#[test]
fn what_the_matrix_unit_writes_in_a_cycle_has_finished_unless_a_slower_one_comes_before() {
    const SETDMAREG: u32 = 0x4500_0000 | 7 << 8 | 3 << 1;
    const ZEROSRC: u32 = 0x1100_0007;
    const SETRWC: u32 = 0x3700_0000;
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    bench.push(Thread::Unpack, &[setc16(3, 4), setadcxx(3, 1023), unpacr(0)]);
    bench.run().expect("legal");
    let words = [
        SETRWC,
        ZEROACC_ALL,
        ZEROSRC,
        mova2d(0),
        SETRWC,
        ZEROACC_ALL,
        stallwait(5, 7),
        mova2d(8),
        SETDMAREG,
        ZEROACC_ALL,
        stallwait(6, 7),
        ZEROACC_ALL,
    ];
    bench.push(Thread::Math, &words);
    bench.run().expect("legal");
    let of_matrix = bench.tile.finished.iter().filter(|one| one.1 == Unit::Matrix);
    let told: Vec<(u64, u64)> = of_matrix.map(|one| (one.0, one.3)).collect();
    // The second and the third. The first STALLWAIT, the seventh, holds back SETDMAREG, behind a slower instruction. At the
    // last those that the second STALLWAIT waits for, and itself.
    assert_eq!(told, [(2, 2), (3, 3), (9, 7), (12, 10), (12, 12)]);
}

#[test]
fn a_reset_keeps_the_wait_gate() {
    // Semaphore 1 is 0, and the wait for it holds back the packers.
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    let wait = 0xA600_0000 | 1 << 17 | 2 << 2 | 1;
    bench.push(Thread::Pack, &[SEMINIT, wait, pacr(1)]);
    bench.run().expect("legal");
    bench.coprocessor.reset(Thread::Pack);
    bench.push(Thread::Pack, &[pacr(1)]);
    bench.run().expect("legal");
    let waiting = bench.coprocessor.waiting(Thread::Pack).expect("waits");
    assert_eq!((waiting.word, waiting.wait), (wait, Wait::SemaphoreNotZero(1)));
}

#[test]
fn each_unit_has_its_own_condition() {
    let of_wormhole = [
        (1, Unit::Unpacker(0)),
        (2, Unit::Unpacker(1)),
        (3, Unit::Packer(0)),
        (4, Unit::Packer(1)),
        (5, Unit::Packer(2)),
        (6, Unit::Packer(3)),
        (7, Unit::Matrix),
        (14, Unit::Vector),
    ];
    let of_blackhole = [
        (1, Unit::Unpacker(0)),
        (2, Unit::Unpacker(1)),
        (3, Unit::Packer(0)),
        (4, Unit::Matrix),
        (11, Unit::Vector),
    ];
    for (numbers, units) in [(&WORMHOLE_B0, &of_wormhole[..]), (&BLACKHOLE, &of_blackhole[..])] {
        for &(condition, unit) in units {
            let mut bench = Bench::new(numbers, 1024);
            bench.push(Thread::Pack, &[stallwait(0, condition), setadcxx(4, 15)]);
            bench.run().expect("legal");
            // No instruction of the unit came before.
            assert_eq!(bench.tile.finished, [(2, unit, Thread::Pack, 0)], "{condition}");
        }
    }
}

#[test]
fn a_wait_holds_back_nothing_beyond_its_mask_and_is_over_once_it_was_met() {
    // Semaphore 1 is 0. The wait holds back the packers (B2), not SETADCXX.
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    let wait = 0xA600_0000 | 1 << 17 | 2 << 2 | 1;
    bench.push(Thread::Pack, &[SEMINIT, wait, setadcxx(4, 15), pacr(1), setadcxx(4, 7)]);
    bench.run().expect("legal");
    assert_eq!(bench.coprocessor.issued(Thread::Pack), 3);
    let waiting = bench.coprocessor.waiting(Thread::Pack).expect("waits");
    assert_eq!((waiting.word, waiting.origin.pc), (wait, 0x6004));
    assert!(bench.tile.taken.is_empty());
    // Another thread posts it and takes it back: the wait is over, and what comes behind it goes on.
    bench.push(Thread::Math, &[SEMPOST, SEMGET]);
    while bench.coprocessor.step(Thread::Math, &mut bench.tile).expect("legal") == Step::Issued {}
    assert_eq!(bench.coprocessor.semaphore(1), Some(0));
    bench.tile.taken.clear();
    bench.run().expect("legal");
    assert_eq!(bench.coprocessor.issued(Thread::Pack), 5);
    assert_eq!(bench.tile.taken, [(4, Handover::Semaphore(1))]);
}

#[test]
fn instructions_tell_what_they_hand_over() {
    use Handover::{Mutex, Semaphore};
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    // Semaphores 1 and 4 begin at 0 of 2; mutex 3.
    let seminit = 0xA300_0000 | 2 << 20 | 0b1_0010 << 2;
    let words = [0xA000_0003, seminit, SEMPOST, SEMGET, 0xA100_0003];
    bench.push(Thread::Math, &words);
    bench.run().expect("legal");
    let begun = [(2, Semaphore(1)), (2, Semaphore(4))];
    let then = [(3, Semaphore(1)), (4, Semaphore(1)), (5, Mutex(3))];
    assert_eq!(bench.tile.posted, [&begun[..], &then[..]].concat());
    assert_eq!(bench.tile.taken, [(1, Mutex(3)), (4, Semaphore(1))]);
}

#[test]
fn instructions_configure_the_bank_of_their_thread() {
    for numbers in [&WORMHOLE_B0, &BLACKHOLE] {
        let mut bench = Bench::new(numbers, 1024);
        let words = if numbers.packers.len() == 4 { 188 } else { 224 };
        let first = numbers.counters;
        for index in 0..4 {
            bench.configure(first + index, (1 + index) << 8);
            let by = Origin { core: Processor::Trisc2, pc: 0x6000, retired: 0 };
            bench.coprocessor.set_register(Thread::Pack, 8 + index, (6 + index) << 8, by);
        }
        // Bank 1; WRCFG of four words, and of one.
        let one = 0xB000_0000 | 9 << 16 | first;
        let four = 0xB000_8000 | 8 << 16 | first;
        bench.push(Thread::Pack, &[setc16(0, 1), four, one]);
        bench.run().expect("legal");
        let of_bank = |bank: u32| {
            let words = (first..first + 4).map(|word| word + bank * words);
            words.map(|word| bench.coprocessor.configuration(word)).collect::<Vec<_>>()
        };
        assert_eq!(of_bank(0), [Ok(0x100), Ok(0x200), Ok(0x300), Ok(0x400)]);
        assert_eq!(of_bank(1), [Ok(0x700), Ok(0x700), Ok(0x800), Ok(0x900)]);
    }
}

#[test]
fn a_later_wait_that_passes_an_earlier_one_replaces_it() {
    // The first waits for semaphore 1 and holds back the packers; SEMWAIT itself (B1) passes it (SEMWAIT.md).
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    let [first, second] = [2, 4].map(|semaphores| 0xA600_0000 | 1 << 17 | semaphores << 2 | 1);
    let seminit = 0xA300_0000 | 3 << 20 | 1 << 16 | 4 << 2;
    bench.push(Thread::Pack, &[SEMINIT, seminit, first, second, pacr(1)]);
    bench.run().expect("legal");
    assert_eq!(bench.coprocessor.issued(Thread::Pack), 5);
    assert_eq!(bench.tile.taken, [(5, Handover::Semaphore(2))]);
}

#[test]
fn unknown_data_stay_unknown() {
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    bench.tile.put(FIRST, (0..1024).map(|index| float(index % 50)));
    bench.tile.put(SECOND, (0..1024).map(|_| float(3)));
    // A bit of the datum in row 20, column 3 of the second tile.
    let datum = 20 * 16 + 3;
    bench.tile.unknown[SECOND + 2 * datum + 1] = 0x10;
    bench.push_around_math();
    bench.advance_by_eight(true);
    let mut math = vec![0x2800_0000; 7];
    math.extend([0x2800_0000 | 3 << 22, SEMPOST]);
    bench.push(Thread::Math, &math);
    bench.run().expect("legal");
    let masks = &bench.tile.unknown[OUTPUT..OUTPUT + 2048];
    let unknown: Vec<usize> = (0..2048).filter(|&byte| masks[byte] != 0).collect();
    assert_eq!(unknown, [2 * datum, 2 * datum + 1]);
}

#[test]
fn hostile_operands_are_refused_by_name() {
    let refused = |words: &[u32], configuration: &[(u32, u32)]| {
        let mut bench = Bench::new(&WORMHOLE_B0, 1024);
        for (word, value) in configuration {
            bench.configure(*word, *value);
        }
        bench.push(Thread::Unpack, words);
        bench.run().expect_err("refused")
    };
    let unpack = [setc16(3, 4), setadcxx(3, 1023), unpacr(0)];
    let past = refused(&unpack, &[(64, 0xFFFF)]);
    assert_eq!(past.category, FaultCategory::UndefinedBehavior);
    let rows = refused(&unpack, &[(72, 80)]);
    assert!(rows.reason.starts_with("UNPACR 0x420000c1: row 64 of SrcA"), "{rows}");
    let reserved = refused(&unpack, &[(52, 13 | 1 << 4), (60, 13)]);
    assert!(reserved.reason.contains("reserved format 13"), "{reserved}");
    let before = refused(&unpack, &[(72, 0)]);
    assert!(before.reason.contains("before SrcA"), "{before}");
    // Two 13-bit counters and strides of 12 bits overflow nothing.
    let far = [
        setc16(3, 4),
        0x5000_0000 | 1 << 21 | 1 << 18 | 0x1FFF,
        0x5000_0000 | 1 << 21 | 3 << 18 | 0xFF,
        unpacr(0),
    ];
    let far = refused(&far, &[(53, 0xFF_00FF), (74, 0xFFFF)]);
    assert_eq!(far.category, FaultCategory::UndefinedBehavior, "{far}");
    let reserved = refused(&[unpacr(0) | 1 << 14], &[]);
    assert!(reserved.reason.contains("0x4000"), "{reserved}");
    let pack = refused(&[setadcxx(4, 255), pacr(1)], &[(57, 0xFF_FFFF)]);
    assert_eq!(pack.category, FaultCategory::UndefinedBehavior, "{pack}");
    let formats = refused(&[setadcxx(4, 255), pacr(1)], &[(86, 0)]);
    assert!(formats.reason.contains("different input formats"), "{formats}");
}

#[test]
fn blackhole_clears_sources_by_fields() {
    let mut bench = Bench::new(&BLACKHOLE, 256);
    // UNPACR_NOP of unpacker 1: its bank becomes 0 and goes to the matrix unit.
    let nop = 0x4300_0000 | 1 << 23 | 1 << 8 | 1;
    bench.push(Thread::Unpack, &[nop, nop]);
    bench.run().expect("legal");
    // The second waits for the bank of the matrix unit.
    let waiting = bench.coprocessor.waiting(Thread::Unpack).expect("waits");
    assert_eq!(waiting.wait, Wait::SourceEmpty(hallmark_tensix::Source::B));
    // Nothing cleared, another value, negative infinity for unpacker 1, messages of a stream.
    for operands in [0, 3 << 2 | 1, 1 << 23 | 1 << 2 | 1, 1 << 12 | 1] {
        let mut bench = Bench::new(&BLACKHOLE, 256);
        bench.push(Thread::Unpack, &[0x4300_0000 | operands]);
        let refusal = bench.run().expect_err("refused");
        assert!(refusal.reason.starts_with("UNPACR_NOP"), "{refusal}");
    }
}

#[test]
fn blackhole_adds_to_configuration_words() {
    let mut bench = Bench::new(&BLACKHOLE, 256);
    bench.configure(69, 0x1000);
    bench.configure(210, 0x23);
    // CFGSHIFTMASK by the second scratch word, and by that of the thread.
    let add = |scratch: u32| 0xB800_0000 | 1 << 23 | 3 << 20 | 31 << 15 | scratch << 8 | 69;
    bench.push(Thread::Pack, &[add(1), add(1)]);
    bench.push(Thread::Math, &[add(3)]);
    bench.run().expect("legal");
    assert_eq!(bench.coprocessor.configuration(69), Ok(0x1069));
    bench.push(Thread::Pack, &[add(1) & !(1 << 23)]);
    assert!(bench.run().is_err());
}

#[test]
fn blackhole_refuses_what_no_document_specifies() {
    for bits in [1 << 1, 1 << 2, 1 << 13, 1 << 18, 1 << 21] {
        let mut bench = Bench::new(&BLACKHOLE, 256);
        bench.push(Thread::Pack, &[setadcxx(4, 15), 0x4100_0001 | bits]);
        let refusal = bench.run().expect_err("refused");
        assert_eq!(refusal.category, FaultCategory::MissingSpecification, "{bits:#x}: {refusal}");
    }
}

/// A macro of the vector unit adds 1 to 32 data in each cycle. The last ones are stored while other instructions are issued.
#[test]
fn scheduled_stores_come_before_the_thread_posts() {
    for (numbers, next_sources, modifier) in [(&WORMHOLE_B0, 2, 14), (&BLACKHOLE, 1, 13)] {
        let mut bench = Bench::new(numbers, 1024);
        let value = integers(9, 91);
        bench.tile.put(FIRST, (0..1024).map(|index| float(value(index))));
        bench.push_around_math();
        bench.advance_by_eight(true);
        let mut math = vec![0x1200_2000; 8];
        // SETRWC: all counters are 0. The second modifier goes on by two rows of Dst.
        math.extend([0x3700_000F, setc16(numbers.sources + next_sources, 0)]);
        math.push(setc16(numbers.dst + 1, 2));
        // The template: SFPADDI of 1.0. The sequence: it comes at once, and a store in the format of the load two cycles later.
        math.push(0x7500_0000 | 0x3F80 << 8 | 12 << 4);
        math.extend([0x710A_0400, 0x7108_1300, 0x9100_0040, 0x9100_0081 | 0x10 << 8]);
        math.extend((0..32).map(|index| 0x9300_0000 | (index % 4) << 20 | 2 << 16 | 1 << modifier));
        math.push(SEMPOST);
        for words in math.chunks(24) {
            bench.push(Thread::Math, words);
            bench.run().expect("legal");
        }
        let expected: Vec<u16> = (0..1024).map(|index| float(value(index) + 1)).collect();
        assert_eq!(bench.tile.values(OUTPUT, 1024), expected);
        assert!(bench.tile.unknown.iter().all(|&mask| mask == 0));
        // A store belongs to the instruction that scheduled it, whichever one lets it happen.
        let of_vector = bench.tile.overlaps.iter().filter(|one| one.unit == Unit::Vector);
        let words: Vec<u32> = of_vector.map(|one| one.earlier.word >> 24).collect();
        assert_eq!(words.last(), Some(&0x93));
        assert!(words.iter().all(|&opcode| opcode == 0x93), "{words:x?}");
        let last =
            bench.tile.overlaps.iter().map(|one| one.earlier).filter(|one| one.word >> 24 == 0x93);
        let numbers = last.map(|one| one.number).max();
        assert_eq!(numbers, Some(bench.coprocessor.last_in(Thread::Math, Unit::Vector)));
    }
}

#[test]
fn any_instruction_of_the_thread_between_them_gives_a_late_result_its_time() {
    const MUL: u32 = 0x8600_0000 | 1 << 16 | 2 << 12 | 9 << 8 | 3 << 4;
    const READS: u32 = 0x7C00_0000 | 3 << 8 | 4 << 4;
    const NOP: u32 = 0x0200_0000;
    const SETRWC: u32 = 0x3700_0000;
    let run = |numbers: &'static Numbers, words: &[u32]| {
        let mut bench = Bench::new(numbers, 256);
        bench.push(Thread::Math, words);
        bench.run()
    };
    for words in [&[MUL, NOP, READS][..], &[MUL, SETRWC, READS], &[MUL, 0x8F00_0000, READS]] {
        assert_eq!(run(&WORMHOLE_B0, words), Ok(()));
    }
    let refusal = run(&WORMHOLE_B0, &[MUL, READS]).expect_err("one right after the other");
    assert!(refusal.reason.contains("LReg[3]"), "{refusal}");
    assert_eq!(run(&BLACKHOLE, &[MUL, READS]), Ok(()));
    // A macro's two instructions are one right after the other, too.
    let mut bench = Bench::new(&WORMHOLE_B0, 256);
    for (index, word) in [1, 2, NOP, NOP, NOP, MUL, NOP, READS, READS].into_iter().enumerate() {
        bench.set_macro_word(Thread::Math, index, word);
    }
    bench.push(Thread::Math, &[0x0180_0000]);
    assert!(bench.run().is_err());
    // What another thread left is a cycle ago.
    let mut bench = Bench::new(&WORMHOLE_B0, 256);
    bench.push(Thread::Unpack, &[MUL]);
    bench.push(Thread::Math, &[READS]);
    assert_eq!(bench.run(), Ok(()));
}

/// MOVA2D of rows 0 to 7 of SrcA to rows of Dst from one on, and of Dst back to rows of SrcA.
fn mova2d(row: u32) -> u32 {
    0x1200_2000 | row
}

/// MOVD2A, MOVD2B: 4 rows from a row of Dst on to a row of the source on.
fn movd2a(source_row: u32, row: u32) -> u32 {
    0x0800_2000 | source_row << 17 | row
}

fn movd2b(source_row: u32, row: u32) -> u32 {
    0x0A00_2000 | source_row << 17 | row
}

/// SFPLOAD of 4 rows of 16 bits from a row of Dst on.
fn sfpload(row: u32) -> u32 {
    0x7020_0000 | 2 << 16 | row
}

/// An instruction of the math thread behind another one: the number of the earlier, the hazard, the rows.
type Told = (u64, Hazard, std::ops::Range<u32>);

fn told(bench: &Bench) -> Vec<Told> {
    let overlaps = bench.tile.overlaps.iter();
    let overlaps = overlaps.filter(|one| !matches!(one.hazard, Hazard::Return(_)));
    overlaps.map(|one| (one.earlier.number, one.hazard, one.rows.clone())).collect()
}

/// The banks that were given back by a thread that did not know that the unpacker was done, and the number of the
/// instruction that had given them.
fn given_back(bench: &Bench) -> Vec<(u64, Source)> {
    let Tile { overlaps, finished, .. } = &bench.tile;
    let is_known = |one: &Overlap| {
        let Use { thread, number, .. } = one.earlier;
        let same = |known: &&(u64, Unit, Thread, u64)| (known.1, known.2) == (one.unit, thread);
        finished.iter().filter(same).any(|known| known.3 >= number)
    };
    let returned = |one: &Overlap| match one.hazard {
        Hazard::Return(source) if !is_known(one) => Some((one.earlier.number, source)),
        _ => None,
    };
    overlaps.iter().filter_map(returned).collect()
}

/// Which loads the math thread is told of when it executes instructions behind a bank of SrcA that is filled.
fn told_behind_a_bank(numbers: &'static Numbers, words: &[u32]) -> Vec<Told> {
    let mut bench = Bench::new(numbers, 1024);
    let unpack = [setc16(numbers.source_a, 4), setadcxx(3, 1023), unpacr(0), unpacr(1)];
    bench.push(Thread::Unpack, &unpack);
    bench.push(Thread::Math, &[ZEROACC_ALL]);
    bench.run().expect("legal");
    bench.push(Thread::Math, words);
    bench.run().expect("legal");
    assert!(bench.coprocessor.is_empty(Thread::Math));
    told(&bench).into_iter().filter(|one| matches!(one.1, Hazard::Load { .. })).collect()
}

#[test]
fn a_load_close_behind_a_write_of_the_matrix_unit_is_told_of() {
    const NOP: u32 = 0x0200_0000;
    const INCRWC: u32 = 0x3800_0000;
    const SFPNOP: u32 = 0x8F00_0000;
    let load = |between, rows| vec![(2, Hazard::Load { between }, rows)];
    for numbers in [&WORMHOLE_B0, &BLACKHOLE] {
        let told = |words: &[u32]| told_behind_a_bank(numbers, words);
        assert_eq!(told(&[mova2d(8), sfpload(12)]), load(0, 12..16));
        assert_eq!(told(&[mova2d(8), sfpload(8)]), load(0, 8..12));
        assert_eq!(told(&[mova2d(8), NOP, INCRWC, sfpload(8)]), load(2, 8..12));
        assert_eq!(told(&[mova2d(8), NOP, NOP, sfpload(8)]), load(2, 8..12));
        assert_eq!(told(&[mova2d(8), sfpload(0), SFPNOP, sfpload(8)]), load(2, 8..12));
        assert_eq!(told(&[mova2d(8), 0x9300_0000 | 2 << 16 | 8]), load(0, 8..12));
        for fillers in [[NOP, NOP, NOP], [INCRWC, SFPNOP, NOP], [sfpload(0); 3], [mova2d(0); 3]] {
            let [one, two, three] = fillers;
            assert_eq!(told(&[mova2d(8), one, two, three, sfpload(8)]), []);
        }
        // A later write counts for its own rows.
        assert_eq!(told(&[mova2d(8), NOP, mova2d(16), NOP, sfpload(8)]), []);
        let both = told(&[mova2d(8), mova2d(16), sfpload(8), sfpload(16)]);
        assert_eq!(
            both,
            [(2, Hazard::Load { between: 1 }, 8..12), (3, Hazard::Load { between: 1 }, 16..20)]
        );
        let twice = told(&[mova2d(8), mova2d(8), sfpload(8)]);
        assert_eq!(twice, [(3, Hazard::Load { between: 0 }, 8..12)]);
        // Other rows; rows that became undefined; a load that reads nothing; a read and a store.
        for words in [
            [mova2d(8), sfpload(4)],
            [mova2d(8), sfpload(16)],
            [0x1000_0000 | 8, sfpload(8)],
            [mova2d(8), 0x7020_0000 | 11 << 16 | 8],
            [mova2d(8), 0x7090_0000 | 2 << 16 | 8],
            [movd2a(0, 8), sfpload(8)],
            [mova2d(8), 0x7200_0000 | 2 << 16 | 8],
        ] {
            assert_eq!(told(&words), [], "{words:08x?}");
        }
    }
}

#[test]
fn replayed_instructions_stand_between_a_write_and_a_load() {
    const INCRWC: u32 = 0x3800_0000;
    // Records two instructions from slot 4 on, without executing them, and plays them.
    let record = [0x0400_0001 | 2 << 4 | 4 << 14, INCRWC, INCRWC];
    let play = 0x0400_0000 | 2 << 4 | 4 << 14;
    for (plays, between) in [(0, Some(0)), (1, Some(2)), (2, None)] {
        let mut words = record.to_vec();
        words.push(mova2d(8));
        words.extend(std::iter::repeat_n(play, plays));
        words.push(sfpload(8));
        let expected = between.map(|between| (2, Hazard::Load { between }, 8..12));
        assert_eq!(told_behind_a_bank(&WORMHOLE_B0, &words), Vec::from_iter(expected));
    }
}

#[test]
fn a_load_by_another_thread_is_none_of_the_same_thread() {
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    bench.push(Thread::Unpack, &[setc16(3, 4), setadcxx(3, 1023), unpacr(0)]);
    bench.push(Thread::Math, &[ZEROACC_ALL, mova2d(8)]);
    bench.run().expect("legal");
    bench.push(Thread::Pack, &[sfpload(8)]);
    bench.run().expect("legal");
    assert_eq!(told(&bench), [(2, Hazard::Dst, 0..64)]);
}

/// The words of UNPACK, and of MATH, which is first in the second of two orders. What is told in each.
fn told_in_both_orders(numbers: &'static Numbers, unpack: &[u32], math: &[u32]) -> [Vec<Told>; 2] {
    let before = [setc16(numbers.source_a, 4), setadcxx(3, 127)];
    [[Thread::Unpack, Thread::Math], [Thread::Math, Thread::Unpack]].map(|threads| {
        let mut bench = Bench::new(numbers, 1024);
        bench.push(Thread::Unpack, &before);
        bench.push(Thread::Math, &[ZEROACC_ALL, setc16(numbers.sources, 0)]);
        bench.run().expect("legal");
        for thread in threads {
            bench.push(thread, if thread == Thread::Unpack { unpack } else { math });
            bench.run().expect("legal");
        }
        told(&bench)
    })
}

#[test]
fn a_bank_that_is_taken_without_a_wait_is_told_of_in_any_order() {
    const ZEROSRC: u32 = 0x1100_0000 | 1 << 3;
    // UNPACR of 8 rows, and the instructions of the matrix unit that do not wait for the bank: the third of each thread.
    for numbers in [&WORMHOLE_B0, &BLACKHOLE] {
        for (unpacker, source, word, rows) in [
            (0, Source::A, movd2a(0, 16), 0..4),
            (0, Source::A, movd2a(4, 16), 4..8),
            (1, Source::B, movd2b(4, 16), 4..8),
            (0, Source::A, ZEROSRC | 1, 0..8),
            (1, Source::B, ZEROSRC | 2, 0..8),
        ] {
            let expected = [(3, Hazard::Bank(source), rows)];
            let told = told_in_both_orders(numbers, &[unpacr(unpacker)], &[word]);
            assert_eq!(told, [expected.to_vec(), expected.to_vec()], "{word:08x}");
        }
        // Other rows, the other source, another bank.
        for (unpacker, word) in [
            (0, movd2a(8, 16)),
            (1, movd2b(60, 16)),
            (1, movd2a(0, 16)),
            (0, movd2b(0, 16)),
            (0, ZEROSRC | 2),
        ] {
            let told = told_in_both_orders(numbers, &[unpacr(unpacker)], &[word]);
            assert_eq!(told, [vec![], vec![]], "{word:08x}");
        }
    }
}

#[test]
fn moves_from_the_other_source_do_not_wait_for_srca() {
    // MOVB2A waits for SrcB alone. The unpack of SrcA is the third instruction, and MOVB2A the third, too.
    let movb2a = 0x0B00_2000 | 4 << 17;
    let told = told_in_both_orders(&WORMHOLE_B0, &[unpacr(0), unpacr(1)], &[movb2a]);
    let expected = [(3, Hazard::Bank(Source::A), 4..8)];
    assert_eq!(told, [expected.to_vec(), expected.to_vec()]);
}

#[test]
fn only_the_newest_write_of_a_row_of_a_bank_counts() {
    // UNPACR without the end of the bank, UNPACR_NOP that clears all rows, UNPACR of rows 0 to 7.
    let (without_end, clear) = (unpacr(0) & !(1 << 6), 0x4300_0001);
    let unpack = [without_end, clear, unpacr(0)];
    let [after, _] = told_in_both_orders(&WORMHOLE_B0, &unpack, &[movd2a(4, 16), movd2a(8, 16)]);
    let bank = Hazard::Bank(Source::A);
    assert_eq!(after, [(5, bank, 4..8), (4, bank, 8..12)]);
    // What the matrix unit wrote twice is told of once, and what it wrote before it had the bank is forgotten when it has it.
    let math = [movd2a(0, 16), movd2a(4, 16), movd2a(0, 32)];
    let [_, before] = told_in_both_orders(&WORMHOLE_B0, &[unpacr(0)], &math);
    assert_eq!(before, [(5, bank, 0..4), (4, bank, 4..8)]);
    let give = 0x4300_0007;
    let flip = 0x3700_0000 | 1 << 22;
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    for (thread, words) in [
        (Thread::Math, &[ZEROACC_ALL, movd2a(0, 16)][..]),
        (Thread::Unpack, &[setc16(3, 4), setadcxx(3, 127), give]),
        (Thread::Math, &[stallwait(6, 10), movd2a(0, 16), flip]),
        (Thread::Unpack, &[give, unpacr(0)]),
    ] {
        bench.push(thread, words);
        bench.run().expect("legal");
    }
    assert!(bench.coprocessor.is_empty(Thread::Unpack));
    assert_eq!(told(&bench), []);
}

#[test]
fn each_bank_has_its_own_writes_until_the_chip_comes_to_rest() {
    // The third and the fourth instruction fill both banks, and the matrix unit takes one after the other.
    for (unpacker, source, take) in [(0, Source::A, movd2a(0, 16)), (1, Source::B, movd2b(0, 16))] {
        for (rests, expected) in [(false, vec![3, 4]), (true, vec![])] {
            let mut bench = Bench::new(&WORMHOLE_B0, 1024);
            let unpack = [setc16(3, 4), setadcxx(3, 127), unpacr(unpacker), unpacr(unpacker)];
            bench.push(Thread::Unpack, &unpack);
            bench.push(Thread::Math, &[ZEROACC_ALL]);
            bench.run().expect("legal");
            if rests {
                bench.coprocessor.comes_to_rest();
            }
            let flip = 0x3700_0000 | (unpacker + 1) << 22;
            bench.push(Thread::Math, &[take, flip, take]);
            bench.run().expect("legal");
            let bank = |number| (number, Hazard::Bank(source), 0..4);
            assert_eq!(told(&bench), Vec::from_iter(expected.into_iter().map(bank)));
        }
    }
}

#[test]
fn a_bank_that_is_given_without_a_wait_comes_after_the_instruction_that_gave_it_back() {
    // Both banks are filled by the third and the fourth instruction, and the matrix unit gives back one by its second.
    for (unpacker, source) in [(0, Source::A), (1, Source::B)] {
        let give = 0x4300_0007 | unpacker << 23;
        let clear = 0x4300_0001 | unpacker << 23;
        let set_valid = 0x5700_0001 + unpacker;
        let (cleared, other) = (stallwait(3, 8 + unpacker), stallwait(3, 9 - unpacker));
        let flip = 0x3700_0000 | (unpacker + 1) << 22;
        let start = || {
            let mut bench = Bench::new(&WORMHOLE_B0, 1024);
            let unpack = [setc16(3, 4), setadcxx(3, 127), unpacr(unpacker), unpacr(unpacker)];
            bench.push(Thread::Unpack, &unpack);
            bench.run().expect("legal");
            bench.push(Thread::Math, &[ZEROACC_ALL, flip]);
            bench.run().expect("legal");
            bench
        };
        let gift = |number| (number, Hazard::Gift(source), 0..64);
        for (words, expected) in [
            (&[give][..], vec![gift(2)]),
            (&[set_valid], vec![gift(2)]),
            (&[other, give], vec![gift(2)]),
            (&[cleared, give], vec![]),
            (&[unpacr(unpacker)], vec![]),
        ] {
            let mut bench = start();
            bench.push(Thread::Unpack, words);
            bench.run().expect("legal");
            assert!(bench.coprocessor.is_empty(Thread::Unpack), "{words:08x?}");
            assert_eq!(told(&bench), expected, "{words:08x?}");
        }
        // The wait for the first bank says nothing of the second, which comes back by the third instruction.
        let mut bench = start();
        for (thread, words) in [
            (Thread::Unpack, &[cleared, give][..]),
            (Thread::Math, &[flip]),
            (Thread::Unpack, &[give]),
        ] {
            bench.push(thread, words);
            bench.run().expect("legal");
        }
        assert_eq!(told(&bench), [gift(3)]);
        // An UNPACR_NOP that clears waits, for the bank that the matrix unit uses then, and the next one comes behind it.
        let mut bench = start();
        bench.push(Thread::Math, &[flip]);
        bench.push(Thread::Unpack, &[clear, give, give]);
        bench.run().expect("legal");
        assert_eq!(told(&bench), []);
        // The thread's own instruction came before; nothing gave a bank before the first one.
        let mut bench = start();
        bench.push(Thread::Math, &[set_valid]);
        bench.run().expect("legal");
        let mut fresh = Bench::new(&WORMHOLE_B0, 1024);
        fresh.push(Thread::Unpack, &[give, give]);
        fresh.run().expect("legal");
        assert_eq!((told(&bench), told(&fresh)), (vec![], vec![]));
    }
}

#[test]
fn a_bank_that_is_given_back_comes_after_the_unpack_that_filled_it() {
    // The third and the fourth instruction fill a bank of SrcA and one of SrcB.
    let both = 0x3700_0000 | 3 << 22;
    let only_b = 0x3700_0000 | 2 << 22;
    let give_b = 0x4300_0007 | 1 << 23;
    let (a, b) = (stallwait(6, 10), stallwait(6, 11));
    let (of_a, of_b) = ((3, Source::A), (4, Source::B));
    let given_back_by = |unpack: [u32; 2], words: &[u32], is_strict| {
        let mut bench = Bench::new(&WORMHOLE_B0, 1024);
        bench.tile.is_strict = is_strict;
        bench.push(Thread::Unpack, &[setc16(3, 4), setadcxx(3, 127)]);
        bench.push(Thread::Unpack, &unpack);
        bench.run().expect("legal");
        bench.push(Thread::Math, words);
        bench.run().expect("legal");
        assert!(bench.coprocessor.is_empty(Thread::Math), "{words:08x?}");
        given_back(&bench)
    };
    // MOVA2D waits for SrcA, and ELWADD for both.
    for (words, usual, strict) in [
        (&[both][..], vec![of_a, of_b], vec![of_a, of_b]),
        (&[a, both], vec![], vec![of_b]),
        (&[b, both], vec![], vec![of_a]),
        // A wait that does not hold SETRWC back, and one that waits for both.
        (&[stallwait(8, 10), both], vec![of_a, of_b], vec![of_a, of_b]),
        (&[a | b, both], vec![], vec![]),
        (&[mova2d(0), both], vec![], vec![of_b]),
        (&[mova2d(0), only_b], vec![of_b], vec![of_b]),
        (&[0x2800_0000, both], vec![], vec![]),
        (&[0x2800_0000 | 3 << 22], vec![], vec![]),
        // CLEARDVALID of SrcB.
        (&[0x3600_0000 | 2 << 22], vec![of_b], vec![of_b]),
    ] {
        for (is_strict, expected) in [(false, usual), (true, strict)] {
            let found = given_back_by([unpacr(0), unpacr(1)], words, is_strict);
            assert_eq!(found, expected, "{words:08x?} {is_strict}");
        }
    }
    // UNPACR_NOP gives the bank of SrcB before UNPACR, for which the thread waits.
    for (is_strict, expected) in [(false, vec![]), (true, vec![(3, Source::B)])] {
        let found = given_back_by([give_b, unpacr(0)], &[mova2d(0), only_b], is_strict);
        assert_eq!(found, expected, "{is_strict}");
    }
    // SETDVALID does not go through the unpacker, and nothing is left of what was before a rest.
    for (give, rests) in [(0x5700_0001, false), (0x4300_0007, true)] {
        let mut bench = Bench::new(&WORMHOLE_B0, 1024);
        bench.push(Thread::Unpack, &[setc16(3, 4), setadcxx(3, 127), give]);
        bench.run().expect("legal");
        if rests {
            bench.coprocessor.comes_to_rest();
        }
        bench.push(Thread::Math, &[0x3700_0000 | 1 << 22]);
        bench.run().expect("legal");
        assert_eq!(given_back(&bench), [], "{give:08x}");
    }
}

#[test]
fn the_second_bank_that_is_given_back_is_told_of_as_the_first() {
    let flip = 0x3700_0000 | 2 << 22;
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    bench.push(Thread::Unpack, &[setc16(3, 4), setadcxx(3, 127), unpacr(1), unpacr(1)]);
    bench.run().expect("legal");
    bench.push(Thread::Math, &[stallwait(6, 11), flip, flip]);
    bench.run().expect("legal");
    assert_eq!(given_back(&bench), [(4, Source::B)]);
}

#[test]
fn a_wait_for_a_bank_says_nothing_of_the_one_behind_an_instruction_that_gives_it_back() {
    // ELWSUB of the first banks, which are given back at its end or by SETRWC, and a move to the second one.
    let (elwsub, setrwc) = (0x3000_0000, 0x3700_0000);
    let matrix_unit = 1 << 7;
    let movb2d = 0x1300_4000;
    for (bit, wait, takes, reads) in
        [(0, 10, movd2a(0, 16), mova2d(0)), (1, 11, movd2b(0, 16), movb2d)]
    {
        let source = if bit == 0 { Source::A } else { Source::B };
        let (flip, later) = (elwsub | 1 << (22 + bit), setrwc | 1 << (22 + bit));
        let wait = stallwait(6, wait);
        for (words, flip) in [
            (&[flip, wait, takes][..], Some(flip)),
            (&[elwsub, later, wait, takes], Some(later)),
            (&[flip, wait | matrix_unit, takes], None),
            (&[elwsub, later, wait | matrix_unit, takes], None),
            (&[flip, wait, wait | matrix_unit, takes], None),
            // An instruction that reads the next bank has waited for it.
            (&[flip, reads, wait, takes], None),
            // The flip of the other source.
            (&[elwsub | 1 << (23 - bit), wait, takes], None),
        ] {
            let mut bench = Bench::new(&WORMHOLE_B0, 1024);
            bench.tile.knows_others = false;
            let twice =
                [setc16(3, 4), setadcxx(3, 127), unpacr(0), unpacr(1), unpacr(0), unpacr(1)];
            bench.push(Thread::Unpack, &twice);
            bench.push(Thread::Math, &[ZEROACC_ALL, setc16(7, 0)]);
            bench.run().expect("legal");
            bench.push(Thread::Math, words);
            bench.run().expect("legal");
            assert!(bench.coprocessor.is_empty(Thread::Math), "{words:08x?}");
            let hazards: Vec<_> = told(&bench).into_iter().map(|one| one.1).collect();
            let found = match hazards.as_slice() {
                [Hazard::BankBeforeFlip { source: of, flip, .. }] if *of == source => Some(*flip),
                [Hazard::Bank(of)] if *of == source => None,
                _ => panic!("{words:08x?}: {hazards:?}"),
            };
            assert_eq!(found, flip, "{words:08x?}");
        }
    }
}

#[test]
fn a_flip_is_over_when_the_chip_has_come_to_rest() {
    let elwsub = 0x3000_0000 | 1 << 22;
    for rests in [false, true] {
        let mut bench = Bench::new(&WORMHOLE_B0, 1024);
        bench.tile.knows_others = false;
        bench.push(Thread::Unpack, &[setc16(3, 4), setadcxx(3, 127), unpacr(0), unpacr(1)]);
        bench.push(Thread::Math, &[ZEROACC_ALL, setc16(7, 0), elwsub]);
        bench.run().expect("legal");
        if rests {
            bench.coprocessor.comes_to_rest();
        }
        bench.push(Thread::Unpack, &[unpacr(0)]);
        bench.push(Thread::Math, &[stallwait(6, 10), movd2a(0, 16)]);
        bench.run().expect("legal");
        let hazards: Vec<_> = told(&bench).into_iter().map(|one| one.1).collect();
        let [hazard] = hazards.as_slice() else { panic!("{hazards:?}") };
        assert_eq!(*hazard == Hazard::Bank(Source::A), rests, "{hazard:?}");
    }
}

#[test]
fn a_thread_that_clears_the_sources_and_unpacks_waits_for_nothing() {
    // ZEROSRC of both banks takes a cycle (MatrixUnit.md), and the vendor's UNPACK begins with it.
    let mut bench = Bench::new(&WORMHOLE_B0, 1024);
    let words = [0x1100_0007, setc16(3, 4), setadcxx(3, 1023), unpacr(0), unpacr(1)];
    bench.push(Thread::Unpack, &words);
    bench.run().expect("legal");
    assert_eq!(told(&bench), []);
}

#[test]
fn a_word_of_the_configuration_seeds_random_numbers() {
    for (numbers, word, modifier) in [(&WORMHOLE_B0, 164, 14), (&BLACKHOLE, 186, 13)] {
        let packed = |seed: u32| {
            let mut bench = Bench::new(numbers, 256);
            bench.configure(word, seed);
            bench.push_around_math();
            // SFPMOV of random numbers, SFPSTORE of 16 bits of them to all of the tile.
            bench.push(Thread::Math, &[setc16(numbers.dst + 1, 2)]);
            let words = [0x7C00_0908, 0x7200_0000 | 6 << 16 | 1 << modifier];
            for _ in 0..8 {
                bench.push(Thread::Math, &words);
                bench.run().expect("legal");
            }
            bench.push(Thread::Math, &[SEMPOST]);
            bench.run().expect("legal");
            assert!(bench.tile.unknown.iter().all(|&mask| mask == 0));
            bench.tile.values(OUTPUT, 256)
        };
        assert_ne!(packed(5), packed(6));
        assert_eq!(packed(5), packed(5));
    }
}

/// Opcodes of all units, of either chip.
const OPCODES: &[u32] = &[
    0x01, 0x03, 0x04, 0x08, 0x0A, 0x0B, 0x10, 0x11, 0x12, 0x13, 0x16, 0x26, 0x27, 0x28, 0x30, 0x33,
    0x34, 0x35, 0x36, 0x37, 0x38, 0x41, 0x42, 0x43, 0x45, 0x48, 0x50, 0x51, 0x52, 0x53, 0x54, 0x55,
    0x56, 0x57, 0x58, 0x5A, 0x5E, 0x60, 0x67, 0x70, 0x72, 0x75, 0x79, 0x84, 0x91, 0x94, 0x99, 0xA0,
    0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB8,
];

/// A word of which some bits are set, few or many.
fn some_bits(random: &mut Random) -> u32 {
    let word = random.next() as u32;
    match random.between(0, 3) {
        0 => word,
        1 => word & random.next() as u32,
        2 => word & random.next() as u32 & random.next() as u32,
        _ => 1 << (word % 32),
    }
}

#[test]
fn hostile_programs_are_executed_or_refused_by_name() {
    let mut random = Random::new(71);
    let (mut refusals, mut executed) = (0, 0);
    for case in 0..4000 {
        let numbers = [&WORMHOLE_B0, &BLACKHOLE][case % 2];
        let mut bench = Bench::new(numbers, [256, 1024][case / 2 % 2]);
        bench.push_around_math();
        for _ in 0..random.between(0, 6) {
            let word = random.between(0, 223) as u32;
            let held = bench.coprocessor.configuration(word).unwrap_or(0);
            // Words and values that are refused are left alone.
            let value = held ^ some_bits(&mut random);
            let _ = bench.coprocessor.configure((word, value), None, &mut bench.tile);
        }
        for thread in Thread::ALL {
            for index in 0..9 {
                let opcode = OPCODES[random.between(0, OPCODES.len() as u64 - 1) as usize];
                let word = [opcode << 24, some_bits(&mut random) % 70][case % 2];
                bench.set_macro_word(thread, index, word);
            }
            let pushed: Vec<u32> = (0..random.between(0, 9))
                .map(|_| {
                    let opcode = OPCODES[random.between(0, OPCODES.len() as u64 - 1) as usize];
                    opcode << 24 | some_bits(&mut random) & 0xFF_FFFF
                })
                .collect();
            bench.push(thread, &pushed);
        }
        match bench.run() {
            Ok(()) => executed += 1,
            Err(refusal) => {
                assert!(refusal.reason.len() > 6, "{refusal}");
                refusals += 1;
            }
        }
        if case % 7 == 0 {
            Thread::ALL.into_iter().for_each(|thread| bench.coprocessor.reset(thread));
            let _ = bench.run();
        }
    }
    assert!(refusals > 500 && executed > 10, "{refusals} refused, {executed} executed");
}

/// NOP, which takes an instruction's time.
const NOP: u32 = 0x0200_0000;

/// Bytes of an instruction's configuration word.
const fn rmwcib(byte: u32, mask: u32, value: u32, word: u32) -> u32 {
    (0xB3 + byte) << 24 | mask << 16 | value << 8 | word
}

impl Bench {
    /// Pushes instructions of which the core had retired as many as are given.
    fn push_at(&mut self, thread: Thread, words: &[(u64, u32)]) {
        let core = [Processor::Trisc0, Processor::Trisc1, Processor::Trisc2][thread.index()];
        for (retired, word) in words {
            let origin = Origin { core, pc: 0x6000, retired: *retired };
            assert!(self.coprocessor.push(thread, *word, Entrance::MacroExpander, origin));
        }
    }

    /// A core changes a bit of a configuration word.
    fn store(&mut self, core: Processor, retired: u64, (word, bit): (u32, u32)) {
        let value = self.coprocessor.configuration(word).expect("a word that exists") ^ bit;
        let origin = Origin { core, pc: 0x7000, retired };
        let _ = self.coprocessor.configure((word, value), Some(origin), &mut self.tile);
    }

    /// What a store to a word lacks when nobody knows of anything: the unit that reads, its thread, and its instruction.
    fn lack_of_store(&mut self, word_and_bit: (u32, u32)) -> Option<(Lack, Unit, Thread, u64)> {
        self.tile.knows_others = false;
        self.tile.disorders.clear();
        self.store(Processor::Brisc, 50, word_and_bit);
        let disorder = self.tile.disorders.pop()?;
        match disorder.read {
            Doing::Instruction(Issued { thread, number, .. }) => {
                Some((disorder.lack, disorder.unit, thread, number))
            }
            Doing::Store { .. } => panic!("a store reads nothing"),
        }
    }
}

/// Two threads write a word with bits of both, and nothing orders them. It does not matter which comes first.
#[test]
fn a_thread_writes_its_own_bits_of_a_word() {
    const OF_MATH: (u32, u32) = (1, 1);
    for (of_pack, lacks) in [((0x3C, 4), false), ((0x3D, 4), true), ((0xFF, 4), true)] {
        for pack_is_first in [false, true] {
            for knows_others in [false, true] {
                let mut bench = Bench::new(&WORMHOLE_B0, 256);
                bench.tile.watches_order = true;
                bench.tile.knows_others = knows_others;
                let mut write = |thread, (mask, value): (u32, u32)| {
                    bench.push(thread, &[0xB300_0000 | mask << 16 | value << 8 | 2]);
                    bench.run().map(drop)
                };
                let writes = [(Thread::Math, OF_MATH), (Thread::Pack, of_pack)];
                let [first, second] = if pack_is_first { [writes[1], writes[0]] } else { writes };
                assert!(write(first.0, first.1).is_ok());
                match write(second.0, second.1) {
                    Ok(()) => assert!(!lacks || knows_others, "{of_pack:?} {pack_is_first}"),
                    Err(refusal) => {
                        assert!(lacks && !knows_others, "{of_pack:?} {pack_is_first}");
                        assert!(refusal.reason.contains("the bits 0x1 of configuration word 2"));
                        assert!(refusal.reason.contains("ATGETM.md"), "{refusal}");
                    }
                }
            }
        }
    }
}

#[test]
fn each_unit_reads_its_configuration() {
    let [unpacker_0, unpacker_1] = WORMHOLE_B0.unpackers.map(|first| first + 12);
    let cases = [
        ((unpacker_0, 1), Some((Lack::Start, Unit::Unpacker(0), Thread::Unpack, 3))),
        ((unpacker_0 + 1, 1), None),
        ((unpacker_1, 1), Some((Lack::Start, Unit::Unpacker(1), Thread::Unpack, 4))),
        ((unpacker_1 + 1, 1), None),
        // A flag of the matrix unit, the width of Dst for the vector unit, formats and addresses of packers.
        ((2, 1), Some((Lack::Start, Unit::Matrix, Thread::Math, 12))),
        ((1, 1 << 30), Some((Lack::Start, Unit::Vector, Thread::Math, 14))),
        ((86, 1 << 4), Some((Lack::End, Unit::Packer(1), Thread::Pack, 3))),
        ((85, 1), Some((Lack::Start, Unit::Packer(1), Thread::Pack, 3))),
        // The second bank, which no thread uses.
        ((188 + 2, 1), None),
    ];
    for (word_and_bit, lack) in cases {
        let mut bench = Bench::new(&WORMHOLE_B0, 1024);
        bench.push_around_math();
        bench.advance_by_eight(true);
        let mut math = vec![0x2800_0000; 7];
        // SFPLOAD reads the format, and SFPNOP does not.
        math.extend([0x2800_0000 | 3 << 22, SEMPOST, 0x7000_0000, 0x8F00_0000]);
        bench.push(Thread::Math, &math);
        bench.run().expect("legal");
        assert_eq!(bench.lack_of_store(word_and_bit), lack, "{word_and_bit:?}");
        // Nothing works any more.
        bench.coprocessor.comes_to_rest();
        assert_eq!(bench.lack_of_store(word_and_bit), None, "{word_and_bit:?}");
    }
}

#[test]
fn an_unpacker_reads_the_base_address_of_its_context() {
    for (own, contexts) in [(0, [true, false]), (1, [false, true])] {
        for (context, is_read) in (0..).zip(contexts) {
            let mut bench = Bench::new(&WORMHOLE_B0, 1024);
            bench.push(
                Thread::Unpack,
                &[setc16(3, 4), setadcxx(3, 255), setc16(39, own << 8), unpacr(1)],
            );
            bench.run().expect("legal");
            let lack = bench.lack_of_store((104 + context, 1));
            let expected = (Lack::Start, Unit::Unpacker(1), Thread::Unpack, 4);
            assert_eq!(lack, is_read.then_some(expected), "{context}");
        }
    }
}

#[test]
fn a_thread_reads_the_bank_that_it_uses() {
    // The math thread uses bank 1, the others bank 0.
    for (word, lack) in [(188 + 2, Some((Lack::Start, Unit::Matrix, Thread::Math, 3))), (2, None)] {
        let mut bench = Bench::new(&WORMHOLE_B0, 256);
        bench.configure(188 + 1, FLOAT16B << 17 | FLOAT16B << 21 | FLOAT16B << 25);
        bench.push(Thread::Math, &[setc16(0, 1), ZEROACC_ALL, movd2a(0, 0)]);
        bench.run().expect("legal");
        assert_eq!(bench.lack_of_store((word, 1)), lack);
        // A write that nobody knows of is read from there, too.
        bench.coprocessor.comes_to_rest();
        bench.store(Processor::Brisc, 60, (word, 1));
        bench.push(Thread::Math, &[movd2a(0, 0)]);
        let was_read = bench.run();
        assert_eq!(was_read.is_err(), lack.is_some(), "{word}");
    }
}

#[test]
fn an_instruction_stands_between_wrcfg_and_a_reader() {
    const SETRWC: u32 = 0x3700_0000;
    // The flag of the matrix unit.
    let wrcfg = 0xB000_0000 | 3 << 16 | 2;
    let set_register = 0x4500_0000 | 1 << 8 | 6;
    for (words, lack) in [
        (&[set_register, wrcfg, movd2a(0, 0)][..], Some(Lack::Gap)),
        (&[set_register, wrcfg, NOP, movd2a(0, 0)], None),
        (&[set_register, wrcfg, SETRWC, movd2a(0, 0)], None),
        (&[set_register, NOP, wrcfg, movd2a(0, 0)], Some(Lack::Gap)),
        (&[set_register, rmwcib(0, 1, 1, 2), movd2a(0, 0)], None),
    ] {
        let mut bench = Bench::new(&WORMHOLE_B0, 256);
        bench.push(Thread::Math, words);
        assert_eq!(bench.run().is_err(), lack.is_some());
        let told = bench.tile.disorders.iter().map(|disorder| disorder.lack);
        assert_eq!(told.collect::<Vec<_>>(), Vec::from_iter(lack), "{words:08x?}");
    }
}

/// The reader waits for its bank, and is looked at again when it is there.
#[test]
fn an_instruction_that_waits_still_stands_behind_the_nop() {
    let mova2d = 0x1200_0000 | 2 << 12;
    let wrcfg = 0xB000_0000 | 3 << 16 | 2;
    let set_register = 0x4500_0000 | 1 << 8 | 6;
    for (words, lack) in [
        (&[set_register, wrcfg, NOP, mova2d][..], None),
        (&[set_register, NOP, wrcfg, mova2d], Some(Lack::Gap)),
    ] {
        let mut bench = Bench::new(&WORMHOLE_B0, 256);
        bench.push(Thread::Math, words);
        assert_eq!(bench.run(), Ok(()));
        bench.push(Thread::Unpack, &[setc16(3, 1 << 2), setadcxx(1, 255), unpacr(0)]);
        assert_eq!(bench.run().is_err(), lack.is_some());
        let told = bench.tile.disorders.iter().map(|disorder| disorder.lack);
        assert_eq!(told.collect::<Vec<_>>(), Vec::from_iter(lack), "{words:08x?}");
    }
}

#[test]
fn a_store_has_arrived_behind_a_stallwait_on_the_core() {
    // Unpackers (B3) wait for the core (C13), or for the units of the scalar unit (C0).
    let (of_core, of_scalar) = (stallwait(3, 13), stallwait(3, 0));
    let base = (104, 1);
    for (stored, words, lack) in [
        (5, &[(7, unpacr(1))][..], Some(Lack::Processed)),
        (5, &[(6, of_core), (7, unpacr(1))], None),
        (5, &[(6, of_scalar), (7, unpacr(1))], Some(Lack::Processed)),
        (5, &[(4, of_core), (7, unpacr(1))], Some(Lack::Processed)),
        // The wait holds back the math thread's instructions.
        (5, &[(6, stallwait(6, 13)), (7, unpacr(1))], Some(Lack::Processed)),
        (5, &[(4, unpacr(1))], Some(Lack::PushedBefore)),
    ] {
        let mut bench = Bench::new(&WORMHOLE_B0, 256);
        bench.store(Processor::Trisc0, stored, base);
        bench.push_at(Thread::Unpack, &[(2, setc16(3, 4)), (3, setadcxx(3, 255))]);
        bench.push_at(Thread::Unpack, words);
        assert_eq!(bench.run().is_err(), lack.is_some());
        let told = bench.tile.disorders.iter().map(|disorder| disorder.lack);
        assert_eq!(told.collect::<Vec<_>>(), Vec::from_iter(lack), "{words:08x?}");
    }
}

#[test]
fn a_load_of_a_word_that_both_banks_share_tells_of_stores_by_each_number() {
    let offset_of_packer_1 = 153;
    for (stored, loaded, lack) in [
        (153, 153, None),
        (188 + 153, 153, None),
        (153, 188 + 153, None),
        (153, 152, Some(Lack::Processed)),
    ] {
        let mut bench = Bench::new(&WORMHOLE_B0, 256);
        bench.store(Processor::Trisc2, 5, (stored, 1));
        let by = Origin { core: Processor::Trisc2, pc: 0x7004, retired: 6 };
        bench.coprocessor.configuration_loaded(loaded, by);
        bench.push_at(Thread::Pack, &[(7, setadcxx(4, 63)), (8, pacr(1))]);
        assert_eq!(bench.run().is_err(), lack.is_some(), "{stored} {loaded}");
        let told = bench.tile.disorders.iter().map(|disorder| (disorder.lack, disorder.word));
        let expected = lack.map(|lack| (lack, offset_of_packer_1));
        assert_eq!(told.collect::<Vec<_>>(), Vec::from_iter(expected));
    }
}

#[test]
fn an_instruction_writes_configuration_by_its_own_number_and_for_its_own_bits() {
    for (word, lack) in [
        // The mode of ReLU, which packers read until they have finished; the flag of the matrix unit beside it.
        (rmwcib(0, 4, 4, 2), Some((Lack::End, 3, 6))),
        (rmwcib(0, 1, 1, 2), None),
        // It has that value already.
        (rmwcib(0, 4, 0, 2), None),
    ] {
        let mut bench = Bench::new(&WORMHOLE_B0, 256);
        let words = [setadcxx(4, 63), NOP, setc16(31, 0), pacr(1), setc16(31, 0), setc16(31, 0)];
        bench.push(Thread::Pack, &words);
        bench.run().expect("legal");
        bench.tile.knows_others = false;
        bench.push(Thread::Pack, &[word]);
        assert_eq!(bench.run().is_err(), lack.is_some());
        let number = |doing| match doing {
            Doing::Instruction(Issued { number, .. }) => number,
            Doing::Store { .. } => 0,
        };
        let told = bench.tile.disorders.iter();
        let told = told.map(|one| (one.lack, number(one.read), number(one.written)));
        assert_eq!(told.collect::<Vec<_>>(), Vec::from_iter(lack), "{word:#x}");
    }
}

#[test]
fn what_the_host_configures_counts_for_no_instruction() {
    let mut bench = Bench::new(&WORMHOLE_B0, 256);
    bench.tile.knows_others = false;
    bench.push(Thread::Math, &[ZEROACC_ALL]);
    bench.push(Thread::Pack, &[setadcxx(4, 63), pacr(1)]);
    assert_eq!(bench.run(), Ok(()));
}
