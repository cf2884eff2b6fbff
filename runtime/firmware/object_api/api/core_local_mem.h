// A pointer into this tile's L1.
#pragma once

#include <cstddef>
#include <type_traits>

#include "api/lock.h"
#include "hallmark/kernel_state.h"
#ifndef HALLMARK_COMPUTE
#include "api/dataflow/noc.h"
#endif

template <typename T, typename Address = uintptr_t>
class CoreLocalMem {
    static_assert(std::is_integral_v<Address> && std::is_unsigned_v<Address>, "an address is an unsigned integer");
    using difference_type = ptrdiff_t;

public:
    CoreLocalMem(Address address) : address_(address) {}
    CoreLocalMem(T* pointer) : address_(reinterpret_cast<Address>(pointer)) {}

    T* get_unsafe_ptr() const { return reinterpret_cast<T*>(address_); }
    Address get_address() const { return address_; }
    T& operator[](uint32_t index) const { return get_unsafe_ptr()[index]; }
    T& operator*() const { return *get_unsafe_ptr(); }
    T* operator->() const { return get_unsafe_ptr(); }

    CoreLocalMem& operator+=(difference_type elements) {
        address_ += elements * sizeof(T);
        return *this;
    }
    CoreLocalMem& operator-=(difference_type elements) {
        address_ -= elements * sizeof(T);
        return *this;
    }
    CoreLocalMem& operator++() { return *this += 1; }
    CoreLocalMem& operator--() { return *this -= 1; }
    CoreLocalMem operator++(int) {
        const CoreLocalMem before = *this;
        ++*this;
        return before;
    }
    CoreLocalMem operator--(int) {
        const CoreLocalMem before = *this;
        --*this;
        return before;
    }
    CoreLocalMem operator+(difference_type elements) const { return address_ + elements * sizeof(T); }
    CoreLocalMem operator-(difference_type elements) const { return address_ - elements * sizeof(T); }
    difference_type operator-(const CoreLocalMem& other) const {
        return (static_cast<difference_type>(address_) - static_cast<difference_type>(other.address_)) /
               static_cast<difference_type>(sizeof(T));
    }
    bool operator==(const CoreLocalMem& other) const { return address_ == other.address_; }
    bool operator!=(const CoreLocalMem& other) const { return address_ != other.address_; }
    bool operator<(const CoreLocalMem& other) const { return address_ < other.address_; }
    bool operator<=(const CoreLocalMem& other) const { return address_ <= other.address_; }
    bool operator>(const CoreLocalMem& other) const { return address_ > other.address_; }
    bool operator>=(const CoreLocalMem& other) const { return address_ >= other.address_; }
    explicit operator bool() const { return address_ != 0; }

    // A claim on these elements, for tools that look for accesses without one. It costs nothing.
    [[nodiscard]] auto scoped_lock(size_t) const {
        return Lock([] {});
    }

private:
    Address address_;
};

#ifndef HALLMARK_COMPUTE
template <typename T, typename Address>
struct noc_traits_t<CoreLocalMem<T, Address>> : hallmark::LocalEndpoint<noc_traits_t<CoreLocalMem<T, Address>>> {
    static uint32_t read_address(const CoreLocalMem<T, Address>& memory) { return memory.get_address(); }
    static uint32_t write_address(const CoreLocalMem<T, Address>& memory) { return memory.get_address(); }
};
template <typename T, typename Address>
inline constexpr bool noc_zero_l1_endpoint_v<CoreLocalMem<T, Address>> = true;
#endif
