// Pauses, spelled as in TT-Metalium's header of this name. There a pause waits for the user of its watcher. Nobody watches a
// test, so a kernel goes on, as in TT-Metalium without the watcher.
#pragma once

#include "api/debug/waypoint.h"

#define PAUSE()
