// How the host describes a tensor to TensorAccessor in compile-time arguments.
#pragma once

#include "api/compile_time_args.h"
#include "cstddef"

namespace tensor_accessor {

inline constexpr std::size_t UNKNOWN = static_cast<std::size_t>(-1);

// The first compile-time argument is a set of these.
enum class ArgConfig : uint8_t {
    None = 0,
    Sharded = 1 << 0,
    IsDram = 1 << 1,
};

}  // namespace tensor_accessor

// Two compile-time arguments for an interleaved buffer: its configuration and its aligned page size.
template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
    static constexpr uint32_t args_config = get_compile_time_arg_val(CTA_OFFSET);
    static constexpr bool is_sharded = args_config & static_cast<uint32_t>(tensor_accessor::ArgConfig::Sharded);
    static constexpr bool is_dram = args_config & static_cast<uint32_t>(tensor_accessor::ArgConfig::IsDram);
    static_assert(!is_sharded, "sharded buffers are not supported yet");
    static constexpr uint32_t AlignedPageSize = get_compile_time_arg_val(CTA_OFFSET + 1);

    constexpr TensorAccessorArgs() = default;
    constexpr explicit TensorAccessorArgs(uint32_t) {
        static_assert(CRTA_OFFSET == tensor_accessor::UNKNOWN, "the offset is known at compile time");
    }

    static constexpr uint32_t get_aligned_page_size() { return AlignedPageSize; }
    static constexpr uint32_t num_compile_time_args() { return 2; }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + num_compile_time_args(); }
    static constexpr uint32_t num_common_runtime_args() { return 0; }
};
