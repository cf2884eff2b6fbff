// MATH: sums and maxima of the rows, of the columns and of all data of a tile.
#pragma once

#include "hallmark/math_thread.h"
#include "llk_defs.h"

namespace hallmark {

// Row 0 of a face of SrcB times a face of SrcA, added to a row of Dst; the largest of the columns of a face and of a row of
// Dst. SrcB scales: row 0 of its face.
inline constexpr uint32_t kSumOfColumns = 0x34u << 24 | 1 << 19, kMostOfColumns = 0x33u << 24 | 1 << 19;
inline constexpr uint32_t kClearsPhase = 1 << 15;
inline constexpr uint32_t kFirstSpareRow = 4;

// The modifier of these two instructions stands beside that of the others on Blackhole.
constexpr uint32_t pool_modifier(uint32_t number) { return number << 15; }

// SETRWC: all counters are 0, and the counter of SrcB alone.
inline constexpr uint32_t kClearCounters = 0x37u << 24 | 0xF, kClearCounterOfB = 0x37u << 24 | 2;

inline constexpr uint32_t kRowFromDst = 0x0Au << 24, kTransposeB = 0x16u << 24, kFourRowsToA = 0x0Bu << 24 | 2 << 12;
// ZEROACC of a row; ZEROSRC of the matrix unit's bank of SrcA.
inline constexpr uint32_t kForgetRow = 0x10u << 24, kZeroA = 0x11u << 24 | 1 << 3 | 1;
// GATESRCRST: what a move has changed in SrcB or SrcA is not read out of the unit's cache (GATESRCRST.md).
inline constexpr uint32_t kForgetCache = 0x35u << 24 | 3;
constexpr uint32_t row_of_source(uint32_t row) { return row << 17; }

// Rows of SrcB that TRNSPSRCB transposes.
inline constexpr uint32_t kTransposedRows = 16;

template <uint32_t kOperation>
inline constexpr uint32_t kPhasesOf = kOperation == kMostOfColumns ? 1 : kPhases;

// A face into a row of Dst, and the counters go to the next face.
template <uint32_t kOperation, uint32_t kRow>
FORCE_INLINE void pool_face() {
    for (uint32_t phase = 1; phase < kPhasesOf<kOperation>; ++phase) {
        push_now<kOperation | pool_modifier(0) | kRow>();
    }
    push_now<kOperation | pool_modifier(1) | kRow>();
}

// Modifiers 0 and 2 move the counter of SrcB on; modifier 1 goes to the next face, and modifier 3 changes nothing.
template <uint32_t kBOf0, uint32_t kPhaseOf0, uint32_t kBOf2>
FORCE_INLINE void prepare_pools() {
    set_modifier<0, 0, kBOf0, kPhaseOf0>();
    set_modifier<1, 16, 16, kClearsPhase>();
    set_modifier<2, 0, kBOf2, 0>();
    set_modifier<3, 0, 0, 0>();
}

template <ckernel::PoolType kType>
constexpr uint32_t pool_operation() {
    static_assert(kType != ckernel::PoolType::MIN, "the matrix unit has no minimum: SUM, AVG or MAX");
    return kType == ckernel::PoolType::MAX ? kMostOfColumns : kSumOfColumns;
}

template <ckernel::PoolType kType, ckernel::ReduceDim kDimension>
inline constexpr bool kMultipliesRows = kDimension == ckernel::ReduceDim::REDUCE_ROW && kType != ckernel::PoolType::MAX;

// The faces of a tile, in a column and in a row of it, that the last init was for.
inline uint32_t reduced_below = 2, reduced_beside = 2;

template <ckernel::PoolType kType, ckernel::ReduceDim kDimension>
FORCE_INLINE void prepare_reduction(uint32_t below, uint32_t beside) {
    const bool is_small = kSmallTiles && below * beside != 4;
    if constexpr (kSmallTiles) {
        reduced_below = below;
        reduced_beside = beside;
    }
    using ckernel::ReduceDim;
    constexpr uint32_t operation = pool_operation<kType>();
    constexpr uint32_t next_phase = kPhasesOf<operation> == 1 ? 0 : kNextPhase;
    if constexpr (kMultipliesRows<kType, kDimension>) {
        // Scaling rows in SrcA, transposed, and data in SrcB: column 0 of the product holds the sums.
        set_modifier<0, 0, 8, 8>();
        set_modifier<1, 0, 24, 24>();
        if (is_small) {
            // From row 8 of SrcB to the face beside, and to the first rows of Dst again. The scaling rows are those of one face.
            set_modifier<2, 0, 8, 1024 - 8>();
        } else {
            // From row 40 of SrcB and Dst to the faces beside face 0, and those of Dst again.
            set_modifier<2, 16, 64 - 24, 1024 - 40>();
        }
        set_modifier<3, kClears, kClears, kClearsDst | kNextPhase>();
    } else if constexpr (kDimension == ReduceDim::REDUCE_ROW) {
        prepare_pools<8, 0, 16>();
    } else if constexpr (kDimension == ReduceDim::REDUCE_COL) {
        prepare_pools<0, next_phase, 0>();
    } else if (is_small) {
        prepare_pools<0, next_phase, 0>();
    } else {
        prepare_pools<0, next_phase, 48>();
    }
    // The moves of maxima keep all numbers; GMPOOL itself takes denormals for 0 (GMPOOL.md).
    keep_denormals<kDimension == ReduceDim::REDUCE_ROW && kType == ckernel::PoolType::MAX>();
}

// The maxima of 16 rows, which a row of Dst holds, into column 0 of these rows. Row 0 of the face still holds them, so that
// the next tile goes on with them.
template <uint32_t kRow>
FORCE_INLINE void spread_maxima() {
    push_now<kRowFromDst | row_of_source(kTransposedRows) | with_modifier(3) | kRow>();
    push_now<kTransposeB>();
    push_now<kRowFromDst | row_of_source(kTransposedRows) | with_modifier(2) | kRow>();
    push_now<kAdd | with_modifier(0) | kRow>();
    push_now<kAdd | with_modifier(0) | (kRow + 8)>();
    push_now<kClearCounterOfB>();
}

// The row into a column of SrcA, and the column into a datum.
template <uint32_t kOperation>
FORCE_INLINE void reduce_spare_row() {
    push_now<kClearCounters>();
    push_now<kRowFromDst | row_of_source(kTransposedRows) | with_modifier(3) | kFirstSpareRow>();
    push_now<kForgetCache>();
    push_now<kTransposeB>();
    push_now<kForgetCache>();
    push_now<kFourRowsToA | row_of_source(0) | with_modifier(3) | kTransposedRows>();
    push_now<kFourRowsToA | row_of_source(4) | with_modifier(3) | (kTransposedRows + 4)>();
    push_now<kFourRowsToA | row_of_source(8) | with_modifier(3) | (kTransposedRows + 8)>();
    // The scaling row of the last face scales this time.
    push_now<kFourRowsToA | row_of_source(12) | with_modifier(2) | (kTransposedRows + 12)>();
    push_now<kForgetCache>();
    push_now<kForgetRow | with_modifier(3) | kFirstSpareRow>();
    pool_face<kOperation, 0>();
}

// Rows of SrcB times scaling rows, of one face or of two, which stand beside each other or one below the other.
FORCE_INLINE void multiply_small_rows(uint32_t below, uint32_t beside) {
    push_now<kMatrices | with_modifier(0)>();
    if (beside == 2) {
        push_now<kMatrices | with_modifier(2)>();
        push_now<kMatrices | with_modifier(0)>();
    } else if (below == 2) {
        push_now<kMatrices | with_modifier(0)>();
        push_now<kMatrices | with_modifier(0)>();
    }
    push_now<kMatrices | with_modifier(3)>();
}

// Maxima of the faces beside each other, in a row of Dst.
template <uint32_t kOperation, uint32_t kRow>
FORCE_INLINE void pool_row_of_faces(uint32_t beside) {
    pool_face<kOperation, kRow>();
    if (beside == 2) {
        pool_face<kOperation, kRow>();
    }
}

template <ckernel::PoolType kType, ckernel::ReduceDim kDimension>
FORCE_INLINE void reduce_small_faces(uint32_t below, uint32_t beside) {
    using ckernel::ReduceDim;
    constexpr uint32_t operation = pool_operation<kType>();
    if constexpr (kMultipliesRows<kType, kDimension>) {
        for (uint32_t phase = 0; phase < kPhases; ++phase) {
            multiply_small_rows(below, beside);
        }
    } else if constexpr (kDimension == ReduceDim::REDUCE_ROW) {
        pool_row_of_faces<operation, 0>(beside);
        if (below == 2) {
            pool_row_of_faces<operation, 16>(beside);
        }
        push_now<kClearCounters>();
        push_now<kZeroA>();
        spread_maxima<0>();
        if (below == 2) {
            spread_maxima<16>();
        }
    } else if constexpr (kDimension == ReduceDim::REDUCE_COL) {
        pool_face<operation, 0>();
        if (beside == 2) {
            pool_face<operation, 16>();
        } else if (below == 2) {
            pool_face<operation, 0>();
        }
    } else {
        pool_row_of_faces<operation, kFirstSpareRow>(below * beside);
        reduce_spare_row<operation>();
    }
}

template <ckernel::PoolType kType, ckernel::ReduceDim kDimension>
FORCE_INLINE void reduce_faces(uint32_t index, uint32_t below, uint32_t beside) {
    using ckernel::ReduceDim;
    constexpr uint32_t operation = pool_operation<kType>();
    choose_tile(index);
    if (kSmallTiles && below * beside != 4) {
        reduce_small_faces<kType, kDimension>(below, beside);
        give_back<3>();
        return;
    }
    if constexpr (kMultipliesRows<kType, kDimension>) {
        for (uint32_t phase = 0; phase < kPhases; ++phase) {
            for_rows<kMatrices>();
        }
    } else if constexpr (kDimension == ReduceDim::REDUCE_ROW) {
        pool_face<operation, 0>();
        pool_face<operation, 0>();
        pool_face<operation, 32>();
        pool_face<operation, 32>();
        push_now<kClearCounters>();
        push_now<kZeroA>();
        spread_maxima<0>();
        spread_maxima<32>();
    } else if constexpr (kDimension == ReduceDim::REDUCE_COL) {
        pool_face<operation, 0>();
        pool_face<operation, 16>();
        pool_face<operation, 0>();
        pool_face<operation, 16>();
    } else {
        // All columns into a row.
        pool_face<operation, kFirstSpareRow>();
        pool_face<operation, kFirstSpareRow>();
        pool_face<operation, kFirstSpareRow>();
        pool_face<operation, kFirstSpareRow>();
        reduce_spare_row<operation>();
    }
    give_back<3>();
}

}  // namespace hallmark
