// The part of a tensor that lies in this tile's L1.
#pragma once

#include "api/core_local_mem.h"
#include "api/tensor/tensor_binding_token.h"
#include "hallmark/arguments.h"

template <typename T>
class LocalTensorAccessor {
public:
    template <uint32_t kCtaOffset, uint32_t kAddressOffset>
    FORCE_INLINE explicit LocalTensorAccessor(tensor_accessor::TensorBindingToken<kCtaOffset, kAddressOffset>)
        : LocalTensorAccessor(get_common_arg_val<uint32_t>(kAddressOffset / 4)) {
        static_assert(!TensorAccessorArgs<kCtaOffset>::is_dram, "a tensor in DRAM has no part in L1: use TensorAccessor");
    }
    FORCE_INLINE explicit LocalTensorAccessor(uint32_t bank_base_address)
        : memory_(static_cast<uintptr_t>(bank_base_address)) {}

    FORCE_INLINE T& operator[](uint32_t index) const { return memory_[index]; }
    FORCE_INLINE uint32_t get_bank_base_address() const { return memory_.get_address(); }
    FORCE_INLINE CoreLocalMem<T> local_mem() const { return memory_; }
    [[nodiscard]] FORCE_INLINE auto scoped_lock(uint32_t offset, uint32_t num_elements) const {
        return (memory_ + offset).scoped_lock(num_elements);
    }

private:
    CoreLocalMem<T> memory_;
};

#ifndef HALLMARK_COMPUTE
template <typename T>
struct noc_traits_t<LocalTensorAccessor<T>> : hallmark::LocalEndpoint<noc_traits_t<LocalTensorAccessor<T>>> {
    FORCE_INLINE static uint32_t read_address(const LocalTensorAccessor<T>& part) { return part.get_bank_base_address(); }
    FORCE_INLINE static uint32_t write_address(const LocalTensorAccessor<T>& part) { return part.get_bank_base_address(); }
};
template <typename T>
inline constexpr bool noc_zero_l1_endpoint_v<LocalTensorAccessor<T>> = true;
#endif
