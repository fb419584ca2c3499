/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/sort_regions.h"

#include <string.h>

#include "check.h"

#define KB 1024u

static void add(struct breakdown *breakdown, uint64_t start, uint64_t size, const char *rights,
                const char *name, uint64_t rss)
{
    struct memory_region region = {.start = start, .end = start + size, .name = name};
    memcpy(region.rights, rights, 5);
    region.bytes =
        (struct memory_bytes){.size = size, .rss = rss, .pss = rss, .private_dirty = rss};
    CHECK(vec_push(&breakdown->regions, region));
}

static const struct breakdown_leaf *find(const struct breakdown *breakdown, const char *label,
                                         const char *item)
{
    vec_each (leaf, &breakdown->leaves)
        if (strcmp(leaf->label, label) == 0 && strcmp(leaf->item, item) == 0)
            return leaf;
    return NULL;
}

static uint64_t rss_of(const struct breakdown *breakdown, enum breakdown_section section,
                       const char *label, const char *item)
{
    const struct breakdown_leaf *leaf = find(breakdown, label, item);
    CHECK(leaf && leaf->section == section);
    return leaf->bytes.rss;
}

static void check_sums(const struct breakdown *breakdown)
{
    uint64_t leaves = 0, sections = 0, regions = 0;
    vec_each (leaf, &breakdown->leaves)
        leaves += leaf->bytes.rss;
    vec_each (region, &breakdown->regions)
        regions += region->bytes.rss;
    for (int section = 0; section < SECTIONS; section++)
        sections += breakdown_section_sum(breakdown, (enum breakdown_section)section).rss;
    CHECK(leaves == regions && sections == regions && breakdown->total.rss == regions);
    CHECK(breakdown->region_leaves.count == breakdown->regions.count);
}

TEST(names_paths_and_rights_decide)
{
    struct breakdown breakdown = {.program = "/opt/node/bin/noded"};
    add(&breakdown, 0x1000, 0x1000, "r-xp", "/opt/node/bin/noded", 1 * KB);
    add(&breakdown, 0x2000, 0x1000, "rw-p", "[heap]", 2 * KB);
    add(&breakdown, 0x3000, 0x1000, "rw-s", "/var/lib/node/data.mdb", 3 * KB);
    add(&breakdown, 0x4000, 0x1000, "r--p", "/var/lib/node/blocks.dat", 4 * KB);
    add(&breakdown, 0x5000, 0x1000, "r--p", "/usr/lib/libfoo.so.6 (deleted)", 5 * KB);
    add(&breakdown, 0x6000, 0x1000, "rwxp", "", 6 * KB);
    add(&breakdown, 0x7000, 0x1000, "---p", "", 7 * KB);
    add(&breakdown, 0x8000, 0x1000, "rw-p", "[anon: Go: heap]", 8 * KB);
    add(&breakdown, 0x9000, 0x1000, "rw-p", "[anon: Go: page alloc]", 9 * KB);
    add(&breakdown, 0xa000, 0x1000, "rw-s", "/memfd:ring (deleted)", 10 * KB);
    add(&breakdown, 0xb000, 0x1000, "rw-p", "[stack]", 11 * KB);
    add(&breakdown, 0xc000, 0x1000, "--xp", "[vsyscall]", 0);
    add(&breakdown, 0xd000, 0x1000, "r--p", "/usr/share/plugin", 12 * KB);
    add(&breakdown, 0xe000, 0x1000, "r-xp", "/usr/share/plugin", 13 * KB);
    add(&breakdown, 0xf000, 0x1000, "rw-s", "anon_inode:[perf_event]", 14 * KB);
    CHECK(breakdown_sort(&breakdown, (struct sort_rules){.count = 0}) == 0);
    check_sums(&breakdown);
    CHECK(rss_of(&breakdown, SECTION_FILE, "Program", "noded") == 1 * KB);
    CHECK(rss_of(&breakdown, SECTION_ALLOCATOR, "Heap (brk)", "") == 2 * KB);
    CHECK(rss_of(&breakdown, SECTION_FILE, "Databases", "data.mdb") == 3 * KB);
    CHECK(rss_of(&breakdown, SECTION_FILE, "Other Files", "blocks.dat") == 4 * KB);
    CHECK(rss_of(&breakdown, SECTION_FILE, "Shared Libraries", "libfoo.so.6") == 5 * KB);
    CHECK(rss_of(&breakdown, SECTION_ANONYMOUS, "Executable", "") == 6 * KB);
    CHECK(rss_of(&breakdown, SECTION_ANONYMOUS, "No access", "") == 7 * KB);
    CHECK(rss_of(&breakdown, SECTION_RUNTIME, "Heap", "") == 8 * KB);
    CHECK(rss_of(&breakdown, SECTION_RUNTIME, "Metadata", "page alloc") == 9 * KB);
    CHECK(rss_of(&breakdown, SECTION_SHARED, "memfd", "ring") == 10 * KB);
    CHECK(rss_of(&breakdown, SECTION_STACKS, "Main", "") == 11 * KB);
    CHECK(rss_of(&breakdown, SECTION_FILE, "Shared Libraries", "plugin") == 25 * KB);
    CHECK(rss_of(&breakdown, SECTION_OTHER, "anon_inode:[perf_event]", "") == 14 * KB);
    breakdown_fini(&breakdown);
}

