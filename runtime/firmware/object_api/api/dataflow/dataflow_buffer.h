// A dataflow buffer. On these chips a circular buffer stands behind each, and one thread produces and one consumes.
#pragma once

#include "api/core_local_mem.h"
#include "api/debug/assert.h"
#include "api/dataflow/dfb_access.h"
#include "api/dataflow/dfb_binding_token.h"
#include "tensix_types.h"
#ifdef HALLMARK_COMPUTE
#include "api/compute/cb_api.h"
#else
#include "api/dataflow/noc.h"
#endif

// A claim on entries of a dataflow buffer, which ends with its scope. Meanwhile the buffer does not give them away.
template <bool kIsWrite>
class [[nodiscard]] DfbScopedLock {
public:
    FORCE_INLINE DfbScopedLock(uint32_t pointer, uint8_t& locks) : pointer_(pointer), locks_(locks) { ++locks_; }
    FORCE_INLINE ~DfbScopedLock() { --locks_; }
    DfbScopedLock(const DfbScopedLock&) = delete;
    DfbScopedLock& operator=(const DfbScopedLock&) = delete;

    // The first claimed byte.
    template <typename T = uint32_t>
    [[nodiscard]] FORCE_INLINE CoreLocalMem<std::conditional_t<kIsWrite, T, const T>> get_ptr() const {
        return CoreLocalMem<std::conditional_t<kIsWrite, T, const T>>(static_cast<uintptr_t>(pointer_));
    }

private:
    uint32_t pointer_;
    uint8_t& locks_;
};

class DataflowBuffer {
public:
    template <dfb::AccessPattern kProducer, dfb::AccessPattern kConsumer>
    DataflowBuffer(DFBBindingToken<kProducer, kConsumer> token) : id_(static_cast<uint32_t>(token)), tiles_(token.metadata()) {}
    DataflowBuffer(uint16_t logical_dfb_id) : id_(logical_dfb_id), tiles_(tiles_of(logical_dfb_id)) {}

    uint16_t get_id() const { return id_; }

    // Counts of entries have 16 bits, as upstream.
    FORCE_INLINE void reserve_back(uint16_t num_entries) { cb_reserve_back(id_, num_entries); }
    FORCE_INLINE void push_back(uint16_t num_entries) {
        ASSERT(write_locks_ == 0);
        cb_push_back(id_, num_entries);
    }
    FORCE_INLINE void wait_front(uint16_t num_entries) { cb_wait_front(id_, num_entries); }
    FORCE_INLINE void pop_front(uint16_t num_entries) {
        ASSERT(read_locks_ == 0);
        cb_pop_front(id_, num_entries);
    }

    FORCE_INLINE uint32_t get_write_ptr() const { return interface().fifo_wr_ptr; }
    FORCE_INLINE uint32_t get_read_ptr() const { return interface().fifo_rd_ptr; }

    // Sizes are in bytes. With one thread on either side, a stride is an entry and a share is the whole buffer.
    FORCE_INLINE uint32_t get_entry_size() const { return bytes(interface().fifo_page_size); }
    FORCE_INLINE uint32_t get_stride_size() const { return get_entry_size(); }
    FORCE_INLINE uint32_t get_total_num_entries() const { return interface().fifo_num_pages; }
    FORCE_INLINE uint32_t get_total_size_bytes() const { return bytes(interface().fifo_size); }
    FORCE_INLINE uint32_t get_local_num_entries() const { return get_total_num_entries(); }
    FORCE_INLINE uint32_t get_local_size_bytes() const { return get_total_size_bytes(); }
    FORCE_INLINE uint32_t get_ring_span_bytes() const { return get_total_size_bytes(); }
    FORCE_INLINE uint32_t get_ring_span_num_entries() const { return get_total_num_entries(); }
    FORCE_INLINE uint16_t get_producer_share() const { return 1; }
    FORCE_INLINE uint16_t get_consumer_share() const { return 1; }
    FORCE_INLINE uint16_t get_producer_stride_tiles() const { return 1; }
    FORCE_INLINE uint16_t get_consumer_stride_tiles() const { return 1; }

