// Pages of a tensor, one after the other.
#pragma once

#include <stdint.h>

namespace tensor_accessor {

class Page {
   public:
    Page(uint64_t noc_addr, uint32_t page_id) : noc_addr_(noc_addr), page_id_(page_id) {}
    uint64_t noc_addr() const { return noc_addr_; }
    uint32_t page_id() const { return page_id_; }

   private:
    uint64_t noc_addr_;
    uint32_t page_id_;
};

// Pages `start` to `end`, each `step`-th of them.
template <typename Accessor>
class Pages {
   public:
    class Iterator {
       public:
        Iterator(const Pages& pages, uint32_t page) : pages_(pages), page_(page) {}
        Page operator*() const { return {pages_.accessor_.get_noc_addr(page_, 0, pages_.noc_), page_}; }
        Iterator& operator++() {
            page_ += pages_.step_;
            return *this;
        }
        Iterator operator++(int) {
            const Iterator before = *this;
            ++*this;
            return before;
        }
        Iterator& operator+=(uint32_t count) {
            page_ += count * pages_.step_;
            return *this;
        }
        bool operator==(const Iterator& other) const { return page_ == other.page_; }
        // A step may pass the end.
        bool operator!=(const Iterator& other) const { return page_ < other.page_; }

       private:
        const Pages& pages_;
        uint32_t page_;
    };

    Pages(const Accessor& accessor, uint32_t start, uint32_t end, uint32_t step, uint8_t noc)
        : accessor_(accessor), start_(start), end_(end), step_(step), noc_(noc) {}
    Iterator begin() const { return {*this, start_}; }
    Iterator end() const { return {*this, end_}; }

   private:
    const Accessor& accessor_;
    uint32_t start_;
    uint32_t end_;
    uint32_t step_;
    uint8_t noc_;
};

}  // namespace tensor_accessor
