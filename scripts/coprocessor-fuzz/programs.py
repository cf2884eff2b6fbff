"""Random programs of the Tensix coprocessor. An instruction that is made has an effect on Dst, the sources, LRegs or L1."""

import random

FLOAT32, FLOAT16, FLOAT16_B, TF32 = 0, 1, 5, 4
# The format in L1, in the source, and in Dst; bytes of a datum.
FORMATS = [(FLOAT16_B, FLOAT16_B, FLOAT16_B, 2), (FLOAT16, FLOAT16, FLOAT16, 2), (FLOAT32, TF32, FLOAT16_B, 4)]
NAMES = {FLOAT32: "float32", FLOAT16: "float16", FLOAT16_B: "float16_b"}
DATA = 1024
SEMINIT, SEMPOST = 0xA3 << 24 | 1 << 20 | 2 << 2, 0xA4 << 24 | 2 << 2
SEMWAIT, SEMGET = 0xA6 << 24 | 0x1FF << 15 | 2 << 2 | 1, 0xA5 << 24 | 2 << 2
ZEROACC_ALL = 0x10 << 24 | 3 << 19
ENABLE_ALL_LANES = 0x8A << 24 | 3 << 12 | 10


class Chip:
    """Words of the configuration (cfg_defines.h), and where chips' instructions differ."""

    def __init__(self, unpackers, packers, counters, strides, edges, offsets, stride_bit, source_a, sources, dst, pack, modifier, reads, computed):
        self.unpackers, self.packers, self.counters = unpackers, packers, counters
        self.strides, self.edges, self.offsets, self.stride_bit = strides, edges, offsets, stride_bit
        self.source_a, self.sources, self.dst, self.pack = source_a, sources, dst, pack
        self.modifier, self.reads = modifier, reads
        # STALLWAIT's conditions of the units that compute, and of the packers.
        self.computed, self.packed = computed, (1 << len(packers)) - 1 << 3


CHIPS = {
    "wormhole_b0": Chip([52, 92], [56, 84, 96, 124], 24, 8, 20, 152, 12, 3, [7, 9, 11, 13], [23, 24, 25, 26], 31, 15, 14, 1 << 7 | 1 << 14),
    "blackhole": Chip([64, 112], [68], 28, 12, 24, 180, 16, 5, [12, 13, 14, 15], [28, 29, 30, 31], 37, 14, 18, 1 << 4 | 1 << 11),
}


def set_thread_word(word, value):
    return 0xB2 << 24 | word << 16 | value


def wait_for(units):
    """STALLWAIT on units, which holds back the signal behind it."""
    return 0xA2 << 24 | 1 << 16 | units


def unpack(unpacker):
    return 0x42 << 24 | unpacker << 23 | 1 << 7 | 1 << 6 | 1


