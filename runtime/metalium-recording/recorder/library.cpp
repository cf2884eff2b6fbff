#include "library.hpp"

#include <dlfcn.h>

#include <typeinfo>

#include "sources.hpp"

namespace tt::tt_metal {

const char* Kernel::class_name() const {
    // Stands in front of the table of virtual functions.
    auto table = *reinterpret_cast<const std::type_info* const* const*>(this);
    return table[-1]->name();
}

}  // namespace tt::tt_metal

namespace hallmark::recorder {

constinit Library library{};

namespace {

// Reads a member in the place of a function that a release does not have.
template <std::size_t offset, typename Result, typename Object>
Result member(Object* object) {
    return hallmark::member_at<std::remove_cvref_t<Result>>(*object, offset);
}

// The function with a symbol, or one that reads the member at an offset.
template <const auto& source, typename Result, typename... Arguments>
auto answer([[maybe_unused]] void* handle, Result (*)(Arguments...)) {
    using Function = Result (*)(Arguments...);
    if constexpr (std::is_array_v<std::remove_reference_t<decltype(source)>>) {
        return reinterpret_cast<Function>(dlsym(handle, source));
    } else {
        static_assert(sizeof...(Arguments) == 1, "a member belongs to one object");
        return Function(&member<source, Result, std::remove_pointer_t<Arguments>...>);
    }
}

}  // namespace

bool Library::bind(void* handle) {
#define FUNCTION(name, type)                        \
    name = answer<sources::name>(handle, this->name); \
    if (name == nullptr) {                          \
        return false;                               \
    }
#include "functions.def"
#undef FUNCTION
    return true;
}

}  // namespace hallmark::recorder
