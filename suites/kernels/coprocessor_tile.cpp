// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// Combines tiles of two circular buffers, 16-bit floats in rows of 16, into tiles of a third. UNPACK pushes by stores,
// MATH by instructions of its own and by a macro, PACK by stores.
// Compile-time arguments: 0 and 1 input circular buffers, 2 output circular buffer, 3 operation (0 sum, 1 difference,
// 2 product of elements, 3 product of matrices of 16 by 16), 4 data of a tile (256 or 1024).
// Runtime arguments: 0 tiles.
// Defines: UNPACK_WAITS and PACK_WAITS say how the thread waits until its unit has finished. 0: by the register of the
// coprocessor; 1: by a STALLWAIT and a semaphore behind it; 2: the same, where the STALLWAIT does not hold back the
// semaphore; 3: by a STALLWAIT on another unit; 4: not at all; 5: by a STALLWAIT that holds back the thread alone, for
// which the core does not wait. UNPACKED_SOURCES: 1 leaves SrcB out. DST_WAITS: how MATH and PACK wait until their units
// have finished with Dst before they signal. 0: each by a STALLWAIT; 1: MATH does not; 2: MATH waits for the vector unit,
// which it does not use; 3: PACK does not. LOADS: how SFPLOAD follows MOVA2D, which writes the rows that it reads. 0: there
// is neither; 1: behind three instructions; 2: behind two; 3: behind a STALLWAIT on the matrix unit; 4: behind one that does
// not hold back the vector unit; 5: it reads rows that ZEROACC made undefined, and SFPSTORE stores them where the product of
// elements is added to them. BANKS: how MOVD2A, which clears 64 data of SrcA, waits for the bank. 0: there is none; 1: by
// a STALLWAIT on the bank; 2: not at all; 3: by a STALLWAIT on the bank of SrcB; 4: by one that does not hold back the matrix
// unit.
// CONFIGURES: how the configuration is ordered. 0: by a load of the word that was
// stored last; 1: the base addresses of the unpackers by a STALLWAIT on the core's stores; 2: they are not; 3: by a load of
// another word; 4: by a STALLWAIT that holds back other instructions; 5: one of them is stored again behind the UNPACR of
// which the core does not know that it was issued; 6: RMWCIB changes the edge mask behind PACR; 7: the same, with a
// STALLWAIT on the packers; 8: PACR stands directly behind the WRCFG of its address; 9: the same, with NOP in between;
// 10: a word of the macro changes while MOP may still be expanded; 11: the same, behind the register that waits for that;
// 12: as 9, where the core stores the address to the general register; 13: the same, and loads it back; 14: RMWCIB changes the
// size of unpacker 1's input behind UNPACR, whose counters of rows stay 0.

#include <cstdint>

#include "api/compute/cb_api.h"

