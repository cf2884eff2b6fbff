// MATH: what the last init prepared it for. Another operation would compute something else.
#pragma once

#include <stdint.h>

#include "hallmark/misuse.h"

namespace hallmark {

enum class Operation : uint32_t {
    kNone,
    kCopy,
    kTranspose,
    kElements,
    kElementsWithDst,
    // With the columns and rows of the block, in tiles.
    kMatrices,
    kBroadcast,
    kUnaryBroadcast,
    kReduction,
    kTilize,
};

// An operation with what its init states beside it: numbers of 8 bits.
constexpr uint32_t operation(Operation operation, uint32_t first = 0, uint32_t second = 0) {
    return static_cast<uint32_t>(operation) | first << 8 | second << 16;
}

inline uint32_t prepared_operation;

FORCE_INLINE void prepare_for(uint32_t operation) { prepared_operation = operation; }

}  // namespace hallmark

#define HALLMARK_NEEDS_INIT(operation, call, init)                                                 \
    HALLMARK_REQUIRE(                                                                              \
        hallmark::prepared_operation == (operation),                                               \
        call " would compute something else here, because the last init was not " init ": call it first, and again after " \
             "the init of any other operation")
