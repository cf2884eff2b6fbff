//! The tests at each limit, and those one past it.

use Case::{Suite, Unit};

/// A limit.
pub(crate) struct Limit {
    /// Its name: for a chip, the name in its table; for the host API, the name of the failure.
    pub(crate) name: &'static str,
    /// The tests with exactly the limit.
    pub(crate) at: &'static [Case],
    /// The tests one past the limit.
    pub(crate) past: &'static [Case],
}

/// A test.
pub(crate) enum Case {
    /// A test of the suites, by its name without the architecture, on each architecture with the limit.
    Suite(&'static str),
    /// A function.
    Unit {
        /// The file with the function, relative to the top of the repository.
        file: &'static str,
        test: &'static str,
    },
}

const fn limit(name: &'static str, at: &'static [Case], past: &'static [Case]) -> Limit {
    Limit { name, at, past }
}

/// The tests of each limit.
pub(crate) const LIMITS: &[Limit] = &[
    limit(
        "compute grid: columns",
        &[Suite("dataflow::core_ranges::whole_grid::processor=riscv_0")],
        &[Suite("circular_buffers::rules::configuration")],
    ),
    limit(
        "compute grid: rows",
        &[Suite("dataflow::core_ranges::whole_grid::processor=riscv_0")],
        &[Suite("programs::programs::placement")],
    ),
    limit(
        "dram_banks",
        &[Suite("noc::patterns::each_bank::memory=dram::noc=noc_0::shift=1")],
        &[Suite("buffers::sharded::specification_checks")],
    ),
    limit(
        "dram_bank_size",
        &[Suite("buffers::lifetime::all_of_dram")],
        &[Suite("buffers::lifetime::all_of_dram")],
    ),
    limit(
        "l1_size: allocation",
        &[Suite("buffers::lifetime::all_of_l1")],
        &[Suite("buffers::lifetime::all_of_l1")],
    ),
    limit(
        "l1_size: a core's access",
        &[Suite("faults::memory::end_of_l1::processor=riscv_1")],
        &[
            Suite("faults::memory::nothing_there::access=word_load::beyond=0"),
            Suite("faults::memory::nothing_there::access=word_store::beyond=0"),
        ],
    ),
    limit(
        "l1_size: a request's own end",
        &[
            Suite("faults::requests::ends_at_the_end_of_l1::request=read"),
            Suite("faults::requests::ends_at_the_end_of_l1::request=write"),
        ],
        &[
            Suite("faults::requests::own_end_beyond_l1::request=read"),
            Suite("faults::requests::own_end_beyond_l1::request=write"),
        ],
    ),
    limit(
        "l1_size: a multicast's other end",
        &[Suite("faults::requests::ends_at_the_end_of_l1::request=multicast")],
        &[Suite("faults::requests::multicast_beyond_l1")],
    ),
    limit(
        "noc_max_burst",
        &[Suite("noc::transfers::one_packet::from=dram::less=0")],
        &[Suite("noc::transfers::packet_too_long::more=1")],
    ),
    limit(
        "private_memory.size: BRISC",
        &[Suite("faults::memory::end_of_private_memory::processor=riscv_0")],
        &[Suite("faults::memory::beyond_private_memory::access=word_load::place=after")],
    ),
    limit(
        "private_memory.size: NCRISC",
        &[Suite("faults::memory::end_of_private_memory::processor=riscv_1")],
        &[Suite("faults::memory::beyond_private_memory::access=word_store::place=after")],
    ),
    limit(
        "private_memory.size: UNPACK",
        &[Suite("faults::memory::end_of_private_memory_of_threads::thread=0")],
        &[Suite("faults::memory::beyond_private_memory_of_threads::thread=unpack")],
    ),
    limit(
        "private_memory.size: MATH",
        &[Suite("faults::memory::end_of_private_memory_of_threads::thread=1")],
        &[Suite("faults::memory::beyond_private_memory_of_threads::thread=math")],
    ),
    limit(
        "private_memory.size: PACK",
        &[Suite("faults::memory::end_of_private_memory_of_threads::thread=2")],
        &[Suite("faults::memory::beyond_private_memory_of_threads::thread=pack")],
    ),
    limit(
        "private_memory.ncrisc_instruction_ram",
        &[Unit {
            file: "runtime/sim/tests/simulator/tile.rs",
            test: "the_mover_fills_all_of_the_instruction_ram_and_no_more",
        }],
        &[Suite("faults::registers::mover_too_long::move=too_long")],
    ),
    limit(
        "data_cache.lines",
        &[Suite("cores::data_cache::as_many_lines_as_it_holds::lines=4")],
        &[Suite("cores::data_cache::as_many_lines_as_it_holds::lines=5")],
    ),
    limit(
        "data_cache.line_size",
        &[Suite("cores::data_cache::own_store::store=last_byte")],
        &[Suite("cores::data_cache::own_store::store=byte_beyond")],
    ),
    limit(
        "data_cache.hits_per_flush",
        &[Unit {
            file: "runtime/sim/tests/simulator/blackhole_cache.rs",
            test: "a_poll_without_a_fence_sees_the_word_late",
        }],
        &[Unit {
            file: "runtime/sim/tests/simulator/blackhole_cache.rs",
            test: "a_poll_without_a_fence_sees_the_word_late",
        }],
    ),
    limit(
        "circular_buffers",
        &[Suite("circular_buffers::pages::each_index::producer=riscv_0")],
        &[Suite("circular_buffers::rules::configuration")],
    ),
    limit(
        "windows: accesses",
        &[Unit {
            file: "runtime/chip/src/bar_windows.rs",
            test: "every_window_is_reached_to_its_end_and_no_further",
        }],
        &[Unit {
            file: "runtime/chip/src/bar_windows.rs",
            test: "every_window_is_reached_to_its_end_and_no_further",
        }],
    ),
    limit(
        "windows: count",
        &[Unit {
            file: "runtime/chip/src/bar_windows.rs",
            test: "each_window_but_the_drivers_is_handed_out_once",
        }],
        &[Unit {
            file: "runtime/chip/src/bar_windows.rs",
            test: "each_window_but_the_drivers_is_handed_out_once",
        }],
    ),
    limit(
        "noc.command_buffers",
        &[
            Suite("faults::registers::last_of_each::register=noc_0"),
            Suite("faults::registers::last_of_each::register=noc_1"),
        ],
        &[
            Suite("faults::registers::one_more_of_each::register=noc_0"),
            Suite("faults::registers::one_more_of_each::register=noc_1"),
        ],
    ),
    limit(
        "overlay.streams",
        &[Suite("faults::registers::last_of_each::register=stream")],
        &[Suite("faults::registers::one_more_of_each::register=stream")],
    ),
    limit(
        "packet tag: transaction identifier",
        &[Suite("noc::transactions::outstanding_writes::identifiers=15::processor=riscv_0")],
        &[Suite("faults::identifiers::beyond_the_last::processor=riscv_0")],
    ),
    limit(
        "mailbox: words",
        &[Suite("cores::cores::mailbox_full")],
        &[Suite("cores::cores::mailbox_overfull")],
    ),
    limit(
        "coprocessor's semaphore: greatest",
        &[Suite("faults::registers::semaphore_at_its_end")],
        &[Suite("faults::registers::semaphore_beyond_its_ends::beyond=post")],
    ),
    limit(
        "coprocessor's semaphore: least",
        &[Suite("cores::cores::mailbox_full")],
        &[Suite("faults::registers::semaphore_beyond_its_ends::beyond=get")],
    ),
    limit(
        "multicast: columns",
        &[Suite("noc::multicast::one_tile::noc=noc_0")],
        &[
            Suite("noc::multicast::wrong_side::noc=noc_0::axis=columns"),
            Suite("noc::multicast::wrong_side::noc=noc_1::axis=columns"),
        ],
    ),
    limit(
        "multicast: rows",
        &[Suite("noc::multicast::one_tile::noc=noc_0")],
        &[
            Suite("noc::multicast::wrong_side::noc=noc_0::axis=rows"),
            Suite("noc::multicast::wrong_side::noc=noc_1::axis=rows"),
        ],
    ),
    limit(
        "atomic: opcode",
        &[Suite("faults::requests::right::request=atomic")],
        &[
            Suite("faults::requests::atomic_operations::operation=none"),
            Suite("faults::requests::atomic_operations::operation=other"),
        ],
    ),
    limit(
        "request: least length",
        &[Suite("noc::transfers::sizes::size=1")],
        &[Suite("faults::requests::lengths::request=read::over=0")],
    ),
    limit(
        "CircularBufferIndexTooLarge",
        &[Suite("circular_buffers::pages::each_index::producer=riscv_0")],
        &[Suite("circular_buffers::rules::configuration")],
    ),
    limit(
        "TooManyRuntimeArgs",
        &[
            Suite("arguments::common::limit::common=336"),
            Suite("arguments::common::limit::common=0"),
        ],
        &[Suite("arguments::common::beyond_limit")],
    ),
    limit(
        "TooManySemaphores",
        &[Suite("semaphores::semaphores::too_many")],
        &[Suite("semaphores::semaphores::too_many")],
    ),
    limit(
        "UnknownQueue",
        &[Suite("queues::patterns::writes_on_the_second_queue")],
        &[
            Suite("queues::events::queue_limits::queues=1"),
            Suite("queues::events::queue_limits::queues=2"),
        ],
    ),
    limit(
        "RegionOutsideBuffer",
        &[Suite("buffers::regions::to_the_end")],
        &[Suite("buffers::regions::checks")],
    ),
    limit(
        "CircularBufferLargerThanBuffer",
        &[Suite("circular_buffers::dynamic::every_update")],
        &[Suite("circular_buffers::dynamic::every_update")],
    ),
    limit(
        "TraceRegionTooSmall",
        &[Suite("queues::traces::region_exactly_full")],
        &[Suite("queues::traces::region_one_byte_short")],
    ),
    limit(
        "noc_grid: columns",
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "tiles_are_named_to_the_edge_of_the_grid",
        }],
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "tiles_are_named_to_the_edge_of_the_grid",
        }],
    ),
    limit(
        "noc_grid: rows",
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "tiles_are_named_to_the_edge_of_the_grid",
        }],
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "tiles_are_named_to_the_edge_of_the_grid",
        }],
    ),
    limit(
        "ethernet_l1_size",
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "ethernet_l1_is_reached_to_its_end",
        }],
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "ethernet_l1_is_reached_to_its_end",
        }],
    ),
    limit(
        "pcie_host_size",
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "host_memory_is_reached_to_its_end",
        }],
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "host_memory_is_reached_to_its_end",
        }],
    ),
    limit(
        "bar_sizes: BAR0",
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "each_bar_is_reached_to_its_end",
        }],
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "each_bar_is_reached_to_its_end",
        }],
    ),
    limit(
        "bar_sizes: BAR2",
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "each_bar_is_reached_to_its_end",
        }],
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "each_bar_is_reached_to_its_end",
        }],
    ),
    limit(
        "bar_sizes: BAR4",
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "each_bar_is_reached_to_its_end",
        }],
        &[Unit {
            file: "runtime/sim/src/machine/limit_tests.rs",
            test: "each_bar_is_reached_to_its_end",
        }],
    ),
    limit(
        "harvesting: bits",
        &[Unit {
            file: "harness/tests/liars/devices.rs",
            test: "a_mask_has_a_bit_for_each_row_or_column",
        }],
        &[Unit {
            file: "harness/tests/liars/devices.rs",
            test: "a_mask_has_a_bit_for_each_row_or_column",
        }],
    ),
    limit(
        "harvesting: rows or columns left",
        &[Unit {
            file: "harness/tests/liars/devices.rs",
            test: "a_mask_leaves_two_rows_or_columns",
        }],
        &[Unit {
            file: "harness/tests/liars/devices.rs",
            test: "a_mask_leaves_two_rows_or_columns",
        }],
    ),
    limit(
        "open: columns",
        &[Unit { file: "runtime/src/host/tests/opening.rs", test: "a_grid_fits_the_chip" }],
        &[Unit { file: "runtime/src/host/tests/opening.rs", test: "a_grid_fits_the_chip" }],
    ),
    limit(
        "open: rows",
        &[Unit { file: "runtime/src/host/tests/opening.rs", test: "a_grid_fits_the_chip" }],
        &[Unit { file: "runtime/src/host/tests/opening.rs", test: "a_grid_fits_the_chip" }],
    ),
    limit(
        "open: command queues",
        &[Unit {
            file: "runtime/src/host/tests/opening.rs",
            test: "a_device_has_one_queue_or_two",
        }],
        &[Unit {
            file: "runtime/src/host/tests/opening.rs",
            test: "a_device_has_one_queue_or_two",
        }],
    ),
    limit(
        "open: trace region",
        &[Unit { file: "runtime/src/host/tests/opening.rs", test: "a_trace_region_fits_a_bank" }],
        &[Unit { file: "runtime/src/host/tests/opening.rs", test: "a_trace_region_fits_a_bank" }],
    ),
    limit(
        "open: L1_SMALL",
        &[Unit {
            file: "runtime/src/host/tests/opening.rs",
            test: "regions_of_l1_fit_what_the_firmware_leaves",
        }],
        &[Unit {
            file: "runtime/src/host/tests/opening.rs",
            test: "regions_of_l1_fit_what_the_firmware_leaves",
        }],
    ),
    limit(
        "open: worker L1",
        &[Unit {
            file: "runtime/src/host/tests/opening.rs",
            test: "regions_of_l1_fit_what_the_firmware_leaves",
        }],
        &[Unit {
            file: "runtime/src/host/tests/opening.rs",
            test: "regions_of_l1_fit_what_the_firmware_leaves",
        }],
    ),
    limit(
        "dispatch: ring_size",
        &[Unit { file: "runtime/tests/dispatch.rs", test: "rings_and_counts_have_their_ends" }],
        &[Unit { file: "runtime/tests/dispatch.rs", test: "rings_and_counts_have_their_ends" }],
    ),
    limit(
        "dispatch: completion_size",
        &[Unit { file: "runtime/tests/dispatch.rs", test: "rings_and_counts_have_their_ends" }],
        &[Unit { file: "runtime/tests/dispatch.rs", test: "rings_and_counts_have_their_ends" }],
    ),
    limit(
        "dispatch: first_position",
        &[Unit { file: "runtime/tests/dispatch.rs", test: "rings_and_counts_have_their_ends" }],
        &[Unit { file: "runtime/tests/dispatch.rs", test: "rings_and_counts_have_their_ends" }],
    ),
    limit(
        "dispatch: first_count",
        &[Unit { file: "runtime/tests/dispatch.rs", test: "rings_and_counts_have_their_ends" }],
        &[Unit { file: "runtime/tests/dispatch.rs", test: "rings_and_counts_have_their_ends" }],
    ),
];
