// In place of the vendor compiler's header of this name: vectors of the vector unit (SFPU) for a stock compiler.
//
// The names are the vendor's; how they become instructions stands in vector/instructions.h. A product and the sum around
// it are one SFPMAD. Beyond that no instructions are joined, moved or left out, so that the last bits of results can
// differ from those of a build with the vendor's compiler.
#pragma once

#include "vector/functions.h"

#define __builtin_rvtt_sfpmad(a, b, c, mode) ::sfpi::impl_::three_sources(::sfpi::impl_::MAD, a, b, c, mode)
#define __builtin_rvtt_sfpgt(a, b, mode) ::sfpi::impl_::binary<0x97>(a, b, mode)
