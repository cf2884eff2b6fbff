// Alignments of transfers, by the other path that kernels name.
#pragma once

#include "noc/noc_parameters.h"
