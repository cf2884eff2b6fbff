// Names of types that POSIX has.
#pragma once

#include <stddef.h>

typedef unsigned int uint;
