// Pages of a buffer by number, wherever they lie.
#pragma once

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/pages_address_iterator.h"
#include "api/tensor/shard_pages_address_iterator.h"
#include "api/tensor/tensor_accessor_args.h"
#include "hallmark/bound.h"
#include "hallmark/sharded_spec.h"

namespace tensor_accessor {

template <typename Coordinates>
using if_subscripted = decltype(static_cast<const Coordinates*>(nullptr)->operator[](0));

// A tensor by the name that the host gave it (api/tensor/tensor_binding_token.h).
template <uint32_t kCtaOffset, uint32_t kAddressOffset>
struct TensorBindingToken;

// What follows the address among the common runtime arguments.
template <uint32_t kCtaOffset, uint32_t kAddressOffset>
using BoundArgs = TensorAccessorArgs<kCtaOffset, kAddressOffset / 4 + 1>;

}  // namespace tensor_accessor

// An interleaved buffer.
template <typename Args, bool IsSharded = Args::is_sharded>
struct TensorAccessor {
    struct DSpec {
        static constexpr bool is_interleaved = true;
        static constexpr bool is_dram = Args::is_dram;
    };
    static constexpr bool is_dram = Args::is_dram;

    const uint32_t bank_base_address;
    // Bytes that a transfer of one page moves.
    const uint32_t page_size;

    constexpr TensorAccessor(const Args& args, uint32_t bank_base_address)
        : bank_base_address(bank_base_address), page_size(args.get_aligned_page_size()) {}

    constexpr TensorAccessor(const Args&, uint32_t bank_base_address, uint32_t page_size)
        : bank_base_address(bank_base_address), page_size(page_size) {}

    template <uint32_t kCtaOffset, uint32_t kAddressOffset>
    TensorAccessor(const tensor_accessor::TensorBindingToken<kCtaOffset, kAddressOffset>&)
        : TensorAccessor(Args(), get_common_arg_val<uint32_t>(kAddressOffset / 4)) {}

    FORCE_INLINE uint64_t get_noc_addr(const uint32_t page_id, const uint32_t offset = 0,
                                       uint8_t noc = noc_index) const {
        const uint32_t stride = hallmark::aligned_page_size(is_dram, page_size);
        return hallmark::page_address(is_dram, page_id, bank_base_address, stride, offset, noc);
    }

    constexpr uint32_t get_bank_base_address() const { return bank_base_address; }

    FORCE_INLINE uint32_t get_aligned_page_size() const { return page_size; }

    tensor_accessor::Pages<TensorAccessor> pages(uint32_t start_page_id, uint32_t end_page_id,
                                                 uint8_t noc = noc_index) const {
        return {*this, start_page_id, end_page_id, 1, noc};
    }

    // A kernel is one thread here, and each page is its own.
    tensor_accessor::Pages<TensorAccessor> strided_pages(uint32_t total_pages, uint8_t noc = noc_index) const {
        return pages(0, total_pages, noc);
    }
};

// A sharded buffer. A page size that the kernel gives is the distance from one page of
// a bank to the next, as upstream: give the aligned one, or none.
template <typename Args>
struct TensorAccessor<Args, true> {
    using DSpec = tensor_accessor::ShardedSpec<Args>;
    static constexpr bool is_dram = Args::is_dram;

    struct PageMapping {
        std::size_t bank_id;
        std::size_t bank_page_offset;
    };

    TensorAccessor(const Args& args, uint32_t bank_base_address, uint32_t page_size = Args::AlignedPageSize)
        : spec_(args), bank_base_address_(bank_base_address), page_size_(page_size) {}

    template <uint32_t kCtaOffset, uint32_t kAddressOffset>
    TensorAccessor(const tensor_accessor::TensorBindingToken<kCtaOffset, kAddressOffset>&)
        : TensorAccessor(Args(), get_common_arg_val<uint32_t>(kAddressOffset / 4)) {}

    const tensor_accessor::ShardedSpec<Args>& dspec() const { return spec_; }

