// What every compute kernel for the coprocessor has.
#pragma once

#include <algorithm>

#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/thread.h"
#include "ckernel.h"
#include "hallmark/dst_sync.h"
#include "hallmark/earlier_names.h"
#include "hallmark/kernel_main.h"
#include "hostdevcommon/kernel_structs.h"
