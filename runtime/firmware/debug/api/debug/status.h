// A name of older releases.
#pragma once

#error "TT-Metalium 0.81.1 has no api/debug/status.h: WAYPOINT stands in api/debug/waypoint.h"