    // Which bank holds a page, and after how many others.
    PageMapping get_bank_and_offset(uint32_t page_id) const {
        HALLMARK_BOUND(page_id < spec_.tensor_volume());
        uint32_t shard = 0;
        uint32_t place = 0;
        uint32_t shard_stride = 1;
        uint32_t place_stride = 1;
        for (uint32_t side = spec_.rank(); side-- > 0;) {
            const uint32_t coordinate = page_id % spec_.tensor_shape()[side];
            page_id /= spec_.tensor_shape()[side];
            shard += coordinate / spec_.shard_shape()[side] * shard_stride;
            place += coordinate % spec_.shard_shape()[side] * place_stride;
            shard_stride *= spec_.shard_grid()[side];
            place_stride *= spec_.shard_shape()[side];
        }
        return in_bank(shard, place);
    }

    // The same of a page by its coordinates.
    template <typename Coordinates, typename = tensor_accessor::if_subscripted<Coordinates>>
    PageMapping get_bank_and_offset(const Coordinates& page_coord) const {
        uint32_t page = 0;
        for (uint32_t side = 0; side < spec_.rank(); ++side) {
            HALLMARK_BOUND(page_coord[side] < spec_.tensor_shape()[side]);
            page = page * spec_.tensor_shape()[side] + page_coord[side];
        }
        return get_bank_and_offset(page);
    }

    FORCE_INLINE uint64_t get_noc_addr(const uint32_t page_id, const uint32_t offset = 0,
                                       uint8_t noc = noc_index) const {
        return address(get_bank_and_offset(page_id), offset, noc);
    }

    template <typename Coordinates, typename = tensor_accessor::if_subscripted<Coordinates>>
    FORCE_INLINE uint64_t get_noc_addr(const Coordinates& page_coord, const uint32_t offset = 0,
                                       uint8_t noc = noc_index) const {
        return address(get_bank_and_offset(page_coord), offset, noc);
    }

    FORCE_INLINE uint64_t get_noc_addr(const PageMapping page_mapping, const uint32_t offset = 0,
                                       uint8_t noc = noc_index) const {
        return address(page_mapping, offset, noc);
    }

    FORCE_INLINE bool is_local_addr(const uint64_t noc_addr, uint8_t noc = noc_index) const {
        return static_cast<uint32_t>(noc_addr >> 32) == static_cast<uint32_t>(::get_noc_addr(0u, noc) >> 32);
    }

    tensor_accessor::Pages<TensorAccessor> pages(uint32_t start_page_id = 0, uint32_t end_page_id = 0,
                                                 uint8_t noc = noc_index) const {
        return {*this, start_page_id, end_page_id == 0 ? spec_.tensor_volume() : end_page_id, 1, noc};
    }

    // A kernel is one thread here, and each page and each shard is its own.
    tensor_accessor::Pages<TensorAccessor> strided_pages(uint8_t noc = noc_index) const { return pages(0, 0, noc); }

    tensor_accessor::ShardPages<TensorAccessor> shard_pages(uint32_t shard_id, uint32_t start_page_offset = 0,
                                                            uint32_t end_page_offset = 0,
                                                            uint8_t noc = noc_index) const {
        static_assert(DSpec::has_static_rank, "the pages of a shard need a rank that is a compile-time argument");
        return {*this, shard_id, start_page_offset, end_page_offset == 0 ? spec_.shard_volume() : end_page_offset, noc};
    }

    tensor_accessor::StridedShardPages<TensorAccessor> strided_shard_pages(uint8_t noc = noc_index) const {
        static_assert(DSpec::has_static_rank, "the pages of a shard need a rank that is a compile-time argument");
        return {*this, 0, spec_.num_shards(), noc};
    }

    FORCE_INLINE uint64_t get_shard_noc_addr(const uint32_t shard_id, const uint32_t offset = 0,
                                             uint8_t noc = noc_index) const {
        return address(in_bank(shard_id, 0), offset, noc);
    }

    // The same of a shard by its coordinates.
    template <typename Coordinates, typename = tensor_accessor::if_subscripted<Coordinates>>
    FORCE_INLINE uint64_t get_shard_noc_addr(const Coordinates& shard_coord, const uint32_t offset = 0,
                                             uint8_t noc = noc_index) const {
        uint32_t shard = 0;
        for (uint32_t side = 0; side < spec_.rank(); ++side) {
            HALLMARK_BOUND(shard_coord[side] < spec_.shard_grid()[side]);
            shard = shard * spec_.shard_grid()[side] + shard_coord[side];
        }
        return get_shard_noc_addr(shard, offset, noc);
    }

