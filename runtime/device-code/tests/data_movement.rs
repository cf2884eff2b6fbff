//! The data-movement API as people write it: any integer type as an argument, names that 0.81.1 does not have or Hallmark does
//! not, and the parts of the C++ library.
#![allow(clippy::unwrap_used, reason = "a test says what failed by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use hallmark_chip::{Architecture, Processor};
use hallmark_device_code::{Compiler, KernelBuildRequest, KernelStore, SourceClosure};
use hallmark_schema::model::{DataMovementProcessor, KernelConfig, NocId};

/// What the compiler says to a kernel of BRISC.
fn said(store: &KernelStore, architecture: Architecture, text: &str) -> Result<(), String> {
    let files = BTreeMap::from([("kernels/k.cpp".to_owned(), Arc::from(text.as_bytes()))]);
    let request = KernelBuildRequest {
        architecture,
        processor: Processor::Brisc,
        sources: Arc::new(SourceClosure::from_files("kernels/k.cpp", &files).unwrap()),
        config: KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0),
        compile_args: vec![1, 2, 2, 32, 2, 2, 1, 1, 0],
        defines: BTreeMap::new(),
        named_compile_args: BTreeMap::new(),
        opt_level: None,
        bindings: None,
        profiler: None,
    };
    store.kernels(&[request]).map(|_| ()).map_err(|error| error.to_string())
}

fn store() -> KernelStore {
    let compiler =
        Compiler::find().unwrap_or_else(|| panic!("no RISC-V compiler: {}", Compiler::INSTALL));
    KernelStore::builder().compiler(Some(compiler)).build()
}

/// Each function of the header, with the number `n` of some integer type in each place that takes a number.
const CALLS: &str = "
    sink = get_noc_addr(n, n, n) + get_noc_addr(n, n, n, n) + get_noc_addr(n) + get_noc_addr(my_x[noc_index], my_y[noc_index], n);
    sink = get_noc_addr(n, my_y[0], n) + get_noc_addr(my_x[1], n, n) + get_noc_addr(n, pages) + get_noc_addr(n, pages, n, n);
    sink = get_noc_multicast_addr(n, n, n, n, n) + get_noc_multicast_addr(n, n, n, n, n, n);
    sink = get_noc_multicast_addr(my_x[0], my_y[0], n, n, n);
    sink = get_noc_addr_from_bank_id<true>(n, n) + get_noc_addr_from_bank_id<false>(n, n, n);
    sink = get_dram_noc_addr(n, n, n, n, n) + get_l1_noc_addr(n, n, n, n, n);
    sink = get_write_ptr(n) + get_read_ptr(n) + get_tile_size(n) + get_semaphore(n);
    sink = get_arg_val<uint32_t>(n) + get_common_arg_val<uint32_t>(n) + get_arg_addr(n) + get_common_arg_addr(n);
    sink = *get_cb_tiles_received_ptr(n) + *get_cb_tiles_acked_ptr(n);
    sink = cb_pages_reservable_at_back(n, n) + cb_pages_available_at_front(n, n);
    cb_reserve_back(n, n); cb_push_back(n, n); cb_wait_front(n, n); cb_pop_front(n, n);
    noc_async_read_one_packet(at, n, n, n, n); noc_async_read(at, n, n, n, n);
    noc_async_write_one_packet(n, at, n, n, n); noc_async_write(n, at, n, n, n);
    noc_async_read_page(n, pages, n, n, n); noc_async_read_tile(n, pages, n, n, n); noc_async_read_tile(n, tiles, n);
    noc_async_write_page(n, pages, n, n, n, n); noc_async_write_tile(n, pages, n, n); noc_async_write_tile(n, tiles, n);
    noc_async_read_page(n, powers, n); noc_async_write_page(n, fast_powers, n);
    noc_async_read_shard(n, shards, n, n); noc_async_write_shard(n, shards, n, n);
    noc_async_read_one_packet_set_state(at, n, n, n); noc_async_read_one_packet_with_state(n, n, n, n);
    noc_async_read_set_state(at, n); noc_async_read_with_state(n, n, n, n); noc_async_read_inc_num_issued(n, n);
    noc_async_write_one_packet_set_state(at, n, n, n); noc_async_write_one_packet_with_state(n, n, n);
    noc_async_write_set_state(at, n, n); noc_async_write_with_state(n, n, n, n);
    noc_async_write_multicast_one_packet(n, at, n, n, false, n); noc_async_write_multicast(n, at, n, n, false, n, n);
    noc_async_write_multicast_loopback_src(n, at, n, n, false, n);
    noc_inline_dw_write(at, n, n, n, n); noc_inline_dw_write_set_state<false, true>(at, n, n, n, n, n);
    noc_inline_dw_write_with_state<true, true, false, false, true>(n, n, n, n);
    ncrisc_noc_counters_init(); dynamic_noc_local_state_init(); clobber_all_memory();
    noc_async_read_barrier(n); noc_async_write_barrier(n); noc_async_writes_flushed(n); noc_async_posted_writes_flushed(n);
    noc_async_atomic_barrier(n); noc_async_full_barrier(n);
    noc_semaphore_wait(word, n); noc_semaphore_wait_min(word, n); noc_semaphore_set(word, n);
    noc_semaphore_inc(at, n, n, n); noc_semaphore_inc_multicast(at, n, n, n, n); noc_semaphore_set_remote(n, at, n);
    noc_semaphore_set_multicast(n, at, n, false, n, n); noc_semaphore_set_multicast_loopback_src(n, at, n, false, n);
    noc_async_read_set_trid(n, n); noc_async_write_set_trid(n, n);
    noc_async_read_one_packet_with_state_with_trid(n, n, n, n, n);
    sink = ncrisc_noc_read_with_transaction_id_flushed(n, n); noc_async_read_barrier_with_trid(n, n);
    noc_async_write_one_packet_with_trid(n, at, n, n, n, n, n); noc_async_write_one_packet_with_trid_set_state(at, n, n, n);
    noc_async_write_one_packet_with_trid_with_state(n, n, n, n, n, n); noc_async_write_barrier_with_trid(n, n);
    noc_async_write_flushed_with_trid(n, n); reset_noc_trid_barrier_counter(n, n); riscv_wait(n);
    uint32_t beats = n; RISC_POST_HEARTBEAT(beats);";