    // Of a buffer that the host has given a format.
    FORCE_INLINE DataFormat get_dataformat() const {
        ASSERT(tiles_.format != binding_details::LLKMetadata::kNoFormat);
        return static_cast<DataFormat>(tiles_.format);
    }

    // Without a table of tiles, an entry is a tile wherever a kernel asks for the size of one.
    FORCE_INLINE uint32_t get_tile_size() const {
#ifdef HALLMARK_COMPUTE
        return get_entry_size();
#else
        return ::get_tile_size(id_);
#endif
    }
    FORCE_INLINE constexpr uint32_t get_face_r_dim() const { return tiles_.face_r_dim; }
    FORCE_INLINE constexpr uint32_t get_num_faces_r_dim() const { return tiles_.num_faces_r_dim; }
    FORCE_INLINE constexpr uint32_t get_num_faces_c_dim() const { return tiles_.num_faces_c_dim; }
    FORCE_INLINE constexpr uint32_t get_tile_num_faces() const {
        return uint32_t{tiles_.num_faces_r_dim} * tiles_.num_faces_c_dim;
    }
    FORCE_INLINE constexpr uint32_t get_tile_r_dim() const { return uint32_t{tiles_.face_r_dim} * tiles_.num_faces_r_dim; }
    FORCE_INLINE constexpr uint32_t get_tile_c_dim() const { return uint32_t{tiles_.face_c_dim} * tiles_.num_faces_c_dim; }
    FORCE_INLINE constexpr uint32_t get_tile_hw() const { return get_tile_r_dim() * get_tile_c_dim(); }

#ifndef HALLMARK_COMPUTE
    FORCE_INLINE bool pages_reservable_at_back(int32_t num_pages) const {
        return cb_pages_reservable_at_back(id_, num_pages);
    }
    FORCE_INLINE bool pages_available_at_front(int32_t num_pages) const {
        return cb_pages_available_at_front(id_, num_pages);
    }

    FORCE_INLINE void write_barrier(const Noc& noc) const { noc.async_write_barrier(); }
#else
    // Of a tile behind the front, on all three threads.
    FORCE_INLINE uint32_t get_tile_address(uint32_t tile_index) { return ::get_tile_address(id_, tile_index); }
    template <typename T = uint32_t>
    FORCE_INLINE T read_tile_value(uint32_t tile_index, uint32_t element_offset) {
        static_assert(sizeof(T) <= 4, "an element has 4 bytes at most");
        uint32_t value = 0;
        UNPACK({
            const LocalCBInterface& buffer = interface();
            const uint32_t address = (buffer.fifo_rd_ptr + buffer.fifo_page_size * tile_index) << 4;
            value = static_cast<uint32_t>(reinterpret_cast<volatile T*>(address)[element_offset]);
        })
        return static_cast<T>(hallmark::broadcast_from_unpack(value));
    }
#endif

    void finish() {}

    // Moves a pointer for kernels that use the memory otherwise.
    FORCE_INLINE void evil_set_write_ptr(uint32_t addr) { interface().fifo_wr_ptr = addr; }
    FORCE_INLINE void evil_set_read_ptr(uint32_t addr) { interface().fifo_rd_ptr = addr; }

    // Claims on the next entries to write or to read. While one is held, these are not pushed or popped.
    FORCE_INLINE DfbScopedLock<true> scoped_write_lock(uint16_t num_entries = 1) {
        ASSERT(num_entries <= get_total_num_entries());
        return DfbScopedLock<true>(get_write_ptr(), write_locks_);
    }
    FORCE_INLINE DfbScopedLock<false> scoped_read_lock(uint16_t num_entries = 1) {
        ASSERT(num_entries <= get_total_num_entries());
        return DfbScopedLock<false>(get_read_ptr(), read_locks_);
    }

