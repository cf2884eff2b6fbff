// Accessors of several tensors at once.
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include "api/tensor/tensor_accessor.h"
#include "api/tensor/tensor_binding_token.h"
#include "hallmark/arguments.h"

namespace hallmark {

template <uint32_t kTensor, uint32_t kCtaOffset>
constexpr uint32_t offset_of_accessor() {
    if constexpr (kTensor == 0) {
        return kCtaOffset;
    } else {
        return TensorAccessorArgs<offset_of_accessor<kTensor - 1, kCtaOffset>()>::next_compile_time_args_offset();
    }
}

template <uint32_t kCtaOffset, uint32_t... kTensors>
constexpr auto accessor_args(std::integer_sequence<uint32_t, kTensors...>) {
    return std::make_tuple(TensorAccessorArgs<offset_of_accessor<kTensors, kCtaOffset>()>()...);
}

template <typename... Args, uint32_t... kTensors>
auto accessors(const std::tuple<Args...>& args, uint32_t first_address, std::integer_sequence<uint32_t, kTensors...>) {
    return std::make_tuple(TensorAccessor(std::get<kTensors>(args), get_arg_val<uint32_t>(first_address + kTensors))...);
}

}  // namespace hallmark

// The arguments of tensors whose descriptions follow each other from `kCtaOffset` on.
template <uint32_t kNumTensors, uint32_t kCtaOffset>
constexpr auto make_tensor_accessor_args_tuple() {
    return hallmark::accessor_args<kCtaOffset>(std::make_integer_sequence<uint32_t, kNumTensors>());
}

// Their accessors; their addresses are runtime arguments that follow each other.
template <typename... Args>
auto make_tensor_accessor_tuple(const std::tuple<Args...>& args, uint32_t address_rt_arg_index_start) {
    return hallmark::accessors(args, address_rt_arg_index_start,
                               std::make_integer_sequence<uint32_t, sizeof...(Args)>());
}

// The accessors of tensors that the host has bound in a sequence.
template <typename... Tokens>
auto make_tensor_accessors(const std::tuple<Tokens...>& tokens) {
    return std::apply([](const auto&... token) { return std::make_tuple(TensorAccessor(token)...); }, tokens);
}

// An accessor of any type, to be chosen by a number. It refers to the accessor, which outlives it.
class AbstractTensorAccessorWrapper {
public:
    AbstractTensorAccessorWrapper() = default;

    template <typename Accessor>
    AbstractTensorAccessorWrapper(const Accessor& accessor)
        : accessor_(&accessor), address_([](const void* of, uint32_t page, uint32_t offset, uint8_t noc) {
              return static_cast<const Accessor*>(of)->get_noc_addr(page, offset, noc);
          }) {}

    uint64_t get_noc_addr(uint32_t page_idx, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return address_(accessor_, page_idx, offset, noc);
    }

private:
    const void* accessor_ = nullptr;
    uint64_t (*address_)(const void*, uint32_t, uint32_t, uint8_t) = nullptr;
};

// The accessors of a tuple as an array. The tuple outlives the array.
template <typename... Accessors>
auto make_abstract_tensor_accessor_wrappers(const std::tuple<Accessors...>& accessors) {
    return std::apply(
        [](const auto&... accessor) {
            return std::array<AbstractTensorAccessorWrapper, sizeof...(Accessors)>{
                AbstractTensorAccessorWrapper(accessor)...};
        },
        accessors);
}
