// Runtime arguments, coordinates, semaphores and circular buffers: what all cores share.
#pragma once

#include "api/compile_time_args.h"
#include "hallmark/kernel_state.h"

FORCE_INLINE uint32_t get_arg_addr(int arg_idx) { return hallmark::unique_args + 4 * arg_idx; }

FORCE_INLINE uint32_t get_common_arg_addr(int arg_idx) { return hallmark::common_args + 4 * arg_idx; }

template <typename T>
FORCE_INLINE T get_arg_val(int arg_idx) {
    static_assert(sizeof(T) == 4, "an argument is one word");
    return *reinterpret_cast<volatile T*>(get_arg_addr(arg_idx));
}

template <typename T>
inline T get_common_arg_val(int arg_idx) {
    static_assert(sizeof(T) == 4, "an argument is one word");
    return *reinterpret_cast<volatile T*>(get_common_arg_addr(arg_idx));
}

inline uint8_t get_absolute_logical_x() {
    return hallmark::launch_word(hallmark::kLaunchLogicalXy) & 0xFF;
}

inline uint8_t get_absolute_logical_y() {
    return (hallmark::launch_word(hallmark::kLaunchLogicalXy) >> 16) & 0xFF;
}

// There is one sub-device, and it starts at (0, 0).
inline uint8_t get_relative_logical_x() { return get_absolute_logical_x(); }

inline uint8_t get_relative_logical_y() { return get_absolute_logical_y(); }

FORCE_INLINE uint32_t get_semaphore(uint32_t semaphore_id) {
    return hallmark::launch_word(hallmark::kLaunchSemaphores) + semaphore_id * hallmark::kSemaphoreStride;
}

// The registers that count pages pushed to and popped from a circular buffer.
FORCE_INLINE volatile tt_reg_ptr uint32_t* get_cb_tiles_received_ptr(int operand) {
    return &hallmark::register_at(hallmark::cb_received_register(operand));
}

FORCE_INLINE volatile tt_reg_ptr uint32_t* get_cb_tiles_acked_ptr(int operand) {
    return &hallmark::register_at(hallmark::cb_acknowledged_register(operand));
}

namespace hallmark {

// Page counts wrap at 2^16 although the registers are one bit wider.
FORCE_INLINE uint16_t cb_received(uint32_t cb_id) { return register_at(cb_received_register(cb_id)); }

FORCE_INLINE uint16_t cb_acknowledged(uint32_t cb_id) {
    return register_at(cb_acknowledged_register(cb_id));
}

FORCE_INLINE bool cb_pages_reservable(uint32_t cb_id, int32_t pages) {
    const uint16_t used = cb_received(cb_id) - cb_acknowledged(cb_id);
    return static_cast<int32_t>(get_local_cb_interface(cb_id).fifo_num_pages) - used >= pages;
}

FORCE_INLINE bool cb_pages_available(uint32_t cb_id, int32_t pages) {
    const uint16_t used = cb_received(cb_id) - cb_acknowledged(cb_id);
    return used >= pages;
}

// The waiting loops load nothing but the one word that somebody else changes.
inline void cb_reserve(uint32_t cb_id, int32_t pages) {
    const int32_t capacity = get_local_cb_interface(cb_id).fifo_num_pages;
    const uint16_t received = cb_received(cb_id);
    while (capacity - static_cast<uint16_t>(received - cb_acknowledged(cb_id)) < pages) {
    }
}

inline void cb_wait(uint32_t cb_id, int32_t pages) {
    const uint16_t acknowledged = cb_acknowledged(cb_id);
    while (static_cast<uint16_t>(cb_received(cb_id) - acknowledged) < pages) {
    }
}

FORCE_INLINE uint32_t cb_advance(const LocalCBInterface& buffer, uint32_t pointer, int32_t pages) {
    pointer += pages * buffer.fifo_page_size;
    // Exactly at the limit, as upstream: a step that does not divide the buffer runs past it.
    return pointer == buffer.fifo_limit ? pointer - buffer.fifo_size : pointer;
}

inline void cb_push(uint32_t cb_id, int32_t pages) {
    LocalCBInterface& buffer = get_local_cb_interface(cb_id);
    buffer.fifo_wr_ptr = cb_advance(buffer, buffer.fifo_wr_ptr, pages);
    volatile uint32_t& received = register_at(cb_received_register(cb_id));
    received = received + pages;
}

inline void cb_pop(uint32_t cb_id, int32_t pages) {
    LocalCBInterface& buffer = get_local_cb_interface(cb_id);
    buffer.fifo_rd_ptr = cb_advance(buffer, buffer.fifo_rd_ptr, pages);
    volatile uint32_t& acknowledged = register_at(cb_acknowledged_register(cb_id));
    acknowledged = acknowledged + pages;
}

}  // namespace hallmark
