// Parts of a recording that the user does not want: where they begin and end, the recorder waits for the device and
// reads what buffers hold. Nothing else makes the recorder call the device.
#pragma once

#include "recorder.hpp"
#include "selection.hpp"

namespace hallmark::recorder {

// What is called here comes before or after a call of the command's own, outside of all calls of the vendor's.
class Cuts {
public:
    // Reads the environment.
    void prepare();
    // A device is open: what comes before the first launch may be unwanted.
    void device_opened();
    // Programs are about to be launched together, by the names of their operations.
    void launch(const mesh::MeshDevice* device, const std::vector<std::string>& operations);
    bool is_asked() const { return selection_.is_asked(); }
    void begin_trace(std::uint32_t trace);
    void end_trace();
    // A trace is about to be replayed.
    void replay(const mesh::MeshDevice* device, std::uint32_t trace);
    // Behind a call that may have ended a trace: a cut that would have been inside of the trace is made.
    void settle(const mesh::MeshDevice* device);

private:
    void want(const mesh::MeshDevice* device, bool is_wanted);

    Selection selection_;
    bool is_open_ = false;
    bool is_wanted_ = true;
};

Cuts& cuts();

}  // namespace hallmark::recorder
