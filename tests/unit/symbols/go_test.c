/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "resolve.h"
#include "scratch.h"
#include "symbols/go/pclntab.h"

static const char source[] = "package main\n"
                             "\n"
                             "import (\n"
                             "\t\"fmt\"\n"
                             "\t\"os\"\n"
                             ")\n"
                             "\n"
                             "var cells [100]int\n"
                             "\n"
                             "func deep(i int) int {\n"
                             "\treturn cells[i] * 3\n" /* line 11 */
                             "}\n"
                             "\n"
                             "func middle(i int) int {\n"
                             "\ta := deep(i)\n"
                             "\tb := deep(i + 1)\n" /* line 16 */
                             "\treturn a ^ b\n"
                             "}\n"
                             "\n"
                             "//go:noinline\n"
                             "func outer(n int) int {\n"
                             "\treturn middle(n) + 1\n" /* line 22 */
                             "}\n"
                             "\n"
                             "func main() {\n"
                             "\tfmt.Println(outer(len(os.Args)))\n"
                             "}\n";

static const char *const chain[] = {"main.deep main.go:11", "main.middle main.go:16",
                                    "main.outer main.go:22", NULL};

/* Builds the same program with and without symbols, which the linker lays out alike. */
static void check_build(const char *mode, const char *link)
{
    char stripped[128];
    struct resolver_module module = {scratch_path("stripped"), "", ""};
    struct resolver *resolver = resolver_create();
    struct resolved frames[RESOLVED_MAX];
    uint64_t begin, size;

    snprintf(stripped, sizeof(stripped), "%s -s -w", link);
    scratch_run("go", "build", mode, "-ldflags", link, "-o", "full", "main.go");
    scratch_run("go", "build", mode, "-ldflags", stripped, "-o", "stripped", "main.go");
    CHECK(finds_chain(resolver, &module, "full", "main.outer", chain));
    scratch_symbol("full", "main.main", &begin, &size);
    CHECK(resolver_lookup(resolver, &module, begin, frames) == 1);
    assert_string_equal(frames[0].function, "main.main");
    assert_string_equal(frames[0].symbol, "main.main");
    assert_string_equal(frames[0].file, scratch_path("main.go"));
    assert_int_equal(frames[0].line, 25);
    scratch_symbol("full", "runtime.mallocgc", &begin, &size);
    CHECK(resolver_lookup(resolver, &module, begin + size - 1, frames) > 0);
    resolver_destroy(resolver);
}

static void a_stripped_go_program_has_names_lines_and_inlines(void **state)
{
    (void)state;
    if (!scratch_has("go"))
        skip();
    scratch_open();
    if (!getenv("HOME")) /* else the user's own cache spares building the standard library */
        setenv("GOCACHE", scratch_path("cache"), 1);
    setenv("GOFLAGS", "-mod=mod", 1);
    setenv("GO111MODULE", "off", 1);
    scratch_write("main.go", source, strlen(source));
    check_build("-buildmode=exe", "");
    check_build("-buildmode=pie", "");
    check_build("-buildmode=pie", "-linkmode=external"); /* the table is melted into .data.rel.ro */
    if (scratch_has("ld.lld")) /* writes addresses into relocations alone */
        check_build("-buildmode=pie", "-linkmode=external -extldflags=-fuse-ld=lld");
    scratch_close();
}

/* A table as Go 1.2 to 1.15 wrote it, made by hand: header, two functions, one file. */
static const unsigned char old_table[] = {
    0xfb, 0xff, 0xff, 0xff, 0, 0, 1, 8, 2, 0, 0, 0, 0, 0, 0, 0,
    /* 16: functions (address, record), end address, offset of the files */
    0x00, 0x10, 0, 0, 0, 0, 0, 0, 72, 0, 0, 0, 0, 0, 0, 0,  /* "main.f" at 0x1000 */
    0x40, 0x10, 0, 0, 0, 0, 0, 0, 112, 0, 0, 0, 0, 0, 0, 0, /* "main.g" at 0x1040 */
    0x80, 0x10, 0, 0, 0, 0, 0, 0, 152, 0, 0, 0, 0, 0, 0, 0, /* end 0x1080; files at 152 */
    0, 0, 0, 0, 0, 0, 0, 0,
    /* 72: entry, name, args, frame, pcsp, pcfile, pcln, npcdata, nfuncdata */
    0x00, 0x10, 0, 0, 0, 0, 0, 0, 160, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 184, 0, 0, 0,
    188, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    /* 112 */
    0x40, 0x10, 0, 0, 0, 0, 0, 0, 167, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 184, 0, 0, 0,
    194, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    /* 152: two slots, the first is the count */
    2, 0, 0, 0, 174, 0, 0, 0,
    /* 160, 167, 174 */
    'm', 'a', 'i', 'n', '.', 'f', 0, 'm', 'a', 'i', 'n', '.', 'g', 0, 'a', '.', 'g', 'o', 0, 0, 0,
    0, 0, 0,
    /* 184: file 1 (-1 + 2) for 0x40 bytes */
    4, 0x40, 0, 0,
    /* 188: line 10 (+11) for 0x10, line 7 (-3) for 0x30 bytes */
    22, 0x10, 5, 0x30, 0, 0,
    /* 194: line 99 (+100 = 0xc8 0x01) for 0x40 bytes */
    0xc8, 0x01, 0x40, 0};

static void check_old(uint64_t address, const char *function, uint32_t line)
{
    struct pclntab table;
    struct go_frame frames[4];
    CHECK(pclntab_init(&table, (struct slice){(const char *)old_table, sizeof(old_table)}) == 0);
    size_t count = pclntab_find(&table, address, frames, 4);
    assert_int_equal(count, function ? 1 : 0);
    if (function) {
        CHECK(slice_equals(frames[0].function, slice_of(function)));
        CHECK(slice_equals(frames[0].file, slice_of("a.go")));
        assert_int_equal(frames[0].line, line);
    }
}

static void the_first_layout_is_read(void **state)
{
    (void)state;
    check_old(0xfff, NULL, 0);
    check_old(0x1000, "main.f", 10);
    check_old(0x100f, "main.f", 10);
    check_old(0x1010, "main.f", 7);
    check_old(0x103f, "main.f", 7);
    check_old(0x1040, "main.g", 99);
    check_old(0x107f, "main.g", 99);
    check_old(0x1080, NULL, 0);
}

/* Every cut of the table, at the end of an allocation, so that ASan sees one byte too far. */
static void a_cut_table_is_refused_or_read_within_bounds(void **state)
{
    (void)state;
    for (size_t size = 0; size <= sizeof(old_table); size++) {
        char *bytes = malloc(size + 1);
        struct pclntab table;
        struct go_frame frames[4];
        memcpy(bytes + 1, old_table, size);
        if (pclntab_init(&table, (struct slice){bytes + 1, size}) == 0) {
            for (uint64_t address = 0xfff; address < 0x1082; address++)
                (void)pclntab_find(&table, address, frames, 4);
        }
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stripped_go_program_has_names_lines_and_inlines),
        cmocka_unit_test(the_first_layout_is_read),
        cmocka_unit_test(a_cut_table_is_refused_or_read_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
