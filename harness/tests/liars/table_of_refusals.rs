//! The table of refusals, each with the test that fails while the refusal is switched off.

use hallmark_chip::sabotage::liars::{Liar, liar};

/// Refusals that a case of a suite provokes, each with the name of its test.
pub(crate) const BY_SUITE: &[Liar] = &[
    liar("create_buffer::PageSizeInvalid", "wormhole_b0::buffers::lifetime::size_checks"),
    liar("create_buffer::SizeNotPageMultiple", "wormhole_b0::buffers::lifetime::size_checks"),
    liar("create_buffer::OutOfMemory", "wormhole_b0::buffers::lifetime::out_of_memory"),
    liar("create_buffer::ShardSpecMissing", "wormhole_b0::buffers::sharded::specification_checks"),
    liar(
        "create_buffer::ShardSpecUnexpected",
        "wormhole_b0::buffers::sharded::specification_checks",
    ),
    liar("create_buffer::EmptyCoreRange", "wormhole_b0::buffers::sharded::specification_checks"),
    liar("create_buffer::CoreOutsideGrid", "wormhole_b0::buffers::sharded::specification_checks"),
    liar("create_buffer::CoreRangesOverlap", "wormhole_b0::buffers::sharded::specification_checks"),
    liar("create_buffer::ShardShapeInvalid", "wormhole_b0::buffers::sharded::shape_checks"),
    liar("create_buffer::TensorShapeMismatch", "wormhole_b0::buffers::sharded::shape_checks"),
    liar("create_buffer::ShardsTooSmall", "wormhole_b0::buffers::sharded::shape_checks"),
    liar("create_buffer_view::ReleasedObject", "wormhole_b0::buffers::views::lifetime"),
    liar("create_buffer_view::RegionNotPageMultiple", "wormhole_b0::buffers::views::checks"),
    liar("create_buffer_view::RegionOutsideBuffer", "wormhole_b0::buffers::views::checks"),
    liar(
        "deallocate_buffer::ReleasedObject",
        "wormhole_b0::buffers::lifetime::use_after_deallocation",
    ),
    liar("create_kernel::ProgramAlreadyCompiled", "wormhole_b0::programs::programs::placement"),
    liar("create_kernel::CoreOutsideGrid", "wormhole_b0::programs::programs::placement"),
    liar("create_kernel::CoreOverlap", "wormhole_b0::programs::programs::placement"),
    liar("create_kernel::NocInUse", "wormhole_b0::programs::programs::placement"),
    liar("create_kernel::DefineInvalid", "wormhole_b0::light_metal::defects::definitions"),
    liar(
        "create_kernel::NamedCompileArgInvalid",
        "wormhole_b0::programs::settings::names_of_arguments",
    ),
    liar("create_kernel::NocModeUnsupported", "wormhole_b0::programs::settings::noc_mode"),
    liar(
        "create_kernel::CircularBufferIndexTooLarge",
        "wormhole_b0::programs::settings::compute_settings",
    ),
    liar(
        "create_circular_buffer::TileShapeInvalid",
        "wormhole_b0::programs::settings::formats_and_tiles",
    ),
    liar(
        "create_semaphore::ProgramAlreadyCompiled",
        "wormhole_b0::semaphores::semaphores::too_many",
    ),
    liar("create_semaphore::TooManySemaphores", "wormhole_b0::semaphores::semaphores::too_many"),
    liar(
        "create_circular_buffer::CoreOutsideGrid",
        "wormhole_b0::circular_buffers::rules::configuration",
    ),
    liar(
        "create_circular_buffer::CircularBufferIndexTooLarge",
        "wormhole_b0::circular_buffers::rules::configuration",
    ),
    liar(
        "create_circular_buffer::CircularBufferIndexInUse",
        "wormhole_b0::circular_buffers::rules::every_index",
    ),
    liar(
        "create_circular_buffer::CircularBufferSizeNotPageMultiple",
        "wormhole_b0::circular_buffers::rules::configuration",
    ),
    liar(
        "create_circular_buffer::ReleasedObject",
        "wormhole_b0::circular_buffers::dynamic::refused",
    ),
    liar(
        "create_circular_buffer::CircularBufferNeedsL1Buffer",
        "wormhole_b0::circular_buffers::dynamic::refused",
    ),
    liar(
        "create_circular_buffer::CircularBufferOffsetMisaligned",
        "wormhole_b0::circular_buffers::dynamic::refused",
    ),
    liar(
        "create_circular_buffer::CircularBufferLargerThanBuffer",
        "wormhole_b0::circular_buffers::dynamic::refused",
    ),
    liar(
        "update_circular_buffer_total_size::CircularBufferSizeNotPageMultiple",
        "wormhole_b0::circular_buffers::places::updates_refused",
    ),
    liar(
        "update_circular_buffer_total_size::CircularBufferLargerThanBuffer",
        "wormhole_b0::circular_buffers::dynamic::every_update",
    ),
    liar(
        "update_circular_buffer_page_size::CircularBufferIndexTooLarge",
        "wormhole_b0::circular_buffers::places::updates_refused",
    ),
    liar(
        "update_circular_buffer_page_size::CircularBufferIndexNotConfigured",
        "wormhole_b0::circular_buffers::places::updates_refused",
    ),
    liar(
        "update_circular_buffer_page_size::CircularBufferSizeNotPageMultiple",
        "wormhole_b0::circular_buffers::places::updates_refused",
    ),
    liar(
        "update_dynamic_circular_buffer_address::ReleasedObject",
        "wormhole_b0::circular_buffers::dynamic::refused",
    ),
    liar(
        "update_dynamic_circular_buffer_address::CircularBufferNeedsL1Buffer",
        "wormhole_b0::circular_buffers::dynamic::refused",
    ),
    liar(
        "update_dynamic_circular_buffer_address::CircularBufferOffsetMisaligned",
        "wormhole_b0::circular_buffers::dynamic::refused",
    ),
    liar(
        "update_dynamic_circular_buffer_address::CircularBufferLargerThanBuffer",
        "wormhole_b0::circular_buffers::dynamic::refused",
    ),
    liar(
        "update_dynamic_circular_buffer_address_and_total_size::CircularBufferLargerThanBuffer",
        "wormhole_b0::circular_buffers::dynamic::refused",
    ),
    liar(
        "update_dynamic_circular_buffer_address_and_total_size::CircularBufferSizeNotPageMultiple",
        "wormhole_b0::circular_buffers::dynamic::refused",
    ),
    liar("set_runtime_args::KernelNotOnCore", "wormhole_b0::arguments::arguments::limit"),
    liar("set_runtime_args::TooManyRuntimeArgs", "wormhole_b0::arguments::common::beyond_limit"),
    liar("set_runtime_args::RuntimeArgsCountChanged", "wormhole_b0::arguments::arguments::limit"),
    liar("set_runtime_args::ShardOutOfRange", "wormhole_b0::buffers::accessor::checks"),
    liar(
        "set_common_runtime_args::CommonRuntimeArgsAlreadySet",
        "wormhole_b0::arguments::common::once",
    ),
    liar(
        "set_common_runtime_args::TooManyRuntimeArgs",
        "wormhole_b0::arguments::common::beyond_limit",
    ),
    liar("set_runtime_args::ScratchpadInvalid", "wormhole_b0::arguments::scratchpads::refused"),
    liar(
        "set_common_runtime_args::ScratchpadInvalid",
        "wormhole_b0::arguments::scratchpads::refused",
    ),
    liar(
        "update_common_runtime_args::ScratchpadInvalid",
        "wormhole_b0::arguments::scratchpads::refused",
    ),
    liar("set_common_runtime_args::ReleasedObject", "wormhole_b0::arguments::common::objects"),
    liar("set_common_runtime_args::WrongProgram", "wormhole_b0::arguments::common::objects"),
    liar("set_common_runtime_args::ShardOutOfRange", "wormhole_b0::buffers::accessor::checks"),
    liar(
        "update_common_runtime_args::CommonRuntimeArgOutOfRange",
        "wormhole_b0::arguments::common::once",
    ),
    liar("update_common_runtime_args::ReleasedObject", "wormhole_b0::arguments::common::objects"),
    liar("enqueue_write_buffer::UnknownQueue", "wormhole_b0::buffers::lifetime::size_checks"),
    liar(
        "enqueue_write_buffer::ReleasedObject",
        "wormhole_b0::buffers::lifetime::use_after_deallocation",
    ),
    liar("enqueue_write_buffer::RegionNotPageMultiple", "wormhole_b0::buffers::regions::checks"),
    liar("enqueue_write_buffer::RegionOutsideBuffer", "wormhole_b0::buffers::regions::checks"),
    liar("enqueue_write_buffer::DataLengthMismatch", "wormhole_b0::buffers::lifetime::size_checks"),
    liar("enqueue_write_buffer::WriteDuringTrace", "wormhole_b0::queues::traces::not_in_a_trace"),
    liar("enqueue_read_buffer::UnknownObject", "wormhole_b0::buffers::views::checks"),
    liar(
        "enqueue_read_buffer::ReleasedObject",
        "wormhole_b0::buffers::lifetime::use_after_deallocation",
    ),
    liar("enqueue_read_buffer::RegionNotPageMultiple", "wormhole_b0::buffers::regions::checks"),
    liar("enqueue_read_buffer::RegionOutsideBuffer", "wormhole_b0::buffers::regions::checks"),
    liar("enqueue_read_buffer::ReadDuringTrace", "wormhole_b0::queues::traces::not_in_a_trace"),
    liar("enqueue_program::EmptyProgram", "wormhole_b0::programs::programs::placement"),
    liar("enqueue_program::BlockingDuringTrace", "wormhole_b0::queues::traces::not_in_a_trace"),
    liar("enqueue_program::ProgramNotWarm", "wormhole_b0::queues::traces::cold_program"),
    liar(
        "enqueue_program::CircularBufferSizeNotPageMultiple",
        "wormhole_b0::circular_buffers::places::updates_refused",
    ),
    liar(
        "enqueue_program::CircularBuffersBeyondL1",
        "wormhole_b0::circular_buffers::places::grown_into_a_buffer",
    ),
    liar(
        "enqueue_program::CircularBuffersClash",
        "wormhole_b0::circular_buffers::dynamic::beside_the_rest",
    ),
    liar("enqueue_program::ReleasedObject", "wormhole_b0::arguments::common::objects"),
    liar(
        "enqueue_program::KernelConfigTooLarge",
        "wormhole_b0::light_metal::defects::code_beyond_its_room",
    ),
    liar("enqueue_program::CoreInUseByQueue", "wormhole_b0::queues::events::cores_in_use"),
    liar("finish::UnknownQueue", "wormhole_b0::queues::events::queue_limits::queues=1"),
    liar("finish::EventDuringTrace", "wormhole_b0::queues::traces::not_in_a_trace"),
    liar("synchronize::EventDuringTrace", "wormhole_b0::queues::events::synchronize_during_trace"),
    liar(
        "enqueue_record_event::UnknownQueue",
        "wormhole_b0::queues::events::queue_limits::queues=1",
    ),
    liar("enqueue_record_event::EventDuringTrace", "wormhole_b0::queues::traces::not_in_a_trace"),
    liar(
        "enqueue_record_event::EventNumberMismatch",
        "wormhole_b0::queues::events::synchronize_takes_numbers",
    ),
    liar(
        "enqueue_wait_for_event::UnknownObject",
        "wormhole_b0::queues::events::queue_limits::queues=1",
    ),
    liar("enqueue_wait_for_event::EventDuringTrace", "wormhole_b0::queues::traces::not_in_a_trace"),
    liar("event_synchronize::EventNotHostVisible", "wormhole_b0::queues::events::device_only"),
    liar("event_query::EventNotHostVisible", "wormhole_b0::queues::events::device_only"),
    liar("event_query::EventStateMismatch", "wormhole_b0::queues::events::state_not_expected"),
    liar(
        "begin_trace_capture::UnknownQueue",
        "wormhole_b0::queues::events::queue_limits::queues=1",
    ),
    liar("begin_trace_capture::QueueAlreadyTracing", "wormhole_b0::queues::loaded::not_collected"),
    liar("end_trace_capture::UnknownObject", "wormhole_b0::queues::traces::begun_twice"),
    liar("end_trace_capture::ReleasedObject", "wormhole_b0::queues::traces::unknown_and_released"),
    liar("end_trace_capture::QueueNotTracing", "wormhole_b0::queues::traces::begun_twice"),
    liar("end_trace_capture::TraceRegionTooSmall", "wormhole_b0::queues::loaded::region_is_full"),
    liar("replay_trace::UnknownObject", "wormhole_b0::queues::loaded::region_is_full"),
    liar("replay_trace::ReleasedObject", "wormhole_b0::queues::traces::region_one_byte_short"),
    liar("replay_trace::TraceNotCaptured", "wormhole_b0::queues::traces::not_in_a_trace"),
    liar("replay_trace::ReplayDuringTrace", "wormhole_b0::queues::traces::not_in_a_trace"),
    liar("replay_trace::CoreInUseByQueue", "wormhole_b0::queues::traces::replays_on_two_queues"),
    liar("release_trace::UnknownObject", "wormhole_b0::queues::traces::unknown_and_released"),
    liar("release_trace::ReleasedObject", "wormhole_b0::queues::traces::unknown_and_released"),
    liar("release_trace::TraceNotCaptured", "wormhole_b0::queues::traces::not_in_a_trace"),
    liar("collect_trace::UnknownObject", "wormhole_b0::queues::loaded::not_collected"),
    liar("collect_trace::ReleasedObject", "wormhole_b0::queues::loaded::not_collected"),
    liar("collect_trace::TraceNotCaptured", "wormhole_b0::queues::loaded::not_collected"),
    liar(
        "load_trace::TraceBuffersUnplaced",
        "wormhole_b0::queues::loaded::buffers_that_do_not_fit",
    ),
    liar(
        "load_trace::TraceCircularBuffersClash",
        "wormhole_b0::queues::loaded::no_room_for_circular_buffers",
    ),
    liar("load_trace::TraceRegionTooSmall", "wormhole_b0::queues::loaded::region_is_full"),
    liar("device::DeviceFault", "wormhole_b0::cores::cores::stack_without_end::processor=riscv_0"),
    liar("device::Deadlock", "wormhole_b0::faults::deadlock::consumer_wants_one_more"),
    liar("device::Hang", "wormhole_b0::faults::hang::blames_the_right_program"),
    liar("device::QueueRace", "wormhole_b0::queues::races::write_and_read"),
];

