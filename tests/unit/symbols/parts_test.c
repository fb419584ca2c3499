/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "resolve.h"
#include "scratch.h"
#include "symbols/dwarf/dwarf_lines.h"
#include "symbols/elf/elf_image.h"
#include "symbols/dwarf/minidebug.h"
#include "symbols/lookup/range_index.h"

/* The innermost is the one that begins last; of those, the shortest. */
static uint64_t length_by_search(const struct range *ranges, size_t count, uint64_t address)
{
    const struct range *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct range *one = &ranges[i];
        if (one->low <= address && address < one->high &&
            (!best || one->low > best->low || (one->low == best->low && one->high < best->high)))
            best = one;
    }
    return best ? best->high - best->low : 0;
}

static void the_innermost_range_is_found(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct range_index index = {0};
        srand(round);
        for (uint32_t i = 0; i < round % 30; i++) {
            uint64_t low = 10 + rand() % 100;
            CHECK(range_index_add(&index, low, low + rand() % (round % 2 ? 50 : 8), i));
        }
        range_index_build(&index);
        for (uint64_t address = 0; address < 200; address++) {
            const struct range *found = range_index_find(&index, address);
            assert_int_equal(found ? found->high - found->low : 0,
                             length_by_search(index.ranges.items, index.ranges.count, address));
            for (; found; found = range_index_outer(&index, found, address))
                CHECK(found->low <= address && address < found->high);
        }
        range_index_free(&index);
    }
}

static void unpacking_stops_at_its_bound(void **state)
{
    size_t size = 10 * 1024 * 1024, packed_size = 0;
    uint8_t *plain = calloc(1, size), *packed = malloc(size);
    struct slice unpacked;

    (void)state;
    plain[size - 1] = 'x';
    CHECK(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, plain, size, packed, &packed_size,
                                  size) == LZMA_OK);
    struct slice input = {(char *)packed, packed_size};
    CHECK(minidebug_unpack(input, size + 1, &unpacked) == 0);
    CHECK(unpacked.size == size && memcmp(unpacked.data, plain, size) == 0);
    free((char *)unpacked.data);
    CHECK(minidebug_unpack(input, size / 2, &unpacked) == -EFBIG && unpacked.data == NULL);
    input.size--;
    CHECK(minidebug_unpack(input, size + 1, &unpacked) == -EINVAL && unpacked.data == NULL);
    packed[packed_size / 2] ^= 1;
    input.size++;
    CHECK(minidebug_unpack(input, size + 1, &unpacked) == -EINVAL && unpacked.data == NULL);
    free(plain);
    free(packed);
}

static void forgetting_changes_no_answer(void **state)
{
    struct elf_image image;
    uint64_t begin, size;

    (void)state;
    scratch_open();
    write_c_program();
    scratch_run("cc", "-O2", "-g", "-gz", "-o", "program", "program.c");
    scratch_symbol("program", "outer", &begin, &size);
    CHECK(elf_image_open(&image, "", scratch_path("program")) == 0);
    struct dwarf_lines *lines = dwarf_lines_open(image.bytes, (struct slice){"", 0}, "");
    CHECK(lines && dwarf_lines_bytes(lines) == 0 && dwarf_lines_fixed_bytes(lines) > 0);
    for (int round = 0; round < 3; round++) {
        size_t inlined = 0;
        for (uint64_t address = begin; address < begin + size; address++) {
            struct dwarf_frame frames[RESOLVED_MAX];
            size_t count = dwarf_lines_find(lines, address, frames);
            CHECK(count > 0);
            assert_string_equal(frames[count - 1].name, "outer");
            inlined += count == 3;
        }
        CHECK(inlined > 0 && dwarf_lines_bytes(lines) > 0);
        dwarf_lines_forget(lines);
        assert_int_equal(dwarf_lines_bytes(lines), 0);
    }
    dwarf_lines_close(lines);
    elf_image_close(&image);
    scratch_close();
}

static int open_descriptors(void)
{
    int probe = dup(0); /* the lowest free one: all below are open */
    close(probe);
    return probe;
}

static void many_modules_stay_within_the_open_files(void **state)
{
    struct resolver *resolver = resolver_create();
    struct resolved frames[RESOLVED_MAX];
    uint64_t begin, size;
    char folder[512], path[600];
    int before = open_descriptors();

    (void)state;
    scratch_open();
    write_c_program();
    scratch_run("cc", "-O2", "-g", "-o", "program", "program.c");
    scratch_symbol("program", "outer", &begin, &size);
    const char *program = scratch_path("program");
    snprintf(folder, sizeof(folder), "%s/", scratch_path(""));
    for (int i = 0; i < 700; i++) {
        char name[32];
        snprintf(name, sizeof(name), "program%d", i % 350);
        strcat(strcpy(path, folder), name);
        if (i < 350)
            CHECK(link(program, path) == 0);
        struct resolver_module module = {path, "", ""};
        CHECK(resolver_lookup(resolver, &module, begin, frames) == 1);
        assert_string_equal(frames[0].function, "outer");
    }
    CHECK(open_descriptors() - before <= 3 * 256);
    resolver_destroy(resolver);
    assert_int_equal(open_descriptors(), before);
    scratch_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_innermost_range_is_found),
        cmocka_unit_test(unpacking_stops_at_its_bound),
        cmocka_unit_test(forgetting_changes_no_answer),
        cmocka_unit_test(many_modules_stay_within_the_open_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
