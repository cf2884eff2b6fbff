// Pages of a shard, and shards of a tensor, one after the other.
#pragma once

#include "api/tensor/pages_address_iterator.h"
#include "hallmark/sharded_spec.h"

namespace tensor_accessor {

// Pages `start` to `end` of a shard. A shard at the tensor's edge has room for pages that the tensor does not have; they
// are left out.
template <typename Accessor>
class ShardPages {
   public:
    class Iterator : public IteratorOperators<Iterator, ShardPage<Accessor>> {
       public:
        Iterator(const Accessor& accessor, uint32_t shard, uint32_t place, uint32_t end, uint8_t noc)
            : accessor_(&accessor), shard_(shard), place_(place), end_(end), noc_(noc) {
            HALLMARK_BOUND(end <= accessor.dspec().shard_volume());
            find();
        }
        uint32_t page_id() const { return page_; }
        ShardPage<Accessor> operator*() const {
            const uint32_t offset = place_ * accessor_->get_aligned_page_size();
            return {accessor_->get_shard_noc_addr(shard_, offset, noc_), page_, accessor_, shard_, place_};
        }
        // By places of the shard, and from there to the next place with a page.
        Iterator& operator+=(ptrdiff_t count) {
            HALLMARK_BOUND(count >= 0);
            place_ += static_cast<uint32_t>(count);
            find();
            return *this;
        }
        bool operator==(const Iterator& other) const { return shard_ == other.shard_ && place_ == other.place_; }
        bool operator<(const Iterator& other) const { return shard_ == other.shard_ && place_ < other.place_; }

       private:
        void find() {
            for (; place_ < end_; ++place_) {
                if (has_page()) {
                    return;
                }
            }
            place_ = end_;
        }

        // Whether the tensor has a page at this place; then `page_` is its number.
        bool has_page() {
            const auto& spec = accessor_->dspec();
            uint32_t shard = shard_;
            uint32_t place = place_;
            uint32_t page = 0;
            uint32_t stride = 1;
            for (uint32_t side = spec.rank(); side-- > 0;) {
                const uint32_t coordinate =
                    shard % spec.shard_grid()[side] * spec.shard_shape()[side] + place % spec.shard_shape()[side];
                if (coordinate >= spec.tensor_shape()[side]) {
                    return false;
                }
                page += coordinate * stride;
                stride *= spec.tensor_shape()[side];
                shard /= spec.shard_grid()[side];
                place /= spec.shard_shape()[side];
            }
            page_ = page;
            return true;
        }

        const Accessor* accessor_;
        uint32_t shard_;
        uint32_t place_;
        uint32_t end_;
        uint32_t page_ = 0;
        uint8_t noc_;
    };
    using iterator = Iterator;
    using const_iterator = Iterator;

    ShardPages(const Accessor& accessor, uint32_t shard, uint32_t start, uint32_t end, uint8_t noc)
        : accessor_(&accessor), shard_(shard), start_(start), end_(end), noc_(noc) {}
    Iterator begin() const { return {*accessor_, shard_, start_, end_, noc_}; }
    Iterator end() const { return {*accessor_, shard_, end_, end_, noc_}; }
    Iterator cbegin() const { return begin(); }
    Iterator cend() const { return end(); }

   private:
    const Accessor* accessor_;
    uint32_t shard_;
    uint32_t start_;
    uint32_t end_;
    uint8_t noc_;
};

// Shards `start` to `end` of a tensor, each as its pages.
template <typename Accessor>
class StridedShardPages {
   public:
    class Iterator : public IteratorOperators<Iterator, ShardPages<Accessor>> {
       public:
        Iterator(const Accessor& accessor, uint32_t shard, uint8_t noc)
            : accessor_(&accessor), shard_(shard), noc_(noc) {}
        ShardPages<Accessor> operator*() const { return accessor_->shard_pages(shard_, 0, 0, noc_); }
        Iterator& operator+=(ptrdiff_t count) {
            shard_ += static_cast<uint32_t>(count);
            return *this;
        }
        bool operator==(const Iterator& other) const { return shard_ == other.shard_; }
        bool operator<(const Iterator& other) const { return shard_ < other.shard_; }

       private:
        const Accessor* accessor_;
        uint32_t shard_;
        uint8_t noc_;
    };
    using iterator = Iterator;
    using const_iterator = Iterator;

    StridedShardPages(const Accessor& accessor, uint32_t start, uint32_t end, uint8_t noc)
        : accessor_(&accessor), start_(start), end_(end), noc_(noc) {}
    Iterator begin() const { return {*accessor_, start_, noc_}; }
    Iterator end() const { return {*accessor_, end_, noc_}; }
    Iterator cbegin() const { return begin(); }
    Iterator cend() const { return end(); }

   private:
    const Accessor* accessor_;
    uint32_t start_;
    uint32_t end_;
    uint8_t noc_;
};

// The iterator by upstream's name.
template <typename Accessor>
class ShardPagesAddressIterator : public ShardPages<Accessor>::Iterator {
   public:
    ShardPagesAddressIterator(const Accessor& accessor, uint32_t shard_id = 0, uint32_t start_page_offset = 0,
                              uint32_t end_page_offset = 0, uint8_t noc = noc_index)
        : ShardPages<Accessor>::Iterator(accessor, shard_id, start_page_offset, end_page_offset, noc) {}
};

}  // namespace tensor_accessor
