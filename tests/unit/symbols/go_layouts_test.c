/* SPDX-License-Identifier: Apache-2.0 */
/* Every layout of Go's pclntab, made by hand: no one machine has a compiler of each. */
#include <string.h>

#include "check.h"
#include "symbols/elf/elf_view.h"
#include "symbols/go/pclntab.h"

#define TEXT      0x1000 /* outer: 0x40 bytes; the first 0x10 are of the inlined deep */
#define TREE_AT   0x9000
#define TREE_BASE 0x8ff0

struct image {
    char bytes[512];
    size_t used;
};

struct layout {
    uint32_t magic;
    bool wide;      /* addresses and funcdata as 8 bytes */
    bool has_parts; /* header with offsets of the parts */
    bool has_start_line, short_calls;
    uint32_t pcdata, funcdata; /* where the inlined calls are */
};

static void put(struct image *image, uint64_t value, size_t size)
{
    memcpy(image->bytes + image->used, &value, size);
    image->used += size;
}

static void put_text(struct image *image, const char *text, size_t size)
{
    memcpy(image->bytes + image->used, text, size);
    image->used += size;
}

/* Texts and values at fixed places behind the records. */
enum { NAMES = 256, FILES = 300, UNITS = 312, VALUES = 320 };
enum { NAME_OUTER = 1, NAME_DEEP = 12, PC_FILE = 1, PC_LINE = 4, PC_CALL = 10 };

static void put_tail(struct image *image, bool relative)
{
    image->used = NAMES;
    put_text(image, "\0main.outer\0main.deep", 22);
    image->used = FILES;
    put_text(image, "a.go", 5);
    image->used = UNITS;
    put(image, relative ? 0 : 2, 4); /* layout 1.2: a count, then absolute offsets */
    put(image, FILES, 4);
    image->used = VALUES;
    put_text(image, "\0", 1);
    put_text(image, relative ? "\2\x40\0" : "\4\x40\0", 3); /* file 0, or 1 */
    put_text(image, "\x16\x10\x0e\x30\0\0", 6);             /* line 10, then 17 */
    put_text(image, "\4\x10\3\x30\0", 5);                   /* call 1, then none */
}

static void put_record(struct image *image, const struct layout *layout, uint64_t names,
                       uint64_t values)
{
    put(image, layout->wide ? TEXT : 0, layout->wide ? 8 : 4);
    put(image, names + NAME_OUTER, 4);
    put(image, 0, 8);
    put(image, 0, 4); /* args, frame, pcsp */
    put(image, values + PC_FILE, 4);
    put(image, values + PC_LINE, 4);
    put(image, layout->pcdata + 1, 4);
    if (layout->has_parts)
        put(image, 0, 4); /* unit */
    if (layout->has_start_line)
        put(image, 3, 4);
    put(image, (uint64_t)(layout->funcdata + 1) << 24, 4);
    for (uint32_t i = 0; i < layout->pcdata; i++)
        put(image, 0, 4);
    put(image, values + PC_CALL, 4);
    if (layout->wide)
        image->used = (image->used + 7) & ~(size_t)7;
    for (uint32_t i = 0; i < layout->funcdata; i++)
        put(image, layout->wide ? 0 : UINT32_MAX, layout->wide ? 8 : 4);
    put(image, layout->wide ? TREE_AT : TREE_AT - TREE_BASE, layout->wide ? 8 : 4);
}

static void build(struct image *image, const struct layout *layout)
{
    *image = (struct image){0};
    put(image, layout->magic, 4);
    put(image, 0x08010000, 4); /* quantum 1, pointers of 8 */
    put(image, 1, 8);
    size_t functions = layout->has_parts ? (layout->wide ? 64 : 72) : 16;
    if (layout->has_parts) {
        const uint64_t parts[] = {NAMES, UNITS + 4, 0, VALUES, functions};
        put(image, 1, 8);
        if (!layout->wide)
            put(image, 0, 8); /* text start: 0 in a position-independent file */
        for (size_t i = 0; i < 5; i++)
            put(image, parts[i], 8);
    }
    size_t width = layout->wide ? 8 : 4, record = layout->has_parts ? 4 * width : 16 + 4 * width;
    put(image, layout->wide ? TEXT : 0, width);
    put(image, record, width);
    put(image, layout->wide ? TEXT + 0x40 : 0x40, width);
    put(image, layout->has_parts ? 0 : UNITS, width);
    put_record(image, layout, layout->has_parts ? 0 : NAMES, layout->has_parts ? 0 : VALUES);
    assert_true(image->used <= NAMES);
    put_tail(image, layout->has_parts);
}

/* The second inlined call: its name, and an instruction of outer, which is at line 17. */
static struct slice tree_of(void *context, uint64_t address)
{
    static struct image tree;
    const struct layout *layout = context;

    if (address != TREE_AT)
        return (struct slice){"", 0};
    tree.used = layout->short_calls ? 16 : 20; /* call 0 stays empty */
    if (!layout->short_calls)
        put(&tree, 0xffff, 8); /* no parent, file 0 */
    put(&tree, layout->short_calls ? 0 : 17, 4);
    put(&tree, (layout->has_parts ? 0 : NAMES) + NAME_DEEP, 4);
    put(&tree, 0x20, 4);
    if (layout->short_calls)
        put(&tree, 5, 4);
    return (struct slice){tree.bytes, tree.used};
}

static void check_frame(const struct go_frame *frame, const char *function, uint32_t line)
{
    CHECK(slice_equals(frame->function, slice_of(function)));
    CHECK(slice_equals(frame->file, slice_of("a.go")));
    assert_int_equal(frame->line, line);
}

static void every_layout_has_its_names_lines_and_inlines(void **state)
{
    static const struct layout layouts[] = {
        {0xfffffffb, true, false, false, false, 1, 2}, /* Go 1.12 */
        {0xfffffffb, true, false, false, false, 2, 4}, /* Go 1.13 */
        {0xfffffffa, true, true, false, false, 2, 3},  /* Go 1.16 */
        {0xfffffff0, false, true, false, false, 2, 3}, /* Go 1.18 */
        {0xfffffff1, false, true, true, true, 2, 3},   /* Go 1.20 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        struct image image;
        struct pclntab table;
        struct go_frame frames[4];
        build(&image, &layouts[i]);
        CHECK(pclntab_init(&table, (struct slice){image.bytes, image.used}) == 0);
        table.memory = tree_of;
        table.context = (void *)&layouts[i];
        table.before_1_13 = i == 0;
        table.text_start = TEXT;
        table.inline_base = TREE_BASE;
        for (uint64_t address = TEXT; address < TEXT + 0x40; address++) {
            bool inlined = address < TEXT + 0x10;
            assert_int_equal(pclntab_find(&table, address, frames, 4), inlined ? 2 : 1);
            if (inlined)
                check_frame(&frames[0], "main.deep", 10);
            check_frame(&frames[inlined], "main.outer", 17);
        }
        CHECK(pclntab_find(&table, TEXT - 1, frames, 4) == 0);
        CHECK(pclntab_find(&table, TEXT + 0x40, frames, 4) == 0);
        CHECK(pclntab_find(&table, TEXT, frames, 1) == 1); /* room for the real function only */
        check_frame(&frames[0], "main.outer", 17);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_has_its_names_lines_and_inlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
