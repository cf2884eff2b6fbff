// How the host names a tensor to a kernel: its accessor's compile-time arguments and, among the common runtime arguments,
// its address.
#pragma once

#include <stdint.h>

#include "api/tensor/tensor_accessor_args.h"
#include "internal/llk_metadata.h"

namespace tensor_accessor {

// `ADDRESS_OFFSET`: bytes from the first common runtime argument.
template <uint32_t CTA_OFFSET, uint32_t ADDRESS_OFFSET>
struct TensorBindingToken {
    static_assert(ADDRESS_OFFSET % 4 == 0, "an address is one argument");
    using args_t = TensorAccessorArgs<CTA_OFFSET>;
    static constexpr uint32_t addr_crta_offset = ADDRESS_OFFSET;

    explicit constexpr TensorBindingToken(binding_details::LLKMetadata metadata) noexcept : metadata_(metadata) {}
    constexpr binding_details::LLKMetadata metadata() const noexcept { return metadata_; }

private:
    binding_details::LLKMetadata metadata_;
};

// The type of a tensor that the host has not bound.
struct NullTensorBindingToken {
    NullTensorBindingToken() = delete;
};

}  // namespace tensor_accessor
