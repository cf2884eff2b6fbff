// In place of the vendor's header of this name, which a build without its profiler does not need.
#pragma once
inline void dispatch_subordinate_realtime_profiler() {}