/// The other refusals, each with its test in `refusals.rs`.
pub(crate) const BY_TEST: &[Liar] = &[
    liar("create_buffer_view::UnknownObject", "refusals::a_buffer_that_could_not_be_made"),
    liar("deallocate_buffer::UnknownObject", "refusals::a_buffer_that_could_not_be_made"),
    liar("create_kernel::EmptyCoreRange", "refusals::cores_that_nothing_can_be_made_on"),
    liar("create_kernel::KernelSourceNotFound", "refusals::kernels_that_there_are_not"),
    liar("create_kernel::KernelBuildFailed", "refusals::kernels_that_there_are_not"),
    liar("create_semaphore::EmptyCoreRange", "refusals::cores_that_nothing_can_be_made_on"),
    liar("create_semaphore::CoreOutsideGrid", "refusals::cores_that_nothing_can_be_made_on"),
    liar(
        "create_circular_buffer::ProgramAlreadyCompiled",
        "refusals::a_program_that_is_compiled_takes_no_circular_buffer",
    ),
    liar("create_circular_buffer::EmptyCoreRange", "refusals::cores_that_nothing_can_be_made_on"),
    liar("create_circular_buffer::UnknownObject", "refusals::a_buffer_that_could_not_be_made"),
    liar(
        "update_circular_buffer_total_size::UnknownObject",
        "refusals::a_circular_buffer_that_could_not_be_made",
    ),
    liar(
        "update_circular_buffer_page_size::UnknownObject",
        "refusals::a_circular_buffer_that_could_not_be_made",
    ),
    liar(
        "update_dynamic_circular_buffer_address::UnknownObject",
        "refusals::a_buffer_that_could_not_be_made",
    ),
    liar(
        "update_dynamic_circular_buffer_address_and_total_size::UnknownObject",
        "refusals::a_buffer_that_could_not_be_made",
    ),
    liar(
        "update_dynamic_circular_buffer_address_and_total_size::ReleasedObject",
        "refusals::a_circular_buffer_in_a_buffer_that_does_not_do",
    ),
    liar(
        "update_dynamic_circular_buffer_address_and_total_size::CircularBufferNeedsL1Buffer",
        "refusals::a_circular_buffer_in_a_buffer_that_does_not_do",
    ),
    liar(
        "set_runtime_args::UnknownObject",
        "refusals::arguments_of_a_kernel_that_could_not_be_made",
    ),
    liar("set_runtime_args::EmptyCoreRange", "refusals::arguments_for_cores_that_do_not_do"),
    liar("set_runtime_args::CoreOutsideGrid", "refusals::arguments_for_cores_that_do_not_do"),
    liar("set_runtime_args::ArgsVectorMismatch", "refusals::arguments_for_cores_that_do_not_do"),
    liar(
        "set_runtime_args::ReleasedObject",
        "refusals::arguments_that_stand_for_what_there_is_not",
    ),
    liar("set_runtime_args::WrongProgram", "refusals::arguments_that_stand_for_what_there_is_not"),
    liar(
        "set_common_runtime_args::UnknownObject",
        "refusals::arguments_of_a_kernel_that_could_not_be_made",
    ),
    liar(
        "set_common_runtime_args::CoreOutsideGrid",
        "refusals::arguments_that_stand_for_what_there_is_not",
    ),
    liar(
        "update_common_runtime_args::UnknownObject",
        "refusals::arguments_of_a_kernel_that_could_not_be_made",
    ),
    liar(
        "update_common_runtime_args::CoreOutsideGrid",
        "refusals::arguments_that_stand_for_what_there_is_not",
    ),
    liar(
        "update_common_runtime_args::WrongProgram",
        "refusals::arguments_that_stand_for_what_there_is_not",
    ),
    liar(
        "update_common_runtime_args::ShardOutOfRange",
        "refusals::arguments_that_stand_for_what_there_is_not",
    ),
    liar("enqueue_write_buffer::UnknownObject", "refusals::a_buffer_that_could_not_be_made"),
    liar("enqueue_read_buffer::UnknownQueue", "refusals::a_queue_that_the_device_does_not_have"),
    liar("enqueue_program::UnknownQueue", "refusals::a_queue_that_the_device_does_not_have"),
    liar("enqueue_wait_for_event::UnknownQueue", "refusals::a_queue_that_the_device_does_not_have"),
    liar("event_synchronize::UnknownObject", "refusals::an_event_that_could_not_be_recorded"),
    liar("event_query::UnknownObject", "refusals::an_event_that_could_not_be_recorded"),
    liar("end_trace_capture::UnknownQueue", "refusals::a_queue_that_the_device_does_not_have"),
    liar("replay_trace::UnknownQueue", "refusals::a_queue_that_the_device_does_not_have"),
    liar("device::DeviceLost", "refusals::a_device_that_is_lost"),
];
