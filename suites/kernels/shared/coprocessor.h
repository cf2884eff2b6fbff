// Instructions of the Tensix coprocessor and words of its configuration, for kernels that push instructions themselves
// (ISA documentation, TensixCoprocessor/, a page each). Tiles are 16 rows of 16 16-bit floats. They go from a circular buffer
// to SrcA or SrcB, through Dst, and from packer 0 to a circular buffer.
#pragma once

#include <cstdint>

#include "api/compute/cb_api.h"
#include "hallmark/registers.h"

namespace coprocessor {

// Data of a tile, the rows that it has in Dst, and those from the start of a tile to that of the next one.
constexpr uint32_t kData = 256, kRows = 16, kNextTile = 64;
// Float16_b (tensix_types.h).
constexpr uint32_t kFormat = 5;

// Words of the configuration (cfg_defines.h): the first one of each unpacker and of packer 0, all packers and their counters, and the
// strides, edge masks and first row of Dst; formats of the matrix unit, and the word that it shares with the packers.
// Words of a thread: the context of the unpackers, the offset in Dst, and the address modifiers of the sources, of Dst and
// of the packer.
#if defined(ARCH_BLACKHOLE)
constexpr uint32_t kUnpackers[] = {64, 112}, kPacker = 68, kPackers[] = {68};
constexpr uint32_t kCounters = 28, kStrides = 12, kEdges = 24, kFirstRow = 180, kStrideBit = 16;
constexpr uint32_t kContexts = 5, kSources = 12, kSecondSources = 13, kDst = 28, kSecondDst = 29, kPackRows = 37;
constexpr uint32_t kSecondModifier = 1 << 14;
#else
constexpr uint32_t kUnpackers[] = {52, 92}, kPacker = 56, kPackers[] = {56, 84, 96, 124};
constexpr uint32_t kCounters = 24, kStrides = 8, kEdges = 20, kFirstRow = 152, kStrideBit = 12;
constexpr uint32_t kContexts = 3, kSources = 7, kSecondSources = 9, kDst = 23, kSecondDst = 24;
constexpr uint32_t kSecondModifier = 1 << 15;
#endif
constexpr uint32_t kFormats = 1, kModes = 2, kOffset = 1;
constexpr uint32_t kInputAddress[] = {kUnpackers[0] + 12, kUnpackers[1] + 12}, kOutputAddress = kPacker + 1;

// Bits of the block mask of STALLWAIT.
constexpr uint32_t kHoldsSync = 1 << 1, kHoldsPack = 1 << 2, kHoldsUnpack = 1 << 3, kHoldsScalar = 1 << 5;
constexpr uint32_t kHoldsMatrix = 1 << 6, kHoldsConfiguration = 1 << 7;

// Conditions of STALLWAIT: units have finished, the scalar unit has, and the matrix unit has got a bank.
constexpr uint32_t kScalarDone = 1, kUnpackDone = 3 << 1, kPackDone = 1 << 3;
#if defined(ARCH_BLACKHOLE)
constexpr uint32_t kMatrixDone = 1 << 4, kBankOfA = 1 << 7, kBankOfB = 1 << 8;
#else
constexpr uint32_t kMatrixDone = 1 << 7, kBankOfA = 1 << 10, kBankOfB = 1 << 11;
#endif

constexpr uint32_t stallwait(uint32_t holds, uint32_t conditions) { return 0xA2u << 24 | holds << 15 | conditions; }

// Semaphores: what MATH tells PACK.
constexpr uint32_t kComputed = 1;
constexpr uint32_t seminit(uint32_t semaphore, uint32_t most) { return 0xA3u << 24 | most << 20 | 4u << semaphore; }
constexpr uint32_t sempost(uint32_t semaphore) { return 0xA4u << 24 | 4u << semaphore; }
constexpr uint32_t semget(uint32_t semaphore) { return 0xA5u << 24 | 4u << semaphore; }
// Holds back the units that compute, pack and signal.
constexpr uint32_t semwait_while_zero(uint32_t semaphore) { return 0xA6u << 24 | 0x1FFu << 15 | 4u << semaphore | 1; }
constexpr uint32_t semwait_while_full(uint32_t semaphore) { return 0xA6u << 24 | 0x1FFu << 15 | 4u << semaphore | 2; }

constexpr uint32_t kNop = 0x02u << 24;
constexpr uint32_t setc16(uint32_t word, uint32_t value) { return 0xB2u << 24 | word << 16 | value; }
constexpr uint32_t setadcxx(uint32_t units, uint32_t data) { return 0x5Eu << 24 | units << 21 | (data - 1) << 10; }
constexpr uint32_t rmwcib0(uint32_t word, uint32_t mask, uint32_t value) {
    return 0xB3u << 24 | mask << 16 | value << 8 | word;
}

// A general register of the thread for the words below, and the instructions that set its halves.
constexpr uint32_t kRegister = 16;
constexpr uint32_t setdmareg_low(uint32_t value) { return 0x45u << 24 | (value & 0xFFFF) << 8 | kRegister << 1; }
constexpr uint32_t setdmareg_high(uint32_t value) { return 0x45u << 24 | (value >> 16) << 8 | kRegister << 1 | 1; }
constexpr uint32_t wrcfg(uint32_t word) { return 0xB0u << 24 | kRegister << 16 | word; }
#if !defined(ARCH_BLACKHOLE)
// The words that REG2FLOP reaches begin with those of unpacker 0.
constexpr uint32_t reg2flop(uint32_t word) { return 0x48u << 24 | 1 << 22 | (word - kUnpackers[0]) << 6 | kRegister; }
#endif

// UNPACR of a tile, with the bank for the matrix unit.
constexpr uint32_t unpacr(uint32_t unpacker) { return 0x42u << 24 | unpacker << 23 | 1 << 7 | 1 << 6 | 1; }

// Moves: 8 rows of SrcA to Dst, 4 rows of SrcB to Dst, row 0 of SrcB to 8 rows of Dst, and 4 rows of Dst to SrcA and SrcB.
constexpr uint32_t mova2d(uint32_t from, uint32_t to) { return 0x12u << 24 | from << 17 | 2 << 12 | to; }
#if defined(ARCH_BLACKHOLE)
constexpr uint32_t kMoveMode = 11;
#else
constexpr uint32_t kMoveMode = 12;
#endif
constexpr uint32_t movb2d(uint32_t from, uint32_t to) { return 0x13u << 24 | from << 17 | 4u << kMoveMode | to; }
constexpr uint32_t movb2d_row(uint32_t from, uint32_t to) { return 0x13u << 24 | from << 17 | 2u << kMoveMode | to; }
constexpr uint32_t movd2a(uint32_t from, uint32_t to) { return 0x08u << 24 | to << 17 | 2 << 12 | from; }
constexpr uint32_t movd2b(uint32_t from, uint32_t to) { return 0x0Au << 24 | to << 17 | 2 << 12 | from; }
// ELWSUB of 8 rows of Dst; with the banks for the unpackers, and counters as the second modifier has them.
constexpr uint32_t kElwsub = 0x30u << 24;
constexpr uint32_t kElwsubLast = kElwsub | 3u << 22 | kSecondModifier;
// SETRWC: banks for the unpackers, and all counters 0.
constexpr uint32_t setrwc(uint32_t banks) { return 0x37u << 24 | banks << 22 | 0xF; }
constexpr uint32_t kZeroaccAll = 0x10u << 24 | 3 << 19;
constexpr uint32_t zeroacc_half(uint32_t half) { return 0x10u << 24 | 2 << 19 | half; }

// An instruction that a store pushes.
inline void push(uint32_t instruction) { hallmark::register_at(0xFFE4'0000) = instruction; }

inline volatile uint32_t& configuration(uint32_t word) { return hallmark::register_at(0xFFEF'0000 + 4 * word); }

inline void configure(uint32_t word, uint32_t value) { configuration(word) = value; }

// The stores up to the last one, to this word, come before what is pushed from here on (BabyRISCV/MemoryOrdering.md).
inline void configured(uint32_t last) { hallmark::settle_store(&configuration(last)); }

// Waits until the thread has executed what this core has pushed (BabyRISCV/TTSync.md).
inline void finish() { hallmark::settle_store(&hallmark::register_at(0xFFE8'0004)); }

// The thread signals its core by a semaphore that begins at 0, and the core waits for that (BabyRISCV/PCBufs.md).
inline void signal_core(uint32_t semaphore) {
    push(sempost(semaphore));
    volatile uint32_t& value = hallmark::register_at(0xFFE8'0020 + 4 * semaphore);
    while (value == 0) {
    }
    // Takes 1 away.
    value = 1;
}

// Clears a bank of a source and gives it to the matrix unit.
inline void push_empty_bank(uint32_t unpacker) {
#if defined(ARCH_BLACKHOLE)
    push(0x43u << 24 | unpacker << 23 | 1 << 8 | 1);
#else
    push(0x43u << 24 | unpacker << 23 | 1);
    push(0x43u << 24 | unpacker << 23 | 7);
#endif
}

// Lines of 16 bytes in L1, of which the hardware adds one.
inline uint32_t line_of(uint32_t fifo_pointer) { return fifo_pointer - 1; }

inline void configure_unpackers() {
    for (uint32_t first : kUnpackers) {
        configure(first, kFormat | 1 << 4 | kData << 16);
        configure(first + 1, 1 << 16 | 1);
        configure(first + 8, kFormat | 2 << 4);
        configure(first + 9, 3);
    }
    // SrcA begins four rows before the address.
    configure(kUnpackers[0] + 20, 64);
    configure(kUnpackers[0] + 22, kData);
    configured(kUnpackers[0] + 22);
    push(setc16(kContexts, 1 << 2));
    push(setadcxx(3, kData));
}

// ELWSUB takes the next 8 rows; the last one of a tile returns to the first.
inline void configure_matrix() {
    configure(kFormats, kFormat << 17 | kFormat << 21 | kFormat << 25);
    configured(kFormats);
    push(setc16(kOffset, 0));
    push(setc16(kSources, 0));
    push(setc16(kDst, 0));
    push(seminit(kComputed, 1));
}

// Without `kFromRow0`, the packer's first row stays as it is.
template <bool kFromRow0 = true>
inline void configure_packer() {
    configure(kStrides, 32 << kStrideBit | 2);
    configure(kStrides + 1, 2048 << kStrideBit | 512);
    configure(kEdges, 0xFFFF);
    uint32_t counters = kCounters;
    for (uint32_t packer : kPackers) {
        configure(packer + 2, kFormat << 8 | kFormat << 4);
        configure(counters++, 16 << 8);
    }
    if constexpr (kFromRow0) {
        configure(kFirstRow, 0);
    }
    configured(kFromRow0 ? kFirstRow : counters - 1);
#if defined(ARCH_BLACKHOLE)
    // An instruction packs four rows, and the next one the four behind them.
    push(setc16(kPackRows, 4));
    push(setadcxx(4, 16));
#else
    push(setadcxx(4, kData));
#endif
}

// Unpacks a tile to SrcA or SrcB.
inline void push_unpack(uint32_t unpacker, uint32_t line) {
    configure(kInputAddress[unpacker], line);
    configured(kInputAddress[unpacker]);
    push(unpacr(unpacker));
}

// Copies a tile from SrcA to Dst; the bank is not given back.
inline void push_copy(uint32_t row) {
    push(mova2d(0, row));
    push(mova2d(8, row + 8));
}

// The packer begins at its first row again.
inline void push_first_row() {
#if defined(ARCH_BLACKHOLE)
    // SETADCXY of row 0.
    push(0x51u << 24 | 4 << 21 | 0b1010);
#endif
}

// Packs a tile. Blackhole's packer packs four rows at a time.
inline void push_pack() {
#if defined(ARCH_BLACKHOLE)
    for (uint32_t rows = 4; rows < kRows; rows += 4) {
        push(0x41u << 24);
    }
    push(0x41u << 24 | 1);
#else
    push(0x41u << 24 | 1 << 8 | 1);
#endif
}

// MATH has computed: PACK may read Dst.
inline void push_computed() {
    push(stallwait(kHoldsSync, kMatrixDone));
    push(sempost(kComputed));
}

// PACK has read Dst: MATH may write it.
inline void push_packed() {
    push(stallwait(kHoldsSync, kPackDone));
    push(semget(kComputed));
}

// UNPACK: unpacks pages of a circular buffer to SrcA, one at a time.
inline void unpack_pages(uint32_t cb, uint32_t pages) {
    configure_unpackers();
    for (uint32_t page = 0; page < pages; ++page) {
        cb_wait_front(cb, 1);
        push_unpack(0, line_of(get_local_cb_interface(cb).fifo_rd_ptr));
        finish();
        cb_pop_front(cb, 1);
    }
}

// MATH: copies tiles from SrcA to Dst, from a row on, one at a time.
inline void copy_tiles(uint32_t tiles, uint32_t row = 0) {
    configure_matrix();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        push(semwait_while_full(kComputed));
        push_copy(row);
        push(setrwc(1));
        push_computed();
    }
    finish();
}

// PACK: packs tiles from the packer's first row on to pages of a circular buffer, one at a time.
template <bool kFromRow0 = true>
inline void pack_pages(uint32_t cb, uint32_t pages) {
    configure_packer<kFromRow0>();
    for (uint32_t page = 0; page < pages; ++page) {
        cb_reserve_back(cb, 1);
        configure(kOutputAddress, line_of(get_local_cb_interface(cb).fifo_wr_ptr));
        configured(kOutputAddress);
        push(semwait_while_zero(kComputed));
        push_first_row();
        push_pack();
        push_packed();
        finish();
        cb_push_back(cb, 1);
    }
}

}  // namespace coprocessor
