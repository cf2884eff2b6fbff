// MATH: means and variances of the columns of tiles in Dst. Between the calls, registers of the vector unit hold what has been
// accumulated, so that functions of tiles come before or after a statistic.
#pragma once

#include "hallmark/vector_thread.h"

namespace hallmark {

// The registers: data, and of each column the mean (or the anchor that data are shifted by), the sum, a second sum, and the
// anchor that is kept, or a scalar.
inline constexpr uint32_t kMean = 4, kSum = 5, kSecondSum = 6, kAnchor = 7, kScalar = 7;
inline constexpr uint32_t kZero = sfpi::CREG_IDX_0, kOne = sfpi::CREG_IDX_1, kMinusOne = sfpi::CREG_IDX_NEG_1;

// Registers are named, and the compiler has none of its own in them meanwhile.
FORCE_INLINE void take_registers() {
#ifdef HALLMARK_FOLLOWED_CONDITIONS
    using sfpi::impl_::in_condition;
#endif
#ifdef __riscv_flen
    HALLMARK_CHANGE_OF_FLAGS("" : : : "memory", "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7");
#endif
}

FORCE_INLINE void begin_statistics(uint32_t index) {
    take_registers();
    begin_vectors(index);
}

FORCE_INLINE void end_statistics() {
    end_vectors();
    take_registers();
}

// Wormhole does not wait for a product or a sum (SFPMAD.md, "Instruction scheduling").
template <uint32_t WORD>
FORCE_INLINE void push_arithmetic() {
    push_now<WORD>();
#if !defined(ARCH_BLACKHOLE)
    push_now<0x8Fu << 24>();
#endif
}

// SFPMAD, SFPADD, SFPMUL and SFPMOV.
template <uint32_t A, uint32_t B, uint32_t C, uint32_t RESULT>
FORCE_INLINE void multiply_add() {
    push_arithmetic<0x84u << 24 | A << 16 | B << 12 | C << 8 | RESULT << 4>();
}
template <uint32_t A, uint32_t B>
FORCE_INLINE void add_to() {
    push_arithmetic<0x85u << 24 | kOne << 16 | A << 12 | B << 8 | B << 4>();
}
template <uint32_t A, uint32_t B, uint32_t RESULT>
FORCE_INLINE void multiply() {
    push_arithmetic<0x86u << 24 | A << 16 | B << 12 | kZero << 8 | RESULT << 4>();
}
// C less A.
template <uint32_t A, uint32_t C, uint32_t RESULT>
FORCE_INLINE void subtract() {
    multiply_add<kMinusOne, A, C, RESULT>();
}
template <uint32_t FROM, uint32_t TO>
FORCE_INLINE void move() {
    push_now<0x7Cu << 24 | FROM << 8 | TO << 4>();
}

// SFPLOADI: the upper and the lower half.
template <uint32_t REGISTER>
FORCE_INLINE void load_scalar(uint32_t bits) {
    push(0x71u << 24 | REGISTER << 20 | sfpi::SFPLOADI_MOD0_FLOATB << 16 | bits >> 16);
    push(0x71u << 24 | REGISTER << 20 | sfpi::SFPLOADI_MOD0_LOWER << 16 | (bits & 0xFFFF));
}
template <uint32_t... REGISTERS>
FORCE_INLINE void clear() {
    (push_now<0x71u << 24 | REGISTERS << 20 | sfpi::SFPLOADI_MOD0_FLOATB << 16>(), ...);
}

// SFPLOAD and SFPSTORE, in the format of Dst. The rows are those of a vector: the even columns of four rows of a face.
template <uint32_t REGISTER>
FORCE_INLINE void load_rows(uint32_t row) {
    push(0x70u << 24 | REGISTER << 20 | sfpi::SFPLOAD_MOD0_FMT_SRCB << 16 |
         uint32_t{sfpi::SFPLOAD_ADDR_MODE_NOINC} << sfpi::impl_::ADDRESS_MODE_SHIFT | row);
}
template <uint32_t REGISTER>
FORCE_INLINE void store_rows(uint32_t row) {
    push(0x72u << 24 | REGISTER << 20 | sfpi::SFPSTORE_MOD0_FMT_SRCB << 16 |
         uint32_t{sfpi::SFPSTORE_ADDR_MODE_NOINC} << sfpi::impl_::ADDRESS_MODE_SHIFT | row);
}

// SFPTRANSP: the rows of the registers 0 to 3 change places, and so do those of 4 to 7.
FORCE_INLINE void transpose_registers() { push_now<0x8Cu << 24>(); }

// The vectors of four rows of a tile: even and odd columns of the left face, and of the right one.
inline constexpr uint32_t kVectorsOfRows[] = {0, 2, 16, 18};

// The row of Dst, of a tile's own, with which four rows begin.
constexpr uint32_t place_of_row(uint32_t row) { return row / kFaceRows * 2 * kFaceRows + row % kFaceRows; }

// Four rows of a tile, from `row` on, into the registers 0 to 3, of which each has a row. The others stay as they are.
FORCE_INLINE void load_four_rows(uint32_t row) {
    const uint32_t place = place_of_row(row);
    transpose_registers();
    load_rows<0>(place + kVectorsOfRows[0]);
    load_rows<1>(place + kVectorsOfRows[1]);
    load_rows<2>(place + kVectorsOfRows[2]);
    load_rows<3>(place + kVectorsOfRows[3]);
    transpose_registers();
}

// Four registers into rows of a tile.
template <uint32_t FIRST>
FORCE_INLINE void store_four_rows(uint32_t place) {
    store_rows<FIRST>(place + kVectorsOfRows[0]);
    store_rows<FIRST + 1>(place + kVectorsOfRows[1]);
    store_rows<FIRST + 2>(place + kVectorsOfRows[2]);
    store_rows<FIRST + 3>(place + kVectorsOfRows[3]);
}

// To the nearest bfloat16, ties to even, where Dst has such: otherwise a store cuts off. Two registers are overwritten.
template <uint32_t REGISTER, uint32_t SPARE, uint32_t OTHER_SPARE>
FORCE_INLINE void round_for_store() {
    if constexpr (kWide || kLongExponents == 0) {
        return;
    }
    if constexpr (kExponentsDiffer) {
        if (short_exponents_in_b) {
            return;
        }
    }
    move<REGISTER, SPARE>();
    // SFPSHFT by -16, SFPAND with 1, SFPIADD of that bit and of 0x7FFF.
    push_now<0x7Au << 24 | (0xFF0u << 12) | SPARE << 4 | 1>();
    push_now<0x71u << 24 | OTHER_SPARE << 20 | sfpi::SFPLOADI_MOD0_USHORT << 16 | 1>();
    push_now<0x7Eu << 24 | OTHER_SPARE << 8 | SPARE << 4>();
    push_now<0x79u << 24 | SPARE << 8 | REGISTER << 4 | sfpi::SFPIADD_MOD1_CC_NONE>();
    push_now<0x71u << 24 | OTHER_SPARE << 20 | sfpi::SFPLOADI_MOD0_USHORT << 16 | 0x7FFF>();
    push_now<0x79u << 24 | OTHER_SPARE << 8 | REGISTER << 4 | sfpi::SFPIADD_MOD1_CC_NONE>();
}

// An operation on each of the rows from `first` to before `last`, with the register that has the row as a template argument.
// `begin` comes before the first row of all.
template <typename BEGIN, typename OPERATION>
FORCE_INLINE void for_statistics_rows(uint32_t first, uint32_t last, BEGIN begin, OPERATION operation) {
    bool begins = true;
    for (uint32_t block = first & ~3u; block < last; block += 4) {
        load_four_rows(block);
        const auto one = [&](auto number) __attribute__((always_inline)) {
            const uint32_t row = block + number;
            if (row >= first && row < last) {
                if (begins) {
                    begin(number);
                    begins = false;
                }
                operation(number);
            }
        };
        one(std::integral_constant<uint32_t, 0>{});
        one(std::integral_constant<uint32_t, 1>{});
        one(std::integral_constant<uint32_t, 2>{});
        one(std::integral_constant<uint32_t, 3>{});
    }
}

// With two sums, every other row goes to the second one.
template <bool TWO, uint32_t ROW>
inline constexpr uint32_t kSumOfRow = TWO && ROW % 2 == 1 ? kSecondSum : kSum;

// Sums of the differences from the anchor, which may be the first row.
template <bool TAKES_ANCHOR, bool TWO>
FORCE_INLINE void add_shifted_rows(uint32_t index, uint32_t first, uint32_t rows) {
    begin_statistics(index);
    for_statistics_rows(
        first, first + rows,
        [](auto row) __attribute__((always_inline)) {
            if constexpr (TAKES_ANCHOR) {
                move<row(), kMean>();
                clear<kSum>();
                if constexpr (TWO) {
                    clear<kSecondSum>();
                }
            }
        },
        [](auto row) __attribute__((always_inline)) {
            subtract<kMean, row(), row()>();
            add_to<row(), kSumOfRow<TWO, row()>>();
        });
    end_statistics();
}

// Sums of the squares of the differences from the mean.
template <bool TWO>
FORCE_INLINE void add_squares(uint32_t index, uint32_t first, uint32_t rows) {
    begin_statistics(index);
    for_statistics_rows(
        first, first + rows, [](auto) __attribute__((always_inline)) {},
        [](auto row) __attribute__((always_inline)) {
            subtract<kMean, row(), row()>();
            constexpr uint32_t sum = kSumOfRow<TWO, row()>;
            multiply_add<row(), row(), sum, sum>();
        });
    end_statistics();
}

// The mean and the sum of squares with one more row each, whose number's reciprocal is that of the table.
template <typename RECIPROCAL>
FORCE_INLINE void add_welford_rows(uint32_t index, uint32_t first, uint32_t rows, RECIPROCAL reciprocal) {
    begin_statistics(index);
    for_statistics_rows(
        first, first + rows, [](auto) __attribute__((always_inline)) {},
        [&](auto row) __attribute__((always_inline)) {
            load_scalar<kScalar>(reciprocal());
            subtract<kMean, row(), kSecondSum>();
            multiply_add<kSecondSum, kScalar, kMean, kMean>();
            subtract<kMean, row(), row()>();
            multiply_add<kSecondSum, row(), kSum, kSum>();
        });
    end_statistics();
}

template <bool TWO>
FORCE_INLINE void join_sums() {
    if constexpr (TWO) {
        add_to<kSecondSum, kSum>();
    }
}

template <bool TWO, bool KEEPS_ANCHOR>
FORCE_INLINE void finish_mean(uint32_t reciprocal) {
    take_registers();
    join_sums<TWO>();
    load_scalar<0>(reciprocal);
    if constexpr (KEEPS_ANCHOR) {
        move<kMean, kAnchor>();
    }
    multiply_add<kSum, 0, kMean, kMean>();
    clear<kSum, kSecondSum>();
    take_registers();
}

template <uint32_t... REGISTERS>
FORCE_INLINE void clear_statistics() {
    take_registers();
    clear<REGISTERS...>();
    take_registers();
}

// A group's vectors in the tiles of the mean and of the sum of squares.
constexpr uint32_t vector_of_group(uint32_t group) { return 4 * group; }

FORCE_INLINE void store_state(uint32_t group) {
    move<kMean, 0>();
    round_for_store<0, 1, 2>();
    store_rows<0>(vector_of_group(group));
    move<kSum, 0>();
    round_for_store<0, 1, 2>();
    store_rows<0>(kTileRows + vector_of_group(group));
}

FORCE_INLINE void load_state(uint32_t group) {
    load_rows<kMean>(vector_of_group(group));
    load_rows<kSum>(kTileRows + vector_of_group(group));
}

// The variance in register 0.
FORCE_INLINE void compute_variance(uint32_t reciprocal) {
    load_scalar<1>(reciprocal);
    multiply<kSum, 1, 0>();
    round_for_store<0, 1, 2>();
}

// Rows of two tiles, of which the first one may stay as it is.
template <bool TWO, bool STORES_MEAN>
FORCE_INLINE void store_mean_and_variance(uint32_t index, uint32_t reciprocal) {
    begin_statistics(index);
    join_sums<TWO>();
    compute_variance(reciprocal);
    move<0, kSum>();
    if constexpr (STORES_MEAN) {
        move<kMean, 0>();
        round_for_store<0, 1, 2>();
    }
    move<kSum, kMean>();
    clear<1, 2, 3, 5, 6, 7>();
    transpose_registers();
    if constexpr (STORES_MEAN) {
        store_four_rows<0>(0);
    }
    store_four_rows<4>(kTileRows);
    end_statistics();
}

// Row 0 of the first tile is the anchor, and row 16 the anchor less the mean.
template <bool TWO>
FORCE_INLINE void store_split_mean_and_variance(uint32_t index, uint32_t reciprocal) {
    begin_statistics(index);
    join_sums<TWO>();
    compute_variance(reciprocal);
    clear<1, 2, 3>();
    // The registers 4 to 7 are transposed twice.
    transpose_registers();
    store_four_rows<0>(kTileRows);
    transpose_registers();
    subtract<kMean, kAnchor, kMean>();
    round_for_store<kMean, 1, 2>();
    move<kAnchor, 0>();
    round_for_store<0, 1, 2>();
    clear<1, 2, 3, 5, 6, 7>();
    transpose_registers();
    store_four_rows<0>(0);
    store_four_rows<4>(2 * kFaceRows);
    end_statistics();
}

template <bool TWO>
FORCE_INLINE void store_mean_and_variance_of_group(uint32_t index, uint32_t group, uint32_t reciprocal) {
    begin_statistics(index);
    join_sums<TWO>();
    compute_variance(reciprocal);
    store_rows<0>(kTileRows + vector_of_group(group));
    move<kMean, 0>();
    round_for_store<0, 1, 2>();
    store_rows<0>(vector_of_group(group));
    clear<kSecondSum>();
    end_statistics();
}

// The state that Dst holds, of the numbers before, with that of the `numbers` in the registers.
template <bool TWO>
FORCE_INLINE void combine_states(uint32_t index, uint32_t reciprocal_of_all, uint32_t numbers) {
    begin_statistics(index);
    join_sums<TWO>();
    // Register 2: the share of these numbers; 3: what the square of the means' difference counts.
    load_scalar<2>(reciprocal_of_all);
    load_scalar<3>(numbers);
    load_scalar<1>(numbers ^ 0x80000000u);
    multiply<2, 3, 2>();
    multiply_add<2, 1, 3, 3>();
    load_rows<0>(0);
    load_rows<1>(kTileRows);
    add_to<1, kSum>();
    subtract<0, kMean, 1>();
    multiply_add<1, 2, 0, kMean>();
    multiply<1, 1, 1>();
    multiply_add<1, 3, kSum, kSum>();
    clear<kSecondSum>();
    store_state(0);
    end_statistics();
}

// Each row becomes the sum of all rows up to it, and those of the tiles before.
FORCE_INLINE void add_up_rows(uint32_t index, bool begins) {
    begin_statistics(index);
    if (begins) {
        clear<kSum>();
    }
    for (uint32_t row = 0; row < kTileColumns; row += 4) {
        load_four_rows(row);
        add_to<kSum, 0>();
        add_to<0, 1>();
        add_to<1, 2>();
        add_to<2, 3>();
        move<3, kSum>();
        round_for_store<0, 6, 7>();
        round_for_store<1, 6, 7>();
        round_for_store<2, 6, 7>();
        round_for_store<3, 6, 7>();
        transpose_registers();
        store_four_rows<0>(place_of_row(row));
        // Back again, for the registers 4 to 7.
        transpose_registers();
    }
    end_statistics();
}

template <uint32_t REGISTER>
FORCE_INLINE void store_register(uint32_t index, uint32_t row) {
    begin_statistics(index);
    move<REGISTER, 0>();
    round_for_store<0, 1, 2>();
    store_rows<0>(row);
    end_statistics();
}
template <uint32_t REGISTER>
FORCE_INLINE void load_register(uint32_t index, uint32_t row) {
    begin_statistics(index);
    load_rows<REGISTER>(row);
    end_statistics();
}

}  // namespace hallmark
