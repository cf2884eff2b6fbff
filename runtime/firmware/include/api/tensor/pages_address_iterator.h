// Pages of a tensor, one after the other.
#pragma once

#include "api/tensor/page.h"
#include "cstddef"
#include "hallmark/bound.h"

namespace tensor_accessor {

// A value that an iterator points to.
template <typename T>
class Pointed {
   public:
    T value;
    const T* operator->() const { return &value; }
};

// The operators of an iterator that follow from its `*`, `+=`, `==` and `<`.
template <typename Iterator, typename Value>
class IteratorOperators {
   public:
    using value_type = Value;
    using difference_type = ptrdiff_t;

    Pointed<Value> operator->() const { return {*self()}; }
    Value operator[](difference_type count) const { return *(*this + count); }
    Iterator& operator++() { return static_cast<Iterator&>(*this) += 1; }
    Iterator operator++(int) {
        const Iterator before = self();
        ++*this;
        return before;
    }
    Iterator operator+(difference_type count) const {
        Iterator later = self();
        later += count;
        return later;
    }
    bool operator!=(const Iterator& other) const { return !(self() == other); }
    bool operator>(const Iterator& other) const { return other < self(); }
    bool operator<=(const Iterator& other) const { return self() < other || self() == other; }
    bool operator>=(const Iterator& other) const { return !(self() < other); }

   private:
    const Iterator& self() const { return static_cast<const Iterator&>(*this); }
};

// Pages `start` to `end`, each `stride`-th of them. An iterator refers to the accessor alone.
template <typename Accessor>
class Pages {
   public:
    class Iterator : public IteratorOperators<Iterator, AccessorPage<Accessor>> {
       public:
        Iterator(const Accessor& accessor, uint32_t page, uint32_t end, uint32_t stride, uint8_t noc)
            : accessor_(&accessor), page_(page), end_(end), stride_(stride), noc_(noc) {}
        uint32_t page_id() const { return page_; }
        AccessorPage<Accessor> operator*() const {
            return {accessor_->get_noc_addr(page_, 0, noc_), page_, accessor_};
        }
        // No step passes the end.
        Iterator& operator+=(ptrdiff_t count) {
            HALLMARK_BOUND(count >= 0);
            const uint32_t next = page_ + static_cast<uint32_t>(count) * stride_;
            page_ = next < end_ ? next : end_;
            return *this;
        }
        bool operator==(const Iterator& other) const { return page_ == other.page_; }
        bool operator<(const Iterator& other) const { return page_ < other.page_; }

       private:
        const Accessor* accessor_;
        uint32_t page_;
        uint32_t end_;
        uint32_t stride_;
        uint8_t noc_;
    };
    using iterator = Iterator;
    using const_iterator = Iterator;

    Pages(const Accessor& accessor, uint32_t start, uint32_t end, uint32_t stride = 1, uint8_t noc = noc_index)
        : accessor_(&accessor), start_(start), end_(end), stride_(stride), noc_(noc) {
        HALLMARK_BOUND(stride > 0);
        HALLMARK_BOUND(start <= end);
    }
    Iterator begin() const { return {*accessor_, start_, end_, stride_, noc_}; }
    Iterator end() const { return {*accessor_, end_, end_, stride_, noc_}; }
    Iterator cbegin() const { return begin(); }
    Iterator cend() const { return end(); }

   private:
    const Accessor* accessor_;
    uint32_t start_;
    uint32_t end_;
    uint32_t stride_;
    uint8_t noc_;
};

// The iterators by upstream's names.
template <typename Accessor>
class PagesAddressIteratorSharded : public Pages<Accessor>::Iterator {
   public:
    PagesAddressIteratorSharded(const Accessor& accessor, uint32_t start_page_id = 0, uint32_t stride = 1,
                                uint8_t noc = noc_index)
        : Pages<Accessor>::Iterator(accessor, start_page_id, accessor.dspec().tensor_volume(), stride, noc) {}
};

template <typename Accessor>
class PagesAddressIteratorInterleaved : public Pages<Accessor>::Iterator {
   public:
    PagesAddressIteratorInterleaved(const Accessor& accessor, uint32_t start_page_id, uint32_t end_page_id,
                                    uint32_t stride, uint8_t noc)
        : Pages<Accessor>::Iterator(accessor, start_page_id, end_page_id, stride, noc) {}
};

}  // namespace tensor_accessor
