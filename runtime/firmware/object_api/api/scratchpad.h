// Memory of a kernel's own, which the host has allocated.
#pragma once

#include "api/core_local_mem.h"
#include "api/debug/assert.h"
#include "api/scratchpad_binding_token.h"
#include "hallmark/arguments.h"

template <typename T>
class Scratchpad {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using size_type = uint32_t;
    using pointer = CoreLocalMem<T>;
    using iterator = pointer;
    using reference = T&;

    FORCE_INLINE explicit Scratchpad(const ScratchpadBindingToken& token)
        : start_(get_common_arg_val<uint32_t>(token.crta_offset)), bytes_(token.size_in_bytes) {
        ASSERT(start_ % alignof(T) == 0);
        ASSERT(bytes_ % sizeof(T) == 0);
    }

    FORCE_INLINE T& operator[](uint32_t index) const {
        ASSERT(index < size());
        return begin()[index];
    }
    FORCE_INLINE uint32_t size() const { return bytes_ / sizeof(T); }
    FORCE_INLINE uint32_t size_in_bytes() const { return bytes_; }
    FORCE_INLINE uint32_t get_base_address() const { return start_; }
    FORCE_INLINE pointer begin() const { return pointer(static_cast<uintptr_t>(start_)); }
    FORCE_INLINE pointer end() const { return pointer(static_cast<uintptr_t>(start_ + bytes_)); }
    FORCE_INLINE pointer local_mem() const { return begin(); }
    [[nodiscard]] FORCE_INLINE auto scoped_lock(uint32_t offset, uint32_t num_elements) const {
        ASSERT(offset + num_elements <= size());
        return (begin() + offset).scoped_lock(num_elements);
    }

private:
    uint32_t start_;
    uint32_t bytes_;
};

#ifndef HALLMARK_COMPUTE
template <typename T>
struct noc_traits_t<Scratchpad<T>> : hallmark::LocalEndpoint<noc_traits_t<Scratchpad<T>>> {
    FORCE_INLINE static uint32_t read_address(const Scratchpad<T>& memory) { return memory.get_base_address(); }
    FORCE_INLINE static uint32_t write_address(const Scratchpad<T>& memory) { return memory.get_base_address(); }
};
template <typename T>
inline constexpr bool noc_zero_l1_endpoint_v<Scratchpad<T>> = true;
#endif
