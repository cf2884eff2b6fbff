// A claim that ends with its scope.
#pragma once

template <typename Release>
class [[nodiscard]] Lock {
public:
    [[gnu::always_inline]] explicit Lock(Release release) : release_(release) {}
    [[gnu::always_inline]] ~Lock() { release_(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    Release release_;
};
