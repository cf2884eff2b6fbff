// What the stand-in has beside the vendor's functions.
#pragma once

#include "metalium_abi.hpp"

// How waiting for a queue ends.
enum class Failure { None, Throws, ThrowsAgain };
extern Failure stand_in_fails;

// A program with the path of its kernel's source and the addresses of the buffers that it reads and writes.
void make_workload(tt::tt_metal::distributed::MeshWorkload&, const char* kernel, std::uint32_t from, std::uint32_t to);
