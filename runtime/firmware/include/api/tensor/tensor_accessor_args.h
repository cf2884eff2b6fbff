// How the host describes a tensor to TensorAccessor in compile-time and common runtime arguments.
#pragma once

#include "api/compile_time_args.h"
#include "cstddef"

namespace tensor_accessor {

inline constexpr std::size_t UNKNOWN = static_cast<std::size_t>(-1);

// The number of banks is one word with a flag: whether neighbouring shards share a bank.
inline constexpr uint32_t ShardContiguousBit = 1u << 31;

constexpr uint32_t unpack_num_banks(uint32_t packed_num_banks) { return packed_num_banks & ~ShardContiguousBit; }
constexpr bool unpack_is_shard_contiguous(uint32_t packed_num_banks) {
    return (packed_num_banks & ShardContiguousBit) != 0;
}

// The first compile-time argument is a set of these.
enum class ArgConfig : uint8_t {
    None = 0,
    Sharded = 1 << 0,
    IsDram = 1 << 1,
    RuntimeRank = 1 << 2,
    RuntimeNumBanks = 1 << 3,
    RuntimeTensorShape = 1 << 4,
    RuntimeShardShape = 1 << 5,
    RuntimeBankCoords = 1 << 6,
    RuntimePageSize = 1 << 7,
};

}  // namespace tensor_accessor

template <typename T>
T get_common_arg_val(int arg_idx);

