"""A round trip and a program of our own kernel; `surface.py queues` adds a trace, two queues and events."""

import sys

import numpy
import ttnn

SOURCE = r"""
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    uint32_t source = get_arg_val<uint32_t>(0), destination = get_arg_val<uint32_t>(1);
    uint32_t first = get_arg_val<uint32_t>(2), count = get_arg_val<uint32_t>(3), addend = get_arg_val<uint32_t>(4);
    constexpr auto in_args = TensorAccessorArgs<0>();
    constexpr auto out_args = TensorAccessorArgs<in_args.next_compile_time_args_offset()>();
    constexpr uint32_t page = 1024;
    const auto in = TensorAccessor(in_args, source, page);
    const auto out = TensorAccessor(out_args, destination, page);
    uint32_t l1 = get_write_ptr(0);
    for (uint32_t i = first; i < first + count; ++i) {
        noc_async_read_page(i, in, l1);
        noc_async_read_barrier();
        volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
        for (uint32_t word = 0; word < page / 4; ++word) { words[word] = words[word] + addend; }
        // A load waits for the stores before it, which the NoC would not.
        uint32_t last = words[page / 4 - 1];
        asm volatile("" : : "r"(last));
        noc_async_write_page(i, out, l1);
        noc_async_write_barrier();
    }
}
"""
PAGES, PAGE = 16, 1024

has_queues = sys.argv[1:] == ["queues"]
options = {"trace_region_size": 1 << 20, "num_command_queues": 2} if has_queues else {}
device = ttnn.open_device(device_id=0, **options)


def host(array):
    return ttnn.Tensor(array.flatten().tolist(), list(array.shape), ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT)


def upload(array):
    return ttnn.to_device(host(array), device, memory_config=ttnn.DRAM_MEMORY_CONFIG)


def download(tensor, queue=0):
    return numpy.array(ttnn.from_device(tensor, cq_id=queue).to_list(), dtype=numpy.uint32)


def program(source, destination, addend):
    cores = [ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0)]
    both = ttnn.CoreRangeSet([ttnn.CoreRange(*cores)])
    accessors = [list(ttnn.TensorAccessorArgs(tensor).get_compile_time_args()) for tensor in (source, destination)]
    arguments = ttnn.RuntimeArgs()
    for index, core in enumerate(cores):
        addresses = [source.buffer_address(), destination.buffer_address()]
        arguments[core.x][core.y] = [*addresses, index * PAGES // 2, PAGES // 2, addend]
    kernel = ttnn.KernelDescriptor(
        kernel_source=SOURCE,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=both,
        compile_time_args=accessors[0] + accessors[1],
        runtime_args=arguments,
        config=ttnn.ReaderConfigDescriptor(),
    )
    page = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.uint32, page_size=PAGE)
    buffer = ttnn.CBDescriptor(total_size=PAGE, core_ranges=both, format_descriptors=[page])
    return ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[buffer])


data = numpy.arange(PAGES * PAGE // 4, dtype=numpy.uint32).reshape(PAGES, PAGE // 4)
source = upload(data)
print("round trip:", (download(source) == data).all(), flush=True)
destination = upload(numpy.zeros_like(data))
adder = program(source, destination, 5)
ttnn.generic_op([source, destination], adder)
print("program:", (download(destination) == data + 5).all(), flush=True)
if has_queues:
    trace = ttnn.begin_trace_capture(device, cq_id=0)
    ttnn.generic_op([source, destination], adder)
    ttnn.end_trace_capture(device, trace, cq_id=0)
    ttnn.copy_host_to_device_tensor(host(data * 3), source)
    ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
    print("trace:", (download(destination) == data * 3 + 5).all(), flush=True)
    ttnn.copy_host_to_device_tensor(host(data * 7), source, cq_id=1)
    ttnn.wait_for_event(0, ttnn.record_event(device, 1))
    ttnn.execute_trace(device, trace, cq_id=0, blocking=False)
    ttnn.wait_for_event(1, ttnn.record_event(device, 0))
    print("two queues and events:", (download(destination, 1) == data * 7 + 5).all(), flush=True)
    ttnn.release_trace(device, trace)
ttnn.close_device(device)
