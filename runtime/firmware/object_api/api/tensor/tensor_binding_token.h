// How the host names a tensor to a kernel: its accessor's compile-time arguments and, among the common runtime arguments,
// its address.
#pragma once

#include <stdint.h>

#include "api/tensor/tensor_accessor_args.h"
#include "internal/llk_metadata.h"

namespace tensor_accessor {

// `kAddressOffset`: bytes from the first common runtime argument.
template <uint32_t kCtaOffset, uint32_t kAddressOffset>
struct TensorBindingToken {
    static_assert(kAddressOffset % 4 == 0, "an address is one argument");
    using args_t = TensorAccessorArgs<kCtaOffset>;
    static constexpr uint32_t addr_crta_offset = kAddressOffset;

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