    // Where a relay's token can be made, it is refused (api/dataflow/dfb_binding_token.h).
    DataflowBuffer(RelayDFBBindingToken token) : DataflowBuffer(static_cast<uint16_t>(token)) {}

    // Whether a tile has fewer rows, or columns, than the usual 32.
    FORCE_INLINE constexpr uint32_t get_partial_face() const { return get_tile_r_dim() < 32; }
    FORCE_INLINE constexpr uint32_t get_narrow_tile() const { return get_tile_c_dim() < 32; }

    // A tile is packed in the format of its buffer. Formats inside the coprocessor depend on all buffers of the program.
#if !defined(UCK_CHLKC_UNPACK) && !defined(UCK_CHLKC_MATH)
    FORCE_INLINE DataFormat get_pack_dst_format() const { return get_dataformat(); }
    HALLMARK_REFUSED_RESULT(DataFormat, get_pack_src_format,
                            "Hallmark tells no formats inside the coprocessor; get_dataformat() is that of the buffer")
#endif
#ifndef UCK_CHLKC_PACK
    HALLMARK_REFUSED_RESULT(DataFormat, get_unpack_dst_format,
                            "Hallmark tells no formats inside the coprocessor; get_dataformat() is that of the buffer")
#endif

#ifdef HALLMARK_COMPUTE
    // The tile at the front, or at the back, as an operand that is addressed in lines of L1, from line 1 on.
    template <typename Operand>
    [[nodiscard]] FORCE_INLINE Operand front() const {
#ifdef UCK_CHLKC_MATH
        return Operand{0};
#else
        return Operand{interface().fifo_rd_ptr - 1};
#endif
    }
    template <typename Operand>
    [[nodiscard]] FORCE_INLINE Operand back() const {
#ifdef UCK_CHLKC_MATH
        return Operand{0};
#else
        return Operand{interface().fifo_wr_ptr - 1};
#endif
    }
#endif

private:
    // What the host says of a circular buffer's tiles, if it says something of them.
    FORCE_INLINE static constexpr binding_details::LLKMetadata tiles_of(uint16_t id) {
        binding_details::LLKMetadata tiles;
#if defined(HALLMARK_TILES) && !defined(HALLMARK_COMPUTE)
        const uint8_t rows = unpack_tile_r_dim[id];
        const uint8_t columns = unpack_tile_c_dim[id];
        if (rows != 0 && columns != 0) {
            tiles.format = unpack_src_format[id];
            tiles.face_r_dim = rows < 16 ? rows : 16;
            tiles.face_c_dim = columns < 16 ? columns : 16;
            tiles.num_faces_r_dim = rows / tiles.face_r_dim;
            tiles.num_faces_c_dim = columns / tiles.face_c_dim;
        }
#endif
        return tiles;
    }

    FORCE_INLINE LocalCBInterface& interface() const { return get_local_cb_interface(id_); }

    // Compute threads count sizes in units of 16 bytes.
    FORCE_INLINE static uint32_t bytes(uint32_t size) {
#ifdef HALLMARK_COMPUTE
        return size << 4;
#else
        return size;
#endif
    }

    uint16_t id_;
    uint8_t write_locks_ = 0;
    uint8_t read_locks_ = 0;
    binding_details::LLKMetadata tiles_{};
};

template <typename T>
inline constexpr bool is_dataflow_buffer_v = false;
template <>
inline constexpr bool is_dataflow_buffer_v<DataflowBuffer> = true;

#ifndef HALLMARK_COMPUTE
template <>
struct noc_traits_t<DataflowBuffer> : hallmark::SharedEndpoint<noc_traits_t<DataflowBuffer>, DataflowBufferArgs> {
    FORCE_INLINE static uint32_t read_address(const DataflowBuffer& buffer) { return buffer.get_read_ptr(); }
    FORCE_INLINE static uint32_t write_address(const DataflowBuffer& buffer) { return buffer.get_write_ptr(); }
};
template <>
inline constexpr bool noc_zero_l1_endpoint_v<DataflowBuffer> = true;
#endif
