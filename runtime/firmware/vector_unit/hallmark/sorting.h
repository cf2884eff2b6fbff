// MATH: the columns of two tiles in Dst, one below the other, are sorted by a bitonic network. The two tiles behind them hold what
// goes along with each datum: its index. A place is that of a datum in its column, from 0 to 63. A vector holds four places of
// eight columns.
#pragma once

#include "hallmark/rows_of_tiles.h"

namespace hallmark {

inline constexpr uint32_t kPlaces = 64;
// The first of the registers with the indices that belong to those with data, 0 to 3.
inline constexpr uint32_t kIndices = 4;

enum class Ties : uint32_t {
    // As SFPSWAP leaves them: it exchanges equal data where the other register gets the smaller one (SFPSWAP.md).
    kAsTheyFall,
    // The smaller index goes with what counts as the smaller datum, or with what counts as the larger one.
    kIndexAscends,
    kIndexDescends,
};

// Lanes' configuration (SFPCONFIG.md): indices go along, and the results of comparisons are turned round.
inline constexpr uint32_t kMovesIndices = 1 << 2, kTurnsComparisons = 1 << 8;

template <uint32_t kBits>
FORCE_INLINE void configure_lanes() {
    push_now<0x91u << 24 | kBits << 8 | 15 << 4 | 1>();
    push_now<0x8Fu << 24>();
}

// SFPSWAP. Modes: in all rows the first register gets the larger datum; in the upper two rows; in every other row; in the other
// rows the second one does. Or both change places.
inline constexpr uint32_t kEveryRow = sfpi::SFPSWAP_MOD1_VEC_MIN_MAX, kUpperRows = sfpi::SFPSWAP_MOD1_SUBVEC_MIN01_MAX23,
                          kEvenRows = sfpi::SFPSWAP_MOD1_SUBVEC_MIN02_MAX13;
template <uint32_t kLarger, uint32_t kSmaller, uint32_t kMode>
FORCE_INLINE void swap() {
    push_now<0x92u << 24 | kLarger << 8 | kSmaller << 4 | kMode>();
}

// SFPXOR into B.
template <uint32_t kA, uint32_t kB>
FORCE_INLINE void exclusive_or() {
    push_now<0x8Du << 24 | kA << 8 | kB << 4>();
}

// The first register gets the larger datum.
template <Ties kTies, uint32_t kLarger, uint32_t kSmaller, uint32_t kMode = kEveryRow>
FORCE_INLINE void order() {
    swap<kLarger, kSmaller, kMode>();
    if constexpr (kTies != Ties::kAsTheyFall) {
        // SFPSETCC and SFPENCC: lanes with equal data alone, and all lanes again.
        exclusive_or<kLarger, kSmaller>();
        push_now<0x7Bu << 24 | kSmaller << 8 | sfpi::SFPSETCC_MOD1_LREG_EQ0>();
        if constexpr (kTies == Ties::kIndexAscends) {
            swap<kIndices + kLarger, kIndices + kSmaller, kMode>();
        } else {
            swap<kIndices + kSmaller, kIndices + kLarger, kMode>();
        }
        push_now<0x8Au << 24 | sfpi::SFPENCC_IMM12_BOTH << 12 | sfpi::SFPENCC_MOD1_EI_RI>();
        exclusive_or<kLarger, kSmaller>();
    }
}

// Four places and their indices. Without fp32_dest_acc_en an index has 16 bits.
inline constexpr uint32_t kIndexFormat = kWide ? sfpi::SFPLOAD_MOD0_FMT_INT32 : sfpi::SFPLOAD_MOD0_FMT_UINT16;
template <uint32_t kRegister>
FORCE_INLINE void load_places(uint32_t columns, uint32_t place) {
    const uint32_t row = columns + place_of_row(place);
    load_rows<kRegister>(row);
    load_rows<kIndices + kRegister, kIndexFormat>(2 * kTileRows + row);
}
template <uint32_t kRegister>
FORCE_INLINE void store_places(uint32_t columns, uint32_t place) {
    const uint32_t row = columns + place_of_row(place);
    store_rows<kRegister>(row);
    store_rows<kIndices + kRegister, kIndexFormat>(2 * kTileRows + row);
}

// An operation on four vectors: of a place, of one that is `near` behind it, and of both that are `far` behind these.
template <typename Operation>
FORCE_INLINE void with_four(uint32_t columns, uint32_t place, uint32_t near, uint32_t far, Operation operation) {
    load_places<0>(columns, place);
    load_places<1>(columns, place + near);
    load_places<2>(columns, place + far);
    load_places<3>(columns, place + far + near);
    operation();
    store_places<0>(columns, place);
    store_places<1>(columns, place + near);
    store_places<2>(columns, place + far);
    store_places<3>(columns, place + far + near);
}
template <typename Operation>
FORCE_INLINE void with_two(uint32_t columns, uint32_t place, uint32_t far, Operation operation) {
    load_places<0>(columns, place);
    load_places<1>(columns, place + far);
    operation();
    store_places<0>(columns, place);
    store_places<1>(columns, place + far);
}

// Two steps of a network on registers or, when these are transposed, on the rows of each.
template <Ties kTies, uint32_t kMode>
FORCE_INLINE void order_by_two_steps() {
    order<kTies, 0, 2, kMode>();
    order<kTies, 1, 3, kMode>();
    order<kTies, 0, 1, kMode>();
    order<kTies, 2, 3, kMode>();
}

// Two places in turn descend and ascend.
template <Ties kTies>
FORCE_INLINE void order_pairs() {
    transpose_registers();
    order<kTies, 0, 1>();
    order<kTies, 3, 2>();
    transpose_registers();
}

// The four places of each vector, in turn.
template <Ties kTies>
FORCE_INLINE void order_fours() {
    transpose_registers();
    order_by_two_steps<kTies, kEvenRows>();
    transpose_registers();
}

// Eight places in two vectors descend, and the other eight ascend.
template <Ties kTies>
FORCE_INLINE void order_eights() {
    order<kTies, 0, 1>();
    if constexpr (kTies == Ties::kAsTheyFall) {
        // TT-Metalium's network turns the second pair round afterwards, which exchanges equal data.
        order<kTies, 2, 3>();
        swap<2, 3, sfpi::SFPSWAP_MOD1_SWAP>();
    } else {
        order<kTies, 3, 2>();
    }
    transpose_registers();
    order_by_two_steps<kTies, kUpperRows>();
    transpose_registers();
}

// Sixteen places in four vectors.
template <Ties kTies>
FORCE_INLINE void order_sixteen(bool ascends) {
    if (ascends) {
        configure_lanes<kMovesIndices | kTurnsComparisons>();
    }
    for (uint32_t half = 0; half < 2; ++half) {
        order_by_two_steps<kTies, kEveryRow>();
        transpose_registers();
    }
    if (ascends) {
        configure_lanes<kMovesIndices>();
    }
}

// A step between places that are 16 or 32 apart.
template <Ties kTies>
FORCE_INLINE void order_far(uint32_t columns, uint32_t far, uint32_t run, bool ascends) {
    for (uint32_t place = 0; place < kPlaces; place += (place + 8) % far == 0 ? far + 8 : 8) {
        with_four(columns, place, 4, far, [&]() __attribute__((always_inline)) {
            if (ascends != ((place & run) != 0)) {
                order<kTies, 2, 0>();
                order<kTies, 3, 1>();
            } else {
                order<kTies, 0, 2>();
                order<kTies, 1, 3>();
            }
        });
    }
}

// A phase makes runs of 2 to the power of `phase + 1` places out of runs of half as many. They descend and ascend in turn, or
// the other way round; those of fewer than 16 places always begin by descending. Of the steps between places that are at least 16
// apart, those from `first_step` down to before `last_step` are done.
template <Ties kTies>
FORCE_INLINE void sort_phase(uint32_t columns, bool ascends, uint32_t phase, uint32_t first_step, uint32_t last_step) {
    const uint32_t run = 2u << phase;
    if (phase > 3) {
        for (uint32_t step = first_step; step > last_step; --step) {
            order_far<kTies>(columns, step == 5 ? 16 : 32, run, ascends);
        }
    }
    for (uint32_t place = 0; place < kPlaces; place += 16) {
        with_four(columns, place, 4, 8, [&]() __attribute__((always_inline)) {
            switch (phase) {
                case 0: order_pairs<kTies>(); break;
                case 1: order_fours<kTies>(); break;
                case 2: order_eights<kTies>(); break;
                default: order_sixteen<kTies>(ascends != ((place & run) != 0));
            }
        });
    }
}

// An operation on the vectors of each eight columns, which is told their first row.
template <typename Operation>
FORCE_INLINE void for_columns(Operation operation) {
    configure_lanes<kMovesIndices>();
    for (uint32_t columns : kVectorsOfRows) {
        operation(columns);
    }
    configure_lanes<0>();
}

template <Ties kTies>
[[gnu::noinline]] void sort_places(bool ascends, uint32_t first_phase, uint32_t last_phase, uint32_t first_step, uint32_t last_step) {
    const bool one_phase = first_phase == last_phase;
    for_columns([=](uint32_t columns) __attribute__((always_inline)) {
        for (uint32_t phase = first_phase; phase <= last_phase; ++phase) {
            sort_phase<kTies>(columns, ascends, phase, one_phase ? first_step : phase + 1, one_phase ? last_step : 4);
        }
    });
}

// Runs of `k` places, 2 to the power of `iteration` times as far apart, are compared: the first one gets the larger data, or with
// `kFirstIsLess` the smaller ones.
template <Ties kTies, bool kFirstIsLess>
[[gnu::noinline]] void merge_places(uint32_t iteration, uint32_t k) {
    const uint32_t run = k > 32 ? 32 : k;
    const uint32_t far = run << iteration > 32 ? 32 : run << iteration;
    for_columns([=](uint32_t columns) __attribute__((always_inline)) {
        for (uint32_t first = 0; first < kPlaces; first += 2 * far) {
            for (uint32_t place = first; place < first + run; place += 4) {
                with_two(columns, place, far, []() __attribute__((always_inline)) {
                    if constexpr (kFirstIsLess) {
                        order<kTies, 1, 0>();
                    } else {
                        order<kTies, 0, 1>();
                    }
                });
            }
        }
    });
}

// Runs of `k` places, twice as far apart as those that were merged, are sorted, and descend and ascend in turn, or the other way
// round; those of 4 and of 8 places always begin by descending. Without the second one of each two, in the first half of the places.
template <Ties kTies>
[[gnu::noinline]] void rebuild_places(bool ascends, uint32_t iteration, uint32_t k, bool skips_second) {
    const uint32_t far = k << (iteration + 1) > 32 ? 32 : k << (iteration + 1);
    const uint32_t end = skips_second ? 32 : kPlaces;
    for_columns([=](uint32_t columns) __attribute__((always_inline)) {
        if (k == 4) {
            if (far == 32) {
                // Two runs alone. Those in the other registers count for nothing.
                with_two(columns, 0, far, []() __attribute__((always_inline)) { order_fours<kTies>(); });
            } else {
                for (uint32_t place = 0; place < (far == 8 ? end : 1); place += 32) {
                    with_four(columns, place, far, 2 * far, []() __attribute__((always_inline)) { order_fours<kTies>(); });
                }
            }
        } else if (k == 8) {
            for (uint32_t place = 0; place < (far == 16 ? end : 1); place += 32) {
                with_four(columns, place, 4, far, []() __attribute__((always_inline)) { order_eights<kTies>(); });
            }
        } else if (k == 16) {
            for (uint32_t place = 0; place < end; place += 32) {
                with_four(columns, place, 4, 8, [=]() __attribute__((always_inline)) {
                    order_sixteen<kTies>(ascends != (place != 0));
                });
            }
        } else {
            const uint32_t phase = k == 32 ? 4 : 5;
            sort_phase<kTies>(columns, ascends, phase, phase + 1, 4);
        }
    });
}

// The pattern of a float of so many bits, in which 0 has one sign.
template <uint32_t kBits>
struct WithoutNegativeZero {
    static sfpi_inline vInt of(vInt pattern) {
        constexpr uint32_t magnitude = 0xFFFFFFFF >> (33 - kBits);
        v_if((sfpi::as<vUInt>(pattern) & magnitude) == 0) { pattern = 0; }
        v_endif;
        return pattern;
    }
};

}  // namespace hallmark