namespace {

constexpr uint32_t kOperation = get_compile_time_arg_val(3);
constexpr uint32_t kData = get_compile_time_arg_val(4);
constexpr bool kMatrices = kOperation == 3;

// Float16_b (tensix_types.h).
constexpr uint32_t kFormat = 5;
// The semaphore between MATH and PACK.
constexpr uint32_t kDone = 1 << 1;

// Words of the configuration (cfg_defines.h): the first one of each unpacker and packer, of the packers' counters, of the
// strides and edge masks of Dst, and of the packers' rows in Dst. The lowest bits of the strides of rows.
// Words of a thread: the one that holds back the first context, and the first two address modifiers of the sources, of Dst,
// and of the packers. The lowest bit of the number of an address modifier in an instruction.
#if defined(ARCH_BLACKHOLE)
constexpr uint32_t kUnpackerWords[] = {64, 112};
constexpr uint32_t kPackers[] = {68};
constexpr uint32_t kCounters = 28, kStrides = 12, kEdges = 24, kRows = 180, kStrideBit = 16;
constexpr uint32_t kContexts = 5, kSources = 12, kSecondSources = 13, kDst = 28, kSecondDst = 29, kPackRows = 37;
constexpr uint32_t kModifier = 1 << 14;
#else
constexpr uint32_t kUnpackerWords[] = {52, 92};
constexpr uint32_t kPackers[] = {56, 84, 96, 124};
constexpr uint32_t kCounters = 24, kStrides = 8, kEdges = 20, kRows = 152, kStrideBit = 12;
constexpr uint32_t kContexts = 3, kSources = 7, kSecondSources = 9, kDst = 23, kSecondDst = 24;
constexpr uint32_t kModifier = 1 << 15;
#endif
constexpr uint32_t kPackerCount = sizeof(kPackers) / sizeof(kPackers[0]);

// Instructions (TensixCoprocessor/, a page each).
constexpr uint32_t kNop = 0x02u << 24;
constexpr uint32_t kZeroAll = 0x10u << 24 | 3 << 19;
constexpr uint32_t kSemaphoreInit = 0xA3u << 24 | 1 << 20 | kDone << 2;
constexpr uint32_t kSemaphorePost = 0xA4u << 24 | kDone << 2;
constexpr uint32_t kSemaphoreGet = 0xA5u << 24 | kDone << 2;
constexpr uint32_t kWait = 0xA6u << 24 | 0x1FFu << 15 | kDone << 2;
constexpr uint32_t kWhileZero = 1;
constexpr uint32_t kWhileFull = 2;

constexpr uint32_t kOpcodes[] = {0x28, 0x30, 0x27, 0x26};

// The words of the macro (MOPExpander.md).
constexpr uint32_t kMacro = 0xFFB8'0000;

constexpr uint32_t set_thread_word(uint32_t word, uint32_t value) { return 0xB2u << 24 | word << 16 | value; }
constexpr uint32_t set_row(uint32_t units, uint32_t data) { return 0x5Eu << 24 | units << 21 | (data - 1) << 10; }
constexpr uint32_t unpack(uint32_t unpacker) { return 0x42u << 24 | unpacker << 23 | 1 << 7 | 1 << 6 | 1; }
#if !defined(ARCH_BLACKHOLE)
// All four packers.
constexpr uint32_t kPack = 0x41u << 24 | 15 << 8 | 1;
#endif

// An instruction that a store pushes.
inline void push(uint32_t instruction) { hallmark::register_at(0xFFE4'0000) = instruction; }

// An instruction that an instruction of the core pushes: rotated left by 2.
template <uint32_t kInstruction>
inline void push_now() {
    asm volatile(".4byte %0" : : "i"(kInstruction << 2 | kInstruction >> 30));
}

inline volatile uint32_t& configuration(uint32_t word) { return hallmark::register_at(0xFFEF'0000 + 4 * word); }

inline void configure(uint32_t word, uint32_t value) { configuration(word) = value; }

// The stores of `configure` up to the last one, to this word, come before what is pushed from here on (MemoryOrdering.md).
inline void configured(uint32_t last) { hallmark::settle_store(&configuration(last)); }

// Waits until the coprocessor has executed what this thread has pushed.
inline void finish() { hallmark::settle_store(&hallmark::register_at(0xFFE8'0004)); }

#ifndef UNPACK_WAITS
#define UNPACK_WAITS 0
#endif
#ifndef PACK_WAITS
#define PACK_WAITS 0
#endif
#ifndef DST_WAITS
#define DST_WAITS 0
#endif
#ifndef LOADS
#define LOADS 0
#endif
#ifndef BANKS
#define BANKS 0
#endif
#ifndef CONFIGURES
#define CONFIGURES 0
#endif
#ifndef UNPACKED_SOURCES
#define UNPACKED_SOURCES 2
#endif

// The block bits of the synchronization, the matrix, the unpack and the configuration unit (STALLWAIT.md).
constexpr uint32_t kSynchronization = 1 << 1;
constexpr uint32_t kMatrix = 1 << 6;
constexpr uint32_t kVector = 1 << 8;
constexpr uint32_t kUnpacker = 1 << 3;
constexpr uint32_t kConfiguration = 1 << 7;
constexpr uint32_t kUnpackers = 3 << 1;
// The stores of the thread's core have arrived.
#if defined(ARCH_BLACKHOLE)
constexpr uint32_t kMatrixUnit = 1 << 4, kVectorUnit = 1 << 11, kStored = 1 << 10;
constexpr uint32_t kBankOfA = 1 << 7, kBankOfB = 1 << 8;
#else
constexpr uint32_t kMatrixUnit = 1 << 7, kVectorUnit = 1 << 14, kStored = 1 << 13;
constexpr uint32_t kBankOfA = 1 << 10, kBankOfB = 1 << 11;
#endif
constexpr uint32_t kAllPackers = ((1 << kPackerCount) - 1) << 3;

// A STALLWAIT on conditions that holds back units, without more the synchronization unit.
constexpr uint32_t wait_for(uint32_t conditions, uint32_t blocked = kSynchronization) {
    return 0xA2u << 24 | blocked << 15 | conditions;
}

// A register of the thread, and SETDMAREG of one of its halves.
constexpr uint32_t kRegister = 16;
constexpr uint32_t set_register(uint32_t half, uint32_t value) {
    return 0x45u << 24 | value << 8 | kRegister << 1 | half;
}

// RMWCIB0: the rows of the input of unpacker 1.
constexpr uint32_t set_rows(uint32_t rows) { return 0xB3u << 24 | 0xFF << 16 | rows << 8 | (kUnpackerWords[1] + 1); }

// The base addresses of the unpackers come before what is pushed from here on.
template <uint32_t kWay>
inline void base_is_configured(uint32_t last) {
    if constexpr (kWay == 3) {
        configured(kUnpackerWords[0]);
    } else if constexpr (kWay == 1 || kWay == 4) {
        push(0xA2u << 24 | (kWay == 1 ? kUnpacker : kMatrix) << 15 | kStored);
    } else if constexpr (kWay != 2) {
        configured(last);
    }
}

// Waits until units have finished, by the semaphore of the thread.
template <uint32_t kWay>
inline void finish_units(uint32_t semaphore, uint32_t units, uint32_t other_units) {
    if constexpr (kWay == 0) {
        finish();
    } else {
        if constexpr (kWay != 4) {
            const uint32_t blocked = kWay == 2 ? kMatrix : kSynchronization;
            push(wait_for(kWay == 3 ? other_units : units, blocked));
        }
        if constexpr (kWay == 5) {
            // SEMINIT, which changes nothing.
            push(0xA3u << 24 | 1 << 20 | 1 << (2 + semaphore));
            return;
        }
        push(0xA4u << 24 | 1 << (2 + semaphore));
        volatile uint32_t& value = hallmark::register_at(0xFFE8'0020 + 4 * semaphore);
        while (value == 0) {
        }
        // Takes 1 away.
        value = 1;
    }
}

// L1 is addressed in lines of 16 bytes, and the hardware adds one.
constexpr uint32_t kBefore = 1;

inline void configure_unpackers() {
    for (uint32_t section : kUnpackerWords) {
        configure(section, kFormat | 1 << 4 | kData << 16);
        configure(section + 1, 1 << 16 | 1);
        configure(section + 8, kFormat | 2 << 4);
        configure(section + 9, 3);
    }
    // Unpacker 0 skips 64 data.
    configure(kUnpackerWords[0] + 20, 64);
    configure(kUnpackerWords[0] + 22, kData);
    configured(kUnpackerWords[0] + 22);
    push(set_thread_word(kContexts, 1 << 2));
    push(set_row(3, kData));
}

inline void configure_math() {
    configure(1, kFormat << 17 | kFormat << 21 | kFormat << 25);
    configured(1);
    // An instruction uses the next 8 rows of SrcB and Dst; of SrcA only where elements are combined.
    constexpr uint32_t rows = 8 << 8 | (kMatrices ? 0 : 8);
    push_now<set_thread_word(kSources, rows)>();
    push_now<set_thread_word(kDst, 8)>();
    // Row 0 again after the last one.
    push_now<set_thread_word(kSecondSources, 1 << 7 | 1 << 15)>();
    push_now<set_thread_word(kSecondDst, 1 << 11)>();
    push_now<kSemaphoreInit>();
    // The macro: one instruction until the last, which gives both sources back.
    constexpr uint32_t compute = kOpcodes[kOperation] << 24;
    constexpr uint32_t wait = wait_for(DST_WAITS == 2 ? kVectorUnit : kMatrixUnit);
    constexpr uint32_t first_at_end = DST_WAITS == 1 ? kSemaphorePost : wait;
    constexpr uint32_t second_at_end = DST_WAITS == 1 ? kNop : kSemaphorePost;
    const uint32_t words[] = {
        1, kData / 128, kNop, first_at_end, second_at_end, compute, kNop, compute | kModifier | 3 << 22, kNop};
    uint32_t address = kMacro;
    for (uint32_t word : words) {
        hallmark::register_at(address) = word;
        address += 4;
    }
}

// Loads rows that MOVA2D has written. Both begin at row 0, and the counters of rows are 0 again behind them.
inline void load_rows() {
    if constexpr (LOADS == 5) {
        push_now<0x70u << 24 | 2 << 20 | 2 << 16 | kModifier / 2 | 512>();
        push_now<0x72u << 24 | 2 << 20 | 2 << 16 | kModifier / 2>();
        return;
    }
    push_now<0x12u << 24 | 2 << 12 | kModifier>();
    if constexpr (LOADS == 1 || LOADS == 2) {
        push_now<kNop>();
        push_now<kNop>();
    }
    if constexpr (LOADS == 1) {
        push_now<kNop>();
    }
    if constexpr (LOADS == 3 || LOADS == 4) {
        push_now<wait_for(kMatrixUnit, LOADS == 3 ? kVector : kSynchronization)>();
    }
    push_now<0x70u << 24 | 2 << 20 | 2 << 16 | kModifier / 2>();
}

// Clears the first four rows of SrcA with rows of Dst that ZEROACC has cleared.
inline void clear_rows() {
    if constexpr (BANKS != 2) {
        push_now<wait_for(BANKS == 3 ? kBankOfB : kBankOfA, BANKS == 4 ? kVector : kMatrix)>();
    }
    push_now<0x08u << 24 | 2 << 12 | kModifier | 512>();
}

inline void configure_packers() {
    configure(kStrides, 32 << kStrideBit | 2);
    configure(kStrides + 1, 2048 << kStrideBit | 512);
    configure(kEdges, 0xFFFF);
    for (uint32_t packer = 0; packer < kPackerCount; ++packer) {
        configure(kPackers[packer] + 2, kFormat << 8 | kFormat << 4);
        configure(kCounters + packer, 16 << 8);
        configure(kRows + packer, packer * kData / 64);
    }
    configured(kRows + kPackerCount - 1);
#if defined(ARCH_BLACKHOLE)
    // An instruction packs four rows, and the next one the four behind them.
    push(set_thread_word(kPackRows, 4));
    push(set_row(4, 16));
#else
    push(set_row(4, kData / 4));
#endif
}

}  // namespace

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    UNPACK(push(0xA3u << 24 | 1 << 20 | 1 << 4); configure_unpackers();)
    PACK(push(0xA3u << 24 | 1 << 20 | 1 << 5);)
    MATH(configure_math();)
    PACK(configure_packers();)
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        UNPACK({
            cb_wait_front(cb_a, 1);
            cb_wait_front(cb_b, 1);
            // MVMUL multiplies SrcB by SrcA.
            configure(kUnpackerWords[0] + 12, get_local_cb_interface(kMatrices ? cb_b : cb_a).fifo_rd_ptr - kBefore);
            configure(kUnpackerWords[1] + 12, get_local_cb_interface(kMatrices ? cb_a : cb_b).fifo_rd_ptr - kBefore);
            base_is_configured<CONFIGURES>(kUnpackerWords[1] + 12);
            push(unpack(0));
            if constexpr (UNPACKED_SOURCES == 2) {
                push(unpack(1));
            }
            if constexpr (CONFIGURES == 5) {
                configure(kUnpackerWords[1] + 12, 0);
            }
            if constexpr (CONFIGURES == 14) {
                push(set_rows(2));
            }
            finish_units<UNPACK_WAITS>(2, kUnpackers, kAllPackers);
            if constexpr (CONFIGURES == 14) {
                push(set_rows(1));
            }
            cb_pop_front(cb_a, 1);
            cb_pop_front(cb_b, 1);
        })
        MATH({
            push_now<kWait | kWhileFull>();
            push_now<kZeroAll>();
            if constexpr (LOADS != 0) {
                load_rows();
            }
            if constexpr (BANKS != 0) {
                clear_rows();
            }
            // MOP: the nested loops.
            push_now<0x01u << 24 | 1 << 23>();
            if constexpr (CONFIGURES == 10 || CONFIGURES == 11) {
                if constexpr (CONFIGURES == 11) {
                    volatile uint32_t& expanded = hallmark::register_at(0xFFE8'0008);
                    expanded = 0;
                    hallmark::settle_store(&expanded);
                }
                // The operation of the loop changes, and is the same again before the next tile.
                hallmark::register_at(kMacro + 4 * 5) = kNop;
                hallmark::register_at(kMacro + 4 * 5) = kOpcodes[kOperation] << 24;
            }
        })
        PACK({
            cb_reserve_back(cb_out, 1);
            uint32_t line = get_local_cb_interface(cb_out).fifo_wr_ptr - kBefore;
            for (uint32_t section : kPackers) {
                configure(section + 1, line);
                line += kData / kPackerCount * 2 / 16;
            }
            configured(kPackers[kPackerCount - 1] + 1);
            push(kWait | kWhileZero);
#if defined(ARCH_BLACKHOLE)
            // SETADCXY: from row 0 on.
            push(0x51u << 24 | 4 << 21 | 0b1010);
#endif
            if constexpr (CONFIGURES == 8 || CONFIGURES == 9 || CONFIGURES == 12 || CONFIGURES == 13) {
                // The address of the last packer, half after half, from another one.
                const uint32_t word = kPackers[kPackerCount - 1] + 1;
                line -= kData / kPackerCount * 2 / 16;
                configure(word, line - 1);
                configured(word);
                if constexpr (CONFIGURES >= 12) {
                    volatile uint32_t& general = hallmark::register_at(0xFFE0'0000 + 4 * kRegister);
                    general = line;
                    if constexpr (CONFIGURES == 13) {
                        hallmark::settle_store(&general);
                    }
                } else {
                    push(set_register(0, line & 0xFFFF));
                    push(set_register(1, line >> 16));
                }
                push(0xA2u << 24 | kConfiguration << 15 | 1);
                push(0xB0u << 24 | kRegister << 16 | word);
                if constexpr (CONFIGURES != 8) {
                    push(kNop);
                }
            }
#if defined(ARCH_BLACKHOLE)
            for (uint32_t rows = 4; rows < kData / 16; rows += 4) {
                push(0x41u << 24);
            }
            push(0x41u << 24 | 1);
#else
            push(kPack);
#endif
            if constexpr (CONFIGURES == 6 || CONFIGURES == 7) {
                if constexpr (CONFIGURES == 7) {
                    push(0xA2u << 24 | kConfiguration << 15 | kAllPackers);
                }
                // RMWCIB0: the edge mask loses a column, and has it again before the next tile.
                push(0xB3u << 24 | 0x01 << 16 | 0x00 << 8 | kEdges);
            }
            finish_units<PACK_WAITS>(3, kAllPackers, kUnpackers);
            cb_push_back(cb_out, 1);
            if constexpr (DST_WAITS != 3) {
                push(wait_for(kAllPackers));
            }
            push(kSemaphoreGet);
            if constexpr (CONFIGURES == 7) {
                finish();
                configure(kEdges, 0xFFFF);
                configured(kEdges);
            }
        })
    }
    MATH(finish();)
}
