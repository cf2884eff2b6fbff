// Objects of TT-Metalium whose classes are declared here without all of their members.
#pragma once

#include <cstddef>

#include "release.hpp"

namespace hallmark {

// A member of an object of the vendor's, whose class declares no members here.
template <typename Member, typename Object>
const Member& member_at(const Object& object, std::size_t offset) {
    return *reinterpret_cast<const Member*>(reinterpret_cast<const char*>(&object) + offset);
}

// The function in a slot of the table of virtual functions of an object.
template <typename Function, typename Object>
Function* virtual_function(const Object& object, std::size_t slot) {
    return (*reinterpret_cast<Function* const* const*>(&object))[slot];
}

}  // namespace hallmark

namespace tt::tt_metal {

template <std::size_t Bytes>
struct alignas(16) Opaque {
    unsigned char bytes[Bytes]{};
};

namespace numbers = hallmark::release::numbers;
namespace offsets = hallmark::release::offsets;
namespace sizes = hallmark::release::sizes;
namespace slots = hallmark::release::slots;

}  // namespace tt::tt_metal