/// A kernel that makes each call with a number of a type.
fn calls_with(numbers: &str) -> String {
    format!(
        "#include <cstdint>\n#include \"api/dataflow/dataflow_api.h\"\n#include \"api/tensor/tensor_accessor.h\"\n\
         volatile uint64_t sink;\n\
         template <typename T>\n[[gnu::noinline]] void calls(const T n) {{\n    const uint64_t at = sink;\n    \
         volatile tt_l1_ptr uint32_t* const word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));\n    \
         const InterleavedAddrGen<true> pages = {{.bank_base_address = uint32_t(n), .page_size = uint32_t(n)}};\n    \
         const InterleavedAddrGenFast<true> tiles = {{uint32_t(n), uint32_t(n), DataFormat::Float16_b}};\n    \
         const InterleavedPow2AddrGen<true> powers = {{.bank_base_address = uint32_t(n), .log_base_2_of_page_size = uint32_t(n)}};\n    \
         const InterleavedPow2AddrGenFast<true> fast_powers = {{.bank_base_address = 0, .log_base_2_of_page_size = 5}};\n    \
         const auto shards = TensorAccessor(TensorAccessorArgs<0>(), n);\n{CALLS}\n}}\n\
         void kernel_main() {{ calls(static_cast<{numbers}>(sink)); }}\n"
    )
}

