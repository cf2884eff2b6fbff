# Where a core comes out of reset. Registers and private RAM hold anything.
    .file "start.S"
    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    .irp register, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    li x\register, 0
    .endr
    la sp, STACK_TOP
    la a0, PRIVATE_START
    la a1, PRIVATE_END
1:  sw zero, 0(a0)
    addi a0, a0, 4
    bltu a0, a1, 1b
    call firmware_main
2:  j 2b
    .size _start, . - _start
