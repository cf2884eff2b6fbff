// The instructions of the Tensix coprocessor, and the configuration words of its units. A page of Tenstorrent's ISA
// documentation describes each instruction (TensixCoprocessor/); cfg_defines.h names the words.
#pragma once

#include "hallmark/kernel_state.h"
#include "hallmark/registers.h"

namespace hallmark {

// Configuration words (RMWCIB, WRCFG and stores of a core), and words of a thread (SETC16).
#if defined(ARCH_BLACKHOLE)
struct UnpackerWords {
    uint32_t format, size, output_format, uncompressed, base;
};
inline constexpr UnpackerWords kUnpackers[] = {{64, 65, 72, 73, 76}, {112, 113, 120, 121, 124}};
// Of unpacker 0 alone: its place in SrcA, the data of a row, the offset of the address, whether its counters count in SrcA;
// of both, the strides, of which the first one begins with a row of SrcA.
inline constexpr uint32_t kUnpackPlace = 84, kUnpackRow = 86, kUnpackOffset = 92, kUnpackCounts = 50;
inline constexpr uint32_t kUnpackStrides[] = {56, 57, 59};
inline constexpr uint32_t kUnpackRowStride = 16, kUnpackRowStrideBits = 0xFFFFu << 16;
inline constexpr uint32_t kPackers[] = {68};
inline constexpr uint32_t kPackStrides = 12, kPackRead = 18, kPackRowSets = 20, kPackEdges = 24, kPackCounters = 28,
                          kPackRows = 180;
inline constexpr uint32_t kThreadSource = 5, kThreadContext = 41;
inline constexpr uint32_t kThreadModifiers[] = {12, 13, 14, 15};
inline constexpr uint32_t kThreadDstModifiers[] = {28, 29, 30, 31};
inline constexpr uint32_t kThreadBiasModifiers[] = {47, 48, 49, 50};
inline constexpr uint32_t kThreadKeepsValid = 7;
inline constexpr uint32_t kThreadPackModifiers[] = {37, 38, 39, 40};
inline constexpr uint32_t kModifierBit = 14, kMoveModeBit = 11;
#else
struct UnpackerWords {
    uint32_t format, size, output_format, uncompressed, base;
};
inline constexpr UnpackerWords kUnpackers[] = {{52, 53, 60, 61, 64}, {92, 93, 100, 101, 104}};
inline constexpr uint32_t kUnpackPlace = 72, kUnpackRow = 74, kUnpackOffset = 80, kUnpackCounts = 41;
inline constexpr uint32_t kUnpackStrides[] = {44, 45, 47};
inline constexpr uint32_t kUnpackRowStride = 12, kUnpackRowStrideBits = 0xFFFu << 12;
inline constexpr uint32_t kPackers[] = {56, 84, 96, 124};
inline constexpr uint32_t kPackStrides = 8, kPackRead = 14, kPackRowSets = 16, kPackEdges = 20, kPackCounters = 24,
                          kPackRows = 152;
inline constexpr uint32_t kThreadSource = 3, kThreadContext = 39, kThreadFidelity = 6;
inline constexpr uint32_t kThreadModifiers[] = {7, 9, 11, 13};
inline constexpr uint32_t kThreadDstModifiers[] = {23, 24, 25, 26};
inline constexpr uint32_t kThreadBiasModifiers[] = {48, 49, 50, 51};
inline constexpr uint32_t kThreadKeepsValid = 5;
inline constexpr uint32_t kThreadPackModifiers[] = {31, 32, 33, 34};
inline constexpr uint32_t kThreadModifierSet = 2;
inline constexpr uint32_t kModifierBit = 15, kMoveModeBit = 12;
#endif
inline constexpr uint32_t kPackerCount = sizeof(kPackers) / sizeof(kPackers[0]);
// The formats and modes that the matrix unit reads; the format of Dst, which the packers read, is among them.
inline constexpr uint32_t kAluFormats = 1, kAluModes = 2;
inline constexpr uint32_t kThreadState = 0, kThreadDst = 1;

// The units that a wait holds back, and the conditions for which it waits (STALLWAIT.md).
inline constexpr uint32_t kHoldSynchronization = 1 << 1, kHoldPackers = 1 << 2, kHoldUnpackers = 1 << 3,
                          kHoldMatrix = 1 << 6, kHoldConfiguration = 1 << 7, kHoldVector = 1 << 8;
inline constexpr uint32_t kScalarDone = 1, kPackersDone = ((1 << kPackerCount) - 1) << 3;
constexpr uint32_t unpacker_done(uint32_t unpacker) { return 2 << unpacker; }
#if defined(ARCH_BLACKHOLE)
inline constexpr uint32_t kMatrixDone = 1 << 4, kVectorDone = 1 << 11, kStoresDone = 1 << 10;
inline constexpr uint32_t kAGiven = 1 << 7, kBGiven = 1 << 8;
#else
inline constexpr uint32_t kMatrixDone = 1 << 7, kVectorDone = 1 << 14, kStoresDone = 1 << 13;
// A bank of SrcA or SrcB is the matrix unit's.
inline constexpr uint32_t kAGiven = 1 << 10, kBGiven = 1 << 11;
#endif

// The semaphore that counts the sections of Dst that MATH has computed and PACK has not given back.
inline constexpr uint32_t kSections = 1 << 1;
// Those with which MATH gives a tile of Dst to the unpacker, and the unpacker gives it back.
inline constexpr uint32_t kGivenTile = 1 << 7, kUnpackedTile = 1 << 2;
inline constexpr uint32_t kWhileZero = 1, kWhileFull = 2;

// The sets of address counters.
inline constexpr uint32_t kFirstUnpacker = 1, kSecondUnpacker = 2, kBothUnpackers = 3, kAllPackers = 4;

inline constexpr uint32_t kNop = 0x02u << 24;

constexpr uint32_t stall_wait(uint32_t held, uint32_t conditions) { return 0xA2u << 24 | held << 15 | conditions; }
constexpr uint32_t semaphore_init(uint32_t semaphore, uint32_t most) { return 0xA3u << 24 | most << 20 | semaphore << 2; }
constexpr uint32_t semaphore_post(uint32_t semaphore) { return 0xA4u << 24 | semaphore << 2; }
constexpr uint32_t semaphore_get(uint32_t semaphore) { return 0xA5u << 24 | semaphore << 2; }
constexpr uint32_t semaphore_wait(uint32_t held, uint32_t semaphore, uint32_t until_not) {
    return 0xA6u << 24 | held << 15 | semaphore << 2 | until_not;
}
constexpr uint32_t set_thread_word(uint32_t word, uint32_t value) { return 0xB2u << 24 | word << 16 | value; }
// Both halves of a general register.
constexpr uint32_t set_low(uint32_t general, uint32_t value) { return 0x45u << 24 | value << 8 | general << 1; }
constexpr uint32_t set_high(uint32_t general, uint32_t value) { return 0x45u << 24 | value << 8 | general << 1 | 1; }
constexpr uint32_t write_configuration(uint32_t general, uint32_t word) { return 0xB0u << 24 | general << 16 | word; }
// Counters of data: those of a row, all others to 0, and one tile.
constexpr uint32_t set_row(uint32_t units, uint32_t data) { return 0x5Eu << 24 | units << 21 | (data - 1) << 10; }
constexpr uint32_t set_part_of_row(uint32_t units, uint32_t first, uint32_t data) {
    return 0x5Eu << 24 | units << 21 | (first + data - 1) << 10 | first;
}
// The counter of rows, of the input or of the output.
constexpr uint32_t set_input_y(uint32_t units, uint32_t row) { return 0x50u << 24 | units << 21 | 1 << 18 | row; }
constexpr uint32_t set_output_y(uint32_t units, uint32_t row) { return 0x50u << 24 | units << 21 | 1 << 20 | 1 << 18 | row; }
constexpr uint32_t clear_y(uint32_t units) { return 0x51u << 24 | units << 21 | 0b1010; }
constexpr uint32_t clear_zw(uint32_t units) { return 0x54u << 24 | units << 21 | 0b1111; }
constexpr uint32_t set_tile(uint32_t units, uint32_t tile) { return 0x50u << 24 | units << 21 | 3 << 18 | tile; }

// An instruction that a store pushes.
FORCE_INLINE void push(uint32_t instruction) { register_at(0xFFE4'0000) = instruction; }

// An instruction that an instruction of the core pushes: rotated left by 2.
template <uint32_t kInstruction>
FORCE_INLINE void push_now() {
    asm volatile(".4byte %0" : : "i"(kInstruction << 2 | kInstruction >> 30));
}

// Bits of a configuration word that several threads write (RMWCIB).
template <uint32_t kWord, uint32_t kMask>
FORCE_INLINE void change_bits(uint32_t value) {
    for (uint32_t byte = 0; byte < 4; ++byte) {
        if (const uint32_t mask = kMask >> 8 * byte & 0xFF; mask != 0) {
            push((0xB3 + byte) << 24 | mask << 16 | (value >> 8 * byte & mask) << 8 | kWord);
        }
    }
}

// A configuration word by a store of the core, before the first instruction of a unit that reads it.
FORCE_INLINE volatile uint32_t& configuration(uint32_t word) { return register_at(kConfig + 4 * word); }

// The core's stores to the configuration come before the next instruction. A SEMWAIT that this did not hold back would take
// its place (STALLWAIT.md).
FORCE_INLINE void settle_configuration() { push_now<stall_wait(0x1FF, kStoresDone)>(); }

// Waits until the coprocessor has executed all that this thread has pushed (TTSync.md).
FORCE_INLINE void finish_pushed() { settle_store(&register_at(0xFFE8'0004)); }

}  // namespace hallmark
