// Functions of a tile in Dst that have no header of their own.
#pragma once

#include "hallmark/not_computed.h"
#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/activations.h"
#include "hallmark/arithmetic.h"
#include "hallmark/integers.h"
#include "hallmark/logarithm.h"
#endif

namespace ckernel {

template <bool fast_and_approx = false>
ALWI void sigmoid_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(sigmoid_constants(fast_and_approx));) }

template <VectorMode vec_mode = VectorMode::RC, bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sigmoid_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(sigmoid_tile, sigmoid_tile_init, sigmoid_constants(fast_and_approx));)
    MATH((hallmark::map_tile<hallmark::Sigmoid>(idst, vec_mode)));
    MATH(HALLMARK_LEAVE(fast_and_approx ? lower_registers(Content::kTableOfSigmoid) : nothing());)
}

ALWI void silu_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(reciprocal_constants());) }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void silu_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(silu_tile, silu_tile_init, reciprocal_constants());)
    MATH((hallmark::map_tile<hallmark::Silu>(idst, VectorMode::RC)));
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tanh_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(tanh_constants(fast_and_approx, is_fp32_dest_acc_en));) }

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tanh_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(tanh_tile, tanh_tile_init, tanh_constants(fast_and_approx, is_fp32_dest_acc_en));)
    MATH((hallmark::map_tile<hallmark::Tanh>(idst, VectorMode::RC)));
    MATH(HALLMARK_LEAVE(fast_and_approx ? lower_registers(Content::kTableOfTanh) : nothing());)
}

ALWI void square_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(square_program(false));) }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void square_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(square_tile, square_tile_init, square_program(is_fp32_dest_acc_en));)
    MATH((hallmark::map_tile<hallmark::Square>(idst, VectorMode::RC)));
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void log_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(logarithm_constants(is_fp32_dest_acc_en));) }

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void log_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(log_tile, log_tile_init, logarithm_constants(is_fp32_dest_acc_en));)
    MATH((hallmark::map_tile<hallmark::Logarithm>(idst, VectorMode::RC)));
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void log_with_base_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(logarithm_constants(is_fp32_dest_acc_en));) }

// `base_scale`: the bits of the reciprocal of the base's logarithm.
template <bool fast_and_approx = false, bool base_is_two = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void log_with_base_tile(uint32_t idst, uint32_t base_scale) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(log_with_base_tile, log_with_base_tile_init, logarithm_constants(is_fp32_dest_acc_en, base_is_two));)
    MATH((hallmark::map_tile<hallmark::ScaledLogarithm>(idst, VectorMode::RC, base_scale)));
}

ALWI void signbit_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kSignBit));) }

ALWI void signbit_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(signbit_tile, signbit_tile_init, macro_program(Content::kSignBit));)
    MATH((hallmark::map_tile_exactly<hallmark::SignBit>(idst, VectorMode::RC)));
}

ALWI void abs_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void abs_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::Absolute>(idst, VectorMode::RC)));
}

ALWI void abs_tile_int32(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::AbsoluteOfInteger, hallmark::DataLayout::I32>(idst)));
}

ALWI void sign_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void sign_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::Sign>(idst, VectorMode::RC)));
}

ALWI void power_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(power_constants());) }

// `param0`: the bits of the exponent.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void power_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(power_tile, power_tile_init, is_fp32_dest_acc_en ? power_of_32_bits_constants() : power_constants());)
    MATH((hallmark::map_tile<hallmark::Power>(idst, VectorMode::RC, param0)));
}

ALWI void power_iterative_tile_init() { MATH((hallmark::prepare_vectors())); }

// `param0`: a whole number.
ALWI void power_iterative_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::WholePower>(idst, VectorMode::RC, param0)));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp2_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(power_of_two_constants(is_fp32_dest_acc_en));) }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp2_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(exp2_tile, exp2_tile_init, power_of_two_constants(is_fp32_dest_acc_en));)
    MATH((hallmark::map_tile<hallmark::PowerOfTwo>(idst, VectorMode::RC)));
}

template <bool approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void expm1_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(exponential_less_one_constants(is_fp32_dest_acc_en));) }

