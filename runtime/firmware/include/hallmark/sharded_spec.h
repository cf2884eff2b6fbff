// How a sharded tensor is cut into shards, and which bank holds which.
#pragma once

#include "api/tensor/tensor_accessor_args.h"

namespace tensor_accessor {

inline constexpr uint32_t MAX_RANK = 8;

// As many sides as the tensor has, the last one for neighbouring pages.
struct Sides {
    uint32_t side[MAX_RANK];

    constexpr uint32_t operator[](std::size_t index) const { return side[index]; }
};

// The arguments of an accessor as numbers.
template <typename Args>
struct ShardedSpec {
    static constexpr bool is_interleaved = false;
    static constexpr bool is_dram = Args::is_dram;
    static constexpr bool has_static_rank = Args::RankCT != 0;
    static_assert(Args::RankCT <= MAX_RANK, "a tensor has at most eight sides");

    explicit ShardedSpec(const Args& args)
        : rank_(args.get_rank()),
          num_banks_(args.get_num_banks()),
          is_contiguous_(args.resolve_shard_contiguous()),
          coordinates_(args.bank_coords_crta_offset()) {
        for (uint32_t side = 0; side < rank_; ++side) {
            if constexpr (Args::tensor_shape_is_crta) {
                tensor_.side[side] = get_common_arg_val<uint32_t>(args.tensor_shape_crta_offset() + side);
            } else {
                tensor_.side[side] = hallmark::kCompileTimeArgs[Args::TensorShapeCTAOffset + side];
            }
            if constexpr (Args::shard_shape_is_crta) {
                shard_.side[side] = get_common_arg_val<uint32_t>(args.shard_shape_crta_offset() + side);
            } else {
                shard_.side[side] = hallmark::kCompileTimeArgs[Args::ShardShapeCTAOffset + side];
            }
            grid_.side[side] = (tensor_[side] + shard_[side] - 1) / shard_[side];
        }
    }

    uint32_t rank() const { return rank_; }
    uint32_t num_banks() const { return num_banks_; }
    const Sides& tensor_shape() const { return tensor_; }
    const Sides& shard_shape() const { return shard_; }
    const Sides& shard_grid() const { return grid_; }
    uint32_t tensor_volume() const { return volume(tensor_); }
    uint32_t shard_volume() const { return volume(shard_); }
    uint32_t num_shards() const { return volume(grid_); }
    bool resolve_shard_contiguous() const {
        if constexpr (Args::num_banks_is_crta) {
            return is_contiguous_;
        } else {
            return Args::is_shard_contiguous;
        }
    }

    // x << 8 | y; of a bank of DRAM its number << 8.
    uint32_t bank_coordinate(uint32_t bank) const {
        uint32_t pair;
        if constexpr (Args::bank_coords_is_crta) {
            pair = get_common_arg_val<uint32_t>(coordinates_ + bank / 2);
        } else {
            pair = hallmark::kCompileTimeArgs[Args::BankCoordsCTAOffset + bank / 2];
        }
        return (pair >> (bank % 2 * 16)) & 0xFFFF;
    }

   private:
    uint32_t volume(const Sides& sides) const {
        uint32_t volume = 1;
        for (uint32_t side = 0; side < rank_; ++side) {
            volume *= sides[side];
        }
        return volume;
    }

    const uint32_t rank_;
    const uint32_t num_banks_;
    const bool is_contiguous_;
    // Of the common runtime arguments, where they are some.
    const uint32_t coordinates_;
    Sides tensor_;
    Sides shard_;
    Sides grid_;
};

}  // namespace tensor_accessor
