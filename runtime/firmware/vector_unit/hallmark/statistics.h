// MATH: means and variances of the columns of tiles in Dst. Between the calls, registers of the vector unit hold what has been
// accumulated, so that functions of tiles come before or after a statistic.
#pragma once

#include "hallmark/rows_of_tiles.h"

namespace hallmark {

// The registers: data, and of each column the mean (or the anchor that data are shifted by), the sum, a second sum, and the
// anchor that is kept, or a scalar.
inline constexpr uint32_t kMean = 4, kSum = 5, kSecondSum = 6, kAnchor = 7, kScalar = 7;

// The registers have a statistic, as long as no other function of the vector unit comes.
FORCE_INLINE void leave_statistics() { leave(upper_registers(Content::kStatistics)); }

FORCE_INLINE void end_statistics() {
    end_numbered();
    leave_statistics();
}

// An operation on each of the rows from `first` to before `last`, with the register that has the row as a template argument.
// `begin` comes before the first row of all.
template <typename Begin, typename Operation>
FORCE_INLINE void for_statistics_rows(uint32_t first, uint32_t last, Begin begin, Operation operation) {
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
template <bool kTwo, uint32_t kRow>
inline constexpr uint32_t kSumOfRow = kTwo && kRow % 2 == 1 ? kSecondSum : kSum;

// Sums of the differences from the anchor, which may be the first row.
template <bool kTakesAnchor, bool kTwo>
FORCE_INLINE void add_shifted_rows(uint32_t index, uint32_t first, uint32_t rows) {
    begin_numbered(index);
    for_statistics_rows(
        first, first + rows,
        [](auto row) __attribute__((always_inline)) {
            if constexpr (kTakesAnchor) {
                move<row(), kMean>();
                clear<kSum>();
                if constexpr (kTwo) {
                    clear<kSecondSum>();
                }
            }
        },
        [](auto row) __attribute__((always_inline)) {
            subtract<kMean, row(), row()>();
            add_to<row(), kSumOfRow<kTwo, row()>>();
        });
    end_statistics();
}

// Sums of the squares of the differences from the mean.
template <bool kTwo>
FORCE_INLINE void add_squares(uint32_t index, uint32_t first, uint32_t rows) {
    begin_numbered(index);
    for_statistics_rows(
        first, first + rows, [](auto) __attribute__((always_inline)) {},
        [](auto row) __attribute__((always_inline)) {
            subtract<kMean, row(), row()>();
            constexpr uint32_t sum = kSumOfRow<kTwo, row()>;
            multiply_add<row(), row(), sum, sum>();
        });
    end_statistics();
}

// The mean and the sum of squares with one more row each, whose number's reciprocal is that of the table.
template <typename Reciprocal>
FORCE_INLINE void add_welford_rows(uint32_t index, uint32_t first, uint32_t rows, Reciprocal reciprocal) {
    begin_numbered(index);
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

template <bool kTwo>
FORCE_INLINE void join_sums() {
    if constexpr (kTwo) {
        add_to<kSecondSum, kSum>();
    }
}

template <bool kTwo, bool kKeepsAnchor>
FORCE_INLINE void finish_mean(uint32_t reciprocal) {
    take_registers();
    join_sums<kTwo>();
    load_scalar<0>(reciprocal);
    if constexpr (kKeepsAnchor) {
        move<kMean, kAnchor>();
    }
    multiply_add<kSum, 0, kMean, kMean>();
    clear<kSum, kSecondSum>();
    take_registers();
    leave_statistics();
}

template <uint32_t... kRegisters>
FORCE_INLINE void clear_statistics() {
    take_registers();
    clear<kRegisters...>();
    take_registers();
    leave_statistics();
}

// A group's vectors in the tiles of the mean and of the sum of squares.
constexpr uint32_t vector_of_group(uint32_t group) { return 4 * group; }

FORCE_INLINE void store_state(uint32_t group) {
    move<kMean, 0>();
    store_rows<0>(vector_of_group(group));
    move<kSum, 0>();
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
}

// Rows of two tiles, of which the first one may stay as it is.
template <bool kTwo, bool kStoresMean>
FORCE_INLINE void store_mean_and_variance(uint32_t index, uint32_t reciprocal) {
    begin_numbered(index);
    join_sums<kTwo>();
    compute_variance(reciprocal);
    move<0, kSum>();
    if constexpr (kStoresMean) {
        move<kMean, 0>();
    }
    move<kSum, kMean>();
    clear<1, 2, 3, 5, 6, 7>();
    transpose_registers();
    if constexpr (kStoresMean) {
        store_four_rows<0>(0);
    }
    store_four_rows<4>(kTileRows);
    end_statistics();
}

// Row 0 of the first tile is the anchor, and row 16 the anchor less the mean.
template <bool kTwo>
FORCE_INLINE void store_split_mean_and_variance(uint32_t index, uint32_t reciprocal) {
    begin_numbered(index);
    join_sums<kTwo>();
    compute_variance(reciprocal);
    clear<1, 2, 3>();
    // The registers 4 to 7 are transposed twice.
    transpose_registers();
    store_four_rows<0>(kTileRows);
    transpose_registers();
    subtract<kMean, kAnchor, kMean>();
    move<kAnchor, 0>();
    clear<1, 2, 3, 5, 6, 7>();
    transpose_registers();
    store_four_rows<0>(0);
    store_four_rows<4>(2 * kFaceRows);
    end_statistics();
}

template <bool kTwo>
FORCE_INLINE void store_mean_and_variance_of_group(uint32_t index, uint32_t group, uint32_t reciprocal) {
    begin_numbered(index);
    join_sums<kTwo>();
    compute_variance(reciprocal);
    store_rows<0>(kTileRows + vector_of_group(group));
    move<kMean, 0>();
    store_rows<0>(vector_of_group(group));
    clear<kSecondSum>();
    end_statistics();
}

// The state that Dst holds, of the numbers before, with that of the `numbers` in the registers.
template <bool kTwo>
FORCE_INLINE void combine_states(uint32_t index, uint32_t reciprocal_of_all, uint32_t numbers) {
    begin_numbered(index);
    join_sums<kTwo>();
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

FORCE_INLINE void save_state(uint32_t index, uint32_t group) {
    begin_numbered(index);
    store_state(group);
    end_statistics();
}
FORCE_INLINE void restore_state(uint32_t index, uint32_t group) {
    begin_numbered(index);
    load_state(group);
    end_statistics();
}
template <bool kTwo>
FORCE_INLINE void save_joined_state(uint32_t index) {
    begin_numbered(index);
    join_sums<kTwo>();
    store_state(0);
    clear<kSecondSum>();
    end_statistics();
}

template <uint32_t kRegister>
FORCE_INLINE void store_register(uint32_t index, uint32_t row) {
    begin_numbered(index);
    move<kRegister, 0>();
    store_rows<0>(row);
    end_statistics();
}
// The other registers keep what they have.
template <uint32_t kRegister>
FORCE_INLINE void load_register(uint32_t index, uint32_t row) {
    const uint32_t left = left_registers;
    begin_numbered(index);
    load_rows<kRegister>(row);
    end_numbered();
    left_registers = left;
}

}  // namespace hallmark

#define HALLMARK_NEEDS_STATISTIC(call)                   \
    HALLMARK_NEEDS_REGISTERS(                            \
        is_left(upper_registers(Content::kStatistics)),  \
        #call " continues from the mean and sums of the call before")
