// What the architecture tests ask of a model: where a signature is, and how a test ends.
#define RVMODEL_BOOT
#define RVMODEL_DATA_BEGIN .align 4; .global begin_signature; begin_signature:
#define RVMODEL_DATA_END .align 4; .global end_signature; end_signature:

#ifdef USER_MODE
// Writes the signature to standard output, by Linux's system calls 64 (write) and 93 (exit).
#define RVMODEL_HALT \
  li a0, 1; la a1, begin_signature; la a2, end_signature; sub a2, a2, a1; li a7, 64; ecall; \
  li a0, 0; li a7, 93; ecall;
#else
// A core that jumps to itself can do nothing any more, which ends a simulation.
#define RVMODEL_HALT fence; 1: j 1b;
#endif

#define RVMODEL_IO_INIT
#define RVMODEL_IO_WRITE_STR(_R, _STR)
#define RVMODEL_IO_CHECK()
#define RVMODEL_IO_ASSERT_GPR_EQ(_S, _R, _I)
#define RVMODEL_IO_ASSERT_SFPR_EQ(_F, _R, _I)
#define RVMODEL_IO_ASSERT_DFPR_EQ(_D, _R, _I)
#define RVMODEL_SET_MSW_INT
#define RVMODEL_CLEAR_MSW_INT
#define RVMODEL_CLEAR_MTIMER_INT
#define RVMODEL_CLEAR_MEXT_INT