TEST(slabs_that_are_numbered_are_one_line)
{
    struct breakdown breakdown = {.pid = 1};
    add(&breakdown, 0x1000, 0x1000, "rw-p", "[anon:TNC-1]", 1 * KB);
    add(&breakdown, 0x2000, 0x1000, "rw-p", "[anon:TNC-22]", 2 * KB);
    add(&breakdown, 0x3000, 0x1000, "rw-p", "[anon:cache]", 4 * KB);
    add(&breakdown, 0x4000, 0x1000, "rw-s", "[anon_shmem:cache]", 8 * KB);
    CHECK(breakdown_sort(&breakdown, (struct sort_rules){.count = 0}) == 0);
    CHECK(breakdown.leaves.count == 2 && rss_of(&breakdown, SECTION_NAMED, "TNC-*", "") == 3 * KB);
    CHECK(rss_of(&breakdown, SECTION_NAMED, "cache", "") == 12 * KB);
    CHECK(strcmp(breakdown.leaves.items[0].label, "cache") == 0); /* the largest first */
    CHECK(breakdown.region_leaves.items[0] == 1 && breakdown.region_leaves.items[3] == 0);
    check_sums(&breakdown);
    breakdown_fini(&breakdown);
}

TEST(claims_and_rules_come_before_names)
{
    struct breakdown breakdown = {.pid = 1};
    struct sort_rule const rule = {"chain", "*/blocks/*"};
    add(&breakdown, 0x1000, 0x1000, "r--s", "/data/blocks/1.dat", 1 * KB);
    add(&breakdown, 0x2000, 0x1000, "rw-p", "", 2 * KB);
    add(&breakdown, 0x3000, 0x2000, "rw-p", "", 4 * KB);
    CHECK(breakdown_claim(&breakdown, (struct memory_claim){0x3000, 0x4000, SECTION_STACKS,
                                                            "Threads", "x", EVIDENCE_SHAPE}));
    CHECK(breakdown_claim(&breakdown, (struct memory_claim){0x2000, 0x3000, SECTION_RUNTIME, "Heap",
                                                            "", EVIDENCE_SHAPE}));
    CHECK(breakdown_claims_settle(&breakdown) == 0);
    CHECK(breakdown_sort(&breakdown, (struct sort_rules){.items = &rule, .count = 1}) == 0);
    CHECK(rss_of(&breakdown, SECTION_NAMED, "chain", "") == 1 * KB);
    CHECK(rss_of(&breakdown, SECTION_RUNTIME, "Heap", "") == 2 * KB);
    CHECK(rss_of(&breakdown, SECTION_ANONYMOUS, "Read-Write", "") ==
          4 * KB); /* only half claimed, and not cut */
    check_sums(&breakdown);
    breakdown_fini(&breakdown);
}

TEST(the_stronger_claim_takes_its_part_of_the_weaker_one)
{
    struct breakdown breakdown = {.pid = 1};
    static const struct memory_claim laid[] = {
        {100, 900, SECTION_RUNTIME, "weak", "", EVIDENCE_SHAPE},
        {200, 300, SECTION_NAMED, "a", "", EVIDENCE_REGISTRY},
        {250, 400, SECTION_STACKS, "thread", "", EVIDENCE_THREAD},
        {800, 1000, SECTION_NAMED, "b", "", EVIDENCE_REGISTRY},
        {850, 860, SECTION_STACKS, "hidden", "", EVIDENCE_RUNTIME},
        {900, 950, SECTION_NAMED, "twice", "", EVIDENCE_REGISTRY},
        {20, 10, SECTION_NAMED, "empty", "", EVIDENCE_REGISTRY},
    };
    static const struct {
        uint64_t start, end;
        const char *label;
    } settled[] = {{100, 200, "weak"},
                   {200, 300, "a"},
                   {300, 400, "thread"},
                   {400, 800, "weak"},
                   {800, 1000, "b"}};
    for (size_t i = 0; i < sizeof(laid) / sizeof(laid[0]); i++)
        CHECK(breakdown_claim(&breakdown, laid[i]));
    CHECK(breakdown_claims_settle(&breakdown) == 0);
    CHECK(breakdown.claims.count == 5);
    for (size_t i = 0; i < 5; i++) {
        const struct memory_claim *claim = &breakdown.claims.items[i];
        CHECK(claim->start == settled[i].start && claim->end == settled[i].end);
        CHECK(strcmp(claim->label, settled[i].label) == 0);
    }
    breakdown_fini(&breakdown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_paths_and_rights_decide),
        cmocka_unit_test(slabs_that_are_numbered_are_one_line),
        cmocka_unit_test(claims_and_rules_come_before_names),
        cmocka_unit_test(the_stronger_claim_takes_its_part_of_the_weaker_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
