// The hooks, in the order of their trampolines.
#include "handlers.hpp"

namespace hallmark::recorder {

constinit const Hook hooks[] = {
#define HOOK(handler, symbol) {symbol, &handlers::handler},
#include "hooks.def"
#undef HOOK
};
const std::size_t hook_count = sizeof hooks / sizeof *hooks;

}  // namespace hallmark::recorder
