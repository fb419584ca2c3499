// SPDX-License-Identifier: Apache-2.0
// Words in containers, exceptions thrown through them.  Counts operator new and delete.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

static unsigned long calls, frees;

void *operator new(std::size_t size)
{
    calls++;
    if (void *block = std::malloc(size))
        return block;
    throw std::bad_alloc();
}

void operator delete(void *block) noexcept
{
    if (block)
        frees++;
    std::free(block);
}

void operator delete(void *block, std::size_t) noexcept
{
    operator delete(block);
}

using table = std::map<std::string, std::vector<int>>;

[[gnu::noinline]] static std::unique_ptr<table> build(int words)
{
    auto made = std::make_unique<table>();
    for (int i = 0; i < words; i++)
        (*made)["a word that needs a block: " + std::to_string(i % 1000)].push_back(i);
    return made;
}

[[gnu::noinline]] static void fail(int number)
{
    std::vector<std::string> held(3,
                                  "freed while the stack unwinds, and longer than a small string");
    throw std::runtime_error("number " + std::to_string(number) + " was thrown on purpose");
}

static void work()
{
    std::vector<std::unique_ptr<table>> kept;
    unsigned long caught = 0;
    for (int round = 0; round < 5; round++)
        kept.push_back(build(20000 + round));
    for (int i = 0; i < 1000; i++) {
        try {
            fail(i);
        } catch (const std::exception &error) {
            caught += error.what()[0] == 'n';
        }
    }
    std::printf("%zu tables, %lu caught\n", kept.size(), caught);
    kept.front().release(); // one is leaked
}

int main()
{
    work();
    std::fprintf(stderr, "counted %lu %lu\n", calls, frees);
    return 4;
}
