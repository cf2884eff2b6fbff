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
    RuntimePageSize = 1 << 7,
};

}  // namespace tensor_accessor

template <typename T>
T get_common_arg_val(int arg_idx);

// An interleaved buffer takes two compile-time arguments, its configuration and its aligned page size. With
// RuntimePageSize the size is a common runtime argument instead.
template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
    static constexpr uint32_t args_config = get_compile_time_arg_val(CTA_OFFSET);
    static constexpr bool is_sharded = args_config & static_cast<uint32_t>(tensor_accessor::ArgConfig::Sharded);
    static constexpr bool is_dram = args_config & static_cast<uint32_t>(tensor_accessor::ArgConfig::IsDram);
    static constexpr bool page_size_is_crta =
        args_config & static_cast<uint32_t>(tensor_accessor::ArgConfig::RuntimePageSize);
    static_assert(!is_sharded, "sharded buffers are not supported yet");
    static constexpr uint32_t AlignedPageSize = [] {
        if constexpr (page_size_is_crta) {
            return 0u;
        } else {
            return get_compile_time_arg_val(CTA_OFFSET + 1);
        }
    }();

    constexpr TensorAccessorArgs() : crta_offset_(0) {}
    constexpr explicit TensorAccessorArgs(uint32_t crta_offset) : crta_offset_(crta_offset) {
        static_assert(CRTA_OFFSET == tensor_accessor::UNKNOWN, "the offset is known at compile time");
    }

    constexpr uint32_t crta_offset() const {
        if constexpr (CRTA_OFFSET != tensor_accessor::UNKNOWN) {
            return CRTA_OFFSET;
        } else {
            return crta_offset_;
        }
    }

    constexpr uint32_t get_aligned_page_size() const {
        if constexpr (page_size_is_crta) {
            return get_common_arg_val<uint32_t>(crta_offset());
        } else {
            return AlignedPageSize;
        }
    }

    static constexpr uint32_t num_compile_time_args() { return page_size_is_crta ? 1 : 2; }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + num_compile_time_args(); }
    static constexpr uint32_t num_common_runtime_args() { return page_size_is_crta ? 1 : 0; }
    constexpr uint32_t next_common_runtime_args_offset() const {
        return crta_offset() + num_common_runtime_args();
    }

   private:
    uint32_t crta_offset_;
};
