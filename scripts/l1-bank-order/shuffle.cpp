// The orders in which tt-metal's `l1_banking_allocator.cpp` numbers 1 to 256 banks of L1, a line each: it is the
// standard library that decides, so this prints what the installed one does.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

int main() {
    for (unsigned count = 1; count <= 256; count++) {
        std::vector<unsigned> banks(count);
        std::iota(banks.begin(), banks.end(), 0U);
        auto random = std::default_random_engine(0);
        std::shuffle(banks.begin(), banks.end(), random);
        for (unsigned at = 0; at < count; at++) {
            std::printf(at == 0 ? "%u" : " %u", banks[at]);
        }
        std::putchar('\n');
    }
}
