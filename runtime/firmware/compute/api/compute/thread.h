// The threads of a compute kernel: one source, built once for each.
#pragma once

#include "hallmark/arguments.h"

#ifndef HALLMARK_COMPUTE
#error "api/compute headers are for compute kernels"
#endif

#if defined(UCK_CHLKC_UNPACK)
#define TRISC_UNPACK 1
#define UNPACK(...) __VA_ARGS__
#else
#define UNPACK(...)
#endif

#if defined(UCK_CHLKC_MATH)
#define TRISC_MATH 1
#define MATH(...) __VA_ARGS__
#else
#define MATH(...)
#endif

#if defined(UCK_CHLKC_PACK)
#define TRISC_PACK 1
#define PACK(...) __VA_ARGS__
#else
#define PACK(...)
#endif

