// A circular buffer as an object.
#pragma once

#include "api/lock.h"
#include "hallmark/kernel_state.h"
#ifdef HALLMARK_COMPUTE
#include "api/compute/cb_api.h"
#else
#include "api/dataflow/noc.h"
#endif

class CircularBuffer {
public:
    enum class AddrSelector { WRITE_PTR, READ_PTR };

    explicit CircularBuffer(uint32_t cb_id) : cb_id_(cb_id) {}

    uint32_t get_cb_id() const { return cb_id_; }

    FORCE_INLINE void reserve_back(int32_t num_pages) { cb_reserve_back(cb_id_, num_pages); }
    FORCE_INLINE void push_back(int32_t num_pages) { cb_push_back(cb_id_, num_pages); }
    FORCE_INLINE void wait_front(int32_t num_pages) { cb_wait_front(cb_id_, num_pages); }
    FORCE_INLINE void pop_front(int32_t num_pages) { cb_pop_front(cb_id_, num_pages); }

    FORCE_INLINE uint32_t get_write_ptr() const { return get_local_cb_interface(cb_id_).fifo_wr_ptr; }
    FORCE_INLINE uint32_t get_read_ptr() const { return get_local_cb_interface(cb_id_).fifo_rd_ptr; }

#ifndef HALLMARK_COMPUTE
    FORCE_INLINE uint32_t get_tile_size() const { return ::get_tile_size(cb_id_); }
#ifdef HALLMARK_TILES
    constexpr uint32_t get_tile_hw() const { return ::get_tile_hw(cb_id_); }
    constexpr DataFormat get_dataformat() const { return ::get_dataformat(cb_id_); }
#endif
    FORCE_INLINE bool pages_reservable_at_back(int32_t num_pages) const {
        return cb_pages_reservable_at_back(cb_id_, num_pages);
    }
    FORCE_INLINE bool pages_available_at_front(int32_t num_pages) const {
        return cb_pages_available_at_front(cb_id_, num_pages);
    }
#endif

    // A claim on the whole buffer, for tools that look for accesses without one. It costs nothing.
    [[nodiscard]] auto scoped_lock() {
        return Lock([] {});
    }

private:
    uint32_t cb_id_;
};

#ifndef HALLMARK_COMPUTE

template <>
struct noc_traits_t<CircularBuffer> : hallmark::SharedEndpoint<noc_traits_t<CircularBuffer>> {
    FORCE_INLINE static uint32_t read_address(const CircularBuffer& buffer) { return buffer.get_read_ptr(); }
    FORCE_INLINE static uint32_t write_address(const CircularBuffer& buffer) { return buffer.get_write_ptr(); }
};

template <>
inline constexpr bool noc_zero_l1_endpoint_v<CircularBuffer> = true;

// A circular buffer of which one pointer serves both as source and as target.
template <CircularBuffer::AddrSelector pointer>
struct CircularBufferView {
    explicit constexpr CircularBufferView(const CircularBuffer& buffer) : cb(buffer) {}
    const CircularBuffer& cb;
};

template <CircularBuffer::AddrSelector pointer>
constexpr auto use(const CircularBuffer& buffer) {
    return CircularBufferView<pointer>(buffer);
}

template <CircularBuffer::AddrSelector pointer>
struct noc_traits_t<CircularBufferView<pointer>> : hallmark::SharedEndpoint<noc_traits_t<CircularBufferView<pointer>>> {
    FORCE_INLINE static uint32_t read_address(const CircularBufferView<pointer>& view) {
        if constexpr (pointer == CircularBuffer::AddrSelector::READ_PTR) {
            return view.cb.get_read_ptr();
        } else {
            return view.cb.get_write_ptr();
        }
    }
    FORCE_INLINE static uint32_t write_address(const CircularBufferView<pointer>& view) { return read_address(view); }
};

#endif