class Program:
    """A program: triples of the configuration, instructions of the three threads, and how it was chosen."""

    def __init__(self, architecture, seed, units, mutated):
        self.random = random.Random(f"{architecture} {seed} {units} {mutated}")
        self.chip = CHIPS[architecture]
        self.architecture = architecture
        self.units = units
        self.opcodes = set()
        self.input, self.source, self.destination, self.bytes = self.random.choice(FORMATS)
        self.fp32 = self.random.random() < 0.3
        if self.fp32:
            self.destination = self.random.choice([FLOAT16_B, FLOAT32])
        self.output = self.destination
        self.triples = self.configuration()
        self.threads = [self.unpacking(), self.math(), self.packing()]
        if mutated:
            index = self.random.randrange(len(self.threads[1]))
            self.threads[1][index] ^= 1 << self.random.randrange(24)

    def configuration(self):
        chip = self.chip
        line = 1 << 32
        triples = [(1, self.source << 17 | self.source << 21 | self.destination << 25 | self.fp32 << 29, 0)]
        for number, section in enumerate(chip.unpackers):
            triples += [
                (section, self.input | 1 << 4 | DATA << 16, 0),
                (section + 1, 1 << 16 | 1, 0),
                (section + 8, self.source | 2 << 4, 0),
                (section + 9, 3, 0),
                (section + 12, number * DATA * self.bytes // 16 - 1, 1),
            ]
        triples += [(chip.unpackers[0] + 20, 64, 0), (chip.unpackers[0] + 22, DATA, 0)]
        # Bytes of a datum in the format that the packers read.
        wide = 4 if self.output == FLOAT32 else 2
        triples += [
            (chip.strides, 16 * wide << chip.stride_bit | wide, 0),
            (chip.strides + 1, 1024 * wide << chip.stride_bit | 256 * wide, 0),
            (chip.edges, 0xFFFF, 0),
            (chip.reads, int(self.fp32), 0),
        ]
        size = 4 if self.output == FLOAT32 else 2
        for number, section in enumerate(chip.packers):
            triples += [
                (section + 1, number * DATA // len(chip.packers) * size // 16 - 1, 2),
                (section + 2, self.output << 8 | self.output << 4, 0),
                (chip.counters + number, 16 << 8, 0),
                (chip.offsets + number, number * DATA // 64, 0),
            ]
        # The kernel loads the last word back. Tenstorrent's simulator has no loads of those of the packers' offsets.
        return [(word, value % line, kind) for word, value, kind in triples[1:] + triples[:1]]

    def unpacking(self):
        words = [set_thread_word(self.chip.source_a, 4), 0x5E << 24 | 3 << 21 | DATA - 1 << 10]
        self.rounds = self.random.randrange(2, 5)
        for _ in range(self.rounds):
            words += [unpack(0), unpack(1)]
        return words

    def modifiers(self):
        """Four address modifiers: steps of the sources and of Dst."""
        words = []
        for index in range(4):
            step = lambda choices: self.random.choice(choices)
            sources = step([0, 16]) | step([0, 0, 1]) << 7 | step([0, 8]) << 8 | step([0, 0, 1]) << 15
            words.append(set_thread_word(self.chip.sources[index], sources))
            words.append(set_thread_word(self.chip.dst[index], step([0, 8, 16, 32]) | step([0, 0, 0, 1]) << 11))
        return words

    def matrix(self):
        choose = self.random.choice
        opcode = choose([0x26, 0x27, 0x28, 0x30, 0x12, 0x13, 0x34])
        modifier = self.random.randrange(4)
        at = choose([0, 16, 32, 64, 128, 256])
        low = 15 if opcode == 0x34 else self.chip.modifier
        word = opcode << 24 | modifier << low | at
        if opcode == 0x27:
            word |= choose([0, 1, 2, 3]) << 19
        elif opcode in (0x28, 0x30):
            word |= self.random.randrange(8) << 19
        elif opcode == 0x34:
            word |= 1 << 19
        elif opcode in (0x12, 0x13):
            word = opcode << 24 | modifier << self.chip.modifier | choose([0, 8, 16, 32]) | 2 << 12
            if self.architecture == "blackhole" and opcode == 0x13:
                word = opcode << 24 | modifier << self.chip.modifier | choose([0, 8, 16, 32]) | 2 << 11
        self.opcodes.add(opcode)
        return word

    def transfer(self):
        """The mode of SFPLOAD and SFPSTORE for the data of Dst."""
        return 3 if self.fp32 else 2

    def vector(self):
        choose, below = self.random.choice, self.random.randrange
        c, d = below(8), below(8)
        kind = below(14)
        if kind == 0:
            word = 0x70 << 24 | d << 20 | self.transfer() << 16 | below(0, 64, 4)
        elif kind == 1:
            word = 0x72 << 24 | c << 20 | self.transfer() << 16 | below(0, 64, 4)
        elif kind == 2:
            word = 0x71 << 24 | d << 20 | choose([0, 1, 2, 4, 8, 10]) << 16 | below(0x10000)
        elif kind in (3, 4, 5):
            word = choose([0x84, 0x85, 0x86]) << 24 | below(8) << 16 | below(8) << 12 | below(10) << 8 | d << 4
            if word >> 24 == 0x85:
                word = word & ~(15 << 16) | 10 << 16
            elif word >> 24 == 0x86:
                word = word & ~(15 << 8) | 9 << 8
        elif kind == 6:
            word = choose([0x7E, 0x7F, 0x80, 0x8D]) << 24 | c << 8 | d << 4
        elif kind == 7:
            word = choose([0x77, 0x78]) << 24 | c << 8 | d << 4 | choose([0, 1])
        elif kind == 8:
            word = 0x79 << 24 | below(0x1000) << 12 | c << 8 | d << 4 | choose([5, 6])
        elif kind == 9:
            word = 0x7A << 24 | choose([1, 3, 31, 0xFFF, 0xFF0]) << 12 | d << 4 | 1
        elif kind == 10:
            word = choose([0x7C, 0x7D]) << 24 | c << 8 | d << 4 | choose([0, 1])
        elif kind == 11:
            word = choose([0x7B, 0x8B]) << 24 | (c << 8 | choose([0, 2, 4, 6]) if self.random.random() < 0.8 else 0)
            if word >> 24 == 0x8B:
                word = 0x8B << 24
        elif kind == 12:
            word = choose([0x81, 0x7D]) << 24 | c << 8 | d << 4
        else:
            word = choose([0x90, 0x92]) << 24 | (c << 8 | d << 4)
            if word >> 24 == 0x92:
                word = 0x92 << 24 | c << 8 | d << 4 | choose([0, 1])
        self.opcodes.add(word >> 24)
        return word

    def math(self):
        # First sums give the 64 rows that are packed a value.
        first = [set_thread_word(self.chip.sources[0], 8 | 8 << 8), set_thread_word(self.chip.dst[0], 8)]
        words = [SEMINIT, ZEROACC_ALL] + first + [0x28 << 24] * 8 + [0x37 << 24 | 3 << 22 | 15] + self.modifiers()
        for _ in range(self.rounds - 1):
            for _ in range(self.random.randrange(1, 12) if "matrix" in self.units else 1):
                words.append(self.matrix())
            # SETRWC gives both banks back, and sets all counters to 0.
            words.append(0x37 << 24 | 3 << 22 | 15)
        # Tenstorrent's simulator transfers no other formats.
        if "vector" in self.units and self.destination != FLOAT16:
            # Transfers stay within the rows that have a value: those of rows that ZEROACC left undefined are undefined, too.
            words += [set_thread_word(self.chip.dst[0], 0), ENABLE_ALL_LANES]
            words += [0x71 << 24 | register << 20 | self.random.randrange(0x10000) for register in range(8)]
            for _ in range(self.random.randrange(4, 40)):
                words.append(self.vector())
                # Wormhole needs it behind instructions of two cycles.
                words.append(0x8F << 24)
            words.append(ENABLE_ALL_LANES)
            words += [0x72 << 24 | register << 20 | self.transfer() << 16 | register * 4 for register in range(8)]
        return words + [wait_for(self.chip.computed), SEMPOST]

    def packing(self):
        end = [wait_for(self.chip.packed), SEMGET]
        if len(self.chip.packers) == 4:
            return [0x5E << 24 | 4 << 21 | DATA // 4 - 1 << 10, SEMWAIT, 0x41 << 24 | 15 << 8 | 1] + end
        words = [set_thread_word(self.chip.pack, 4), 0x5E << 24 | 4 << 21 | 15 << 10, SEMWAIT]
        return words + [0x41 << 24] * (DATA // 64 - 1) + [0x41 << 24 | 1] + end

    def words(self):
        flat = [value for triple in self.triples for value in triple]
        counts = [len(self.triples)] + [len(thread) for thread in self.threads]
        return counts + flat + [word for thread in self.threads for word in thread]
