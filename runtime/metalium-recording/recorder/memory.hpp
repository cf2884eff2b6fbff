// The memory of the command.
#pragma once

#include <cstddef>

namespace hallmark::recorder {

// A copy of memory that the command may change or free at any time, so that what is checked is what is written.
class Copy {
public:
    Copy(const void* start, std::size_t length);
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    ~Copy();

    // False if the memory cannot be read or there is none for the copy.
    bool is_whole() const { return is_whole_; }
    const void* start() const { return start_; }
    std::size_t length() const { return length_; }

private:
    void* start_ = nullptr;
    std::size_t length_;
    bool is_whole_ = false;
};

}  // namespace hallmark::recorder
