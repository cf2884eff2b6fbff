// Exceptions: those that must not leave the recorder, and those of the command that it looks at.
#pragma once

#include <cxxabi.h>
#include <pthread.h>

#include <cstdint>

namespace hallmark::recorder {

// The first words of `__cxa_eh_globals` of the Itanium ABI.
struct ExceptionGlobals {
    void* caught;
    unsigned int uncaught;
};
// That of the C++ library which the vendor's library throws with; the recorder has one of its own.
extern ExceptionGlobals* (*vendors_globals)();

// Comes before the first call of the vendor's.
void prepare_to_catch();

// Runs code of the recorder, which may call functions of the vendor's. No exception of theirs or its own leaves it, and
// none is counted as being thrown any more. False if there was one.
template <typename Code>
bool guarded(const Code& code) {
    // The system calls of the recorder are not where a thread of the command expects to be ended.
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    auto own = reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
    auto vendors = vendors_globals == nullptr ? nullptr : vendors_globals();
    unsigned int own_count = own->uncaught;
    unsigned int vendors_count = vendors == nullptr ? 0 : vendors->uncaught;
    bool is_done = true;
    try {
        code();
    } catch (...) {
        is_done = false;
    }
    if (!is_done) {
        own->uncaught = own_count;
        if (vendors != nullptr) {
            vendors->uncaught = vendors_count;
        }
    }
    pthread_setcancelstate(state, nullptr);
    return is_done;
}

// The text of an exception that is being thrown, from what the unwinder says of it.
const char* text_of(std::uint64_t language, void* thrown);

}  // namespace hallmark::recorder
