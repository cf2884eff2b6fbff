// The virtual functions of the vendor's command queues in the order of release 0.81.1's table, for stand-ins of the
// vendor's library in tests. The first two slots are the destructor.
#pragma once

#include "metalium_abi.hpp"

namespace tt::tt_metal::distributed {

class VirtualQueue {
public:
    virtual ~VirtualQueue() = default;
#ifdef HALLMARK_ANOTHER_FUNCTION_IN_FRONT
    virtual void slot_of_another_release() {}
#endif
    virtual void slot_2() = 0;
    virtual void slot_3() = 0;
    virtual void enqueue_mesh_workload(MeshWorkload&, bool blocking) = 0;
    virtual void enqueue_write_shard_to_sub_grid(
        const MeshBuffer&, const void*, const MeshCoordinateRange&, bool, std::optional<BufferRegion>) = 0;
    virtual void enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>&, const void*, bool) = 0;
    virtual void slot_7() = 0;
    virtual void slot_8() = 0;
    virtual void enqueue_read_mesh_buffer(void*, const std::shared_ptr<MeshBuffer>&, bool) = 0;
    virtual void slot_10() = 0;
    virtual void slot_11() = 0;
    virtual MeshEvent enqueue_record_event(
        std::span<const SubDeviceId>, const std::optional<MeshCoordinateRange>&) = 0;
    virtual MeshEvent enqueue_record_event_to_host(
        std::span<const SubDeviceId>, const std::optional<MeshCoordinateRange>&) = 0;
    virtual void enqueue_wait_for_event(const MeshEvent&) = 0;
    virtual void finish(std::span<const SubDeviceId>) = 0;
};

}  // namespace tt::tt_metal::distributed
