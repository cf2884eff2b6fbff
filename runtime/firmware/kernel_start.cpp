// Enters a kernel: gives its variables their values, sets up what the kernel API works on, and hands
// back a core that owes nothing to the NoC.

#include "hallmark/kernel_state.h"

extern "C" {
extern uint32_t __data_image[], __data_start[], __data_end[], __bss_start[], __bss_end[];
using Initializer = void (*)();
extern Initializer __init_array_start[], __init_array_end[];
}

void kernel_main();

namespace hallmark {
uint32_t launch_block;
uint32_t unique_args;
uint32_t common_args;
}  // namespace hallmark

// Only indices that the launch uses are ever set: reading another one is an error that a strict
// simulator finds.
__attribute__((section(".noinit"))) LocalCBInterface cb_interface[hallmark::kCircularBuffers];

uint8_t my_x[2];
uint8_t my_y[2];

#ifndef HALLMARK_COMPUTE
uint32_t noc_reads_num_issued[2];
uint32_t noc_nonposted_writes_num_issued[2];
uint32_t noc_nonposted_writes_acked[2];
uint32_t noc_nonposted_atomics_acked[2];
uint32_t noc_posted_writes_num_issued[2];
#endif

namespace {

using namespace hallmark;

void set_up_circular_buffers() {
#ifdef HALLMARK_COMPUTE
    constexpr uint32_t kShift = 4;
#else
    constexpr uint32_t kShift = 0;
#endif
    const uint32_t table = launch_word(kLaunchCircularBuffers);
    const uint32_t count = launch_word(kLaunchCircularBufferCount);
    for (uint32_t index = 0; index < count; ++index) {
        const volatile uint32_t* slot =
            reinterpret_cast<volatile uint32_t*>(table + index * kCircularBufferSlotSize);
        const uint32_t size = slot[1] >> kShift;
        if (size == 0) {
            continue;
        }
        const uint32_t address = slot[0] >> kShift;
        LocalCBInterface& buffer = cb_interface[index];
        buffer.fifo_size = size;
        buffer.fifo_limit = address + size;
        buffer.fifo_page_size = slot[3] >> kShift;
        buffer.fifo_num_pages = slot[2];
        buffer.fifo_rd_ptr = address;
        buffer.fifo_wr_ptr = address;
    }
}

#ifndef HALLMARK_COMPUTE
volatile uint32_t& noc_counter(uint32_t noc, uint32_t offset) {
    return register_at(kNoc + noc * kNocStride + offset);
}

void read_noc_counters() {
    for (uint32_t noc = 0; noc < 2; ++noc) {
        noc_reads_num_issued[noc] = noc_counter(noc, kNocReadResponses);
        noc_nonposted_writes_num_issued[noc] = noc_counter(noc, kNocWritesSent);
        noc_nonposted_writes_acked[noc] = noc_counter(noc, kNocWriteAcks);
        noc_nonposted_atomics_acked[noc] = noc_counter(noc, kNocAtomicResponses);
        noc_posted_writes_num_issued[noc] = noc_counter(noc, kNocPostedWritesSent);
    }
}

// Requests of a kernel that names no transaction count as transaction 0, whatever ran before.
void clear_transactions() {
    constexpr uint32_t kCommandBuffers = 4;
    for (uint32_t buffer = 0; buffer < kCommandBuffers; ++buffer) {
        register_at(kNoc + NOC_INDEX * kNocStride + buffer * kNocCommandBufferStride + kNocPacketTag) = 0;
    }
}

void wait_for(uint32_t noc, uint32_t offset, uint32_t value) {
    volatile uint32_t& counter = noc_counter(noc, offset);
    while (counter != value) {
    }
}

// A kernel that ends without a barrier must not leave responses to the next one, which would count
// them as its own. The other data-movement core counts on the other NoC.
void finish_transfers() {
    wait_for(NOC_INDEX, kNocReadResponses, noc_reads_num_issued[NOC_INDEX]);
    wait_for(NOC_INDEX, kNocWriteAcks, noc_nonposted_writes_acked[NOC_INDEX]);
    wait_for(NOC_INDEX, kNocAtomicResponses, noc_nonposted_atomics_acked[NOC_INDEX]);
    wait_for(NOC_INDEX, kNocPostedWritesSent, noc_posted_writes_num_issued[NOC_INDEX]);
}
#endif

}  // namespace

extern "C" __attribute__((section(".text.start"), used)) void _start(uint32_t block) {
    const uint32_t* from = __data_image;
    for (uint32_t* to = __data_start; to != __data_end; ++to, ++from) {
        *to = *from;
    }
    for (uint32_t* to = __bss_start; to != __bss_end; ++to) {
        *to = 0;
    }
    launch_block = block;
    const uint32_t own = kLaunchProcessor + PROCESSOR_INDEX * kLaunchProcessorStride;
    unique_args = launch_word(own + 4);
    common_args = launch_word(own + 8);
    const uint32_t noc_xy = launch_word(kLaunchNocXy);
    my_x[0] = noc_xy & 0xFF;
    my_x[1] = (noc_xy >> 8) & 0xFF;
    my_y[0] = (noc_xy >> 16) & 0xFF;
    my_y[1] = noc_xy >> 24;
    set_up_circular_buffers();
#ifndef HALLMARK_COMPUTE
    read_noc_counters();
    clear_transactions();
#endif
    for (Initializer* one = __init_array_start; one != __init_array_end; ++one) {
        (*one)();
    }
    kernel_main();
#ifndef HALLMARK_COMPUTE
    finish_transfers();
#endif
}

// What the compiler may call for copies and fills of its own. Linked only where it does.
extern "C" {
void* memcpy(void* to, const void* from, __SIZE_TYPE__ size) {
    for (__SIZE_TYPE__ i = 0; i < size; ++i) {
        static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
    }
    return to;
}

void* memmove(void* to, const void* from, __SIZE_TYPE__ size) {
    if (to <= from) {
        return memcpy(to, from, size);
    }
    while (size-- > 0) {
        static_cast<char*>(to)[size] = static_cast<const char*>(from)[size];
    }
    return to;
}

void* memset(void* to, int value, __SIZE_TYPE__ size) {
    for (__SIZE_TYPE__ i = 0; i < size; ++i) {
        static_cast<char*>(to)[i] = static_cast<char>(value);
    }
    return to;
}
}
