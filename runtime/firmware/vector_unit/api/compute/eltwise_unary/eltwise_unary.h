// What functions of a tile in Dst begin with: the copy of a tile into Dst.
#pragma once

#include "api/compute/tile_move_copy.h"
#include "hallmark/vector_functions.h"
