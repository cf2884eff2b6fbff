// A claim that ends with its scope.
#pragma once

template <typename RELEASE>
class [[nodiscard]] Lock {
public:
    [[gnu::always_inline]] explicit Lock(RELEASE release) : release_(release) {}
    [[gnu::always_inline]] ~Lock() { release_(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    RELEASE release_;
};
