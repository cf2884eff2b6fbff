// In place of the vendor compiler's header of this name: constants that headers mention outside vector code.
// Vector code itself needs the vendor's compiler.
#pragma once
namespace sfpi {
constexpr unsigned SFPLOADI_MOD0_FLOATB = 0, SFPLOADI_MOD0_FLOATA = 1, SFPLOADI_MOD0_USHORT = 2,
                   SFPLOADI_MOD0_SHORT = 4, SFPLOADI_MOD0_UPPER = 8, SFPLOADI_MOD0_LOWER = 10;
}
