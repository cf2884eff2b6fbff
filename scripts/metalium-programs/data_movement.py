"""Data movement with kernels of our own: `data_movement.py NAME`. It prints whether it read what it should have read."""

import pathlib
import sys

import numpy
import ttnn

KERNELS = pathlib.Path(__file__).resolve().parent.parent.parent / "suites" / "kernels"
TEXT = r"""
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
void kernel_main() {
    uint32_t source = get_arg_val<uint32_t>(0), destination = get_arg_val<uint32_t>(1);
    uint32_t first = get_arg_val<uint32_t>(2), count = get_arg_val<uint32_t>(3), addend = get_arg_val<uint32_t>(4);
    constexpr auto in_args = TensorAccessorArgs<0>();
    constexpr auto out_args = TensorAccessorArgs<in_args.next_compile_time_args_offset()>();
    constexpr uint32_t page = 256;
    const auto in = TensorAccessor(in_args, source, page);
    const auto out = TensorAccessor(out_args, destination, page);
    uint32_t l1 = get_write_ptr(0);
    for (uint32_t i = first; i < first + count; ++i) {
        noc_async_read_page(i, in, l1);
        noc_async_read_barrier();
        invalidate_l1_cache();
        volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
        uint32_t sum = 0;
        for (uint32_t word = 0; word < page / 4; ++word) {
            sum = words[word] + addend;
            words[word] = sum;
        }
        // The last word is in L1 before the request reads it, and with it those before.
        while (words[page / 4 - 1] != sum) {
        }
        noc_async_write_page(i, out, l1);
        noc_async_write_barrier();
    }
}
"""
PAGES, PAGE = 8, 256
DATA = numpy.arange(PAGES * PAGE // 4, dtype=numpy.uint32).reshape(PAGES, PAGE // 4)


def host(array):
    return ttnn.Tensor(array.flatten().tolist(), list(array.shape), ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT)


def upload(device, array, memory=ttnn.DRAM_MEMORY_CONFIG):
    return ttnn.to_device(host(array), device, memory_config=memory)


def download(tensor, queue=0):
    return numpy.array(ttnn.from_device(tensor, cq_id=queue).to_list(), dtype=numpy.uint32)


def says(what, is_right):
    print(f"{what}: {bool(is_right)}", flush=True)


def accessors(*tensors):
    return [word for tensor in tensors for word in ttnn.TensorAccessorArgs(tensor).get_compile_time_args()]


def cores_to(x):
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(x, 0))])


def program_of_text(source, destination, addend):
    """Two cores, of which each adds a number to half of the pages, with a kernel that has no file."""
    arguments = ttnn.RuntimeArgs()
    for x in range(2):
        addresses = [source.buffer_address(), destination.buffer_address()]
        arguments[x][0] = [*addresses, x * PAGES // 2, PAGES // 2, addend]
    kernel = ttnn.KernelDescriptor(
        kernel_source=TEXT,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores_to(1),
        compile_time_args=accessors(source, destination),
        runtime_args=arguments,
        config=ttnn.ReaderConfigDescriptor(),
    )
    page = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.uint32, page_size=PAGE)
    buffer = ttnn.CBDescriptor(total_size=PAGE, core_ranges=cores_to(1), format_descriptors=[page])
    return ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[buffer])


def adding_program(source, destination, scratch, addend):
    """One core that adds a number to every word."""
    arguments = ttnn.RuntimeArgs()
    addresses = [tensor.buffer_address() for tensor in (source, destination, scratch)]
    arguments[0][0] = [*addresses, PAGE, PAGES, addend]
    kernel = ttnn.KernelDescriptor(
        kernel_source=str(KERNELS / "add_constant.cpp"),
        core_ranges=cores_to(0),
        compile_time_args=accessors(source, destination),
        runtime_args=arguments,
        config=ttnn.WriterConfigDescriptor(),
    )
    return ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[])


def text(device):
    source = upload(device, DATA)
    says("round trip", (download(source) == DATA).all())
    destination = upload(device, numpy.zeros_like(DATA))
    ttnn.generic_op([source, destination], program_of_text(source, destination, 5))
    says("sums", (download(destination) == DATA + 5).all())


def two_queues(device):
    """One queue moves data and the other one computes; events order them."""
    source, destination = upload(device, DATA), upload(device, numpy.zeros_like(DATA))
    scratch = upload(device, numpy.zeros_like(DATA), ttnn.L1_MEMORY_CONFIG)
    program = adding_program(source, destination, scratch, 5)
    ttnn.wait_for_event(1, ttnn.record_event(device, 0))
    for turn in (1, 2, 3):
        ttnn.copy_host_to_device_tensor(host(DATA * turn), source, cq_id=1)
        ttnn.wait_for_event(0, ttnn.record_event(device, 1))
        ttnn.generic_op([source, destination], program)
        ttnn.wait_for_event(1, ttnn.record_event(device, 0))
        says(f"turn {turn}", (download(destination, 1) == DATA * turn + 5).all())


def trace(device):
    """A trace of two launches, replayed over other data."""
    source, between, destination = (upload(device, DATA * factor) for factor in (1, 0, 0))
    scratch = upload(device, numpy.zeros_like(DATA), ttnn.L1_MEMORY_CONFIG)
    programs = [
        ([source, between], adding_program(source, between, scratch, 5)),
        ([between, destination], adding_program(between, destination, scratch, 70)),
    ]
    launch = lambda: [ttnn.generic_op(tensors, program) for tensors, program in programs]
    launch()
    says("launched", (download(destination) == DATA + 75).all())
    recorded = ttnn.begin_trace_capture(device, cq_id=0)
    launch()
    ttnn.end_trace_capture(device, recorded, cq_id=0)
    for turn in (2, 3):
        ttnn.copy_host_to_device_tensor(host(DATA * turn), source)
        ttnn.execute_trace(device, recorded, cq_id=0, blocking=turn == 2)
        says(f"replayed {turn}", (download(destination) == DATA * turn + 75).all())
    ttnn.release_trace(device, recorded)


def global_semaphore(device):
    """Cores that write what a semaphore of theirs holds, whose value the host sets without a queue."""
    destination = upload(device, numpy.zeros_like(DATA))
    cores = cores_to(1)
    semaphore = ttnn.create_global_semaphore(device, cores, 3)
    arguments = ttnn.RuntimeArgs()
    for x in range(2):
        address = ttnn.get_global_semaphore_address(semaphore)
        arguments[x][0] = [address, 0, destination.buffer_address(), 4, x, 1]
    kernel = ttnn.KernelDescriptor(
        kernel_source=str(KERNELS / "shard_local.cpp"),
        core_ranges=cores,
        compile_time_args=accessors(destination),
        runtime_args=arguments,
        config=ttnn.WriterConfigDescriptor(),
    )
    program = ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[])
    for value in (3, 11):
        ttnn.reset_global_semaphore_value(semaphore, value)
        ttnn.generic_op([destination, destination], program)
        says(f"value {value}", (download(destination)[:2, 0] == value).all())


PROGRAMS = {
    "text": (text, {}),
    "two_queues": (two_queues, {"num_command_queues": 2}),
    "global_semaphore": (global_semaphore, {}),
    "trace": (trace, {"trace_region_size": 1 << 16}),
}

program, options = PROGRAMS[sys.argv[1]]
opened = ttnn.open_device(device_id=0, **options)
program(opened)
ttnn.close_device(opened)
