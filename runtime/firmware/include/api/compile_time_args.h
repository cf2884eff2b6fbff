// Compile-time arguments.
#pragma once

#include <stdint.h>

namespace hallmark {
// One word more than there are, so that a kernel without arguments compiles.
inline constexpr uint32_t kCompileTimeArgs[] = {KERNEL_COMPILE_TIME_ARGS
#if KERNEL_COMPILE_TIME_ARG_COUNT
                                                ,
#endif
                                                0};
}  // namespace hallmark

template <uint32_t kIndex>
constexpr uint32_t get_ct_arg() {
    static_assert(kIndex < KERNEL_COMPILE_TIME_ARG_COUNT, "compile-time argument index out of range");
    return hallmark::kCompileTimeArgs[kIndex];
}

#define get_compile_time_arg_val(arg_idx) get_ct_arg<arg_idx>()

// All of them, for kernels that compute an index.
struct CompileTimeArguments {
    constexpr uint32_t size() const { return KERNEL_COMPILE_TIME_ARG_COUNT; }
    constexpr const uint32_t& operator[](uint32_t index) const { return hallmark::kCompileTimeArgs[index]; }
    constexpr const uint32_t& front() const { return hallmark::kCompileTimeArgs[0]; }
    constexpr const uint32_t& back() const { return hallmark::kCompileTimeArgs[KERNEL_COMPILE_TIME_ARG_COUNT - 1]; }
    constexpr const uint32_t* data() const { return hallmark::kCompileTimeArgs; }
    constexpr const uint32_t* begin() const { return hallmark::kCompileTimeArgs; }
    constexpr const uint32_t* end() const { return hallmark::kCompileTimeArgs + KERNEL_COMPILE_TIME_ARG_COUNT; }
};
inline constexpr CompileTimeArguments kernel_compile_time_args{};