    FORCE_INLINE bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y, uint8_t noc = noc_index) const {
        return hallmark::noc_x_on(virtual_x, noc) == my_x[noc] && hallmark::noc_y_on(virtual_y, noc) == my_y[noc];
    }

    FORCE_INLINE bool is_local_page(const uint32_t page_id, uint8_t noc = noc_index) const {
        return is_local(get_bank_and_offset(page_id).bank_id, noc);
    }

    FORCE_INLINE bool is_local_shard(const uint32_t shard_id, uint8_t noc = noc_index) const {
        return is_local(in_bank(shard_id, 0).bank_id, noc);
    }

    constexpr uint32_t get_bank_base_address() const { return bank_base_address_; }

    FORCE_INLINE uint32_t get_aligned_page_size() const { return page_size_; }

   private:
    PageMapping in_bank(uint32_t shard, uint32_t place) const {
        const uint32_t banks = spec_.num_banks();
        if (spec_.resolve_shard_contiguous()) {
            const uint32_t shards = spec_.num_shards() / banks;
            return {shard / shards, shard % shards * spec_.shard_volume() + place};
        }
        return {shard % banks, shard / banks * spec_.shard_volume() + place};
    }

    bool is_local(uint32_t bank, uint8_t noc) const {
        const uint32_t coordinate = spec_.bank_coordinate(bank);
        return is_local_bank(coordinate >> 8, coordinate & 0xFF, noc);
    }

    uint64_t address(const PageMapping& page, uint32_t offset, uint8_t noc) const {
        const uint32_t in_bank = bank_base_address_ + page.bank_page_offset * page_size_ + offset;
        const uint32_t coordinate = spec_.bank_coordinate(page.bank_id);
        if constexpr (is_dram) {
            // A bank of DRAM is named by its number: several may share a tile.
            return hallmark::bank_address(true, coordinate >> 8, in_bank, noc);
        } else {
            return ::get_noc_addr(coordinate >> 8, coordinate & 0xFF, in_bank, noc);
        }
    }

    const tensor_accessor::ShardedSpec<Args> spec_;
    const uint32_t bank_base_address_;
    const uint32_t page_size_;
};

template <std::size_t kCtaOffset, std::size_t kCrtaOffset>
TensorAccessor(const TensorAccessorArgs<kCtaOffset, kCrtaOffset>&, uint32_t)
    -> TensorAccessor<TensorAccessorArgs<kCtaOffset, kCrtaOffset>>;

template <std::size_t kCtaOffset, std::size_t kCrtaOffset>
TensorAccessor(const TensorAccessorArgs<kCtaOffset, kCrtaOffset>&, uint32_t, uint32_t)
    -> TensorAccessor<TensorAccessorArgs<kCtaOffset, kCrtaOffset>>;

template <uint32_t kCtaOffset, uint32_t kAddressOffset>
TensorAccessor(const tensor_accessor::TensorBindingToken<kCtaOffset, kAddressOffset>&)
    -> TensorAccessor<tensor_accessor::BoundArgs<kCtaOffset, kAddressOffset>>;

// An accessor whose places are pages, and one whose places are shards.
template <typename Accessor>
struct PageView {
    const Accessor& accessor;

    explicit PageView(const Accessor& of) : accessor(of) {}
    uint64_t get_noc_addr(uint32_t page_id, uint32_t offset, uint8_t noc) const {
        return accessor.get_noc_addr(page_id, offset, noc);
    }
};

template <typename Accessor>
struct ShardView {
    const Accessor& accessor;

    explicit ShardView(const Accessor& of) : accessor(of) {}
    bool is_local_shard(uint32_t shard_id, uint8_t noc) const { return accessor.is_local_shard(shard_id, noc); }
    uint64_t get_noc_addr(uint32_t shard_id, uint32_t offset, uint8_t noc) const {
        return accessor.get_shard_noc_addr(shard_id, offset, noc);
    }
};
