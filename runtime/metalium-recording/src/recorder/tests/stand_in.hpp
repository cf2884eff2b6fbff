// What the stand-in has beside the vendor's functions.
#pragma once

#include "metalium_abi.hpp"

// What the library does otherwise: waiting for a queue throws; writes leave their data alone.
enum class Failure { None, Throws, ThrowsAgain, WritesNothing };
extern Failure stand_in_fails;

// A program with the path of its kernel's source and the addresses of the buffers that it reads and writes.
void make_workload(tt::tt_metal::distributed::MeshWorkload&, const char* kernel, std::uint32_t from, std::uint32_t to);

namespace tt::tt_metal::slow_dispatch {

void WriteToBuffer(Buffer&, std::span<const std::uint8_t>);

}  // namespace tt::tt_metal::slow_dispatch
