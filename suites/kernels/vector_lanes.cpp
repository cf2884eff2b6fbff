// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// Changes the data of tiles in the vector unit, 32 at a time: UNPACK fills SrcA, MATH moves it to Dst and works on it in
// LReg, PACK writes Dst. The data have 16 bits.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer, 2 operation (0 no negative numbers, 1 two
// branches, 2 a polynomial, 3 no larger number than 3, 4 a line for each of three intervals, 5 bits, 6 rounded halves, 7
// lanes rotated; 0 to 4 are of floats, 5 to 7 of integers), 3 data of a tile (256 or 1024).
// Runtime arguments: 0 tiles.
// NOTHING_BETWEEN: the polynomial and the rotated lanes are stored in the cycle after they are computed, which is one too
// early on Wormhole.

#include <cstdint>

#include "api/compute/cb_api.h"

namespace {

constexpr uint32_t kOperation = get_compile_time_arg_val(2);
constexpr uint32_t kData = get_compile_time_arg_val(3);
constexpr bool kIntegers = kOperation >= 5;

// Float16_b and UInt16 (tensix_types.h).
constexpr uint32_t kFormat = kIntegers ? 9 : 5;
// The semaphore between MATH and PACK.
constexpr uint32_t kDone = 1 << 1;

#if defined(ARCH_BLACKHOLE)
constexpr uint32_t kUnpacker = 64;
constexpr uint32_t kPackers[] = {68};
constexpr uint32_t kStrides = 12;
constexpr uint32_t kRowStride = 32 << 16;
constexpr uint32_t kEdges = 24;
constexpr uint32_t kReads = 28;
constexpr uint32_t kOffsets = 180;
constexpr uint32_t kSourceABank = 5;
constexpr uint32_t kSources = 12;
constexpr uint32_t kDst = 28;
constexpr uint32_t kPack = 37;
// Words of a thread from one address modifier to the next.
constexpr uint32_t kNextSources = 1;
constexpr uint32_t kTransferModifier = 13;
constexpr uint32_t kMoveModifier = 14;
// Rows that PACR reads: one by each interface.
constexpr uint32_t kRowsPacked = 4;
constexpr uint32_t kPackerData = 16;
// Conditions of STALLWAIT: the matrix unit and the vector unit are done.
constexpr uint32_t kMatrixDone = 1 << 4;
constexpr uint32_t kVectorDone = 1 << 11;
constexpr uint32_t kPackersDone = 1 << 3;
#else
constexpr uint32_t kUnpacker = 52;
constexpr uint32_t kPackers[] = {56, 84, 96, 124};
constexpr uint32_t kStrides = 8;
constexpr uint32_t kRowStride = 32 << 12;
constexpr uint32_t kEdges = 20;
constexpr uint32_t kReads = 24;
constexpr uint32_t kOffsets = 152;
constexpr uint32_t kSourceABank = 3;
constexpr uint32_t kSources = 7;
constexpr uint32_t kDst = 23;
constexpr uint32_t kPack = 31;
constexpr uint32_t kNextSources = 2;
constexpr uint32_t kTransferModifier = 14;
constexpr uint32_t kMoveModifier = 15;
constexpr uint32_t kRowsPacked = kData / 16;
constexpr uint32_t kPackerData = kData / 4;
constexpr uint32_t kMatrixDone = 1 << 7;
constexpr uint32_t kVectorDone = 1 << 14;
constexpr uint32_t kPackersDone = 0xF << 3;
#endif
constexpr uint32_t kPackerCount = sizeof(kPackers) / sizeof(kPackers[0]);

// Instructions (TensixCoprocessor/, a page each).
constexpr uint32_t kZeroAll = 0x10u << 24 | 3 << 19;
constexpr uint32_t kSemaphoreInit = 0xA3u << 24 | 1 << 20 | kDone << 2;
constexpr uint32_t kSemaphorePost = 0xA4u << 24 | kDone << 2;
constexpr uint32_t kSemaphoreGet = 0xA5u << 24 | kDone << 2;
constexpr uint32_t kWait = 0xA6u << 24 | 0x1FFu << 15 | kDone << 2;
constexpr uint32_t kWhileZero = 1;
constexpr uint32_t kWhileFull = 2;
// All counters become 0.
constexpr uint32_t kFirstRows = 0x37u << 24 | 0xF;
constexpr uint32_t kGiveSourceA = 1u << 22;

constexpr uint32_t set_thread_word(uint32_t word, uint32_t value) { return 0xB2u << 24 | word << 16 | value; }
constexpr uint32_t set_row(uint32_t units, uint32_t data) { return 0x5Eu << 24 | units << 21 | (data - 1) << 10; }
constexpr uint32_t stall(uint32_t blocked, uint32_t conditions) { return 0xA2u << 24 | blocked << 15 | conditions; }
constexpr uint32_t kVector = 1 << 8;
constexpr uint32_t kSynchronization = 1 << 1;
constexpr uint32_t kUnpack = 0x42u << 24 | 1 << 7 | 1 << 6 | 1;
// 8 rows from SrcA to Dst.
constexpr uint32_t kMove = 0x12u << 24 | 2 << 12;

// Instructions of the vector unit.
constexpr uint32_t two(uint32_t opcode, uint32_t immediate, uint32_t c, uint32_t d, uint32_t mode) {
    return opcode << 24 | (immediate & 0xFFF) << 12 | c << 8 | d << 4 | mode;
}
constexpr uint32_t load_immediate(uint32_t d, uint32_t mode, uint32_t value) {
    return 0x71u << 24 | d << 20 | mode << 16 | value;
}
constexpr uint32_t transfer(uint32_t opcode, uint32_t d, uint32_t modifier) {
    return opcode << 24 | d << 20 | (kIntegers ? 6 : 2) << 16 | modifier << kTransferModifier;
}
// The upper half of a float.
constexpr uint32_t kOne = 0x3F80;
constexpr uint32_t kHalf = 0x3F00;
constexpr uint32_t kThree = 0x4040;
constexpr uint32_t kMinusTwo = 0xC000;
constexpr uint32_t with_immediate(uint32_t opcode, uint32_t value, uint32_t d) { return opcode << 24 | value << 8 | d << 4; }
constexpr uint32_t kMultiply = 0x74;
constexpr uint32_t kAdd = 0x75;
constexpr uint32_t kPushFlags = 0x87u << 24;
constexpr uint32_t kPopFlags = 0x88u << 24;
constexpr uint32_t kOtherLanes = 0x8Bu << 24;
// All lanes are enabled, and flags are used.
constexpr uint32_t kEnableAll = two(0x8A, 3, 0, 0, 10);
constexpr uint32_t kNothing = 0x8Fu << 24;
constexpr uint32_t if_negative(uint32_t c) { return two(0x7B, 0, c, 0, 0); }

// Registers: the data stand in kIn, and the results in kOut.
constexpr uint32_t kIn = kOperation == 4 ? 3 : 0;
constexpr uint32_t kOut = kOperation == 2 ? 1 : kOperation == 4 ? 7 : kOperation == 7 ? 5 : 0;

#ifdef NOTHING_BETWEEN
constexpr bool kPauses = false;
#else
constexpr bool kPauses = true;
#endif

inline void push(uint32_t instruction) { hallmark::register_at(0xFFE4'0000) = instruction; }

template <typename... Words>
inline void push_all(Words... words) {
    (push(words), ...);
}

inline volatile uint32_t& configuration(uint32_t word) { return hallmark::register_at(0xFFEF'0000 + 4 * word); }

inline void configure(uint32_t word, uint32_t value) { configuration(word) = value; }

// The stores of `configure` up to the last one, to this word, come before what is pushed from here on (MemoryOrdering.md).
inline void configured(uint32_t last) { hallmark::settle_store(&configuration(last)); }

// Waits until the coprocessor has executed what this thread has pushed.
inline void finish() { hallmark::settle_store(&hallmark::register_at(0xFFE8'0004)); }

// L1 is addressed in lines of 16 bytes, and the hardware adds one.
constexpr uint32_t kBefore = 1;

inline void configure_unpacker() {
    configure(kUnpacker, kFormat | 1 << 4 | kData << 16);
    configure(kUnpacker + 1, 1 << 16 | 1);
    configure(kUnpacker + 8, kFormat | 2 << 4);
    configure(kUnpacker + 9, 3);
    // Unpacker 0 skips 64 data.
    configure(kUnpacker + 20, 64);
    configure(kUnpacker + 22, kData);
    configured(kUnpacker + 22);
    push(set_thread_word(kSourceABank, 1 << 2));
    push(set_row(1, kData));
}

inline void configure_math() {
    configure(1, kFormat << 17 | kFormat << 21 | kFormat << 25);
    // Data whose bits are those of a denormal are moved, too.
    configure(2, 1);
    configured(2);
    // A move goes on by 8 rows of both. A store of lanes goes on by two rows: to the odd columns, or to the next four rows.
    push_all(set_thread_word(kSources, 8), set_thread_word(kDst, 8));
    push_all(set_thread_word(kSources + kNextSources, 0), set_thread_word(kDst + 1, 2));
    push_all(set_thread_word(kSources + 2 * kNextSources, 0), set_thread_word(kDst + 2, 0));
    push_all(kSemaphoreInit, kEnableAll);
    if constexpr (kOperation == 3) {
        push(load_immediate(1, 0, kThree));
    } else if constexpr (kOperation == 4) {
        // x; 1.5 * x + 1; 0.5 * x + 1.5, a byte for each number.
        push_all(load_immediate(0, 2, 0x00FF), load_immediate(1, 2, 0x0800), load_immediate(2, 2, 0x1008));
    } else if constexpr (kOperation == 5) {
        push(load_immediate(2, 2, 0x7FFF));
    }
    finish();
}

// Leaves the result of two cycles its time.
inline void pause() {
    if constexpr (kPauses) {
        push(kNothing);
    }
}

inline void operate() {
    if constexpr (kOperation == 0) {
        push_all(kPushFlags, if_negative(0), load_immediate(0, 0, 0), kPopFlags);
    } else if constexpr (kOperation == 1) {
        push_all(kPushFlags, if_negative(0), with_immediate(kMultiply, kMinusTwo, 0), kNothing);
        push_all(kOtherLanes, with_immediate(kAdd, kOne, 0), kNothing, kPopFlags);
    } else if constexpr (kOperation == 2) {
        // LReg[0] * LReg[0] + LReg[0].
        push(two(0x84, 0, 0, 1, 0));
        pause();
    } else if constexpr (kOperation == 3) {
        push_all(two(0x92, 0, 1, 0, 1), kNothing, load_immediate(1, 0, kThree));
    } else if constexpr (kOperation == 4) {
        // With the sign of the number.
        push_all(0x73u << 24 | kOut << 20 | 4 << 16, kNothing);
    } else if constexpr (kOperation == 5) {
        push_all(two(0x7C, 0, 0, 1, 0), two(0x7A, 3, 0, 0, 1), two(0x7A, uint32_t(-5), 0, 1, 1));
        push_all(two(0x8D, 0, 1, 0, 0), two(0x7E, 0, 2, 0, 0));
    } else if constexpr (kOperation == 6) {
        push_all(two(0x90, 0, 0, 0, 0), with_immediate(kMultiply, kHalf, 0), kNothing, two(0x8E, 0, 0, 0, 6));
    } else {
        push(two(0x94, 0, 0, kOut, 3));
        pause();
    }
}

inline void configure_packers() {
    configure(kStrides, kRowStride | 2);
    configure(kStrides + 1, 512);
    configure(kEdges, 0xFFFF);
    for (uint32_t packer = 0; packer < kPackerCount; ++packer) {
        configure(kPackers[packer] + 2, kFormat << 8 | kFormat << 4);
        configure(kReads + packer, 16 << 8);
        configure(kOffsets + packer, packer * kData / 64);
    }
    configured(kOffsets + kPackerCount - 1);
    // The counter of rows goes on, and after the last ones it becomes 0.
    push_all(set_thread_word(kPack, kPackerCount == 1 ? 4 : 0), set_thread_word(kPack + 1, 1 << 5));
    push(set_row(4, kPackerData));
}

inline void pack() {
    constexpr uint32_t instruction = 0x41u << 24 | (kPackerCount == 1 ? 0 : 15 << 8);
    for (uint32_t row = kRowsPacked; row < kData / 16; row += kRowsPacked) {
        push(instruction);
    }
    push(instruction | 1 << 15 | 1);
}

}  // namespace

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    UNPACK(configure_unpacker();)
    MATH(configure_math();)
    PACK(configure_packers();)
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        UNPACK({
            cb_wait_front(cb_in, 1);
            configure(kUnpacker + 12, get_local_cb_interface(cb_in).fifo_rd_ptr - kBefore);
            configured(kUnpacker + 12);
            push(kUnpack);
            finish();
            cb_pop_front(cb_in, 1);
        })
        MATH({
            push_all(kWait | kWhileFull, kZeroAll, kFirstRows);
            for (uint32_t row = 0; row < kData / 16; row += 8) {
                push(kMove);
            }
            push_all(kFirstRows | kGiveSourceA, stall(kVector, kMatrixDone));
            for (uint32_t data = 0; data < kData; data += 32) {
                push(transfer(0x70, kIn, 2));
                operate();
                push(transfer(0x72, kOut, 1));
                finish();
            }
            push_all(stall(kSynchronization, kVectorDone), kSemaphorePost);
        })
        PACK({
            cb_reserve_back(cb_out, 1);
            uint32_t line = get_local_cb_interface(cb_out).fifo_wr_ptr - kBefore;
            for (uint32_t section : kPackers) {
                configure(section + 1, line);
                line += kData / 4 * 2 / 16;
            }
            configured(kPackers[kPackerCount - 1] + 1);
            push(kWait | kWhileZero);
            pack();
            push_all(stall(kSynchronization, kPackersDone), kSemaphoreGet);
            finish();
            cb_push_back(cb_out, 1);
        })
    }
    MATH(finish();)
}
