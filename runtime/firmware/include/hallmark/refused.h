// Functions that a kernel may name, but not call: the compiler prints the text beside the line of the call.
#pragma once

#define HALLMARK_REFUSED(name, text)                 \
    template <auto... kValues, typename... Arguments> \
    [[gnu::error(text)]] void name(Arguments...);

// The same of a function with a result.
#define HALLMARK_REFUSED_RESULT(type, name, text)    \
    template <auto... kValues, typename... Arguments> \
    [[gnu::error(text)]] type name(Arguments&&...);
