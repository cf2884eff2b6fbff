// Under the name that kernels include: copies of tiles in Dst.
#pragma once

#include "api/compute/copy_dest_values.h"