/// `my_y` holds bytes, and a template that takes anything is a better match for a byte than three words: each call must mean what
/// its arguments say.
#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn with_compiler_each_call_takes_each_integer_type() {
    let store = store();
    let types = [
        "bool",
        "char",
        "int8_t",
        "uint8_t",
        "int16_t",
        "uint16_t",
        "int",
        "unsigned",
        "int32_t",
        "uint32_t",
        "long",
        "unsigned long",
        "int64_t",
        "uint64_t",
        "size_t",
    ];
    for architecture in [Architecture::WormholeB0, Architecture::Blackhole] {
        for numbers in types {
            said(&store, architecture, &calls_with(numbers))
                .unwrap_or_else(|error| panic!("{numbers}: {error}"));
        }
    }
    // A header with a template that takes anything.
    let anything = "template <typename Any>\nuint64_t get_noc_addr(uint32_t id, const Any& any, uint32_t offset = 0, uint8_t noc = noc_index) {\n    \
                    return any.get_noc_addr(id, offset, noc);\n}\nvolatile uint64_t sink;\n";
    let text = calls_with("uint8_t").replacen("volatile uint64_t sink;\n", anything, 1);
    let error = said(&store, Architecture::WormholeB0, &text).unwrap_err();
    assert!(error.contains("get_noc_addr"), "{error}");
}

