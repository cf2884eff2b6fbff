#include "exceptions.hpp"

#include <unwind.h>

#include <cstddef>
#include <exception>
#include <typeinfo>

namespace hallmark::recorder {

ExceptionGlobals* (*vendors_globals)();

// The vendor's unwinder has the recorder's set registers, which ends the process as long as that has unwound nothing:
// its table of registers is filled by its first use.
void prepare_to_catch() {
    _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_END_OF_STACK; }, nullptr);
}

// By the layout of the Itanium ABI: in front of the unwinder's header stands that of the language, which begins with the
// type, and behind it the object. What `std::rethrow_exception` throws is a dependent exception, which has no object: its
// header begins with a pointer to the object of the primary one (`unwind-cxx.h` of libsupc++).
const char* text_of(std::uint64_t language, void* thrown) {
    constexpr std::uint64_t kPrimary = 0x474e5543432b2b00;    // "GNUCC++\0"
    constexpr std::uint64_t kDependent = 0x474e5543432b2b01;  // "GNUCC++\1"
    constexpr std::size_t kLanguageHeader = 80;
    constexpr std::size_t kUnwindHeader = 32;
    if (language != kPrimary && language != kDependent) {
        return "an exception of another language";
    }
    void* object = static_cast<char*>(thrown) + kUnwindHeader;
    if (language == kDependent) {
        object = *reinterpret_cast<void**>(static_cast<char*>(thrown) - kLanguageHeader);
    }
    auto header = static_cast<char*>(object) - kUnwindHeader - kLanguageHeader;
    auto type = *reinterpret_cast<const std::type_info**>(header);
    if (!typeid(std::exception).__do_catch(type, &object, 1)) {
        return type->name();
    }
    return static_cast<const std::exception*>(object)->what();
}

}  // namespace hallmark::recorder
