// MATH: functions of a tile in Dst and of a row, a column or a datum of others.
#pragma once

#include "hallmark/rows_of_tiles.h"

namespace hallmark {

// Of each row of a vector, the first of its eight lanes in all of them. The others become 0, so that bits are joined.
sfpi_inline vFloat first_of_rows(vFloat value) {
    vUInt bits = sfpi::as<vUInt>(value);
    // The lanes' numbers, doubled.
    v_if((vInt(sfpi::vConstTileId) & 15) != 0) { bits = 0; }
    v_endif;
    bits = bits | vUInt(sfpi::subvec_shflror1(bits));
    vUInt moved = vUInt(sfpi::subvec_shflror1(bits));
    bits = bits | vUInt(sfpi::subvec_shflror1(moved));
    moved = vUInt(sfpi::subvec_shflror1(bits));
    moved = vUInt(sfpi::subvec_shflror1(moved));
    moved = vUInt(sfpi::subvec_shflror1(moved));
    bits = bits | vUInt(sfpi::subvec_shflror1(moved));
    return sfpi::as<vFloat>(bits);
}

// The first row of a vector of Dst, in all four: row 0 of each of four registers becomes a row of the first one.
FORCE_INLINE void load_first_row(uint32_t row) {
    load_rows<0>(row);
    load_rows<1>(row);
    load_rows<2>(row);
    load_rows<3>(row);
    transpose_registers();
}

// An operation on each four rows of a tile.
template <typename Operation>
FORCE_INLINE void for_four_rows(Operation operation) {
    for (uint32_t half = 0; half < 2; ++half) {
        for (uint32_t rows = 0; rows < 4; ++rows) {
            operation();
            sfpi::dst_reg += 2;
        }
        skip_face();
    }
}

// An operation on the vectors of four rows, whose places it is told, as `dst_reg` counts them.
template <typename Operation>
FORCE_INLINE void for_vectors_of_rows(Operation operation) {
    operation(std::integral_constant<uint32_t, kVectorsOfRows[0] / sfpi::SFP_DESTREG_STRIDE>{});
    operation(std::integral_constant<uint32_t, kVectorsOfRows[1] / sfpi::SFP_DESTREG_STRIDE>{});
    operation(std::integral_constant<uint32_t, kVectorsOfRows[2] / sfpi::SFP_DESTREG_STRIDE>{});
    operation(std::integral_constant<uint32_t, kVectorsOfRows[3] / sfpi::SFP_DESTREG_STRIDE>{});
}

template <typename Function>
FORCE_INLINE void combine_with_column(uint32_t data, uint32_t column) {
    begin_vectors(0);
    for_four_rows([=]() __attribute__((always_inline)) {
        vFloat other = first_of_rows(sfpi::dst_reg[column * kTileStep]);
        for_vectors_of_rows([=](auto place) __attribute__((always_inline)) {
            vFloat value = sfpi::dst_reg[data * kTileStep + place];
            sfpi::dst_reg[data * kTileStep + place] = vFloat(Function::of(value, other));
        });
    });
    end_vectors();
}

template <typename Function>
FORCE_INLINE void combine_with_row(uint32_t data, uint32_t row) {
    begin_vectors(0);
    for_vectors_of_rows([=](auto place) __attribute__((always_inline)) {
        take_registers();
        load_first_row(row * kTileRows + place * sfpi::SFP_DESTREG_STRIDE);
        vFloat other = sfpi::l_reg[sfpi::LRegs::LReg0];
        for_four_rows([=]() __attribute__((always_inline)) {
            vFloat value = sfpi::dst_reg[data * kTileStep + place];
            sfpi::dst_reg[data * kTileStep + place] = vFloat(Function::of(value, other));
        });
        // SETRWC: all counters are 0.
        push_now<0x37u << 24 | 0xF>();
    });
    end_vectors();
}

// The difference from the mean, times the reciprocal of the deviation, and before that the sum with another tile.
template <bool kAdds>
FORCE_INLINE void normalize_with_columns(uint32_t data, uint32_t added, uint32_t mean, uint32_t reciprocal) {
    begin_vectors(0);
    for_four_rows([=]() __attribute__((always_inline)) {
        vFloat means = first_of_rows(sfpi::dst_reg[mean * kTileStep]);
        vFloat reciprocals = first_of_rows(sfpi::dst_reg[reciprocal * kTileStep]);
        for_vectors_of_rows([=](auto place) __attribute__((always_inline)) {
            vFloat value = sfpi::dst_reg[data * kTileStep + place];
            if constexpr (kAdds) {
                value = value + vFloat(sfpi::dst_reg[added * kTileStep + place]);
            }
            value = value - means;
            sfpi::dst_reg[data * kTileStep + place] = vFloat(value * reciprocals);
        });
    });
    end_vectors();
}

// The same with the first datum of either tile.
FORCE_INLINE void normalize_with_data(uint32_t data, uint32_t mean, uint32_t reciprocal) {
    begin_numbered(0);
    const uint32_t row_of_reciprocal = reciprocal * kTileRows;
    load_rows<4>(row_of_reciprocal);
    load_rows<5>(row_of_reciprocal);
    load_rows<6>(row_of_reciprocal);
    load_rows<7>(row_of_reciprocal);
    // The registers 4 to 7 are transposed, too.
    load_first_row(mean * kTileRows);
    vFloat means = sfpi::l_reg[sfpi::LRegs::LReg0];
    vFloat reciprocals = sfpi::l_reg[sfpi::LRegs::LReg4];
    means = first_of_rows(means);
    reciprocals = first_of_rows(reciprocals);
    for_faces(ckernel::VectorMode::RC, [=]() __attribute__((always_inline)) {
        vFloat value = sfpi::dst_reg[data * kTileStep];
        value = value - means;
        sfpi::dst_reg[data * kTileStep] = vFloat(value * reciprocals);
    });
    end_numbered();
}

}  // namespace hallmark