template <bool approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void expm1_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(expm1_tile, expm1_tile_init, exponential_less_one_constants(is_fp32_dest_acc_en));)
    MATH((hallmark::map_tile<hallmark::ExponentialLessOne>(idst, VectorMode::RC)));
}

ALWI void heaviside_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void heaviside_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::Heaviside>(idst, VectorMode::RC, param0)));
}

ALWI void unary_max_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kMaximumWithScalar));) }

ALWI void unary_max_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(unary_max_tile, unary_max_tile_init, macro_program(Content::kMaximumWithScalar));)
    MATH((hallmark::map_tile<hallmark::MaximumOfScalar>(idst, VectorMode::RC, param0)));
    MATH(HALLMARK_LEAVE(constant(0, Content::kOther));)
}

ALWI void unary_max_int32_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kInt32WithScalar));) }

ALWI void unary_max_int32_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(unary_max_int32_tile, unary_max_int32_tile_init, macro_program(Content::kInt32WithScalar));)
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::ExtremeOfIntegers<true, false>>, hallmark::DataLayout::I32>(
        idst, param0)));
    MATH(HALLMARK_LEAVE(constant(0, Content::kOther));)
}

ALWI void unary_max_uint32_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kUint32WithScalar));) }

ALWI void unary_max_uint32_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(unary_max_uint32_tile, unary_max_uint32_tile_init, macro_program(Content::kUint32WithScalar));)
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::ExtremeOfIntegers<true, true>>, hallmark::DataLayout::I32>(
        idst, param0)));
    MATH(HALLMARK_LEAVE(constant(0, Content::kOther));)
}

ALWI void unary_min_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kMinimumWithScalar));) }

ALWI void unary_min_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(unary_min_tile, unary_min_tile_init, macro_program(Content::kMinimumWithScalar));)
    MATH((hallmark::map_tile<hallmark::MinimumOfScalar>(idst, VectorMode::RC, param0)));
    MATH(HALLMARK_LEAVE(constant(0, Content::kOther));)
}

ALWI void unary_min_int32_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kUint32WithScalar));) }

ALWI void unary_min_int32_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(unary_min_int32_tile, unary_min_int32_tile_init, macro_program(Content::kUint32WithScalar));)
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::ExtremeOfIntegers<false, false>>, hallmark::DataLayout::I32>(
        idst, param0)));
    MATH(HALLMARK_LEAVE(constant(0, Content::kOther));)
}

ALWI void unary_min_uint32_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kInt32WithScalar));) }

ALWI void unary_min_uint32_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(unary_min_uint32_tile, unary_min_uint32_tile_init, macro_program(Content::kInt32WithScalar));)
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::ExtremeOfIntegers<false, true>>, hallmark::DataLayout::I32>(
        idst, param0)));
    MATH(HALLMARK_LEAVE(constant(0, Content::kOther));)
}

HALLMARK_NOT_COMPUTED(signbit_tile_int32_init)
HALLMARK_NOT_COMPUTED(signbit_tile_int32)
HALLMARK_NOT_COMPUTED(tiled_prod_tile)
HALLMARK_NOT_COMPUTED(tiled_prod_tile_init)
HALLMARK_NOT_COMPUTED(sfpu_reduce)
HALLMARK_NOT_COMPUTED(sfpu_reduce_init)
HALLMARK_NOT_COMPUTED(max_reduce_with_indices)
HALLMARK_NOT_COMPUTED(max_reduce_with_indices_init)
HALLMARK_NOT_COMPUTED(sfpu_add_top_row)
HALLMARK_NOT_COMPUTED(sfpu_add_top_row_init)
HALLMARK_NOT_COMPUTED(dbg_halt)
HALLMARK_NOT_COMPUTED(dbg_unhalt)
HALLMARK_NOT_COMPUTED(dbg_read_dest_acc_row)
HALLMARK_NOT_COMPUTED(alt_complex_rotate90_tile)
HALLMARK_NOT_COMPUTED(alt_complex_rotate90_tile_init)
HALLMARK_NOT_COMPUTED(get_compute_special_value_flags)
HALLMARK_NOT_COMPUTED(get_compute_special_value_flags_fpu)
HALLMARK_NOT_COMPUTED(get_compute_special_value_flags_sfpu)
HALLMARK_NOT_COMPUTED(clear_compute_special_value_flags)

}  // namespace ckernel
