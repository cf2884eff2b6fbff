//! Which suite test catches which defect.

use hallmark_chip::sabotage::Defect;

/// The test that must not pass while a defect is switched on; `None` where no test catches it yet.
pub(crate) const fn caught_by(defect: Defect) -> Option<&'static str> {
    match defect {
        Defect::PagesUnaligned => {
            Some("wormhole_b0::buffers::accessor::gather::layout=height::type=dram::page_size=100")
        }
        Defect::MemoryGivenTwice => Some("wormhole_b0::arguments::common::two_kernels"),
        Defect::FreedMemoryLost => Some("wormhole_b0::buffers::lifetime::out_of_scope"),
        Defect::FreeNeighboursApart => Some("wormhole_b0::buffers::lifetime::overlapping_scopes"),
        Defect::LastRoundForgotten => {
            Some("wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295")
        }
        Defect::QueueReversed => {
            Some("wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295")
        }
        Defect::WritesToTheNextBank => Some("wormhole_b0::arguments::common::updated_in_place"),
        Defect::ReadsMissAPage => {
            Some("wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295")
        }
        Defect::FreedMemoryKeepsItsMeaning => {
            Some("wormhole_b0::faults::uninitialised::given_back::type=dram")
        }
        Defect::AddressOffsetIgnored => {
            Some("wormhole_b0::cores::cores::all_five::columns=1::rows=1")
        }
        Defect::AddressOfTheNextSemaphore => {
            Some("wormhole_b0::cores::cores::all_five::columns=1::rows=1")
        }
        Defect::CoordinatesSwapped => Some("wormhole_b0::arguments::arguments::vectors::cores=2"),
        Defect::ArgumentsSwapped => {
            Some("wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295")
        }
        Defect::ArgumentCountMayChange => Some("wormhole_b0::arguments::arguments::limit"),
        Defect::ArgumentsOfTheFirstCore => {
            Some("wormhole_b0::arguments::arguments::vectors::cores=2")
        }
        Defect::CircularBuffersPacked => Some("wormhole_b0::circular_buffers::places::one_core"),
        Defect::ClashIgnored => Some("wormhole_b0::circular_buffers::dynamic::beside_the_rest"),
        Defect::OnePageTooMany => {
            Some("wormhole_b0::circular_buffers::dynamic::three_stages::pages=8")
        }
        Defect::IndexTwiceOnACore => Some("wormhole_b0::circular_buffers::rules::every_index"),
        Defect::SemaphoresShareANumber => {
            Some("wormhole_b0::circular_buffers::pages::many_producers::rounds=1")
        }
        Defect::LastTileNotLaunched => {
            Some("wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295")
        }
        Defect::SemaphoresResetOnce => {
            Some("wormhole_b0::cores::cores::all_five::columns=1::rows=1")
        }
        Defect::TextOfTheSameSizeReused => Some("wormhole_b0::arguments::common::two_kernels"),
        Defect::LastSiteNotRelocated => {
            Some("wormhole_b0::programs::programs::private_memory::processor=riscv_0")
        }
        Defect::RecorderLosesRelocations => {
            Some("wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295")
        }
        Defect::RecorderSharesArguments => {
            Some("wormhole_b0::arguments::arguments::vectors::cores=2")
        }
        Defect::RecorderForgetsBlocking => {
            Some("wormhole_b0::arguments::arguments::updated_between_runs")
        }
        Defect::RecorderForgetsDefines => {
            Some("wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=0")
        }
        Defect::RecorderForgetsFailures => Some("wormhole_b0::arguments::arguments::limit"),
        Defect::RecorderKeepsTheFirstRead => {
            Some("wormhole_b0::buffers::lifetime::reuse::type=dram")
        }
        Defect::ReplayerForgetsDeallocations => Some("wormhole_b0::arguments::common::objects"),
        Defect::ReplayerForgetsFailedCalls => Some("wormhole_b0::arguments::arguments::limit"),
        Defect::ReplayerSetsOneCore => Some("wormhole_b0::arguments::common::beyond_limit"),
        Defect::ReplayerForgetsInitialValues => {
            Some("wormhole_b0::faults::deadlock::cycle_broken::tiles=2")
        }
        Defect::EncoderLosesARelocation => Some("wormhole_b0::arguments::common::objects"),
        Defect::EncoderLosesACompileArgument => {
            Some("wormhole_b0::faults::deadlock::consumer_wants_one_more")
        }
        Defect::EncoderCutsSizes => Some("wormhole_b0::buffers::lifetime::out_of_memory"),
        Defect::EncoderForgetsInitialValues => {
            Some("wormhole_b0::semaphores::remote::add::noc=noc_0")
        }
        Defect::BgeuStrict => Some("wormhole_b0::buffers::accessor::reshard"),
        Defect::AtomicAddsOne => {
            Some("wormhole_b0::noc::point_to_point::atomic_increment::processor=riscv_0::start=0")
        }
        Defect::AtomicReturnsNew => Some("wormhole_b0::faults::requests::right::request=atomic"),
        Defect::MulticastAcknowledgedOnce => {
            Some("wormhole_b0::noc::multicast::rectangle::columns=1::rows=2")
        }
        Defect::ReadsLosePoison => {
            Some("wormhole_b0::faults::uninitialised::carried_over_the_noc::noc=noc_0")
        }
        Defect::MulticastAlwaysIncludesSource => {
            Some("wormhole_b0::noc::multicast::without_self::noc=noc_0")
        }
        Defect::MulticastDropsLastTarget => {
            Some("wormhole_b0::faults::requests::right::request=multicast")
        }
        Defect::OneByteTooManyInAPacket => {
            Some("wormhole_b0::noc::transfers::packet_too_long::more=1")
        }
        Defect::AnyAlignmentOfTransfers => {
            Some("wormhole_b0::faults::requests::moved_register_read")
        }
        Defect::StreamCountsNarrow => {
            Some("wormhole_b0::noc::patterns::inline_register::noc=noc_0::number=65535")
        }
        Defect::BusyLoopsParked => {
            Some("wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=0")
        }
        Defect::LbUnsigned => {
            Some("wormhole_b0::computing::integers::loads_and_stores::processor=riscv_0::seed=400")
        }
        Defect::SraLogical => {
            Some("wormhole_b0::computing::integers::data_movement::first=negative")
        }
        Defect::MulhsuSigned => {
            Some("wormhole_b0::computing::integers::data_movement::first=minus_seven")
        }
        Defect::DivisionByZeroIsZero => {
            Some("wormhole_b0::computing::integers::data_movement::first=positive")
        }
        Defect::OneArgumentTooMany => Some("wormhole_b0::arguments::common::beyond_limit"),
        Defect::IndexTwiceInABuffer => {
            Some("wormhole_b0::circular_buffers::rules::index_twice::page_size=64")
        }
        Defect::OneTileDoneIsEnough => {
            Some("wormhole_b0::programs::programs::slowest_core::slowest=5::processor=riscv_0")
        }
        Defect::RecorderForgetsIncludes => {
            Some("wormhole_b0::programs::programs::own_headers::number=3")
        }
        Defect::ReplayerWritesZeros => {
            Some("wormhole_b0::buffers::round_trip::neighbours::type=dram")
        }
        Defect::DecoderForgetsEndsOfRanges => {
            Some("wormhole_b0::arguments::arguments::vectors::cores=2")
        }
        Defect::ChannelsUnordered => {
            Some("wormhole_b0::noc::point_to_point::data_then_increment::noc=noc_0::size=8192")
        }
        Defect::StreamLosesAnUpdate => {
            Some("wormhole_b0::noc::point_to_point::stream_room::more=5")
        }
        Defect::MailboxLastInFirstOut => {
            Some("wormhole_b0::cores::cores::mailbox_series::rounds=1000")
        }
        Defect::OnePageIsEnoughToRead
        | Defect::OnePageIsEnoughToWrite
        | Defect::PointersRunOn
        | Defect::PushesCountOne
        | Defect::PopsCountOne
        | Defect::AddressInTheNextBank
        | Defect::AddressOnePageOff
        | Defect::AddressUnaligned
        | Defect::AccessorForgetsPartialShards
        | Defect::ReadBarrierWaitsForNothing
        | Defect::WriteBarrierWaitsForNothing
        | Defect::AtomicBarrierWaitsForNothing
        | Defect::FlushWaitsForNothing
        | Defect::TransactionBarrierWaitsForNothing
        | Defect::MulticastDropsItself
        | Defect::MulticastDropsAColumn
        | Defect::NocCoordinatesSwapped
        | Defect::SemaphoreWaitTakesMore
        | Defect::SemaphoreWaitWantsMore
        | Defect::IncrementAddsOne
        | Defect::SemaphoreOfTheNextNumber
        | Defect::ArgumentsCountedFromOne
        | Defect::CommonArgumentsAreOwn
        | Defect::LongReadsRepeatThemselves
        | Defect::VariablesNotZeroed
        | Defect::LastVariableNotSet
        | Defect::KernelEndsBeforeItsWrites
        | Defect::PageCountsKept
        | Defect::DoneBeforeTheOthers
        | Defect::DoneBeforeTheKernel
        | Defect::FinishedBeforeTheKernel
        | Defect::LastThreadNotStarted
        | Defect::OldCodeKept => None,
    }
}
