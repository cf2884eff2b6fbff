// The threads of a compute kernel: one source, built once for each.
#pragma once

#include "hallmark/arguments.h"

#ifndef HALLMARK_COMPUTE
#error "api/compute headers are for compute kernels"
#endif

#if defined(UCK_CHLKC_UNPACK)
#define TRISC_UNPACK 1
#define UNPACK(x) x
#else
#define UNPACK(x)
#endif

#if defined(UCK_CHLKC_MATH)
#define TRISC_MATH 1
#define MATH(x) x
#else
#define MATH(x)
#endif

#if defined(UCK_CHLKC_PACK)
#define TRISC_PACK 1
#define PACK(x) x
#else
#define PACK(x)
#endif

