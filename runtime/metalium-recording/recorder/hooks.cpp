// The hooks, in the order of their trampolines.
#include "handlers.hpp"

namespace hallmark::recorder {

constinit const Hook hooks[] = {
#define NOWHERE Hook::kNowhere
#define HOOK(handler, symbol, blocking) {symbol, &handlers::handler, "what an exception kept from the recording (" #handler ")", blocking},
#include "hooks.def"
#undef HOOK
#undef NOWHERE
};
const std::size_t hook_count = sizeof hooks / sizeof *hooks;

}  // namespace hallmark::recorder
