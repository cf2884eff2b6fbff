// Waypoints, spelled as in TT-Metalium's header of this name: WAYPOINT("NRW") notes how far a kernel has come. The report of
// a deadlock, a hang or a fault names the last one of each kernel concerned.
//
// A kernel's last waypoint is a word of its own image, which exists only where a kernel has waypoints. The image lies in L1,
// where the host can read it.
#pragma once

#include <stdint.h>

asm(".pushsection .text.hallmark.waypoint, \"ax\", @progbits\n"
    ".balign 4\n"
    ".type hallmark_waypoint, @object\n"
    ".size hallmark_waypoint, 4\n"
    "hallmark_waypoint: .4byte 0\n"
    ".popsection");

extern "C" volatile uint32_t hallmark_waypoint;

namespace hallmark {

template <__SIZE_TYPE__ length>
constexpr uint32_t waypoint_word(const char (&text)[length]) {
    static_assert(length <= 5, "WAYPOINT takes a text of at most 4 letters");
    uint32_t word = 0;
    for (__SIZE_TYPE__ i = 0; i + 1 < length; ++i) {
        word |= static_cast<uint32_t>(static_cast<uint8_t>(text[i])) << (8 * i);
    }
    return word;
}

template <uint32_t constant>
struct Waypoint {
    static constexpr uint32_t word = constant;
};

}  // namespace hallmark

#define WAYPOINT(text) (void(hallmark_waypoint = hallmark::Waypoint<hallmark::waypoint_word(text)>::word))
