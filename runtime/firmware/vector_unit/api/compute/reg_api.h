// The sections of Dst, in kernels that use the vector unit: MATH gives a section away behind both of its units.
#pragma once

#include "api/compute/compute_kernel_hw_startup.h"
#ifdef TRISC_MATH
#include "hallmark/vector_thread.h"
#endif

#define end_section end_section_of_vectors
#include_next "api/compute/reg_api.h"
#undef end_section
