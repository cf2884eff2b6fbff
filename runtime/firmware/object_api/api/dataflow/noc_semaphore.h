// Semaphores of data-movement kernels.
#pragma once

#include "api/semaphore.h"
