// Stands around kernel_main in a build for a profile: the kernel's zone, and what its markers need. The linker puts it
// there (`--wrap`).

#include "api/debug/kernel_profiler.hpp"

#if PROCESSOR_INDEX == 0
#define KERNEL_ZONE "BRISC-KERNEL"
#elif PROCESSOR_INDEX == 1
#define KERNEL_ZONE "NCRISC-KERNEL"
#else
#define KERNEL_ZONE "TRISC-KERNEL"
#endif

namespace kernel_profiler {
uint32_t wIndex;
uint32_t stackSize;
uint32_t sums[kSums];
uint32_t sumIDs[kSums];
}  // namespace kernel_profiler

extern "C" void __real__Z11kernel_mainv();

extern "C" void __wrap__Z11kernel_mainv() {
    using namespace kernel_profiler;
    wIndex = hallmark::kProfilerFirstMarker;
    {
        DeviceZoneScopedMainChildN(KERNEL_ZONE);
        __real__Z11kernel_mainv();
    }
    for (uint32_t index = 0; index < kSums; ++index) {
        if (sums[index] != 0 && has_room(2)) {
            hallmark::profiler_word(PROCESSOR_INDEX, wIndex) =
                hallmark::kMarkerValid |
                (hallmark::marker(sumIDs[index], hallmark::kMarkerZoneTotal) << hallmark::kMarkerNumberShift);
            hallmark::profiler_word(PROCESSOR_INDEX, wIndex + 1) = sums[index];
            keep(2);
        }
    }
}
