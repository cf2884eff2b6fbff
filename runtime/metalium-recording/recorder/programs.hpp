// What of a program goes into a recording.
#pragma once

#include "recorder.hpp"

namespace hallmark::recorder {

// The name of the operation that a program carries out: the folder that holds the folder `device` of the first kernel
// from a file, or else the kernel's name. Letters, digits and underscores.
std::string operation(const metal::detail::ProgramImpl* program);
// What does not change between enqueues.
void describe(const metal::detail::ProgramImpl* program, Payload& payload);
// What is read anew for each enqueue. The identifier, queue and `blocking` come first.
void snapshot(const metal::detail::ProgramImpl* program, std::uint32_t queue, bool blocking, Payload& payload);
// Whether TT-Metalium generates headers for a kernel, beside those for its definitions.
bool has_generated_bindings(const metal::Kernel& kernel);
// What TT-Metalium generated for a kernel in a folder.
std::string generated_bindings(const std::string& folder);
void cores(const std::vector<metal::CoreRange>& ranges, Payload& payload);

}  // namespace hallmark::recorder
