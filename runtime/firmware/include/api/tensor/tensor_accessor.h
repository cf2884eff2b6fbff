// Pages of a buffer by number, wherever they lie.
#pragma once

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor_args.h"

template <typename Args>
struct TensorAccessor {
    static constexpr bool is_dram = Args::is_dram;

    const uint32_t bank_base_address;
    // Bytes that a transfer of one page moves.
    const uint32_t page_size;

    constexpr TensorAccessor(const Args& args, uint32_t bank_base_address)
        : bank_base_address(bank_base_address), page_size(args.get_aligned_page_size()) {}

    constexpr TensorAccessor(const Args&, uint32_t bank_base_address, uint32_t page_size)
        : bank_base_address(bank_base_address), page_size(page_size) {}

    FORCE_INLINE uint64_t get_noc_addr(const uint32_t page_id, const uint32_t offset = 0,
                                       uint8_t noc = noc_index) const {
        const uint32_t stride = hallmark::aligned_page_size(is_dram, page_size);
        return hallmark::page_address(is_dram, page_id, bank_base_address, stride, offset, noc);
    }

    FORCE_INLINE uint32_t get_aligned_page_size() const { return page_size; }
};
