// Kinds of operations that kernels name.
#pragma once

#include <stdint.h>

namespace ckernel {

inline constexpr uint32_t FACE_HEIGHT = 16, FACE_WIDTH = 16, TILE_HEIGHT = 32, TILE_WIDTH = 32;
inline constexpr uint32_t FACE_R_DIM = FACE_HEIGHT, FACE_C_DIM = FACE_WIDTH;
inline constexpr uint32_t TILE_R_DIM = TILE_HEIGHT, TILE_C_DIM = TILE_WIDTH, TILE_NUM_FACES = 4;

enum class MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };

enum class ReduceDim : uint8_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };

enum class PoolType : uint8_t { SUM, AVG, MAX, MIN };

enum class EltwiseBinaryType : uint8_t { ELWMUL, ELWDIV, ELWADD, ELWSUB, ELWLESS };

// The operand that Dst holds.
enum class EltwiseBinaryReuseDestType : uint8_t { NONE, DEST_TO_SRCA, DEST_TO_SRCB };

enum class BroadcastType : uint8_t { NONE, COL, ROW, SCALAR };

enum class ReluType : uint8_t { NO_RELU, ZERO_RELU, MIN_THRESHOLD_RELU, MAX_THRESHOLD_RELU };

struct ReluConfig {
    static constexpr ReluConfig none() { return {ReluType::NO_RELU, 0}; }
    static constexpr ReluConfig zero() { return {ReluType::ZERO_RELU, 0}; }
    static constexpr ReluConfig min_threshold(uint32_t t) { return {ReluType::MIN_THRESHOLD_RELU, t}; }
    static constexpr ReluConfig max_threshold(uint32_t t) { return {ReluType::MAX_THRESHOLD_RELU, t}; }
    static constexpr ReluConfig from_packed(uint32_t packed) {
        return {static_cast<ReluType>(packed & 3), packed >> 16 & 0xFFFF};
    }

    constexpr ReluType get_mode() const { return mode; }
    constexpr uint32_t get_threshold() const { return threshold; }

    ReluType mode;
    uint32_t threshold;
};

}  // namespace ckernel
