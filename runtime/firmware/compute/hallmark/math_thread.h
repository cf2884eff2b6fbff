// MATH: the matrix unit, from SrcA and SrcB to Dst.
#pragma once

#include "hallmark/coprocessor.h"
#include "hallmark/operands.h"
#include "hallmark/prepared.h"
#include "hallmark/section_units.h"

namespace hallmark {

// Fields of word kAluFormats.
constexpr uint32_t source_codes(uint32_t a, uint32_t b) { return a << 17 | b << 21; }
inline constexpr uint32_t kSourceCodes = source_codes(0xF, 0xF);
inline constexpr uint32_t kWideBits = 3u << 29;

// The section of Dst that MATH computes in.
inline uint32_t math_section;
// MATH has a section: it has acquired and not committed it.
inline bool has_section;
// Whether the sources keep denormals and the sign of zero. Before compute_kernel_hw_startup that is not known.
inline uint32_t keeps_denormals = 2;

// The sources, by which facts of them are numbered.
inline constexpr uint32_t kSourceA = 0, kSourceB = 1;

// Where Dst has 16 bits and circular buffers of the kernel have exponents of both widths: whether that of a source's format is short.
// The vector unit loads and stores by the format of SrcB (SFPSTORE.md).
inline constexpr bool kExponentsDiffer = !kWide && kShortExponents != 0 && kLongExponents != 0;
inline bool short_exponents[2];

// The circular buffers of uint16, and whether a source's format is that of one.
inline constexpr uint64_t kHalfWords =
    buffers_that([](const TilesOfBuffer&, DataFormat format) { return format == DataFormat::UInt16; });
inline bool half_words[2];

FORCE_INLINE void note_source(uint32_t source, uint32_t cb_id) {
    if constexpr (kExponentsDiffer) {
        short_exponents[source] = is_among<kShortExponents>(cb_id);
    }
    if constexpr (kHalfWords != 0) {
        half_words[source] = is_among<kHalfWords>(cb_id);
    }
}

// Where circular buffers of the kernel have integers of 8 bits: the formats that SrcA and SrcB are configured for.
inline DataFormat math_formats[2];
// The bit of word kAluFormats with which the matrix unit computes with integers, to 32 bits of Dst.
inline constexpr uint32_t kIntegers = 1u << 31;

// The unit computes with integers if SrcA has them. SrcB has zeros where only SrcA is unpacked, and takes part in no arithmetic of the
// other kind.
FORCE_INLINE void change_kind() {
    const bool integers = is_byte(math_formats[kSourceA]);
    const DataFormat b = math_formats[integers == is_byte(math_formats[kSourceB]) ? kSourceB : kSourceA];
    change_bits<kAluFormats, kSourceCodes | kIntegers>(
        source_codes(code_of(source_format(math_formats[kSourceA])), code_of(source_format(b))) | (integers ? kIntegers : 0));
}

// The caller has waited for the matrix unit.
FORCE_INLINE void write_denormals(bool keeps) {
    if (keeps_denormals != keeps) {
        change_bits<kAluModes, 1>(keeps);
        keeps_denormals = keeps;
    }
}

template <bool kKeeps>
FORCE_INLINE void keep_denormals() {
    if (keeps_denormals != kKeeps) {
        push_now<stall_wait(kHoldConfiguration, kMatrixDone)>();
        write_denormals(kKeeps);
    }
}

// As under TT-Metalium, denormals become 0 where a kernel starts up or changes the format of a source, until copy_init keeps them. The
// lower byte of uint16 lies where floats have their exponent, so that 256 would become 0 (MOVA2D.md).
FORCE_INLINE void write_denormals_of_formats() {
    if constexpr (kHalfWords != 0) {
        write_denormals(half_words[kSourceA] || half_words[kSourceB]);
    } else {
        write_denormals(false);
    }
}

// The semaphores are initialized.
inline bool has_semaphores;

FORCE_INLINE void configure_math(uint32_t cb_a, uint32_t cb_b) {
    // What a kernel did before it starts up again is done by the configuration of before.
    finish_pushed();
    note_source(kSourceA, cb_a);
    note_source(kSourceB, cb_b);
    change_bits<kAluFormats, kSourceCodes>(
        source_codes(code_of(source_format(format_of(cb_a))), code_of(source_format(format_of(cb_b)))));
    change_bits<kAluFormats, 7u << 29>(kWide ? kWideBits : 0);
    if constexpr (kHasBytes) {
        math_formats[kSourceA] = format_of(cb_a);
        math_formats[kSourceB] = format_of(cb_b);
        change_kind();
    }
    write_denormals_of_formats();
    push_now<set_thread_word(kThreadState, 0)>();
    push_now<set_thread_word(kThreadKeepsValid, 0)>();
#if !defined(ARCH_BLACKHOLE)
    push_now<set_thread_word(kThreadFidelity, 0)>();
    push_now<set_thread_word(kThreadModifierSet, 0)>();
#endif
    // SETRWC: all counters are 0.
    push_now<0x37u << 24 | 0xF>();
    // They count what the other threads have not done yet.
    if (!has_semaphores) {
        push_now<semaphore_init(kSections, HALLMARK_DST_FULL_SYNC ? 1 : 2)>();
        push_now<semaphore_init(kGivenTile, 1)>();
        push_now<semaphore_init(kUnpackedTile, 1)>();
        has_semaphores = true;
    }
}

template <uint32_t kSource>
FORCE_INLINE void change_math_format(uint32_t cb_id) {
    note_source(kSource, cb_id);
    push_now<stall_wait(kHoldConfiguration, kMatrixDone)>();
    if constexpr (kHasBytes) {
        math_formats[kSource] = format_of(cb_id);
        change_kind();
    } else {
        const uint32_t code = code_of(source_format(format_of(cb_id)));
        if constexpr (kSource == kSourceA) {
            change_bits<kAluFormats, source_codes(0xF, 0)>(source_codes(code, 0));
        } else {
            change_bits<kAluFormats, source_codes(0, 0xF)>(source_codes(0, code));
        }
    }
    write_denormals_of_formats();
}

// An address modifier: by how many rows an instruction moves its counters on, modulo 64 in the sources.
template <uint32_t kNumber, uint32_t kA, uint32_t kB, uint32_t kDst>
FORCE_INLINE void set_modifier() {
    push_now<set_thread_word(kThreadModifiers[kNumber], kB << 8 | kA)>();
    push_now<set_thread_word(kThreadDstModifiers[kNumber], kDst)>();
    push_now<set_thread_word(kThreadBiasModifiers[kNumber], 0)>();
}
// Of the modifier's words: a counter becomes 0, and the fidelity phase is the next one.
inline constexpr uint32_t kClears = 1 << 7, kClearsDst = 1 << 11, kNextPhase = 1 << 13;
constexpr uint32_t with_modifier(uint32_t number) { return number << kModifierBit; }

// The passes of a multiplication.
inline constexpr uint32_t kPhases = MATH_FIDELITY == 0 ? 1 : MATH_FIDELITY;

// SETRWC: the banks go back to the unpackers, and all counters are 0.
template <uint32_t kBanks>
FORCE_INLINE void give_back() {
    push_now<0x37u << 24 | kBanks << 22 | 0xF>();
}

FORCE_INLINE void begin_section() {
    has_section = true;
    push_now<semaphore_wait(kHoldMatrix | kHoldVector, kSections, kWhileFull)>();
    // ZEROACC: all of Dst, or the half.
    if constexpr (HALLMARK_DST_FULL_SYNC) {
        push_now<0x10u << 24 | 3 << 19>();
    } else {
        push(0x10u << 24 | 2 << 19 | math_section);
    }
}

FORCE_INLINE void end_section() {
    HALLMARK_REQUIRE(has_section, "tile_regs_commit without tile_regs_acquire: MATH has no section of Dst to commit");
    has_section = false;
    push_now<stall_wait(kHoldSynchronization, kSectionUnits)>();
    push_now<semaphore_post(kSections)>();
    if constexpr (!HALLMARK_DST_FULL_SYNC) {
        math_section ^= 1;
    }
}

FORCE_INLINE void choose_tile(uint32_t index) {
    HALLMARK_REQUIRE(has_section, "MATH has no section of Dst here: call tile_regs_acquire first, and tile_regs_commit after the last operation");
    push(set_thread_word(kThreadDst, (math_section * kSectionTiles + index) * kTileRows));
}

// The unpacker writes a tile of Dst meanwhile.
FORCE_INLINE void let_unpack() {
    HALLMARK_REQUIRE(has_section, "MATH has no section of Dst here: call tile_regs_acquire first, and tile_regs_commit after the last operation");
    push_now<stall_wait(kHoldSynchronization, kMatrixDone | kVectorDone)>();
    push_now<semaphore_post(kGivenTile)>();
    push_now<semaphore_wait(kHoldMatrix | kHoldVector | kHoldSynchronization, kUnpackedTile, kWhileZero)>();
    push_now<semaphore_get(kUnpackedTile)>();
}

inline constexpr uint32_t kMoveA = 0x12u << 24 | 2 << 12;
inline constexpr uint32_t kAdd = 0x28u << 24, kSubtract = 0x30u << 24, kMultiply = 0x27u << 24, kMatrices = 0x26u << 24;

// How the rows of SrcB and Dst move on while those of SrcA do by 8: within a face, from face 0 to 1 and from 2 to 3, and from
// 1 to 2. Steps back are modulo the size of the register.
struct Steps {
    uint32_t b_within, b_beside, b_below, dst_beside = 8, dst_below = 8;
};
inline constexpr Steps kAllRows = {8, 8, 8};
// Row 0 of the faces 0 and 1, column 0 of the faces 0 and 2, and the first datum.
inline constexpr Steps kRowOfB = {0, 16, 64 - 16}, kColumnOfB = {8, 64 - 8, 24}, kDatumOfB = {0, 0, 0};
// Faces 1 and 2 change places.
inline constexpr Steps kTransposed = {8, 8, 8, 24, 1024 - 24};

template <const Steps& kSteps>
FORCE_INLINE void prepare_rows() {
    set_modifier<0, 8, kSteps.b_within, 8>();
    set_modifier<1, 8, kSteps.b_beside, kSteps.dst_beside>();
    set_modifier<2, 8, kSteps.b_below, kSteps.dst_below>();
    // Behind the last rows.
    set_modifier<3, kClears, kClears, kClearsDst | kNextPhase>();
}

template <uint32_t kInstruction>
FORCE_INLINE void for_rows() {
    push_now<kInstruction | with_modifier(0)>();
    push_now<kInstruction | with_modifier(1)>();
    push_now<kInstruction | with_modifier(0)>();
    push_now<kInstruction | with_modifier(2)>();
    push_now<kInstruction | with_modifier(0)>();
    push_now<kInstruction | with_modifier(1)>();
    push_now<kInstruction | with_modifier(0)>();
    push_now<kInstruction | with_modifier(3)>();
}

// All rows of so many faces: two stand beside each other, or one below the other where that makes no difference.
template <uint32_t kInstruction>
FORCE_INLINE void for_faces(uint32_t faces) {
    if (faces == 4) {
        for_rows<kInstruction>();
        return;
    }
    push_now<kInstruction | with_modifier(0)>();
    if (faces == 2) {
        push_now<kInstruction | with_modifier(1)>();
        push_now<kInstruction | with_modifier(0)>();
    }
    push_now<kInstruction | with_modifier(3)>();
}

// A tile of SrcA. 32 bits in Dst are a sum with 0.
FORCE_INLINE void copy_rows(uint32_t index, uint32_t faces = 4) {
    choose_tile(index);
    if constexpr (kWide) {
        for_faces<kAdd>(faces);
        give_back<3>();
    } else {
        for_faces<kMoveA>(faces);
        give_back<1>();
    }
}

// Bits of the operations: the sum is added to Dst; SrcB has one row, or one column.
inline constexpr uint32_t kOntoDst = 1 << 21, kOneRow = 1 << 20, kOneColumn = 1 << 19;

template <uint32_t kOperation>
FORCE_INLINE void combine_rows(uint32_t index, uint32_t faces = 4) {
    choose_tile(index);
    for (uint32_t phase = 0; phase < (kOperation >> 24 == kMultiply >> 24 ? kPhases : 1); ++phase) {
        for_faces<kOperation>(faces);
    }
    give_back<3>();
}

// Bits of moves of a row of SrcB: the row to 8 rows of Dst; 4 rows; of each row datum 0 to all columns.
inline constexpr uint32_t kMoveB = 0x13u << 24, kRowTo8 = 2 << kMoveModeBit, kFourRows = 4 << kMoveModeBit,
                          kDatumToAll = 1 << kMoveModeBit;

// The modifiers of operations on all rows, one of which changes nothing.
FORCE_INLINE void prepare_moves() {
    set_modifier<0, 8, 8, 8>();
    set_modifier<1, 0, 0, 0>();
    set_modifier<2, 0, 0, 1>();
    set_modifier<3, kClears, kClears, kClearsDst | kNextPhase>();
}

template <uint32_t kInstruction>
FORCE_INLINE void for_all_rows(uint32_t rows) {
    for (uint32_t row = 8; row < rows; row += 8) {
        push_now<kInstruction | with_modifier(0)>();
    }
    push_now<kInstruction | with_modifier(3)>();
}

// MOVD2A and MOVD2B: four rows.
inline constexpr uint32_t kRowsToA = 0x08u << 24 | 2 << 12, kRowsToB = 0x0Au << 24 | 2 << 12;

// The operation of a tile of Dst and a tile that was unpacked. Products are added to Dst, which is 0 for that.
template <uint32_t kOperation, bool kToA>
FORCE_INLINE void combine_with_dst(uint32_t index, uint32_t faces) {
    const uint32_t rows = faces * kFaceRows;
    constexpr bool multiplies = kOperation >> 24 == kMultiply >> 24;
    choose_tile(index);
    // These moves do not wait for the bank themselves, and the condition alone can be that of the bank before (MOVD2A.md,
    // MOVD2B.md, STALLWAIT.md).
    push_now<stall_wait(kHoldMatrix, kMatrixDone | (kToA ? kAGiven : kBGiven))>();
    for (uint32_t row = 0; row < rows; row += 4) {
        push((kToA ? kRowsToA : kRowsToB) | with_modifier(1) | row << 17 | row);
    }
    if constexpr (multiplies) {
        // ZEROACC: a row, and the counter goes to the next one.
        for (uint32_t row = 0; row < rows; ++row) {
            push_now<0x10u << 24 | with_modifier(2)>();
        }
        // SETRWC: the counter of Dst is 0.
        push_now<0x37u << 24 | 4>();
    }
    for (uint32_t phase = 0; phase < (multiplies ? kPhases : 1); ++phase) {
        for_all_rows<kOperation>(rows);
    }
    give_back<3>();
}

// Whether the faces 1 and 2 of SrcA have changed places.
inline bool transposes_matrix;
// The faces of a tile of SrcB in a column and in a row of it, and those of a tile of SrcA in a row.
struct MatrixShapes {
    uint32_t below, inner, beside;
};
inline constexpr MatrixShapes kWholeMatrices = {2, 2, 2};
inline MatrixShapes matrix_shapes = kWholeMatrices;

ALWI MatrixShapes shapes_of_matrices(uint32_t in0, uint32_t in1) {
    if constexpr (kSmallTiles) {
        return {faces_below(in0), faces_beside(in0), faces_beside(in1)};
    }
    return kWholeMatrices;
}
constexpr bool are_equal(const MatrixShapes& a, const MatrixShapes& b) {
    return a.below == b.below && a.inner == b.inner && a.beside == b.beside;
}

template <uint32_t kDown, uint32_t kBAtEnd>
FORCE_INLINE void set_matrix_steps() {
    set_modifier<2, kDown, 8, 0>();
    set_modifier<3, (64 - kDown) % 64, kBAtEnd, kPhases == 1 ? 0 : kNextPhase>();
}

// As for whole tiles, with other steps: a face of SrcA has the lower one behind it if the tile is one face wide or is transposed. SrcB
// goes back to row 0 from row 24, and from row 8 of a tile of one face.
FORCE_INLINE void prepare_small_matrices(bool transposes, const MatrixShapes& shapes) {
    set_modifier<0, 0, 8, 0>();
    set_modifier<1, 0, 24, 0>();
    if (shapes.inner == 1) {
        if (shapes.below == 1) {
            set_matrix_steps<0, 64 - 8>();
        } else {
            set_matrix_steps<0, 64 - 24>();
        }
    } else if (transposes || shapes.beside == 1) {
        set_matrix_steps<16, 64 - 24>();
    } else {
        set_matrix_steps<32, 64 - 24>();
    }
}

// A product of matrices is that of 8 rows of SrcB and 16 of SrcA. The faces of SrcA stand in rows 0, 16, 32 and 48. The
// faces of Dst in a column use two of them: 0 and 32, or 16 and 48; transposed, 0 and 16, or 32 and 48.
FORCE_INLINE void prepare_matrices(bool transposes, const MatrixShapes& shapes) {
    transposes_matrix = transposes;
    if constexpr (kSmallTiles) {
        matrix_shapes = shapes;
        if (!are_equal(shapes, kWholeMatrices)) {
            prepare_small_matrices(transposes, shapes);
            return;
        }
    }
    set_modifier<0, 0, 8, 0>();
    // From row 8 of a face of SrcB to the face below.
    set_modifier<1, 0, 24, 0>();
    // To the lower face of SrcA, and from row 40 of SrcB to row 48; to the upper face, and from row 24 to row 0.
    if (transposes) {
        set_modifier<2, 16, 8, 0>();
        set_modifier<3, 64 - 16, 40, kPhases == 1 ? 0 : kNextPhase>();
    } else {
        set_modifier<2, 32, 8, 0>();
        set_modifier<3, 64 - 32, 40, kPhases == 1 ? 0 : kNextPhase>();
    }
}

template <uint32_t kColumn>
FORCE_INLINE void multiply_column() {
    constexpr uint32_t rows = kColumn * 16;
    for (uint32_t phase = 0; phase < kPhases; ++phase) {
        push_now<kMatrices | with_modifier(0) | (rows + 0)>();
        push_now<kMatrices | with_modifier(1) | (rows + 8)>();
        push_now<kMatrices | with_modifier(0) | (rows + 32)>();
        push_now<kMatrices | with_modifier(2) | (rows + 40)>();
        push_now<kMatrices | with_modifier(0) | (rows + 32)>();
        push_now<kMatrices | with_modifier(1) | (rows + 40)>();
        push_now<kMatrices | with_modifier(0) | (rows + 0)>();
        push_now<kMatrices | with_modifier(3) | (rows + 8)>();
    }
}

// Eight rows of SrcB times a face of SrcA.
template <uint32_t kModifier>
FORCE_INLINE void multiply_rows(uint32_t row) {
    push(kMatrices | with_modifier(kModifier) | row);
}

// The faces of Dst in a column begin with the rows `upper` and `lower`.
FORCE_INLINE void multiply_small_column(const MatrixShapes& shapes, uint32_t upper, uint32_t lower) {
    for (uint32_t phase = 0; phase < kPhases; ++phase) {
        multiply_rows<0>(upper);
        if (shapes.below == 2 && shapes.inner == 2) {
            multiply_rows<1>(upper + 8);
            multiply_rows<0>(lower);
            multiply_rows<2>(lower + 8);
            multiply_rows<0>(lower);
            multiply_rows<1>(lower + 8);
            multiply_rows<0>(upper);
        } else if (shapes.below == 2) {
            multiply_rows<0>(upper + 8);
            multiply_rows<0>(lower);
            multiply_rows<3>(lower + 8);
            continue;
        } else if (shapes.inner == 2) {
            multiply_rows<2>(upper + 8);
            multiply_rows<0>(upper);
        }
        multiply_rows<3>(upper + 8);
    }
}

FORCE_INLINE void multiply_small_matrices(const MatrixShapes& shapes) {
    const uint32_t lower = shapes.beside * kFaceRows;
    multiply_small_column(shapes, 0, lower);
    if (shapes.beside == 2) {
        // As for whole tiles.
        push_now<0x37u << 24 | 8>();
        for (uint32_t steps = transposes_matrix ? 4 : 2; steps > 0; --steps) {
            push_now<0x38u << 24 | 8 << 6>();
        }
        multiply_small_column(shapes, kFaceRows, lower + kFaceRows);
    }
    give_back<3>();
}

// SrcB times SrcA is added to Dst.
FORCE_INLINE void multiply_matrices(uint32_t index, const MatrixShapes& shapes) {
    choose_tile(index);
    if constexpr (kSmallTiles) {
        if (!are_equal(shapes, kWholeMatrices)) {
            multiply_small_matrices(shapes);
            return;
        }
    }
    multiply_column<0>();
    // SETRWC: fidelity phase 0. INCRWC: SrcA 16 rows further, or 32, in steps of 8.
    push_now<0x37u << 24 | 8>();
    for (uint32_t steps = transposes_matrix ? 4 : 2; steps > 0; --steps) {
        push_now<0x38u << 24 | 8 << 6>();
    }
    multiply_column<1>();
    give_back<3>();
}

}  // namespace hallmark
