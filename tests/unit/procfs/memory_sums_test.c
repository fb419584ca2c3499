/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/memory_sums.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

TEST(kinds_are_told_apart)
{
    static const char *const lines[] = {
        "1000-9000 rw-p 00000000 00:00 0                          [heap]",
        "Size:  32 kB",
        "Rss:  12 kB",
        "a000-b000 rw-p 00000000 00:00 0 ",
        "Rss:  100 kB",
        "Pss: 7 kB",
        "b000-c000 rw-p 00000000 00:00 0    [anon:glibc: malloc]",
        "Rss:  8 kB",
        "c000-d000 r-xp 00000000 fe:00 42   /bin/true",
        "Rss:  64 kB",
        "d000-e000 rw-p 00000000 00:00 0    [stack]",
        "Rss:  16 kB",
        "e000-f000 rw-s 00000000 00:01 9    /memfd:x (deleted)",
        "Rss:  32 kB",
        "Rss: nonsense",
        "what is this?"};
    struct memory_summing summing = {.kind = NULL};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        memory_sums_add(&summing, lines[i]);
    CHECK(summing.sums.heap_bytes == 12 * 1024 && summing.sums.anonymous_bytes == 108 * 1024);
    CHECK(summing.sums.rss_bytes == 232 * 1024);
}

TEST(our_own_memory_is_counted)
{
    struct memory_sums before, after;
    CHECK(memory_sums_read((uint32_t)getpid(), &before) == 0 && before.rss_bytes > 0);
    char *pages = mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(pages, 1, 8 << 20);
    CHECK(memory_sums_read((uint32_t)getpid(), &after) == 0);
    CHECK(after.anonymous_bytes >= before.anonymous_bytes + (7 << 20) &&
          after.rss_bytes > before.rss_bytes);
    munmap(pages, 8 << 20);
    CHECK(memory_sums_read(0x7ffffffe, &after) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kinds_are_told_apart),
                                       cmocka_unit_test(our_own_memory_is_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
