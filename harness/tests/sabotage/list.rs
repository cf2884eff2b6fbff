//! Which suite test catches which defect.

use hallmark_chip::sabotage::Defect;

/// The device on which that test runs, where it is not the default one.
pub(crate) const fn device(defect: Defect) -> Option<&'static str> {
    match defect {
        Defect::TranslationIgnoresHarvesting | Defect::HarvestingUnread => {
            Some("sim:wormhole_b0:harvested=0x120")
        }
        _ => None,
    }
}

/// The test that must not pass while a defect is switched on.
pub(crate) const fn caught_by(defect: Defect) -> &'static str {
    match defect {
        Defect::PagesUnaligned => {
            "wormhole_b0::buffers::accessor::gather::layout=height::type=dram::page_size=100"
        }
        Defect::MemoryGivenTwice => "wormhole_b0::arguments::common::two_kernels",
        Defect::FreedMemoryLost => "wormhole_b0::buffers::lifetime::out_of_scope",
        Defect::FreeNeighboursApart => "wormhole_b0::buffers::lifetime::overlapping_scopes",
        Defect::LastRoundForgotten => {
            "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295"
        }
        Defect::QueueReversed => {
            "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295"
        }
        Defect::WritesToTheNextBank => "wormhole_b0::arguments::common::updated_in_place",
        Defect::ReadsMissAPage => {
            "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295"
        }
        Defect::FreedMemoryKeepsItsMeaning => {
            "wormhole_b0::faults::uninitialised::given_back::type=dram"
        }
        Defect::AddressOffsetIgnored => "wormhole_b0::cores::cores::all_five::columns=1::rows=1",
        Defect::AddressOfTheNextSemaphore => {
            "wormhole_b0::cores::cores::all_five::columns=1::rows=1"
        }
        Defect::CoordinatesSwapped => "wormhole_b0::arguments::arguments::vectors::cores=2",
        Defect::ArgumentsSwapped => {
            "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295"
        }
        Defect::ArgumentCountMayChange => "wormhole_b0::arguments::arguments::limit",
        Defect::ArgumentsOfTheFirstCore => "wormhole_b0::arguments::arguments::vectors::cores=2",
        Defect::CircularBuffersPacked => "wormhole_b0::circular_buffers::places::one_core",
        Defect::ClashIgnored => "wormhole_b0::circular_buffers::dynamic::beside_the_rest",
        Defect::OnePageTooMany => "wormhole_b0::circular_buffers::dynamic::three_stages::pages=8",
        Defect::IndexTwiceOnACore => "wormhole_b0::circular_buffers::rules::every_index",
        Defect::SemaphoresShareANumber => {
            "wormhole_b0::circular_buffers::pages::many_producers::rounds=1"
        }
        Defect::LastTileNotLaunched => {
            "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295"
        }
        Defect::SemaphoresResetOnce => "wormhole_b0::cores::cores::all_five::columns=1::rows=1",
        Defect::TextOfTheSameSizeReused => "wormhole_b0::arguments::common::two_kernels",
        Defect::LastSiteNotRelocated => {
            "wormhole_b0::programs::programs::private_memory::processor=riscv_0"
        }
        Defect::RecorderLosesRelocations => {
            "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295"
        }
        Defect::RecorderSharesArguments => "wormhole_b0::arguments::arguments::vectors::cores=2",
        Defect::RecorderForgetsBlocking => {
            "wormhole_b0::arguments::arguments::updated_between_runs"
        }
        Defect::RecorderForgetsDefines => {
            "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=0"
        }
        Defect::RecorderForgetsFailures => "wormhole_b0::arguments::arguments::limit",
        Defect::RecorderKeepsTheFirstRead => "wormhole_b0::buffers::lifetime::reuse::type=dram",
        Defect::ReplayerForgetsDeallocations => "wormhole_b0::arguments::common::objects",
        Defect::ReplayerForgetsFailedCalls => "wormhole_b0::arguments::arguments::limit",
        Defect::ReplayerSetsOneCore => "wormhole_b0::arguments::common::beyond_limit",
        Defect::ReplayerForgetsInitialValues => {
            "wormhole_b0::faults::deadlock::cycle_broken::tiles=2"
        }
        Defect::EncoderLosesARelocation => "wormhole_b0::arguments::common::objects",
        Defect::EncoderLosesACompileArgument => {
            "wormhole_b0::faults::deadlock::consumer_wants_one_more"
        }
        Defect::EncoderCutsSizes => "wormhole_b0::buffers::lifetime::out_of_memory",
        Defect::EncoderForgetsInitialValues => "wormhole_b0::semaphores::remote::add::noc=noc_0",
        Defect::BgeuStrict => "wormhole_b0::buffers::accessor::reshard",
        Defect::AtomicAddsOne => {
            "wormhole_b0::noc::point_to_point::atomic_increment::processor=riscv_0::start=0"
        }
        Defect::AtomicReturnsNew => "wormhole_b0::faults::requests::right::request=atomic",
        Defect::MulticastAcknowledgedOnce => {
            "wormhole_b0::noc::multicast::rectangle::columns=1::rows=2"
        }
        Defect::ReadsLosePoison => {
            "wormhole_b0::faults::uninitialised::carried_over_the_noc::noc=noc_0"
        }
        Defect::MulticastAlwaysIncludesSource => {
            "wormhole_b0::noc::multicast::without_self::noc=noc_0"
        }
        Defect::MulticastDropsLastTarget => {
            "wormhole_b0::faults::requests::right::request=multicast"
        }
        Defect::OneByteTooManyInAPacket => "wormhole_b0::noc::transfers::packet_too_long::more=1",
        Defect::AnyAlignmentOfTransfers => "wormhole_b0::faults::requests::moved_register_read",
        Defect::StreamCountsNarrow => {
            "wormhole_b0::noc::patterns::inline_register::noc=noc_0::number=65535"
        }
        Defect::BusyLoopsParked => {
            "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=0"
        }
        Defect::LbUnsigned => {
            "wormhole_b0::computing::integers::loads_and_stores::processor=riscv_0::seed=400"
        }
        Defect::SraLogical => "wormhole_b0::computing::integers::data_movement::first=negative",
        Defect::MulhsuSigned => {
            "wormhole_b0::computing::integers::data_movement::first=minus_seven"
        }
        Defect::DivisionByZeroIsZero => {
            "wormhole_b0::computing::integers::data_movement::first=positive"
        }
        Defect::OneArgumentTooMany => "wormhole_b0::arguments::common::beyond_limit",
        Defect::IndexTwiceInABuffer => {
            "wormhole_b0::circular_buffers::rules::index_twice::page_size=64"
        }
        Defect::OneTileDoneIsEnough => {
            "wormhole_b0::programs::programs::slowest_core::slowest=5::processor=riscv_0"
        }
        Defect::RecorderForgetsIncludes => "wormhole_b0::programs::programs::own_headers::number=3",
        Defect::ReplayerWritesZeros => "wormhole_b0::buffers::round_trip::neighbours::type=dram",
        Defect::DecoderForgetsEndsOfRanges => "wormhole_b0::arguments::arguments::vectors::cores=2",
        Defect::ChannelsUnordered => {
            "wormhole_b0::noc::point_to_point::data_then_increment::noc=noc_0::size=8192"
        }
        Defect::StreamLosesAnUpdate => "wormhole_b0::noc::point_to_point::stream_room::more=5",
        Defect::MailboxLastInFirstOut => "wormhole_b0::cores::cores::mailbox_series::rounds=1000",
        Defect::OnePageIsEnoughToRead => {
            "wormhole_b0::circular_buffers::dynamic::three_stages::pages=8"
        }
        Defect::OnePageIsEnoughToWrite => {
            "wormhole_b0::circular_buffers::dynamic::three_stages::pages=8"
        }
        Defect::PointersRunOn => {
            "wormhole_b0::circular_buffers::pipeline::three_stages::pages=9::number=1"
        }
        Defect::PushesCountOne => "wormhole_b0::circular_buffers::dynamic::resident::offset=0",
        Defect::PopsCountOne => "wormhole_b0::circular_buffers::pages::many_pages::pages=65536",
        Defect::AddressInTheNextBank => {
            "wormhole_b0::dataflow::core_ranges::shared_work::columns=1::rows=3"
        }
        Defect::AddressOnePageOff => "wormhole_b0::noc::patterns::both_nocs::processor=riscv_0",
        Defect::AddressUnaligned => {
            "wormhole_b0::dataflow::loopback::unaligned_pages::page_size=48::type=dram"
        }
        Defect::AccessorForgetsPartialShards => {
            "wormhole_b0::buffers::accessor::gather::layout=block::type=dram::page_size=64"
        }
        Defect::ReadBarrierWaitsForNothing => {
            "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0"
        }
        Defect::WriteBarrierWaitsForNothing => {
            "wormhole_b0::dataflow::loopback::one_core::pages=7::page_size=32::processor=riscv_0::noc=noc_0"
        }
        Defect::AtomicBarrierWaitsForNothing => {
            "wormhole_b0::semaphores::semaphores::own_increments::noc=noc_0::number=1000"
        }
        Defect::FlushWaitsForNothing => {
            "wormhole_b0::noc::patterns::one_to_many::processor=riscv_0"
        }
        Defect::TransactionBarrierWaitsForNothing => {
            "wormhole_b0::noc::transactions::outstanding_reads::pages=255::identifiers=2"
        }
        Defect::MulticastDropsItself => {
            "wormhole_b0::noc::multicast::whole_grid::sender=0::size=16"
        }
        Defect::MulticastDropsAColumn => {
            "wormhole_b0::noc::multicast::rectangle::columns=3::rows=2"
        }
        Defect::NocCoordinatesSwapped => "wormhole_b0::noc::patterns::ring::rows=3::noc=noc_0",
        Defect::SemaphoreWaitTakesMore => {
            "wormhole_b0::semaphores::remote::set_remote::noc=noc_0::value=4294967295"
        }
        Defect::SemaphoreWaitWantsMore => {
            "wormhole_b0::semaphores::semaphores::ping_pong::rounds=1::processor=riscv_0"
        }
        Defect::IncrementAddsOne => "wormhole_b0::semaphores::remote::add::noc=noc_0",
        Defect::SemaphoreOfTheNextNumber => {
            "wormhole_b0::cores::cores::all_five::columns=1::rows=1"
        }
        Defect::ArgumentsCountedFromOne => {
            "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=0"
        }
        Defect::CommonArgumentsAreOwn => "wormhole_b0::arguments::common::two_kernels",
        Defect::LongReadsRepeatThemselves => "wormhole_b0::noc::transfers::sizes::size=8193",
        Defect::VariablesNotZeroed => {
            "wormhole_b0::programs::programs::private_memory::processor=riscv_0"
        }
        Defect::LastVariableNotSet => {
            "wormhole_b0::programs::programs::private_memory::processor=riscv_0"
        }
        Defect::KernelEndsBeforeItsWrites => {
            "wormhole_b0::programs::programs::last_write::processor=riscv_0"
        }
        Defect::OldCodeKept => {
            "wormhole_b0::cores::cores::new_text_at_the_same_address::processor=riscv_0"
        }
        Defect::PageCountsKept => "wormhole_b0::circular_buffers::pages::left_over::pages=4",
        Defect::DoneBeforeTheOthers => {
            "wormhole_b0::programs::programs::slowest_core::slowest=5::processor=riscv_1"
        }
        Defect::DoneBeforeTheKernel => {
            "wormhole_b0::programs::programs::slowest_core::slowest=5::processor=riscv_0"
        }
        Defect::FinishedBeforeTheKernel => {
            "wormhole_b0::programs::programs::slowest_core::slowest=5::processor=riscv_1"
        }
        Defect::LastThreadNotStarted => "wormhole_b0::cores::cores::all_five::columns=1::rows=1",
        Defect::WaitsDoNotWait => "wormhole_b0::queues::events::waited_for_early",
        Defect::EventNumbersShared => "wormhole_b0::queues::events::numbers",
        Defect::WaitingTakesNoNumber => "wormhole_b0::queues::events::numbers",
        Defect::HiddenEventsAreSeen => "wormhole_b0::queues::events::device_only",
        Defect::QueriesSayYes => "wormhole_b0::queues::events::state_not_expected",
        Defect::EventsOrderNothing => "wormhole_b0::queues::events::ping_pong",
        Defect::CoresHaveNoOwner => "wormhole_b0::queues::events::cores_in_use",
        Defect::QueueRacesUnreported => "wormhole_b0::queues::races::write_and_read",
        Defect::RegionsOfQueueRacesGrow => "wormhole_b0::queues::races::no_page_in_common",
        Defect::TracesTakeColdPrograms => "wormhole_b0::queues::traces::cold_program",
        Defect::TracedProgramsRun => {
            "wormhole_b0::queues::traces::one_program::replays=1::blocking=true::queues=1"
        }
        Defect::TraceForgetsItsLastProgram => "wormhole_b0::queues::traces::each_replay_acts",
        Defect::TraceRoomForOne => "wormhole_b0::queues::traces::region_one_byte_short",
        Defect::TraceRoomKept => "wormhole_b0::queues::traces::recapture",
        Defect::TraceRegionNotSetAside => {
            "wormhole_b0::queues::traces::region_leaves_less_memory::region=1048576"
        }
        Defect::TraceTakesWrites => "wormhole_b0::queues::traces::not_in_a_trace",
        Defect::LoadedTraceForgetsAddends => "wormhole_b0::queues::loaded::within_a_buffer",
        Defect::LoadedTraceIgnoresGivenBuffers => {
            "wormhole_b0::queues::loaded::another_buffer_beside_the_first"
        }
        Defect::LoadedTraceTakesAnyShape => "wormhole_b0::queues::loaded::buffers_that_do_not_fit",
        Defect::LoadedTraceForgetsSemaphores => {
            "wormhole_b0::queues::loaded::semaphores_and_coordinates"
        }
        Defect::LoadedTraceTakesNoRoom => "wormhole_b0::queues::loaded::region_is_full",
        Defect::ReplayerForgetsTraceBuffers => "wormhole_b0::queues::loaded::buffers_elsewhere",
        Defect::ReplayerForgetsQueues => {
            "wormhole_b0::queues::patterns::writes_on_the_second_queue"
        }
        Defect::EncoderHidesEvents => "wormhole_b0::queues::events::query",
        Defect::ReplayerForgetsTraceRegions => "wormhole_b0::queues::traces::each_replay_acts",
        Defect::ChangedArgumentsNotSent => "wormhole_b0::queues::again::a_word_changed",
        Defect::TextsCountAsThere => "wormhole_b0::queues::again::by_turns::other_core=0",
        Defect::KeptLaunchesNotChanged => "wormhole_b0::queues::again::a_word_changed",
        Defect::RectanglesLoseTheirLastRow => {
            "wormhole_b0::cores::cores::all_five::columns=4::rows=2"
        }
        Defect::AdaptedReplayKeepsAddresses => {
            "wormhole_b0::dataflow::loopback::one_core::pages=64::page_size=2048::processor=riscv_1::noc=noc_0"
        }
        Defect::AssessmentForgetsCircularBuffers => {
            "wormhole_b0::circular_buffers::rules::configuration"
        }
        Defect::TranslationIgnoresHarvesting | Defect::HarvestingUnread => {
            "wormhole_b0::dataflow::core_ranges::whole_grid::processor=riscv_0"
        }
    }
}

/// The chip to which the test's capture is moved, for defects that show on another one only.
pub(crate) const fn moved_to(defect: Defect) -> Option<&'static str> {
    match defect {
        Defect::AdaptedReplayKeepsAddresses | Defect::AssessmentForgetsCircularBuffers => {
            Some("sim:blackhole")
        }
        _ => None,
    }
}

/// Whether a defect is one of dispatch on the device.
pub(crate) const fn is_on_device(defect: Defect) -> bool {
    matches!(defect, Defect::KeptLaunchesNotChanged | Defect::RectanglesLoseTheirLastRow)
}
