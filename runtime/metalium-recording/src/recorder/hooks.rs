//! The functions of the vendor's library that are hooked.

/// A hooked function of the vendor's library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hook {
    /// The name of the handler in `recorder/handlers.hpp`.
    pub(super) handler: &'static str,
    /// Its name in the library's dynamic symbol table.
    pub(super) symbol: &'static str,
    /// The index of the argument `blocking` among the register arguments; index 0 is the object of the method.
    pub(super) blocking: Option<usize>,
}

const fn hook(handler: &'static str, symbol: &'static str) -> Hook {
    Hook { handler, symbol, blocking: None }
}

const fn blocking(place: usize, handler: &'static str, symbol: &'static str) -> Hook {
    Hook { handler, symbol, blocking: Some(place) }
}

/// The hooks for release 0.81.1. Calls within the library use its procedure linkage table, and its vtables
/// refer to the dynamic symbols, so a preloaded library intercepts all calls of these functions.
#[rustfmt::skip]
pub(super) const HOOKS: &[Hook] = &[
    hook("open_device", "_ZN2tt8tt_metal11distributed10MeshDevice16create_unit_meshEimmmRKNS0_18DispatchCoreConfigESt4spanIKjLm18446744073709551615EEm"),
    hook("open_device", "_ZN2tt8tt_metal11distributed10MeshDevice6createERKNS1_16MeshDeviceConfigEmmmRKNS0_18DispatchCoreConfigESt4spanIKjLm18446744073709551615EEm"),
    hook("open_devices", "_ZN2tt8tt_metal11distributed10MeshDevice18create_unit_meshesERKSt6vectorIiSaIiEEmmmRKNS0_18DispatchCoreConfigESt4spanIKjLm18446744073709551615EEm"),
    hook("close_device", "_ZN2tt8tt_metal11distributed10MeshDevice5closeEv"),
    hook("close_device", "_ZN2tt8tt_metal11distributed10MeshDeviceD0Ev"),
    hook("close_device", "_ZN2tt8tt_metal11distributed10MeshDeviceD1Ev"),
    hook("close_device", "_ZN2tt8tt_metal11distributed10MeshDeviceD2Ev"),
    hook("create_buffer", "_ZN2tt8tt_metal11distributed10MeshBuffer6createERKSt7variantIJNS1_22ReplicatedBufferConfigENS1_19ShardedBufferConfigEEERKNS1_23DeviceLocalBufferConfigEPNS1_10MeshDeviceESt8optionalImE"),
    hook("free_buffer", "_ZN2tt8tt_metal13AllocatorImpl17deallocate_bufferEPNS0_6BufferE"),
    blocking(4, "transfer", "_ZN2tt8tt_metal11distributed20MeshCommandQueueBase12enqueue_readERKSt10shared_ptrINS1_10MeshBufferEERNS0_21DistributedHostBufferERKSt8optionalISt13unordered_setINS1_14MeshCoordinateESt4hashISC_ESt8equal_toISC_ESaISC_EEEb"),
    blocking(3, "transfer", "_ZN2tt8tt_metal11distributed20MeshCommandQueueBase13enqueue_writeERKSt10shared_ptrINS1_10MeshBufferEERKNS0_21DistributedHostBufferEb"),
    blocking(3, "transfer", "_ZN2tt8tt_metal11distributed20MeshCommandQueueBase19enqueue_read_shardsERKSt6vectorINS1_17ShardDataTransferESaIS4_EERKSt10shared_ptrINS1_10MeshBufferEEb"),
    blocking(3, "transfer", "_ZN2tt8tt_metal11distributed20MeshCommandQueueBase20enqueue_write_shardsERKSt10shared_ptrINS1_10MeshBufferEERKSt6vectorINS1_17ShardDataTransferESaIS9_EEb"),
    blocking(3, "transfer", "_ZN2tt8tt_metal11distributed20MeshCommandQueueBase24enqueue_read_mesh_bufferEPvRKSt10shared_ptrINS1_10MeshBufferEEb"),
    blocking(3, "transfer", "_ZN2tt8tt_metal11distributed20MeshCommandQueueBase25enqueue_write_mesh_bufferERKSt10shared_ptrINS1_10MeshBufferEEPKvb"),
    blocking(3, "transfer", "_ZN2tt8tt_metal11distributed20MeshCommandQueueBase30enqueue_write_with_core_filterERNS1_10MeshBufferERKNS0_21DistributedHostBufferEbPKNS0_12CoreRangeSetE"),
    blocking(4, "transfer", "_ZN2tt8tt_metal11distributed20MeshCommandQueueBase31enqueue_write_shard_to_sub_gridERKNS1_10MeshBufferEPKvRKNS1_19MeshCoordinateRangeEbSt8optionalINS0_12BufferRegionEE"),
    hook("write_shard", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue21write_shard_to_deviceERKNS1_10MeshBufferERKNS1_14MeshCoordinateEPKvRKSt8optionalINS0_12BufferRegionEESt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EESt10shared_ptrINS0_12experimental12PinnedMemoryEEPKNS0_12CoreRangeSetE"),
    hook("write_shard", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue21write_shard_to_deviceERKNS1_10MeshBufferERKNS1_14MeshCoordinateEPKvRKSt8optionalINS0_12BufferRegionEESt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EESt10shared_ptrINS0_12experimental12PinnedMemoryEEPKNS0_12CoreRangeSetE"),
    hook("read_shard", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue22read_shard_from_deviceERKNS1_10MeshBufferERKNS1_14MeshCoordinateEPvSt10shared_ptrINS0_12experimental12PinnedMemoryEERKSt8optionalINS0_12BufferRegionEERSt13unordered_mapIPNS0_7IDeviceEjSt4hashISL_ESt8equal_toISL_ESaISt4pairIKSL_jEEESt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EE"),
    hook("read_shard", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue22read_shard_from_deviceERKNS1_10MeshBufferERKNS1_14MeshCoordinateEPvSt10shared_ptrINS0_12experimental12PinnedMemoryEERKSt8optionalINS0_12BufferRegionEERSt13unordered_mapIPNS0_7IDeviceEjSt4hashISL_ESt8equal_toISL_ESaISt4pairIKSL_jEEESt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EE"),
    hook("wait", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue13finish_nolockESt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EE"),
    hook("wait", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue13finish_nolockESt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EE"),
    blocking(2, "copy", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue21submit_memcpy_requestERSt13unordered_mapIPNS0_7IDeviceEjSt4hashIS5_ESt8equal_toIS5_ESaISt4pairIKS5_jEEEbSt6vectorINS0_9MemoryPinESaISH_EE"),
    blocking(2, "copy", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue21submit_memcpy_requestERSt13unordered_mapIPNS0_7IDeviceEjSt4hashIS5_ESt8equal_toIS5_ESaISt4pairIKS5_jEEEbSt6vectorINS0_9MemoryPinESaISH_EE"),
    hook("finish", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue6finishESt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EE"),
    hook("finish", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue6finishESt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EE"),
    blocking(2, "enqueue_workload", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue21enqueue_mesh_workloadERNS1_12MeshWorkloadEb"),
    blocking(2, "enqueue_workload", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue21enqueue_mesh_workloadERNS1_12MeshWorkloadEb"),
    blocking(2, "enqueue_workload", "_ZN2tt8tt_metal11distributed19EnqueueMeshWorkloadERNS1_16MeshCommandQueueERNS1_12MeshWorkloadEb"),
    hook("program_created", "_ZN2tt8tt_metal9Inspector15program_createdEPKNS0_6detail11ProgramImplE"),
    hook("program_destroyed", "_ZN2tt8tt_metal9Inspector17program_destroyedEPKNS0_6detail11ProgramImplE"),
    hook("kernel_compiled", "_ZN2tt8tt_metal9Inspector31program_kernel_compile_finishedEPKNS0_6detail11ProgramImplEPKNS0_7IDeviceERKSt10shared_ptrINS0_6KernelEERKNS0_15JitBuildOptionsERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"),
    hook("record_event", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue20enqueue_record_eventESt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EERKSt8optionalINS1_19MeshCoordinateRangeEE"),
    hook("record_event", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue20enqueue_record_eventESt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EERKSt8optionalINS1_19MeshCoordinateRangeEE"),
    hook("record_event_to_host", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue28enqueue_record_event_to_hostESt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EERKSt8optionalINS1_19MeshCoordinateRangeEE"),
    hook("record_event_to_host", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue28enqueue_record_event_to_hostESt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EERKSt8optionalINS1_19MeshCoordinateRangeEE"),
    hook("wait_for_event", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue22enqueue_wait_for_eventERKNS1_9MeshEventE"),
    hook("wait_for_event", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue22enqueue_wait_for_eventERKNS1_9MeshEventE"),
    hook("synchronize_event", "_ZN2tt8tt_metal11distributed16EventSynchronizeERKNS1_9MeshEventE"),
    hook("query_event", "_ZN2tt8tt_metal11distributed10EventQueryERKNS1_9MeshEventE"),
    hook("trace_call", "_ZN2tt8tt_metal11distributed10MeshDevice14end_mesh_traceERNS1_16MeshCommandQueueERKN4ttsl10StrongTypeIjNS1_14MeshTraceIdTagEEE"),
    hook("trace_call", "_ZN2tt8tt_metal11distributed10MeshDevice14end_mesh_traceEhRKN4ttsl10StrongTypeIjNS1_14MeshTraceIdTagEEE"),
    hook("trace_call", "_ZN2tt8tt_metal11distributed10MeshDevice16begin_mesh_traceERNS1_16MeshCommandQueueE"),
    hook("trace_call", "_ZN2tt8tt_metal11distributed10MeshDevice16begin_mesh_traceERNS1_16MeshCommandQueueERKN4ttsl10StrongTypeIjNS1_14MeshTraceIdTagEEE"),
    hook("trace_call", "_ZN2tt8tt_metal11distributed10MeshDevice16begin_mesh_traceEh"),
    hook("trace_call", "_ZN2tt8tt_metal11distributed10MeshDevice16begin_mesh_traceEhRKN4ttsl10StrongTypeIjNS1_14MeshTraceIdTagEEE"),
    hook("replay_call", "_ZN2tt8tt_metal11distributed10MeshDevice17replay_mesh_traceERNS1_16MeshCommandQueueERKN4ttsl10StrongTypeIjNS1_14MeshTraceIdTagEEEb"),
    hook("replay_call", "_ZN2tt8tt_metal11distributed10MeshDevice17replay_mesh_traceEhRKN4ttsl10StrongTypeIjNS1_14MeshTraceIdTagEEEb"),
    hook("begin_trace", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue12record_beginERKN4ttsl10StrongTypeIjNS1_14MeshTraceIdTagEEERKSt10shared_ptrINS1_19MeshTraceDescriptorEE"),
    hook("begin_trace", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue12record_beginERKN4ttsl10StrongTypeIjNS1_14MeshTraceIdTagEEERKSt10shared_ptrINS1_19MeshTraceDescriptorEE"),
    hook("end_trace", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue10record_endEv"),
    hook("end_trace", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue10record_endEv"),
    blocking(2, "replay_trace", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue13enqueue_traceERKN4ttsl10StrongTypeIjNS1_14MeshTraceIdTagEEEb"),
    blocking(2, "replay_trace", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue13enqueue_traceERKN4ttsl10StrongTypeIjNS1_14MeshTraceIdTagEEEb"),
    hook("release_trace", "_ZN2tt8tt_metal11distributed10MeshDevice18release_mesh_traceERKN4ttsl10StrongTypeIjNS1_14MeshTraceIdTagEEE"),
    hook("sub_devices", "_ZN2tt8tt_metal11distributed10MeshDevice25create_sub_device_managerESt16initializer_listINS0_9SubDeviceEEm"),
    hook("sub_devices", "_ZN2tt8tt_metal11distributed10MeshDevice25create_sub_device_managerESt4spanIKNS0_9SubDeviceELm18446744073709551615EEm"),
    hook("part_of_mesh", "_ZN2tt8tt_metal11distributed10MeshDevice14create_submeshERKNS1_9MeshShapeERKSt8optionalINS1_14MeshCoordinateEE"),
    hook("part_of_mesh", "_ZN2tt8tt_metal11distributed10MeshDevice16create_submeshesERKNS1_9MeshShapeE"),
    hook("global_circular_buffer", "_ZN2tt8tt_metal12experimental26CreateGlobalCircularBufferERNS0_11distributed10MeshDeviceERKSt6vectorISt4pairINS_7xy_pairENS0_12CoreRangeSetEESaIS9_EEjNS0_10BufferTypeE"),
    hook("pinned_memory", "_ZN2tt8tt_metal12experimental12PinnedMemory6CreateERNS0_11distributed10MeshDeviceERKNS3_22MeshCoordinateRangeSetERNS0_10HostBufferEbNS1_24PinnedMemoryDeviceAccessE"),
    hook("launch_without_queue", "_ZN2tt8tt_metal13LaunchProgramERNS0_11distributed10MeshDeviceEONS0_7ProgramE"),
    hook("launch_without_queue", "_ZN2tt8tt_metal13slow_dispatch18LaunchProgramAsyncERNS0_7IDeviceERNS0_7ProgramEb"),
    hook("launch_without_queue", "_ZN2tt8tt_metal18LaunchProgramAsyncERNS0_11distributed10MeshDeviceEONS0_7ProgramE"),
    hook("access_to_core", "_ZN2tt8tt_metal6detail15WriteToDeviceL1EPNS0_7IDeviceERKNS_7xy_pairEjRSt6vectorIjSaIjEENS_8CoreTypeE"),
    hook("access_to_core", "_ZN2tt8tt_metal6detail15WriteToDeviceL1EPNS0_7IDeviceERKNS_7xy_pairEjSt4spanIKhLm18446744073709551615EENS_8CoreTypeE"),
    hook("access_to_core", "_ZN2tt8tt_metal6detail16ReadFromDeviceL1EPNS0_7IDeviceERKNS_7xy_pairEjSt4spanIhLm18446744073709551615EENS_8CoreTypeE"),
    hook("access_to_core", "_ZN2tt8tt_metal6detail16ReadFromDeviceL1EPNS0_7IDeviceERKNS_7xy_pairEjjRSt6vectorIjSaIjEENS_8CoreTypeE"),
    hook("access_to_channel", "_ZN2tt8tt_metal13slow_dispatch24WriteToDeviceDRAMChannelERNS0_7IDeviceEijRSt6vectorIjSaIjEE"),
    hook("access_to_channel", "_ZN2tt8tt_metal13slow_dispatch24WriteToDeviceDRAMChannelERNS0_7IDeviceEijSt4spanIKhLm18446744073709551615EE"),
    hook("access_to_channel", "_ZN2tt8tt_metal13slow_dispatch25ReadFromDeviceDRAMChannelERNS0_7IDeviceEijSt4spanIhLm18446744073709551615EE"),
    hook("access_to_channel", "_ZN2tt8tt_metal13slow_dispatch25ReadFromDeviceDRAMChannelERNS0_7IDeviceEijjRSt6vectorIjSaIjEE"),
    hook("access_to_channel", "_ZN2tt8tt_metal6detail24WriteToDeviceDRAMChannelEPNS0_7IDeviceEijRSt6vectorIjSaIjEE"),
    hook("access_to_channel", "_ZN2tt8tt_metal6detail24WriteToDeviceDRAMChannelEPNS0_7IDeviceEijSt4spanIKhLm18446744073709551615EE"),
    hook("access_to_channel", "_ZN2tt8tt_metal6detail25ReadFromDeviceDRAMChannelEPNS0_7IDeviceEijSt4spanIhLm18446744073709551615EE"),
    hook("access_to_channel", "_ZN2tt8tt_metal6detail25ReadFromDeviceDRAMChannelEPNS0_7IDeviceEijjRSt6vectorIjSaIjEE"),
    hook("access_without_queue", "_ZN2tt8tt_metal12experimental17core_subset_write13WriteToBufferERNS0_6BufferESt4spanIKhLm18446744073709551615EERKNS0_12CoreRangeSetE"),
    hook("write_without_queue", "_ZN2tt8tt_metal13slow_dispatch13WriteToBufferERNS0_6BufferESt4spanIKhLm18446744073709551615EE"),
    hook("access_without_queue", "_ZN2tt8tt_metal13slow_dispatch13WriteToBufferERNS0_6BufferESt4spanIKhLm18446744073709551615EERKNS0_12CoreRangeSetE"),
    hook("access_without_queue", "_ZN2tt8tt_metal13slow_dispatch14ReadFromBufferERNS0_6BufferEPh"),
    hook("write_without_queue", "_ZN2tt8tt_metal6detail13WriteToBufferERNS0_6BufferESt4spanIKhLm18446744073709551615EE"),
    hook("access_without_queue", "_ZN2tt8tt_metal6detail14ReadFromBufferERNS0_6BufferEPh"),
    hook("command_list", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue20enqueue_command_listERKSt13unordered_mapIN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEENS0_21TraceWorkerDescriptorESt4hashIS7_ESt8equal_toIS7_ESaISt4pairIKS7_S8_EEERKSt6vectorIS7_SaIS7_EERKNS1_10MeshBufferENS5_ImNS0_21SubDeviceManagerIdTagEEEb"),
    hook("transfer_of_core", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue27enqueue_write_shard_to_coreENS1_19DeviceMemoryAddressEPKvjbSt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EE"),
    hook("transfer_of_core", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue28enqueue_read_shard_from_coreENS1_19DeviceMemoryAddressEPvjbSt4spanIKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EE"),
    hook("transfer_of_core", "_ZN2tt8tt_metal11distributed18FDMeshCommandQueue31enqueue_write_dram_core_counterESt4spanIKNS1_19DeviceMemoryAddressELm18446744073709551615EEjbS3_IKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EE"),
    hook("transfer_of_core", "_ZN2tt8tt_metal11distributed18SDMeshCommandQueue31enqueue_write_dram_core_counterESt4spanIKNS1_19DeviceMemoryAddressELm18446744073709551615EEjbS3_IKN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEELm18446744073709551615EE"),
    hook("tensor_prefetcher", "_ZN2tt8tt_metal12experimental28QueueTensorPrefetcherRequestERNS0_11distributed10MeshDeviceERKNS1_20GlobalCircularBufferEN4ttsl18optional_referenceIKNS2_22MeshCoordinateRangeSetEEERKSt6vectorINS1_21TensorPrefetcherInputESaISE_EEPNS2_16MeshCommandQueueE"),
    hook("tensor_prefetcher", "_ZN2tt8tt_metal12experimental28QueueTensorPrefetcherRequestERNS0_11distributed10MeshDeviceERKSt6vectorISt17reference_wrapperIKNS1_14PrefetcherPipeEESaIS9_EEN4ttsl18optional_referenceIKNS2_22MeshCoordinateRangeSetEEERKS5_INS1_21TensorPrefetcherInputESaISJ_EEPNS2_16MeshCommandQueueE"),
];
