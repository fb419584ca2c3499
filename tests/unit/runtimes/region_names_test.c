/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/region_names.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "memoir.h"

static unsigned named(const char *name, unsigned long *start, unsigned long *end)
{
    unsigned count = 0;
    for (unsigned i = 0; i < memoir_regions_v1.used; i++) {
        const struct memoir_region_name *one = &memoir_regions_v1.names[i];
        if (one->end == 0 || strcmp(one->name, name) != 0)
            continue;
        *start = one->start;
        *end = one->end;
        count++;
    }
    return count;
}

TEST(a_later_name_replaces_its_part_of_an_earlier_one)
{
    unsigned long start, end;
    memoir_region((void *)1000, 1000, "whole");
    memoir_region((void *)1200, 100, "part");
    CHECK(named("part", &start, &end) == 1 && start == 1200 && end == 1300);
    CHECK(named("whole", &start, &end) == 2);
    memoir_region_end((void *)1000, 250);
    CHECK(named("whole", &start, &end) == 1 && start == 1300 && end == 2000);
    CHECK(named("part", &start, &end) == 1 && start == 1250 && end == 1300);
    memoir_region_end((void *)0, 5000);
    CHECK(named("whole", &start, &end) == 0 && named("part", &start, &end) == 0);
    CHECK(memoir_regions_v1.changes % 2 == 0 && memoir_regions_v1.lock == 0);
}

TEST(a_full_table_counts_what_it_missed)
{
    unsigned long start, end;
    for (unsigned long i = 0; i < MEMOIR_REGIONS_MAX + 3; i++)
        memoir_region((void *)(4096 * (i + 1)), 100, "many");
    CHECK(named("many", &start, &end) == MEMOIR_REGIONS_MAX && memoir_regions_v1.missed == 3);
    memoir_region_end((void *)4096, 4096 * (MEMOIR_REGIONS_MAX + 9));
    memoir_region((void *)4096, 100,
                  "a name that is much longer than the table has room for, so it is cut");
    CHECK(named("a name that is much longer than the table has r", &start, &end) == 1);
    memoir_region_end((void *)4096, 100);
}

static bool refuse(void *context, uint64_t address, void *to, size_t size)
{
    (void)context, (void)address, (void)to, (void)size;
    return false;
}

TEST(the_table_is_found_by_its_note)
{
    struct {
        Elf64_Ehdr file;
        Elf64_Phdr segment;
        uint32_t note[8];
    } image = {.file = {.e_phoff = sizeof(Elf64_Ehdr), .e_phnum = 1},
               .segment = {.p_type = PT_NOTE,
                           .p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
                           .p_filesz = 32},
               .note = {12, 8, 2, 0, 0, 0, 1, 0x100}};
    memcpy(image.file.e_ident, ELFMAG, SELFMAG);
    image.file.e_ident[EI_CLASS] = ELFCLASS64;
    memcpy(&image.note[3], "memoir.area", 12);
    struct slice const head = {(const char *)&image, sizeof(image)};
    uint64_t const note = 0x400000 + offsetof(__typeof__(image), note);
    CHECK(region_names_find(head, 0x400000, NULL, NULL) == note + 28 + 0x100);
    for (size_t size = 0; size < head.size; size++)
        CHECK(region_names_find((struct slice){head.data, size}, 0x400000, refuse, NULL) == 0);
    image.note[6] = 2; /* another version */
    CHECK(region_names_find(head, 0x400000, NULL, NULL) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_name_replaces_its_part_of_an_earlier_one),
        cmocka_unit_test(a_full_table_counts_what_it_missed),
        cmocka_unit_test(the_table_is_found_by_its_note)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