/// The functions at the outermost level of the header.
#[test]
fn no_call_of_the_header_is_left_out() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../firmware/include/api/dataflow/dataflow_api.h");
    let header = std::fs::read_to_string(header).unwrap();
    let mut inside = false;
    let mut declared = BTreeSet::new();
    for line in header.lines() {
        inside = (inside || line == "namespace hallmark {") && line != "}  // namespace hallmark";
        let declares =
            ["FORCE_INLINE ", "inline ", "constexpr "].iter().any(|word| line.starts_with(word));
        // A constant has its `=` in front of any parenthesis.
        let head = line.split_once('(').map(|(head, _)| head).filter(|head| !head.contains('='));
        let name = head.and_then(|head| head.rsplit(' ').next());
        if let Some(name) = name.filter(|_| declares && !inside) {
            declared.insert(name.to_owned());
        }
    }
    assert!(declared.len() > 60, "{declared:?}");
    let missing: Vec<_> = declared
        .iter()
        .filter(|name| {
            ![" ", "(", "=", "+"].iter().any(|it| {
                CALLS.contains(&format!("{it}{name}(")) || CALLS.contains(&format!("{it}{name}<"))
            })
        })
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A line of a kernel, the headers that it needs, and a part of what the compiler says.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "",
        "const uint32_t base = noc_async_read_tile_dram_sharded_set_state<true>(0, 32, 0, 1); noc_async_read_tile_dram_sharded_with_state(base, 0, 0);",
        "today this is noc_async_read_one_packet_set_state<true>(get_noc_addr_from_bank_id<true>(bank_id, address), size, vc)",
    ),
    (
        "",
        "noc_async_read_tile_dram_sharded_set_trid(1);",
        "today this is noc_async_read_set_trid(trid)",
    ),
    (
        "",
        "noc_async_write_multicast_exclude_region(0, 0, 0, 0, 0);",
        "today this is noc_async_write_multicast of each rectangle beside the region",
    ),
    ("api/dataflow/noc.h", "experimental::Noc noc;", "today this is Noc, without experimental::"),
    (
        "api/dataflow/circular_buffer.h",
        "experimental::CircularBuffer buffer(0);",
        "today this is CircularBuffer, without experimental::",
    ),
    (
        "api/dataflow/noc.h",
        "experimental::UnicastEndpoint endpoint;",
        "today this is UnicastEndpoint, without experimental::",
    ),
    (
        "api/dataflow/noc_semaphore.h",
        "experimental::Semaphore<> semaphore(0);",
        "today this is Semaphore, without experimental::",
    ),
    (
        "api/core_local_mem.h",
        "experimental::CoreLocalMem<uint32_t> memory(0);",
        "today this is CoreLocalMem, without experimental::",
    ),
    (
        "api/socket_api.h",
        "SocketReceiverInterface socket = create_receiver_socket_interface(0); socket_wait_for_pages(socket, 1);",
        "Hallmark has no sockets: its host API makes none",
    ),
    (
        "api/socket_api.h",
        "SocketSenderInterface socket{}; socket_push_pages(socket, 1);",
        "Hallmark has no sockets",
    ),
    (
        "api/socket_api.h",
        "noc_read_with_state<noc_mode, read_cmd_buf, CQ_NOC_SNDL, CQ_NOC_SEND, CQ_NOC_WAIT>(NOC_INDEX, 0, 0, 0, 4);",
        "Hallmark has no sockets",
    ),
    (
        "api/remote_circular_buffer.h",
        "experimental::RemoteCircularBuffer buffer(31);",
        "Hallmark has no global circular buffers",
    ),
    (
        "api/remote_circular_buffer.h",
        "experimental::remote_cb_wait_front(31, 1);",
        "Hallmark has no global circular buffers",
    ),
    (
        "api/dataflow/prefetcher_pipe_binding_token.h",
        "constexpr PrefetcherPipeBindingToken token(3);",
        "Hallmark has no prefetcher pipes: its host API makes none",
    ),
    (
        "api/dataflow/dataflow_buffer.h",
        "constexpr RelayDFBBindingToken token(3); DataflowBuffer buffer(token);",
        "Hallmark has no relays: dataflow buffers are filled and emptied on their own core",
    ),
    (
        "api/dataflow/dataflow_buffer.h",
        "DataflowBuffer buffer(3); volatile auto format = buffer.get_unpack_dst_format();",
        "Hallmark tells no formats inside the coprocessor",
    ),
    ("functional", "std::function<int(int)> f;", "kernels have no heap, which std::function needs"),
    (
        "variant",
        "std::variant<int, float> v; std::get<char>(v);",
        "the variant does not have this type",
    ),
];

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn with_compiler_absent_names_are_refused_by_what_there_is() {
    let store = store();
    for (header, body, words) in REFUSED {
        let include =
            if header.is_empty() { String::new() } else { format!("#include \"{header}\"\n") };
        let text = |body: &str| {
            format!(
                "#include <cstdint>\n#include \"api/dataflow/dataflow_api.h\"\n{include}void kernel_main() {{\n{body}\n}}\n"
            )
        };
        let error = said(&store, Architecture::WormholeB0, &text(body)).unwrap_err();
        assert!(error.contains(words), "{body}: {error}");
        // The headers alone, and what a kernel names and does not call.
        said(&store, Architecture::WormholeB0, &text(""))
            .unwrap_or_else(|error| panic!("{header}: {error}"));
    }
    let names = "#include \"api/dataflow/dataflow_buffer.h\"\n#include \"api/dataflow/prefetcher_pipe.h\"\n#include \"api/remote_circular_buffer.h\"\n\
                 #include \"api/socket_api.h\"\n\
                 template <bool kUsesSocket>\nvoid run() {\n    if constexpr (kUsesSocket) {\n        \
                 SocketSenderInterface socket = create_sender_socket_interface(1);\n        \
                 experimental::RemoteCircularBuffer buffer(31);\n        buffer.reserve_back(socket.d2h.pcie_xy_enc);\n    }\n}\n\
                 void kernel_main() { run<false>(); DataflowBufferAnyPattern buffer(0); \
                 static_assert(sizeof(RelayDFBBindingToken) > 0); buffer.push_back(buffer.get_partial_face() + buffer.get_narrow_tile()); }\n";
    said(&store, Architecture::WormholeB0, names).unwrap_or_else(|error| panic!("{error}"));
}

/// The parts of the C++ library that the API of objects brings along compute, and at compile time where the library's do.
#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn with_compiler_parts_of_the_library_compute() {
    let text = r#"
#include <cfloat>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <variant>
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/page.h"
#include "api/tensor/pages_address_iterator.h"
#include "api/tensor/shard_pages_address_iterator.h"

