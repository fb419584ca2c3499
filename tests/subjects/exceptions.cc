/* SPDX-License-Identifier: Apache-2.0 */
/* C++: exceptions thrown through frames, and new and delete in all their forms.
 * thrower allocates 100 bytes before each of 1000 throws, and the catcher 50 bytes after. */
#include <new>
#include <string>
#include <vector>

struct wide {
    alignas(64) char room[640];
};

namespace shop
{
__attribute__((noinline)) void thrower(int depth, std::vector<char *> &kept)
{
    std::string guard(100 + depth, 'x'); /* destroyed while unwinding */
    if (depth > 0) {
        thrower(depth - 1, kept);
        return;
    }
    kept.push_back(new char[100]);
    throw depth;
}

__attribute__((noinline)) char *catcher()
{
    return new char[50];
}

template <typename T> __attribute__((noinline)) T *make_one()
{
    return new T();
}
} // namespace shop

int main()
{
    std::vector<char *> kept;
    kept.reserve(2000);
    for (int i = 0; i < 1000; i++) {
        try {
            shop::thrower(i % 20, kept);
        } catch (int) {
            kept.push_back(shop::catcher());
        }
    }
    wide *one = shop::make_one<wide>(); /* aligned new */
    int *quiet = new (std::nothrow) int[25];
    delete one;
    delete[] quiet;
    return kept.size() == 2000 ? 0 : 1;
}
