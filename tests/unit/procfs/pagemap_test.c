/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/pagemap.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

#define PAGE  4096u
#define PAGES 5000u

struct seen {
    uint64_t resident, runs, last_end;
};

static void see(void *context, const struct page_run *run)
{
    struct seen *seen = context;
    CHECK(run->start < run->end && run->start >= seen->last_end);
    seen->last_end = run->end;
    seen->runs++;
    seen->resident += run->state & PAGE_PRESENT ? run->end - run->start : 0;
}

/* Every third page touched, every third read only: the page of zeros is in nobody's RSS. */
static char *make_pages(void)
{
    volatile char *pages =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK((void *)pages != MAP_FAILED);
    for (size_t i = 0; i < PAGES; i++) {
        if (i % 3 == 0)
            pages[i * PAGE] = 1;
        else if (i % 3 == 1)
            (void)pages[i * PAGE];
    }
    return (char *)pages;
}

static void check_walk(char *pages, bool gentle, bool scans)
{
    struct pagemap pagemap;
    struct seen seen = {0};
    struct page_bytes bytes;
    CHECK(pagemap_open(&pagemap, (uint32_t)getpid(), gentle) == 0);
    bool const zero_is_known = pagemap.scans && scans;
    pagemap.scans = zero_is_known;
    CHECK(pagemap_walk(&pagemap, (uint64_t)pages, (uint64_t)pages + PAGES * PAGE, see, &seen) == 0);
    uint64_t const touched = (PAGES + 2) / 3, read = (PAGES + 1) / 3;
    CHECK(seen.resident == (zero_is_known ? touched : touched + read) * PAGE);
    CHECK(!zero_is_known || seen.runs == touched);
    CHECK(pagemap_count(&pagemap, (uint64_t)pages, (uint64_t)pages + PAGES * PAGE, &bytes) == 0);
    CHECK(bytes.resident == seen.resident && bytes.swapped == 0 && bytes.huge == 0);
    pagemap_close(&pagemap);
}

TEST(touched_pages_are_found_in_every_way)
{
    char *pages = make_pages();
    check_walk(pages, false, true);
    check_walk(pages, true, true);
    check_walk(pages, false, false);
    munmap(pages, PAGES * PAGE);
}

TEST(neighbours_are_one_run)
{
    struct pagemap pagemap;
    struct seen seen = {0};
    char *pages =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(pages, 1, PAGES * PAGE);
    CHECK(pagemap_open(&pagemap, (uint32_t)getpid(), true) == 0);
    CHECK(pagemap_walk(&pagemap, (uint64_t)pages, (uint64_t)pages + PAGES * PAGE, see, &seen) == 0);
    CHECK(seen.runs == 1 && seen.resident == PAGES * PAGE);
    pagemap_close(&pagemap);
    munmap(pages, PAGES * PAGE);
}

TEST(a_process_that_is_not_there_is_told)
{
    struct pagemap pagemap;
    CHECK(pagemap_open(&pagemap, 0x7ffffffe, false) == -ENOENT);
    pagemap_close(&pagemap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(touched_pages_are_found_in_every_way),
                                       cmocka_unit_test(neighbours_are_one_run),
                                       cmocka_unit_test(a_process_that_is_not_there_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