// After the configuration come the aligned page size and, of a sharded buffer, the rank, the number of banks,
// the tensor's and the shard's sides in pages, and the banks' coordinates, two in a word. Each of them is a
// common runtime argument instead where the configuration says so, in the same order.
template <std::size_t kCtaOffset, std::size_t kCrtaOffset = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
   private:
    static constexpr bool has(tensor_accessor::ArgConfig flag) {
        return get_compile_time_arg_val(kCtaOffset) & static_cast<uint32_t>(flag);
    }

   public:
    static constexpr uint32_t args_config = get_compile_time_arg_val(kCtaOffset);
    static constexpr bool is_sharded = has(tensor_accessor::ArgConfig::Sharded);
    static constexpr bool is_dram = has(tensor_accessor::ArgConfig::IsDram);
    static constexpr bool rank_is_crta = has(tensor_accessor::ArgConfig::RuntimeRank);
    static constexpr bool num_banks_is_crta = has(tensor_accessor::ArgConfig::RuntimeNumBanks);
    static constexpr bool tensor_shape_is_crta = has(tensor_accessor::ArgConfig::RuntimeTensorShape);
    static constexpr bool shard_shape_is_crta = has(tensor_accessor::ArgConfig::RuntimeShardShape);
    static constexpr bool bank_coords_is_crta = has(tensor_accessor::ArgConfig::RuntimeBankCoords);
    static constexpr bool page_size_is_crta = has(tensor_accessor::ArgConfig::RuntimePageSize);
    static_assert(!is_sharded || !rank_is_crta || (tensor_shape_is_crta && shard_shape_is_crta),
                  "a rank at run time needs the shapes at run time");
    static_assert(!is_sharded || !num_banks_is_crta || bank_coords_is_crta,
                  "a number of banks at run time needs their coordinates at run time");
    static_assert(!is_sharded || !page_size_is_crta, "a sharded buffer's page size is known at compile time");

    static constexpr uint32_t AlignedPageSize = [] {
        if constexpr (page_size_is_crta) {
            return 0u;
        } else {
            return get_compile_time_arg_val(kCtaOffset + 1);
        }
    }();

    static constexpr uint32_t RankCTAOffset = kCtaOffset + 2;
    static constexpr uint32_t NumBanksCTAOffset = RankCTAOffset + (rank_is_crta ? 0 : 1);
    static constexpr uint32_t TensorShapeCTAOffset = NumBanksCTAOffset + (num_banks_is_crta ? 0 : 1);

    // 0 where it is no compile-time argument.
    static constexpr uint32_t RankCT = [] {
        if constexpr (is_sharded && !rank_is_crta) {
            return get_compile_time_arg_val(RankCTAOffset);
        } else {
            return 0u;
        }
    }();
    static constexpr uint32_t NumBanksRawCT = [] {
        if constexpr (is_sharded && !num_banks_is_crta) {
            return get_compile_time_arg_val(NumBanksCTAOffset);
        } else {
            return 0u;
        }
    }();
    static constexpr uint32_t NumBanksCT = tensor_accessor::unpack_num_banks(NumBanksRawCT);
    static constexpr bool is_shard_contiguous = tensor_accessor::unpack_is_shard_contiguous(NumBanksRawCT);
    static_assert(!is_sharded || rank_is_crta || RankCT > 0, "a tensor has at least one side");
    static_assert(!is_sharded || num_banks_is_crta || NumBanksCT > 0, "a sharded tensor has at least one bank");

    static constexpr uint32_t ShardShapeCTAOffset = TensorShapeCTAOffset + (tensor_shape_is_crta ? 0 : RankCT);
    static constexpr uint32_t BankCoordsCTAOffset = ShardShapeCTAOffset + (shard_shape_is_crta ? 0 : RankCT);

    constexpr TensorAccessorArgs() : crta_offset_(0) {}
    constexpr explicit TensorAccessorArgs(uint32_t crta_offset) : crta_offset_(crta_offset) {
        static_assert(kCrtaOffset == tensor_accessor::UNKNOWN, "the offset is known at compile time");
    }

    constexpr uint32_t crta_offset() const {
        if constexpr (kCrtaOffset != tensor_accessor::UNKNOWN) {
            return kCrtaOffset;
        } else {
            return crta_offset_;
        }
    }

    constexpr uint32_t get_aligned_page_size() const {
        if constexpr (page_size_is_crta) {
            return get_common_arg_val<uint32_t>(crta_offset());
        } else {
            return AlignedPageSize;
        }
    }

    constexpr uint32_t get_rank() const {
        if constexpr (rank_is_crta) {
            return get_common_arg_val<uint32_t>(rank_crta_offset());
        } else {
            return RankCT;
        }
    }

    constexpr uint32_t get_num_banks() const {
        if constexpr (num_banks_is_crta) {
            return tensor_accessor::unpack_num_banks(get_common_arg_val<uint32_t>(num_banks_crta_offset()));
        } else {
            return NumBanksCT;
        }
    }

    // Whether neighbouring shards share a bank; else they go round the banks.
    constexpr bool resolve_shard_contiguous() const {
        if constexpr (num_banks_is_crta) {
            return tensor_accessor::unpack_is_shard_contiguous(get_common_arg_val<uint32_t>(num_banks_crta_offset()));
        } else {
            return is_shard_contiguous;
        }
    }

    // Words of the coordinates of all banks.
    constexpr uint32_t get_physical_num_banks() const { return (get_num_banks() + 1) / 2; }

    constexpr uint32_t rank_crta_offset() const { return crta_offset(); }
    constexpr uint32_t num_banks_crta_offset() const { return rank_crta_offset() + (rank_is_crta ? 1 : 0); }
    constexpr uint32_t tensor_shape_crta_offset() const {
        return num_banks_crta_offset() + (num_banks_is_crta ? 1 : 0);
    }
    constexpr uint32_t shard_shape_crta_offset() const {
        return tensor_shape_crta_offset() + (tensor_shape_is_crta ? get_rank() : 0);
    }
    constexpr uint32_t bank_coords_crta_offset() const {
        return shard_shape_crta_offset() + (shard_shape_is_crta ? get_rank() : 0);
    }

    static constexpr uint32_t num_compile_time_args() {
        if constexpr (is_sharded) {
            return BankCoordsCTAOffset + (bank_coords_is_crta ? 0 : (NumBanksCT + 1) / 2) - kCtaOffset;
        } else {
            return page_size_is_crta ? 1 : 2;
        }
    }
    static constexpr uint32_t next_compile_time_args_offset() { return kCtaOffset + num_compile_time_args(); }
    constexpr uint32_t num_common_runtime_args() const {
        if constexpr (is_sharded) {
            return bank_coords_crta_offset() + (bank_coords_is_crta ? get_physical_num_banks() : 0) - crta_offset();
        } else {
            return page_size_is_crta ? 1 : 0;
        }
    }
    constexpr uint32_t next_common_runtime_args_offset() const {
        return crta_offset() + num_common_runtime_args();
    }

   private:
    uint32_t crta_offset_;
};
