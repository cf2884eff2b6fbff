// Under the name that kernels of earlier releases include: the threads of a compute kernel.
#pragma once

#include "api/compute/common.h"
