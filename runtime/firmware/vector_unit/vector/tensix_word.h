// `.ttinsn X`: a Tensix instruction as the RISC-V side stores it, rotated left by two bits.
#pragma once
__asm__(".macro .ttinsn x\n.word ((((\\x) << 2) | (((\\x) >> 30) & 3)) & 0xffffffff)\n.endm\n");
