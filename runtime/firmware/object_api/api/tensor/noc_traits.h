// Pages of tensors as sources and targets of transfers.
#pragma once

#include "api/dataflow/noc.h"
#include "api/debug/assert.h"
#include "api/tensor/tensor_accessor.h"
#include "hallmark/accessors.h"

// Whether an accessor tells the size of a page with its padding.
template <typename T, typename = void>
inline constexpr bool has_get_aligned_page_size_v = false;
template <typename T>
inline constexpr bool has_get_aligned_page_size_v<T, std::void_t<decltype(std::declval<const T&>().get_aligned_page_size())>> =
    true;

namespace hallmark {

// An address at a tile, or the same as one of this tile's L1, where it then lies.
template <Noc::AddressType address_type>
FORCE_INLINE auto as_address(const Noc& noc, uint64_t noc_address) {
    if constexpr (address_type == Noc::AddressType::LOCAL_L1) {
        ASSERT(noc.is_local_addr(noc_address));
        return static_cast<uint32_t>(noc_address);
    } else {
        return noc_address;
    }
}

// The traits of an object that may lie in another tile, which say where.
template <typename Traits, typename Args>
struct PlacedEndpoint {
    using src_args_type = Args;
    using dst_args_type = Args;

    template <Noc::AddressType address_type, typename T>
    FORCE_INLINE static auto src_addr(const T& object, const Noc& noc, const src_args_type& args) {
        return as_address<address_type>(noc, Traits::noc_address(object, args, noc.get_noc_id()));
    }
    template <Noc::AddressType address_type, typename T>
    FORCE_INLINE static auto dst_addr(const T& object, const Noc& noc, const dst_args_type& args) {
        return as_address<address_type>(noc, Traits::noc_address(object, args, noc.get_noc_id()));
    }
};

struct PlaceInPage {
    uint32_t page_id = 0;
    uint32_t offset_bytes = 0;
};

struct PlaceInShard {
    uint32_t shard_id = 0;
    uint32_t offset_bytes = 0;
};

// The traits of an object that knows the address of each page.
struct PagesEndpoint : PlacedEndpoint<PagesEndpoint, PlaceInPage> {
    template <typename Accessor>
    FORCE_INLINE static uint64_t noc_address(const Accessor& accessor, const PlaceInPage& args, uint8_t noc) {
        return accessor.get_noc_addr(args.page_id, args.offset_bytes, noc);
    }
};

// The traits of a page of an iteration over pages.
struct PageEndpoint : PlacedEndpoint<PageEndpoint, OffsetInObject> {
    FORCE_INLINE static uint64_t noc_address(const tensor_accessor::Page& page, const OffsetInObject& args, uint8_t) {
        return page.noc_addr() + args.offset_bytes;
    }
};

}  // namespace hallmark

template <typename Args, bool is_sharded>
struct noc_traits_t<TensorAccessor<Args, is_sharded>> : hallmark::PagesEndpoint {};

template <bool kDram>
struct noc_traits_t<InterleavedAddrGen<kDram>> : hallmark::PagesEndpoint {};

template <typename Accessor>
struct noc_traits_t<PageView<Accessor>> : hallmark::PagesEndpoint {};

template <>
struct noc_traits_t<AbstractTensorAccessorWrapper> : hallmark::PagesEndpoint {};

template <typename Accessor>
struct noc_traits_t<ShardView<Accessor>>
    : hallmark::PlacedEndpoint<noc_traits_t<ShardView<Accessor>>, hallmark::PlaceInShard> {
    FORCE_INLINE static uint64_t noc_address(const ShardView<Accessor>& view, const hallmark::PlaceInShard& args,
                                             uint8_t noc) {
        return view.get_noc_addr(args.shard_id, args.offset_bytes, noc);
    }
};

template <>
struct noc_traits_t<tensor_accessor::Page> : hallmark::PageEndpoint {};

template <typename Accessor>
struct noc_traits_t<tensor_accessor::AccessorPage<Accessor>> : hallmark::PageEndpoint {};

template <typename Accessor>
struct noc_traits_t<tensor_accessor::ShardPage<Accessor>> : hallmark::PageEndpoint {};
