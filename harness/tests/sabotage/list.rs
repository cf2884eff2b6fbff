//! Which suite test catches which defect, and how the test is run.

/// A defect and the test that must not pass while it is switched on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Catch {
    /// The defect's name.
    pub(crate) defect: &'static str,
    /// The test's name.
    pub(crate) test: &'static str,
    pub(crate) way: Way,
}

/// How the test is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// As everybody runs it.
    Plain,
    /// On a device that is not the default one.
    On { device: &'static str },
    /// With programs dispatched on the device.
    DispatchedOnDevice,
    /// Its capture, made without the defect, is replayed on another chip, where alone the defect shows.
    MovedTo { device: &'static str },
}

const HARVESTED: Way = Way::On { device: "sim:wormhole_b0:harvested=0x120" };
const BLACKHOLE: Way = Way::MovedTo { device: "sim:blackhole" };

pub(crate) const fn catch(defect: &'static str, test: &'static str) -> Catch {
    catch_by(Way::Plain, defect, test)
}

const fn catch_by(way: Way, defect: &'static str, test: &'static str) -> Catch {
    Catch { defect, test, way }
}

/// One for each defect of the crates' lists.
pub(crate) const CATCHES: &[Catch] = &[
    catch(
        "PagesUnaligned",
        "wormhole_b0::buffers::accessor::gather::layout=height::type=dram::page_size=100",
    ),
    catch("MemoryGivenTwice", "wormhole_b0::arguments::common::two_kernels"),
    catch("FreedMemoryLost", "wormhole_b0::buffers::lifetime::out_of_scope"),
    catch("FreeNeighboursApart", "wormhole_b0::buffers::lifetime::overlapping_scopes"),
    catch(
        "LastRoundForgotten",
        "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295",
    ),
    catch(
        "QueueReversed",
        "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295",
    ),
    catch("WritesToTheNextBank", "wormhole_b0::arguments::common::updated_in_place"),
    catch(
        "ReadsMissAPage",
        "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295",
    ),
    catch(
        "FreedMemoryKeepsItsMeaning",
        "wormhole_b0::faults::uninitialised::given_back::type=dram",
    ),
    catch("AddressOffsetIgnored", "wormhole_b0::cores::cores::all_five::columns=1::rows=1"),
    catch("ShardPairPastTheLast", "wormhole_b0::buffers::accessor::shard_pairs::shards=4"),
    catch("AddressOfTheNextSemaphore", "wormhole_b0::cores::cores::all_five::columns=1::rows=1"),
    catch("CoordinatesSwapped", "wormhole_b0::arguments::arguments::vectors::cores=2"),
    catch(
        "ArgumentsSwapped",
        "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295",
    ),
    catch("ArgumentCountMayChange", "wormhole_b0::arguments::arguments::limit"),
    catch("ArgumentsOfTheFirstCore", "wormhole_b0::arguments::arguments::vectors::cores=2"),
    catch("CircularBuffersPacked", "wormhole_b0::circular_buffers::places::one_core"),
    catch("ClashIgnored", "wormhole_b0::circular_buffers::dynamic::beside_the_rest"),
    catch("OnePageTooMany", "wormhole_b0::circular_buffers::dynamic::three_stages::pages=8"),
    catch("IndexTwiceOnACore", "wormhole_b0::circular_buffers::rules::every_index"),
    catch(
        "SemaphoresShareANumber",
        "wormhole_b0::circular_buffers::pages::many_producers::rounds=1",
    ),
    catch(
        "LastTileNotLaunched",
        "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295",
    ),
    catch("SemaphoresResetOnce", "wormhole_b0::cores::cores::all_five::columns=1::rows=1"),
    catch("KernelBinaryOfTheSameSizeReused", "wormhole_b0::arguments::common::two_kernels"),
    catch(
        "LastSiteNotRelocated",
        "wormhole_b0::programs::programs::private_memory::processor=riscv_0",
    ),
    catch(
        "RecorderLosesRelocations",
        "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295",
    ),
    catch("RecorderSharesArguments", "wormhole_b0::arguments::arguments::vectors::cores=2"),
    catch("RecorderForgetsBlocking", "wormhole_b0::arguments::arguments::updated_between_runs"),
    catch(
        "RecorderForgetsDefines",
        "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=0",
    ),
    catch("RecorderForgetsFailures", "wormhole_b0::arguments::arguments::limit"),
    catch("RecorderKeepsTheFirstRead", "wormhole_b0::buffers::lifetime::reuse::type=dram"),
    catch("RecorderForgetsTheEnd", "wormhole_b0::queues::end::never_ends"),
    catch("ReplayerForgetsDeallocations", "wormhole_b0::arguments::common::objects"),
    catch("ReplayerForgetsFailedCalls", "wormhole_b0::arguments::arguments::limit"),
    catch("ReplayerSetsOneCore", "wormhole_b0::arguments::common::beyond_limit"),
    catch("ReplayerForgetsInitialValues", "wormhole_b0::faults::deadlock::cycle_broken::tiles=2"),
    catch("EncoderLosesARelocation", "wormhole_b0::arguments::common::objects"),
    catch("EncoderLosesACompileArgument", "wormhole_b0::faults::deadlock::consumer_wants_one_more"),
    catch("EncoderCutsSizes", "wormhole_b0::buffers::lifetime::out_of_memory"),
    catch("EncoderForgetsInitialValues", "wormhole_b0::semaphores::remote::add::noc=noc_0"),
    catch("BgeuStrict", "wormhole_b0::buffers::accessor::reshard"),
    catch(
        "AtomicAddsOne",
        "wormhole_b0::noc::point_to_point::atomic_increment::processor=riscv_0::start=0",
    ),
    catch("AtomicReturnsNew", "wormhole_b0::faults::requests::right::request=atomic"),
    catch("MulticastAcknowledgedOnce", "wormhole_b0::noc::multicast::rectangle::columns=1::rows=2"),
    catch("ReadsLosePoison", "wormhole_b0::faults::uninitialised::carried_over_the_noc::noc=noc_0"),
    catch("MulticastAlwaysIncludesSource", "wormhole_b0::noc::multicast::without_self::noc=noc_0"),
    catch("MulticastDropsLastTarget", "wormhole_b0::faults::requests::right::request=multicast"),
    catch("OneByteTooManyInAPacket", "wormhole_b0::noc::transfers::packet_too_long::more=1"),
    catch("AnyAlignmentOfTransfers", "wormhole_b0::faults::requests::moved_register_read"),
    catch(
        "StreamCountsNarrow",
        "wormhole_b0::noc::patterns::inline_register::noc=noc_0::number=65535",
    ),
    catch(
        "BusyLoopsParked",
        "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=0",
    ),
    catch(
        "LbUnsigned",
        "wormhole_b0::computing::integers::loads_and_stores::processor=riscv_0::seed=400",
    ),
    catch("SraLogical", "wormhole_b0::computing::integers::data_movement::first=negative"),
    catch("MulhsuSigned", "wormhole_b0::computing::integers::data_movement::first=minus_seven"),
    catch(
        "DivisionByZeroIsZero",
        "wormhole_b0::computing::integers::data_movement::first=positive",
    ),
    catch("OneArgumentTooMany", "wormhole_b0::arguments::common::beyond_limit"),
    catch("IndexTwiceInABuffer", "wormhole_b0::circular_buffers::rules::index_twice::page_size=64"),
    catch(
        "OneTileDoneIsEnough",
        "wormhole_b0::programs::programs::slowest_core::slowest=5::processor=riscv_0",
    ),
    catch("RecorderForgetsIncludes", "wormhole_b0::programs::programs::own_headers::number=3"),
    catch("ReplayerWritesZeros", "wormhole_b0::buffers::round_trip::neighbours::type=dram"),
    catch("DecoderForgetsEndsOfRanges", "wormhole_b0::arguments::arguments::vectors::cores=2"),
    catch(
        "ChannelsUnordered",
        "wormhole_b0::noc::point_to_point::data_then_increment::noc=noc_0::size=8192",
    ),
    catch("StreamLosesAnUpdate", "wormhole_b0::noc::point_to_point::stream_room::more=5"),
    catch("MailboxLastInFirstOut", "wormhole_b0::cores::cores::mailbox_series::rounds=1000"),
    catch("OnePageIsEnoughToRead", "wormhole_b0::circular_buffers::dynamic::three_stages::pages=8"),
    catch(
        "OnePageIsEnoughToWrite",
        "wormhole_b0::circular_buffers::dynamic::three_stages::pages=8",
    ),
    catch(
        "PointersRunOn",
        "wormhole_b0::circular_buffers::pipeline::three_stages::pages=9::number=1",
    ),
    catch("PushesCountOne", "wormhole_b0::circular_buffers::dynamic::resident::offset=0"),
    catch("PopsCountOne", "wormhole_b0::circular_buffers::pages::many_pages::pages=65536"),
    catch(
        "AddressInTheNextBank",
        "wormhole_b0::dataflow::core_ranges::shared_work::columns=1::rows=3",
    ),
    catch("AddressOnePageOff", "wormhole_b0::noc::patterns::both_nocs::processor=riscv_0"),
    catch(
        "AddressUnaligned",
        "wormhole_b0::dataflow::loopback::unaligned_pages::page_size=48::type=dram",
    ),
    catch(
        "AccessorForgetsPartialShards",
        "wormhole_b0::buffers::accessor::gather::layout=block::type=dram::page_size=64",
    ),
    catch(
        "ReadBarrierWaitsForNothing",
        "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0",
    ),
    catch(
        "WriteBarrierWaitsForNothing",
        "wormhole_b0::dataflow::loopback::one_core::pages=7::page_size=32::processor=riscv_0::noc=noc_0",
    ),
    catch(
        "AtomicBarrierWaitsForNothing",
        "wormhole_b0::semaphores::semaphores::own_increments::noc=noc_0::number=1000",
    ),
    catch("FlushWaitsForNothing", "wormhole_b0::noc::patterns::one_to_many::processor=riscv_0"),
    catch(
        "TransactionBarrierWaitsForNothing",
        "wormhole_b0::noc::transactions::outstanding_reads::pages=255::identifiers=2",
    ),
    catch("MulticastDropsItself", "wormhole_b0::noc::multicast::whole_grid::sender=0::size=16"),
    catch("MulticastDropsAColumn", "wormhole_b0::noc::multicast::rectangle::columns=3::rows=2"),
    catch("NocCoordinatesSwapped", "wormhole_b0::noc::patterns::ring::rows=3::noc=noc_0"),
    catch(
        "SemaphoreWaitTakesMore",
        "wormhole_b0::semaphores::remote::set_remote::noc=noc_0::value=4294967295",
    ),
    catch(
        "SemaphoreWaitWantsMore",
        "wormhole_b0::semaphores::semaphores::ping_pong::rounds=1::processor=riscv_0",
    ),
    catch("IncrementAddsOne", "wormhole_b0::semaphores::remote::add::noc=noc_0"),
    catch("SemaphoreOfTheNextNumber", "wormhole_b0::cores::cores::all_five::columns=1::rows=1"),
    catch(
        "ArgumentsCountedFromOne",
        "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=0",
    ),
    catch("CommonArgumentsAreOwn", "wormhole_b0::arguments::common::two_kernels"),
    catch("LongReadsRepeatThemselves", "wormhole_b0::noc::transfers::sizes::size=8193"),
    catch(
        "VariablesNotZeroed",
        "wormhole_b0::programs::programs::private_memory::processor=riscv_0",
    ),
    catch(
        "LastVariableNotSet",
        "wormhole_b0::programs::programs::private_memory::processor=riscv_0",
    ),
    catch(
        "KernelEndsBeforeItsWrites",
        "wormhole_b0::programs::programs::last_write::processor=riscv_0",
    ),
    catch(
        "OldCodeKept",
        "wormhole_b0::cores::cores::new_text_at_the_same_address::processor=riscv_0",
    ),
    catch("PageCountsKept", "wormhole_b0::circular_buffers::pages::left_over::pages=4"),
    catch(
        "DoneBeforeTheOthers",
        "wormhole_b0::programs::programs::slowest_core::slowest=5::processor=riscv_1",
    ),
    catch(
        "DoneBeforeTheKernel",
        "wormhole_b0::programs::programs::slowest_core::slowest=5::processor=riscv_0",
    ),
    catch(
        "FinishedBeforeTheKernel",
        "wormhole_b0::programs::programs::slowest_core::slowest=5::processor=riscv_1",
    ),
    catch("LastThreadNotStarted", "wormhole_b0::cores::cores::all_five::columns=1::rows=1"),
    catch("WaitsDoNotWait", "wormhole_b0::queues::events::waited_for_early"),
    catch("EventNumbersShared", "wormhole_b0::queues::events::numbers"),
    catch("WaitingTakesNoNumber", "wormhole_b0::queues::events::numbers"),
    catch("HiddenEventsAreSeen", "wormhole_b0::queues::events::device_only"),
    catch("QueriesSayYes", "wormhole_b0::queues::events::state_not_expected"),
    catch("QueriesOrderNothing", "wormhole_b0::queues::events::asked_until_yes"),
    catch("QueriesAnswerEarly", "wormhole_b0::queues::events::asked_until_yes"),
    catch("LaunchesDoNotOverlap", "wormhole_b0::queues::overlap::meet::first=0::times=1"),
    catch(
        "EventNumbersUnsigned",
        "wormhole_b0::queues::overlap::waits_come_early::first=4294967294",
    ),
    catch("HalfATraceCommandIsEnough", "wormhole_b0::queues::overlap::long_trace"),
    catch(
        "InlineWritesShareALine",
        "blackhole::noc::point_to_point::inline_on_both_nocs::processor=riscv_0::words=4",
    ),
    catch("EventsOrderNothing", "wormhole_b0::queues::events::ping_pong"),
    catch("CoresHaveNoOwner", "wormhole_b0::queues::events::cores_in_use"),
    catch("QueueRacesUnreported", "wormhole_b0::queues::races::write_and_read"),
    catch("RegionsOfQueueRacesGrow", "wormhole_b0::queues::races::no_page_in_common"),
    catch("TracesTakeColdPrograms", "wormhole_b0::queues::traces::cold_program"),
    catch(
        "TracedProgramsRun",
        "wormhole_b0::queues::traces::one_program::replays=1::blocking=true::queues=1",
    ),
    catch("TraceForgetsItsLastProgram", "wormhole_b0::queues::traces::each_replay_acts"),
    catch("TraceRoomForOne", "wormhole_b0::queues::traces::region_one_byte_short"),
    catch("TraceRoomKept", "wormhole_b0::queues::traces::recapture"),
    catch(
        "TraceRegionNotSetAside",
        "wormhole_b0::queues::traces::region_leaves_less_memory::region=1048576",
    ),
    catch("TraceTakesWrites", "wormhole_b0::queues::traces::not_in_a_trace"),
    catch("LoadedTraceForgetsAddends", "wormhole_b0::queues::loaded::within_a_buffer"),
    catch(
        "LoadedTraceIgnoresGivenBuffers",
        "wormhole_b0::queues::loaded::another_buffer_beside_the_first",
    ),
    catch("LoadedTraceTakesAnyShape", "wormhole_b0::queues::loaded::buffers_that_do_not_fit"),
    catch(
        "LoadedTraceForgetsSemaphores",
        "wormhole_b0::queues::loaded::semaphores_and_coordinates",
    ),
    catch("LoadedTraceTakesNoRoom", "wormhole_b0::queues::loaded::region_is_full"),
    catch("ReplayerForgetsTraceBuffers", "wormhole_b0::queues::loaded::buffers_elsewhere"),
    catch("ReplayerForgetsQueues", "wormhole_b0::queues::patterns::writes_on_the_second_queue"),
    catch("EncoderHidesEvents", "wormhole_b0::queues::events::query"),
    catch("ReplayerForgetsTraceRegions", "wormhole_b0::queues::traces::each_replay_acts"),
    catch("ChangedArgumentsNotSent", "wormhole_b0::queues::again::a_word_changed"),
    catch("KernelBinariesCountAsThere", "wormhole_b0::queues::again::by_turns::other_core=0"),
    catch("MulticastWrapsInRows", "wormhole_b0::noc::multicast::wrong_side::noc=noc_0::axis=rows"),
    catch(
        "MulticastWrapsInColumns",
        "wormhole_b0::noc::multicast::wrong_side::noc=noc_1::axis=columns",
    ),
    catch(
        "UnorderedIncrementsPass",
        "wormhole_b0::faults::synchronization::reset_wipes_credits::pause=3000",
    ),
    catch(
        "CountingByHandPasses",
        "wormhole_b0::faults::synchronization::counted_by_hand::times=1::pause=3000",
    ),
    catch(
        "CountingByTwoPasses",
        "wormhole_b0::faults::synchronization::counted_by_two_cores::times=1::pause=first_is_late",
    ),
    catch("DramRacesPass", "wormhole_b0::faults::races::dram_read_early::mistake=no_wait"),
    catch(
        "UnorderedWritesOfFlagsPass",
        "wormhole_b0::faults::synchronization::flag_wiped::way=inline::pause=3000",
    ),
    catch(
        "WaitsOrderAllIncrements",
        "wormhole_b0::faults::synchronization::waits_for_too_few::pause=20000",
    ),
    catch("ExactWaitsMayBePassed", "wormhole_b0::faults::synchronization::passed_unseen::pause=1"),
    catch("AwaitedValuesMayBeWiped", "wormhole_b0::faults::synchronization::reset_under_a_wait"),
    catch(
        "WrittenFlagsMayBeWiped",
        "wormhole_b0::faults::synchronization::reset_under_a_wait_for_a_write::way=inline::wait=exactly",
    ),
    catch(
        "AwaitedValuesMayBeOverwritten",
        "wormhole_b0::faults::synchronization::lowered_under_a_wait::way=increment::wait=exactly",
    ),
    catch(
        "ValuesOfTwoWritersPass",
        "wormhole_b0::faults::synchronization::two_values::way=inline::last=the_awaited",
    ),
    catch(
        "KeptValuesEndWaits",
        "wormhole_b0::faults::synchronization::kept_and_reset_under_a_wait::way=write",
    ),
    catch(
        "PassedWaitsAreDeadlocks",
        "wormhole_b0::faults::synchronization::passed_unseen::pause=20000",
    ),
    catch("FlagsSetBackPass", "wormhole_b0::faults::synchronization::flag_set_back::pause=3000"),
    catch("WordsReadAgainAreData", "wormhole_b0::noc::words::fetched::when=later::offset=12"),
    catch("EqualWritesRace", "wormhole_b0::noc::words::raised_by_two::when=first"),
    catch(
        "LinkedPathsNotKept",
        "wormhole_b0::faults::linked::something_else::next=write::noc=noc_0",
    ),
    catch(
        "RequestsTakeChannelsOfResponses",
        "wormhole_b0::faults::requests::channels_of_responses::request=write::channel=six",
    ),
    catch(
        "MulticastsKeepCountsRight",
        "wormhole_b0::faults::identifiers::multicast_counted::processor=riscv_0::way=set_here",
    ),
    catch("AssertionsAreNotRead", "wormhole_b0::faults::assertions::blames_the_second_program"),
    catch("NothingIsGranted", "wormhole_b0::faults::grants::fifth_page"),
    catch(
        "ArgumentsLeaveTheirMemory",
        "blackhole::faults::grants::into_the_own_next_buffer::processor=riscv_1",
    ),
    catch("MulticastAtomicReachesOneTile", "wormhole_b0::noc::multicast::increments::noc=noc_0"),
    catch(
        "PostedMulticastAtomics",
        "wormhole_b0::faults::requests::multicast_atomic_without_responses",
    ),
    catch("OddAtomicsIncrement", "wormhole_b0::faults::requests::atomic_opcodes::opcode=3"),
    catch("ReadsTooFarOn", "wormhole_b0::faults::requests::right::request=read"),
    catch("WritesTooFarOn", "wormhole_b0::faults::requests::right::request=write"),
    catch(
        "InlineWritesOneMore",
        "wormhole_b0::noc::patterns::inline_register::noc=noc_0::number=65535",
    ),
    catch("MailboxesHoldFive", "wormhole_b0::cores::cores::mailbox_overfull"),
    catch(
        "NarrowStoresKeepTheirLine",
        "blackhole::cores::data_cache::own_store::store=last_half_word",
    ),
    catch(
        "StaleLinesPolled",
        "blackhole::faults::data_cache::never_emptied::way=write::when=first",
    ),
    catch(
        "TransactionsWithoutLimit",
        "wormhole_b0::faults::identifiers::one_more::request=write::processor=riscv_0",
    ),
    catch(
        "DataCacheOneLineMore",
        "blackhole::cores::data_cache::as_many_lines_as_it_holds::lines=5",
    ),
    catch(
        "DataCacheOneLineLess",
        "blackhole::cores::data_cache::as_many_lines_as_it_holds::lines=4",
    ),
    catch(
        "PrivateMemoryOneWordMore",
        "wormhole_b0::faults::memory::beyond_private_memory::access=word_load::place=after",
    ),
    catch(
        "PrivateMemoryOneWordLess",
        "wormhole_b0::faults::memory::end_of_private_memory_of_threads::thread=0",
    ),
    catch("SraForgetsPoison", "wormhole_b0::faults::uninitialised::one_result::instruction=sra"),
    catch("ClzOfZeroIs31", "blackhole::computing::extensions::data_movement::first=zero"),
    catch(
        "PackTakesTheUpperHalf",
        "blackhole::computing::extensions::data_movement::first=positive",
    ),
    catch(
        "PushesBeyondTheRoom",
        "wormhole_b0::faults::circular_buffers::pushed_beyond_the_room::what=one_more",
    ),
    catch(
        "PopsBeyondTheReceived",
        "wormhole_b0::faults::circular_buffers::popped_beyond_the_received::what=never_waits",
    ),
    catch("PointersPassTheEnd", "wormhole_b0::faults::circular_buffers::past_the_end::what=push"),
    catch(
        "RequestsPassTheEnd",
        "wormhole_b0::faults::circular_buffers::request_past_the_end::what=read",
    ),
    catch(
        "PointersLeaveTheirMemory",
        "wormhole_b0::faults::circular_buffers::pointer_runs_on::what=read",
    ),
    catch(
        "RequestsLeftUnderWay",
        "wormhole_b0::faults::under_way::left::kind=write::processor=riscv_0",
    ),
    catch(
        "AnswersTellOfAllAtomics",
        "wormhole_b0::faults::under_way::answered_too_early::noc=noc_1::count=some",
    ),
    catch(
        "AnswersTellOfAllWrites",
        "wormhole_b0::faults::under_way::write_without_an_answer::noc=noc_1::write=elsewhere",
    ),
    catch_by(
        Way::DispatchedOnDevice,
        "KeptLaunchesNotChanged",
        "wormhole_b0::queues::again::a_word_changed",
    ),
    catch_by(
        Way::DispatchedOnDevice,
        "RectanglesLoseTheirLastRow",
        "wormhole_b0::cores::cores::all_five::columns=4::rows=2",
    ),
    catch_by(
        BLACKHOLE,
        "AdaptedReplayKeepsAddresses",
        "wormhole_b0::dataflow::loopback::one_core::pages=64::page_size=2048::processor=riscv_1::noc=noc_0",
    ),
    catch_by(
        BLACKHOLE,
        "AssessmentForgetsCircularBuffers",
        "wormhole_b0::circular_buffers::rules::configuration",
    ),
    catch_by(
        HARVESTED,
        "TranslationIgnoresHarvesting",
        "wormhole_b0::dataflow::core_ranges::whole_grid::processor=riscv_0",
    ),
    catch_by(
        HARVESTED,
        "HarvestingUnread",
        "wormhole_b0::dataflow::core_ranges::whole_grid::processor=riscv_0",
    ),
    catch("FacesColumnByColumn", "wormhole_b0::tensors::layouts::tiles_in_memory::tile=32x32"),
    catch("PaddingForgotten", "wormhole_b0::tensors::values::padding_in_memory"),
    catch("MatricesPaddedTogether", "wormhole_b0::tensors::values::padding_in_memory"),
    catch("InnermostStrideIgnored", "wormhole_b0::tensors::shapes::strides"),
    catch("ExponentOfTheFirst", "wormhole_b0::tensors::values::blocks"),
    catch("SignificandsRoundedUp", "wormhole_b0::tensors::values::blocks"),
    catch("SignificandsOverflow", "wormhole_b0::tensors::values::blocks"),
    catch("HalvesOfBytesSwapped", "wormhole_b0::tensors::values::blocks"),
    catch("SinglesCutOff", "wormhole_b0::tensors::values::singles_to_bfloat16"),
    catch("PayloadsKept", "wormhole_b0::tensors::values::singles_to_bfloat16"),
    catch("FractionsRounded", "wormhole_b0::tensors::values::to_integers"),
    catch("SignsForgotten", "wormhole_b0::tensors::values::to_integers"),
    catch("CutRowsUnfilled", "wormhole_b0::tensors::values::cut_rows_in_memory"),
    catch("ShardsOnOneCoreMore", "wormhole_b0::tensors::values::cut_rows_in_memory"),
    catch("FillNotTakenOut", "wormhole_b0::tensors::values::cut_rows_in_memory"),
    catch("DependenciesForgotten", "wormhole_b0::tensors::stitching::one_iteration_ahead"),
    catch("ConversionsInPlace", "wormhole_b0::tensors::stitching::layouts_differ"),
    catch("SubmissionsOnTheFirstQueue", "wormhole_b0::tensors::stitching::second_queue"),
    catch("ArgumentsOfTheFirstSubmission", "wormhole_b0::tensors::stitching::layouts_match"),
    catch("ConstantsNotWritten", "wormhole_b0::tensors::stitching::chain_of_three"),
    catch("OutputsSwapped", "wormhole_b0::tensors::stitching::chain_of_three"),
    catch("LastProgramNotEnqueued", "wormhole_b0::tensors::stitching::chain_of_three"),
    catch("EventsOnTheOtherQueue", "wormhole_b0::tensors::stitching::one_iteration_ahead"),
];