constexpr int numbers[] = {3, 1, 4, 1, 5};
static_assert(std::accumulate(numbers, numbers + 5, 0) == 14);
static_assert(std::accumulate(numbers, numbers + 5, 1, std::multiplies<>()) == 60);
static_assert(std::inner_product(numbers, numbers + 5, numbers, 0) == 52);
static_assert(std::gcd(12, 18u) == 6 && std::gcd(0, -5) == 5 && std::lcm(4, 6) == 12 && std::lcm(0, 3) == 0);
constexpr auto filled() {
    std::array<int, 4> values{};
    std::iota(values.begin(), values.end(), 5);
    std::array<int, 4> sums{};
    std::partial_sum(values.begin(), values.end(), sums.begin());
    return sums;
}
static_assert(filled() == std::array<int, 4>{5, 11, 18, 26});
constexpr std::span<const int> view(numbers);
static_assert(view.size() == 5 && view[2] == 4 && view.back() == 5 && view.subspan(1, 2).size() == 2);
static_assert(view.last(2).front() == 1 && view.first(3).back() == 4 && view.size_bytes() == 20 && !view.empty());
static_assert(std::span(numbers).extent == 5 && std::span<int>().empty());
static_assert(std::less<>()(1, 2L) && !std::greater<int>()(1, 2) && std::plus<int>()(2, 3) == 5 && std::minus<>()(2, 3) == -1);
static_assert(std::bit_or<>()(1, 4) == 5 && std::modulus<>()(7, 4) == 3 && std::equal_to<>()(3, 3));
static_assert(std::plus<uint8_t>()(200, 100) == 44 && std::minus<uint16_t>()(1, 2) == 65535);
static_assert(std::is_same_v<decltype(std::less<uint8_t>()(1, 2)), bool> && std::bit_xor<int8_t>()(3, 1) == 2);
constexpr int* nowhere = nullptr;
static_assert(std::span<int>(nowhere, 0).empty() && std::span<const int>(numbers, numbers + 3).size() == 3);
// Tiles as upstream's address generators count them.
static_assert(hallmark::tile_bytes(DataFormat::Bfp8_b, 1024) == 1088 && hallmark::tile_bytes(DataFormat::Bfp8_b, 32) == 48);
static_assert(hallmark::tile_bytes(DataFormat::Bfp4_b, 256) == 144 && hallmark::tile_bytes(DataFormat::Bfp2, 512) == 160);
static_assert(hallmark::tile_bytes(DataFormat::Int8, 1024) == 1088 && hallmark::tile_bytes(DataFormat::UInt8, 128) == 128);
static_assert(hallmark::tile_bytes(static_cast<DataFormat>(0x20 | 5), 512) == 1024);
static_assert(std::invoke([](int x) { return x + 1; }, 2) == 3);
static_assert(std::is_same_v<std::nullptr_t, decltype(nullptr)>);
static_assert(FLT_MANT_DIG == 24 && FLT_MAX > 3.4e38f);

void kernel_main() {
    using Value = std::variant<std::monostate, uint8_t, float>;
    static_assert(std::variant_size_v<Value> == 3 && std::is_same_v<std::variant_alternative_t<2, Value>, float>);
    Value value;
    value = uint8_t{7};
    ASSERT(value.index() == 1 && std::holds_alternative<uint8_t>(value) && std::get<1>(value) == 7);
    value.emplace<float>(2.5f);
    ASSERT(std::get_if<uint8_t>(&value) == nullptr && *std::get_if<float>(&value) == 2.5f);
    value.emplace<float>(get_arg_val<int>(0));
    Value* none = nullptr;
    ASSERT(std::get_if<float>(none) == nullptr && std::get_if<2>(&value) != nullptr && std::get_if<1>(&value) == nullptr);
    const bool is_float = std::visit([](auto it) { return std::is_same_v<decltype(it), float>; }, value);
    ASSERT(is_float);
    int count = get_arg_val<int>(0);
    auto reference = std::ref(count);
    reference.get() += 1;
    ASSERT(count == get_arg_val<int>(0) + 1);
    DeviceZoneSetCounter(count);
    DeviceValidateProfiler(count > 0);
}
"#;
    said(&store(), Architecture::WormholeB0, text).unwrap_or_else(|error| panic!("{error}"));
}
