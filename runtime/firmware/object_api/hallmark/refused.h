// Functions that a kernel may name, but not call: the compiler prints the text beside the line of the call.
#pragma once

#define HALLMARK_REFUSED(name, text)                 \
    template <auto... kValues, typename... Arguments> \
    [[gnu::error(text)]] void name(Arguments...);
