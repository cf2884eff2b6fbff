// Keeps the Tensix coprocessor busy with tiles of 1024 bfloat16. Each thread pushes macros, so that the cores have little to
// do: the same two tiles are unpacked in each turn, and the same result is packed.
// Compile-time argument: 0 the work of a turn: 0 the product of two tiles in four fidelity phases, of which eight are added
// up and packed; 1 the sum of two tiles; 2 a tile that is unpacked and packed; 3 a tile through the vector unit.
// Runtime arguments: 0 L1 address of a word that becomes 1, 1 turns, a multiple of 8 for products, 2 L1 address of the tiles:
// SrcA, SrcB, result.

#include <cstdint>

#include "api/compute/cb_api.h"

namespace {

constexpr uint32_t kWork = get_compile_time_arg_val(0);
constexpr bool kProducts = kWork == 0, kSums = kWork == 1, kVectors = kWork == 3;
// Turns of which the sum is packed.
constexpr uint32_t kTurns = kProducts ? 8 : 1;
constexpr uint32_t kData = 1024, kLines = 2 * kData / 16;

// Float16_b (tensix_types.h).
constexpr uint32_t kFormat = 5;

// Instructions (TensixCoprocessor/, a page each).
constexpr uint32_t kNop = 0x02u << 24;
constexpr uint32_t kMacro = 0x01u << 24 | 1 << 23;
constexpr uint32_t kZeroAll = 0x10u << 24 | 3 << 19;
constexpr uint32_t kPack = 0x41u << 24 | 15 << 8 | 1;
constexpr uint32_t unpack(uint32_t unpacker) { return 0x42u << 24 | unpacker << 23 | 1 << 7 | 1 << 6 | 1; }
constexpr uint32_t set_thread_word(uint32_t word, uint32_t value) { return 0xB2u << 24 | word << 16 | value; }
constexpr uint32_t set_row(uint32_t units, uint32_t data) { return 0x5Eu << 24 | units << 21 | (data - 1) << 10; }
constexpr uint32_t replay(uint32_t first, uint32_t count) { return 0x04u << 24 | first << 14 | count << 4; }
// SETRWC: all counters become 0, and banks are given back.
constexpr uint32_t restart(uint32_t banks) { return 0x37u << 24 | banks << 22 | 0xF; }

// The semaphore between MATH and PACK, and what waits for it.
constexpr uint32_t kDone = 1 << 1;
constexpr uint32_t kSemaphoreInit = 0xA3u << 24 | 1 << 20 | kDone << 2;
constexpr uint32_t kSemaphorePost = 0xA4u << 24 | kDone << 2;
constexpr uint32_t kSemaphoreGet = 0xA5u << 24 | kDone << 2;
constexpr uint32_t kWait = 0xA6u << 24 | 0x1FFu << 15 | kDone << 2;
constexpr uint32_t kWhileZero = 1, kWhileFull = 2;
// STALLWAIT: what is held back, and until which units have finished.
constexpr uint32_t stall(uint32_t blocks, uint32_t units) { return 0xA2u << 24 | blocks << 15 | units; }
constexpr uint32_t kSynchronization = 1 << 1, kVectorUnit = 1 << 8;
constexpr uint32_t kPackers = 0x78, kMatrixUnit = 0x80, kLanes = 0x4000;

inline void push(uint32_t instruction) { hallmark::register_at(0xFFE4'0000) = instruction; }

inline volatile uint32_t& configuration(uint32_t word) { return hallmark::register_at(0xFFEF'0000 + 4 * word); }

inline void configure(uint32_t word, uint32_t value) { configuration(word) = value; }

// The stores of `configure` up to the last one, to this word, come before what is pushed from here on (MemoryOrdering.md).
inline void configured(uint32_t last) { hallmark::settle_store(&configuration(last)); }

// Waits until the coprocessor has executed what this thread has pushed. Tenstorrent's simulator holds 511 instructions,
// macros expanded, and refuses one more.
inline void finish() { hallmark::settle_store(&hallmark::register_at(0xFFE8'0004)); }

inline void set_macro(
    uint32_t turns,
    uint32_t start,
    uint32_t each,
    uint32_t last,
    uint32_t end = kNop,
    uint32_t second_end = kNop) {
    const uint32_t words[] = {1, turns, start, end, second_end, each, kNop, last, last};
    uint32_t address = 0xFFB8'0000;
    for (uint32_t word : words) {
        hallmark::register_at(address) = word;
        address += 4;
    }
}

template <uint32_t kCount>
inline void record(uint32_t first, const uint32_t (&words)[kCount]) {
    push(replay(first, kCount) | 1);
    for (uint32_t word : words) {
        push(word);
    }
    finish();
}

// A modifier of counters: the steps of SrcA and SrcB, and that of Dst with what becomes of the fidelity phase.
inline void set_modifier(uint32_t number, uint32_t sources, uint32_t dst) {
    push(set_thread_word(7 + 2 * number, sources));
    push(set_thread_word(23 + number, dst));
}

constexpr uint32_t multiply(uint32_t row, uint32_t modifier) { return 0x26u << 24 | modifier << 15 | row; }

// One phase of the product of two tiles. A tile has four faces of 16 by 16; four products take a face of SrcA and the two
// faces of SrcB beside it, eight rows at a time. The phase counts on once in each pass: each face meets all four.
inline void configure_products() {
    constexpr uint32_t kSource = 8;
    set_modifier(0, 8 << kSource, 0);
    set_modifier(1, 24 << kSource, 0);
    set_modifier(2, 24 << kSource | 16, 0);
    set_modifier(3, 40 << kSource | 16, 1 << 13);
    constexpr uint32_t words[] = {
        multiply(0, 0),  multiply(8, 1),  multiply(32, 0), multiply(40, 2),
        multiply(16, 0), multiply(24, 1), multiply(48, 0), multiply(56, 3),
        multiply(0, 0),  multiply(8, 1),  multiply(32, 0), multiply(40, 2),
        multiply(16, 0), multiply(24, 1), multiply(48, 0), multiply(56, 2),
        // SETRWC: row 0 of both sources.
        0x37u << 24 | 3};
    record(0, words);
    set_macro(4, kNop, replay(0, 17), replay(0, 17), 0x37u << 24 | 3 << 22 | 3);
}

inline void configure_sums() {
    constexpr uint32_t add = 0x28u << 24;
    set_modifier(0, 8 << 8 | 8, 8);
    set_modifier(1, 1 << 7 | 1 << 15, 1 << 11);
    set_macro(kData / 128, kNop, add, add | 1 << 15 | 3 << 22);
}

// MOVA2D of eight rows.
constexpr uint32_t kMove = 0x12u << 24 | 2 << 12;

inline void configure_copies() {
    set_modifier(0, 8, 8);
    set_macro(kData / 128, kNop, kMove, kMove, restart(1));
}

// In each lane, max(x, 0) times a half, plus a quarter where the exponent is odd. All lanes of a tile take 32 turns: two macros.
inline void configure_vectors() {
    set_modifier(0, 8, 8);
    set_modifier(3, 0, 0);
    constexpr uint32_t moves[] = {
        kMove, kMove, kMove, kMove, kMove, kMove, kMove, kMove, restart(1), stall(kVectorUnit, kMatrixUnit)};
    constexpr uint32_t kModifier = 3 << 14;
    constexpr uint32_t lanes[] = {
        0x70u << 24 | 0 << 20 | kModifier,            // SFPLOAD L0
        0x71u << 24 | 1 << 20 | 0x3F00,               // SFPLOADI L1 = 0.5
        0x71u << 24 | 2 << 20 | 0x3E80,               // SFPLOADI L2 = 0.25
        0x7Bu << 24 | 0 << 8,                         // SFPSETCC L0 < 0
        0x71u << 24 | 0 << 20 | 0,                    // SFPLOADI L0 = 0
        0x8Au << 24,                                  // SFPENCC
        0x77u << 24 | 0 << 8 | 3 << 4,                // SFPEXEXP L3 = exponent of L0
        0x7Au << 24 | 31 << 12 | 3 << 4 | 1,          // SFPSHFT L3 <<= 31
        0x79u << 24 | 0 << 12 | 3 << 8 | 3 << 4 | 1,  // SFPIADD L3 += 0, and where it is negative
        0x84u << 24 | 0 << 16 | 1 << 12 | 2 << 8 | 4 << 4,  // SFPMAD L4 = L0 * L1 + L2
        0x8Au << 24,                                  // SFPENCC
        0x84u << 24 | 0 << 16 | 1 << 12 | 9 << 8 | 5 << 4,  // SFPMAD L5 = L0 * L1 + 0
        0x8Fu << 24,                                  // SFPNOP, for which L5 is there
        0x7Cu << 24 | 5 << 8 | 6 << 4,                // SFPMOV L6 = L5
        0x72u << 24 | 6 << 20 | kModifier,            // SFPSTORE L6
        0x38u << 24 | 2 << 14};                       // INCRWC
    push(0x8Au << 24 | 3 << 12 | 10);
    record(0, moves);
    record(10, lanes);
    set_macro(16, kNop, replay(10, 16), replay(10, 16));
}

inline void unpack_tiles(uint32_t turns, uint32_t tiles) {
    constexpr uint32_t unpackers[] = {52, 92};
    uint32_t line = tiles;
    for (uint32_t section : unpackers) {
        configure(section, kFormat | 1 << 4 | kData << 16);
        configure(section + 1, 1 << 16 | 1);
        configure(section + 8, kFormat | 2 << 4);
        configure(section + 9, 3);
        configure(section + 12, line);
        line += kLines;
    }
    // Unpacker 0 skips 64 data.
    configure(unpackers[0] + 20, 64);
    configure(unpackers[0] + 22, kData);
    configured(unpackers[0] + 22);
    push(set_thread_word(3, 1 << 2));
    push(set_row(3, kData));
    constexpr bool both = kProducts || kSums;
    set_macro(1, both ? unpack(1) : kNop, unpack(0), unpack(0));
    for (uint32_t turn = 0; turn < turns; ++turn) {
        push(kMacro);
        finish();
    }
}

inline void compute(uint32_t turns) {
    configure(1, kFormat << 17 | kFormat << 21 | kFormat << 25);
    configured(1);
    push(kSemaphoreInit);
    if constexpr (kProducts) {
        configure_products();
    } else if constexpr (kSums) {
        configure_sums();
    } else if constexpr (kVectors) {
        configure_vectors();
    } else {
        configure_copies();
    }
    finish();
    for (uint32_t turn = 0; turn < turns; turn += kTurns) {
        push(kWait | kWhileFull);
        push(kZeroAll);
        for (uint32_t part = 0; part < kTurns; ++part) {
            if constexpr (kVectors) {
                push(replay(0, 10));
                push(kMacro);
                finish();
            }
            push(kMacro);
            if (part % 4 == 3) {
                finish();
            }
        }
        if constexpr (kVectors) {
            push(restart(0));
        }
        push(stall(kSynchronization, kVectors ? kLanes : kMatrixUnit));
        push(kSemaphorePost);
        finish();
    }
}

inline void pack_results(uint32_t turns, uint32_t tiles) {
    configure(8, 32 << 12 | 2);
    configure(9, 2048 << 12 | 512);
    constexpr uint32_t packers[] = {56, 84, 96, 124};
    uint32_t number = 0;
    for (uint32_t section : packers) {
        configure(section + 1, tiles + 2 * kLines + number * kLines / 4);
        configure(section + 2, kFormat << 8 | kFormat << 4);
        configure(24 + number, 16 << 8);
        configure(152 + number, number * kData / 64);
        number += 1;
    }
    // The last one: Tenstorrent's simulator does not read the packers' words back.
    configure(20, 0xFFFF);
    configured(20);
    push(set_row(4, kData / 4));
    set_macro(1, kWait | kWhileZero, kPack, kPack, stall(kSynchronization, kPackers), kSemaphoreGet);
    for (uint32_t turn = 0; turn < turns; turn += kTurns) {
        push(kMacro);
        finish();
    }
}

}  // namespace

void kernel_main() {
    volatile uint32_t* result = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));
    const uint32_t turns = get_arg_val<uint32_t>(1);
    // L1 is addressed in lines of 16 bytes, and the hardware adds one.
    const uint32_t tiles = get_arg_val<uint32_t>(2) / 16 - 1;

    UNPACK(unpack_tiles(turns, tiles);)
    MATH(compute(turns);)
    PACK(pack_results(turns, tiles);)
    PACK(result[0] = 1;)
}
