#include "library.hpp"

#include <dlfcn.h>

#include <typeinfo>

#include "symbols.hpp"

namespace tt::tt_metal {

const char* Kernel::class_name() const {
    // Stands in front of the table of virtual functions.
    auto table = *reinterpret_cast<const std::type_info* const* const*>(this);
    return table[-1]->name();
}

}  // namespace tt::tt_metal

namespace hallmark::recorder {

constinit Library library{};

bool Library::bind(void* handle) {
#define FUNCTION(name, type)                                                      \
    name = reinterpret_cast<decltype(name)>(dlsym(handle, HALLMARK_SYMBOL_##name)); \
    if (name == nullptr) {                                                        \
        return false;                                                             \
    }
#include "functions.def"
#undef FUNCTION
    return true;
}

}  // namespace hallmark::recorder
