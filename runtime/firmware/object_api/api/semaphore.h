// A semaphore as an object.
#pragma once

#include "api/dataflow/noc.h"
#include "api/dataflow/semaphore_binding_token.h"
#include "api/debug/assert.h"

enum class ProgrammableCoreType : uint8_t { TENSIX, ACTIVE_ETH, IDLE_ETH };

template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
class Semaphore {
    static_assert(core_type == ProgrammableCoreType::TENSIX, "Hallmark has no semaphores of Ethernet cores");

public:
    // On these chips the host gives data-movement kernels words that they load and store, and nothing else: `up` and `down`
    // of another scope would lose increments.
    FORCE_INLINE explicit Semaphore(SemaphoreBindingToken token) : address_(get_semaphore(token.id)) {
        ASSERT(token.scope == SemScope::LOCAL_NONATOMIC);
    }
    FORCE_INLINE explicit Semaphore(uint32_t semaphore_id) : address_(get_semaphore(semaphore_id)) {}

    // This tile's own word. Nothing but this core may change it at the time.
    FORCE_INLINE void up(uint32_t value) { noc_semaphore_set(word(), *word() + value); }
    FORCE_INLINE void down(uint32_t value) {
        noc_semaphore_wait_min(word(), value);
        noc_semaphore_set(word(), *word() - value);
    }
    FORCE_INLINE void set(uint32_t value) { noc_semaphore_set(word(), value); }
    FORCE_INLINE uint32_t value() const {
        invalidate_l1_cache();
        return *word();
    }
    FORCE_INLINE void wait(uint32_t value) const { noc_semaphore_wait(word(), value); }
    FORCE_INLINE void wait_min(uint32_t value) const { noc_semaphore_wait_min(word(), value); }

    // The word of another tile.
    FORCE_INLINE void up(const Noc& noc, uint32_t noc_x, uint32_t noc_y, uint32_t value,
                         uint8_t vc = NOC_UNICAST_WRITE_VC) {
        noc_semaphore_inc(::get_noc_addr(noc_x, noc_y, address_, noc.get_noc_id()), value, noc.get_noc_id(), vc);
    }

    // Copies this tile's word to other tiles.
    FORCE_INLINE void relay_unicast(const Noc& noc, const Semaphore& dst_sem, uint32_t noc_x, uint32_t noc_y) {
        ASSERT(address_ != dst_sem.address_);
        noc_semaphore_set_remote(address_, ::get_noc_addr(noc_x, noc_y, dst_sem.address_, noc.get_noc_id()),
                                 noc.get_noc_id());
    }
    template <NocOptions options = NocOptions::DEFAULT>
    FORCE_INLINE void set_multicast(const Noc& noc, uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end,
                                    uint32_t noc_y_end, uint32_t num_dests, bool linked = false) {
        copy_to<options>(noc, *this, noc_x_start, noc_y_start, noc_x_end, noc_y_end, num_dests, linked);
    }
    template <NocOptions options = NocOptions::DEFAULT>
    FORCE_INLINE void relay_multicast(const Noc& noc, const Semaphore& dst_sem, uint32_t noc_x_start,
                                      uint32_t noc_y_start, uint32_t noc_x_end, uint32_t noc_y_end, uint32_t num_dests,
                                      bool linked = false) {
        ASSERT(address_ != dst_sem.address_);
        copy_to<options>(noc, dst_sem, noc_x_start, noc_y_start, noc_x_end, noc_y_end, num_dests, linked);
    }

    // Adds to the word of every tile of a rectangle but this one.
    FORCE_INLINE void inc_multicast(const Noc& noc, uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end,
                                    uint32_t noc_y_end, uint32_t value, uint32_t num_dests) {
        const uint64_t to = ::get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, address_,
                                                     noc.get_noc_id());
        noc_semaphore_inc_multicast(to, value, num_dests, noc.get_noc_id());
    }

private:
    template <NocOptions options>
    FORCE_INLINE void copy_to(const Noc& noc, const Semaphore& dst_sem, uint32_t noc_x_start, uint32_t noc_y_start,
                              uint32_t noc_x_end, uint32_t noc_y_end, uint32_t num_dests, bool linked) {
        const uint64_t to = ::get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, dst_sem.address_,
                                                     noc.get_noc_id());
        if constexpr (has_flag(options, NocOptions::MCAST_INCL_SRC)) {
            noc_semaphore_set_multicast_loopback_src(address_, to, num_dests, linked, noc.get_noc_id());
        } else {
            noc_semaphore_set_multicast(address_, to, num_dests, linked, noc.get_noc_id());
        }
    }
    FORCE_INLINE volatile uint32_t* word() const { return reinterpret_cast<volatile uint32_t*>(address_); }

    uint32_t address_;
};
