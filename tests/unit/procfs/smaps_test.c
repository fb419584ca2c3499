/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/smaps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static struct smaps parse(const char *text)
{
    struct smaps smaps = {.next_key = 0};
    CHECK(smaps_parse(&smaps, slice_of(text)) == (ssize_t)strlen(text));
    return smaps;
}

TEST(a_mapping_is_taken_apart)
{
    struct smaps smaps =
        parse("7f00-8f00 rw-p 00001000 fe:00 4242                /a file (deleted)\n"
              "Size:                  4 kB\n"
              "Rss:                  12 kB\n"
              "Pss:                   7 kB\n"
              "Pss_Dirty:             1 kB\n"
              "Private_Dirty:        12 kB\n"
              "AnonHugePages:         2 kB\n"
              "FilePmdMapped:         3 kB\n"
              "Swap:                 90 kB\n"
              "SwapPss:              45 kB\n"
              "VmFlags: rd wr mr mw me nr nh sd \n");
    CHECK(smaps.regions.count == 1);
    const struct memory_region *region = &smaps.regions.items[0];
    CHECK(region->start == 0x7f00 && region->end == 0x8f00 && region->offset == 0x1000 &&
          region->inode == 4242);
    CHECK(strcmp(region->rights, "rw-p") == 0 && strcmp(region->name, "/a file (deleted)") == 0);
    CHECK(region->bytes.size == 0x1000 && region->bytes.rss == 12 * 1024 &&
          region->bytes.pss == 7 * 1024 && region->bytes.private_dirty == 12 * 1024);
    CHECK(region->bytes.huge == 5 * 1024 && region->bytes.swap == 90 * 1024 &&
          region->bytes.swap_pss == 45 * 1024);
    CHECK(region->flags == (REGION_NO_RESERVE | REGION_NO_HUGE));
    smaps_fini(&smaps);
}

/* The mistake of those who look for "rw" or "r-": such a mapping's numbers end up with the one
 * before it. */
TEST(mappings_without_rights_keep_their_numbers_to_themselves)
{
    struct smaps smaps =
        parse("1000-2000 rw-p 00000000 00:00 0 \nRss:    4 kB\n"
              "2000-3000 ---p 00000000 00:00 0 \nRss:    0 kB\n"
              "3000-4000 --xp 00000000 00:00 0                  [vsyscall]\nRss: 1 kB\n"
              "4000-5000 -w-s 00000000 00:00 0\nRss:    2 kB\n");
    CHECK(smaps.regions.count == 4);
    CHECK(smaps.regions.items[0].bytes.rss == 4096 && smaps.regions.items[1].bytes.rss == 0);
    CHECK(smaps.regions.items[2].bytes.rss == 1024 && smaps.regions.items[3].bytes.rss == 2048);
    CHECK(smaps.regions.items[3].flags == REGION_SHARED && smaps.regions.items[3].name[0] == '\0');
    smaps_fini(&smaps);
}

TEST(keys_may_come_in_any_order_and_be_unknown)
{
    struct smaps smaps = parse("Rss: 5 kB\n1000-2000 r--p 0 0:0 0 x\nSwap: 3 kB\nNovelty: 9 kB\n"
                               "Rss: 4 kB\n\nRssless: 8 kB\nRss\nnonsense\nLocked:  4 kB\n");
    CHECK(smaps.regions.count == 1 && smaps.regions.items[0].bytes.rss == 4096);
    CHECK(smaps.regions.items[0].bytes.swap == 3072 && smaps.regions.items[0].bytes.locked == 4096);
    smaps_fini(&smaps);
}

TEST(a_name_cannot_open_a_mapping_nor_a_line_be_taken_half)
{
    struct smaps smaps = {.next_key = 0};
    const char *text = "1000-2000 r--p 0 0:0 0 /a-b rw-p 12-13\nRss: 4";
    CHECK(smaps_parse(&smaps, slice_of(text)) == 39);
    CHECK(smaps.regions.count == 1 && smaps.regions.items[0].bytes.rss == 0);
    CHECK(strcmp(smaps.regions.items[0].name, "/a-b rw-p 12-13") == 0);
    smaps_fini(&smaps);
}

TEST(a_mapping_that_grew_while_it_was_read_counts_once)
{
    struct smaps smaps =
        parse("1000-2000 rw-p 0 0:0 0\nRss: 4 kB\n1000-3000 rw-p 0 0:0 0\nRss: 8 kB\n"
              "2800-4000 r--p 0 0:0 0\nRss: 1 kB\n");
    CHECK(smaps.regions.count == 2 && smaps.regions.items[0].bytes.rss == 8192);
    CHECK(smaps.regions.items[0].end == 0x2800 && smaps.regions.items[1].start == 0x2800);
    smaps_fini(&smaps);
}

TEST(names_stay_where_they_are)
{
    struct smaps smaps = {.next_key = 0};
    char line[200];
    for (unsigned i = 1; i < 5000; i++) {
        snprintf(line, sizeof(line), "%x000-%x000 rw-p 0 0:0 0  [anon:cache of some length %u]\n",
                 i, i + 1, i / 2);
        CHECK(smaps_parse(&smaps, slice_of(line)) == (ssize_t)strlen(line));
    }
    for (unsigned i = 1; i < 5000; i++) {
        snprintf(line, sizeof(line), "[anon:cache of some length %u]", i / 2);
        CHECK(strcmp(smaps.regions.items[i - 1].name, line) == 0);
    }
    smaps_fini(&smaps);
}

TEST(our_own_mappings_are_found_with_what_is_in_them)
{
    struct smaps smaps;
    size_t const size = 64 * 4096;
    char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + size / 2, size / 2, PROT_NONE); /* a mapping of its own */
    memset(pages, 1, 10 * 4096);
    CHECK(smaps_read((uint32_t)getpid(), &smaps) == 0 && smaps.regions.count > 5);
    struct memory_region *region = smaps_find(&smaps, (uint64_t)pages);
    CHECK(region && region->bytes.rss >= 10 * 4096 && strcmp(region->rights, "rw-p") == 0);
    CHECK(smaps_find(&smaps, (uint64_t)pages + size - 1) != region && !smaps_find(&smaps, 16));
    vec_each (one, &smaps.regions)
        CHECK(one->bytes.rss ==
              memory_bytes_private(&one->bytes) + memory_bytes_shared(&one->bytes));
    smaps_fini(&smaps);
    CHECK(smaps_read_maps((uint32_t)getpid(), &smaps) == 0);
    region = smaps_find(&smaps, (uint64_t)pages);
    CHECK(region && region->bytes.rss == 0 && region->bytes.size > 0);
    smaps_fini(&smaps);
    munmap(pages, size);
}

TEST(a_process_that_is_not_there_has_none)
{
    struct smaps smaps;
    CHECK(smaps_read(0x7ffffffe, &smaps) == -ENOENT && smaps.regions.count == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mapping_is_taken_apart),
        cmocka_unit_test(mappings_without_rights_keep_their_numbers_to_themselves),
        cmocka_unit_test(keys_may_come_in_any_order_and_be_unknown),
        cmocka_unit_test(a_name_cannot_open_a_mapping_nor_a_line_be_taken_half),
        cmocka_unit_test(a_mapping_that_grew_while_it_was_read_counts_once),
        cmocka_unit_test(names_stay_where_they_are),
        cmocka_unit_test(our_own_mappings_are_found_with_what_is_in_them),
        cmocka_unit_test(a_process_that_is_not_there_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
