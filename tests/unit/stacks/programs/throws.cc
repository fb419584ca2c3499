// throws.cc - exceptions through several frames, and what the standard library does meanwhile.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#include <algorithm>

static volatile unsigned long sink;

struct Guard {
    ~Guard()
    {
        sink = sink + 1;
    }
};

__attribute__((noinline)) static void dig(unsigned depth)
{
    Guard guard;
    std::string text(depth * 7 + 1, 'x');
    if (depth == 0)
        throw std::runtime_error(text);
    dig(depth - 1);
    sink = sink + text.size();
}

int main()
{
    for (unsigned turn = 0;; turn++) {
        std::map<std::string, std::vector<unsigned>> words;
        for (unsigned i = 0; i < 50; i++)
            words[std::to_string(i * 7919 % 41)].push_back(i);
        for (auto &[word, places] : words)
            std::sort(places.begin(), places.end(),
                      [](unsigned a, unsigned b) { return a % 5 < b % 5; });
        try {
            dig(turn % 9);
        } catch (const std::exception &error) {
            sink = sink + error.what()[0];
        }
    }
}
