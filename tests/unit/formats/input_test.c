/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/input.h"

#include <bzlib.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "formats/shared/line_blocks.h"

#define TEXT_BYTES 700000

static char *make_text(void)
{
    char *text = malloc(TEXT_BYTES);
    for (size_t i = 0; i < TEXT_BYTES; i++)
        text[i] = i % 13 == 12 ? '\n' : (char)('a' + i * i % 26);
    return text;
}

/* By those that are only read. */
static char *pack_rare(const char *text, size_t size, enum compression compression, size_t *packed)
{
    size_t const room = 2 * size + 1000;
    char *data = malloc(room);
    unsigned used = (unsigned)room;
    *packed = 0;
    if (compression == COMPRESS_XZ) {
        assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text,
                                                 size, (uint8_t *)data, packed, room),
                         LZMA_OK);
        return data;
    }
    assert_int_equal(
        BZ2_bzBuffToBuffCompress(data, &used, (char *)(uintptr_t)text, (unsigned)size, 1, 0, 0),
        BZ_OK);
    *packed = used;
    return data;
}

/* `text` packed; the caller frees. */
static char *pack(const char *text, size_t size, enum compression compression, size_t *packed)
{
    char *data = NULL;
    if (compression == COMPRESS_XZ || compression == COMPRESS_BZIP2)
        return pack_rare(text, size, compression, packed);
    FILE *file = open_memstream(&data, packed);
    struct output *out = output_create(file, compression);
    output_bytes(out, text, size);
    assert_int_equal(output_finish(out, NULL), 0);
    fclose(file);
    return data;
}

/* Reads in pieces of a size that fits nothing. */
static size_t read_all(struct input *input, char *into, size_t room)
{
    size_t done = 0, part;
    while (done < room && (part = input_read(input, into + done, 977)) > 0)
        done += part;
    return done;
}

static void check_reads(const char *packed, size_t size, const char *text, size_t expected)
{
    char *got = malloc(expected + 1000);
    struct input *input = input_open_bytes(packed, size);
    assert_int_equal(read_all(input, got, expected + 1), expected);
    assert_memory_equal(got, text, expected);
    assert_int_equal(input_end(input), INPUT_WHOLE);
    input_close(input);
    free(got);
}

TEST(every_packing_gives_the_same_bytes)
{
    static const enum compression kinds[] = {COMPRESS_NONE, COMPRESS_GZIP, COMPRESS_ZSTD,
                                             COMPRESS_XZ, COMPRESS_BZIP2};
    char *text = make_text();
    for (int i = 0; i < 5; i++) {
        size_t size;
        char *packed = pack(text, TEXT_BYTES, kinds[i], &size);
        check_reads(packed, size, text, TEXT_BYTES);
        free(packed);
    }
    free(text);
}

TEST(parts_packed_one_after_the_other_are_one_input)
{
    static const enum compression kinds[] = {COMPRESS_GZIP, COMPRESS_ZSTD, COMPRESS_XZ,
                                             COMPRESS_BZIP2};
    for (int i = 0; i < 4; i++) {
        size_t first, second;
        char *a = pack("one\n", 4, kinds[i], &first), *b = pack("two\n", 4, kinds[i], &second);
        char *both = malloc(first + second + 3);
        memcpy(both, a, first);
        memcpy(both + first, b, second);
        memset(both + first + second, 0, 3);
        check_reads(both, first + second + (kinds[i] == COMPRESS_GZIP ? 3 : 0), "one\ntwo\n", 8);
        free(a);
        free(b);
        free(both);
    }
}

static enum input_end end_of(const char *packed, size_t size, size_t *got)
{
    char *into = malloc(2 * TEXT_BYTES);
    struct input *input = input_open_bytes(packed, size);
    *got = read_all(input, into, 2 * TEXT_BYTES);
    enum input_end end = input_end(input);
    input_close(input);
    free(into);
    return end;
}

TEST(what_is_cut_or_damaged_is_told_and_the_part_before_is_there)
{
    static const enum compression kinds[] = {COMPRESS_GZIP, COMPRESS_ZSTD, COMPRESS_XZ,
                                             COMPRESS_BZIP2};
    char *text = make_text();
    for (int i = 0; i < 4; i++) {
        size_t size, got;
        char *packed = pack(text, TEXT_BYTES, kinds[i], &size);
        assert_int_equal(end_of(packed, size / 2, &got), INPUT_CUT);
        CHECK(got > 0 && got < TEXT_BYTES);
        assert_int_equal(end_of(packed, size - 1, &got), INPUT_CUT);
        for (size_t at = size / 2; at < size / 2 + 40; at++)
            packed[at] = (char)~packed[at];
        enum input_end end = end_of(packed, size, &got); /* the end itself may be overlooked */
        CHECK(end == INPUT_DAMAGED || end == INPUT_CUT);
        CHECK(got > 0 && got < 2 * TEXT_BYTES);
        free(packed);
    }
    free(text);
}

TEST(no_bytes_are_a_whole_input)
{
    size_t got;
    assert_int_equal(end_of("", 0, &got), INPUT_WHOLE);
    assert_int_equal(got, 0);
}

TEST(a_folder_is_refused_with_a_sentence)
{
    struct fault fault = {0};
    assert_null(input_open("/", &fault));
    assert_non_null(strstr(fault.text, "not an ordinary file"));
    assert_null(input_open("/no/such/file", &fault));
    assert_non_null(strstr(fault.text, "No such file"));
}

TEST(blocks_are_whole_lines_and_hold_all_of_them)
{
    char *text = make_text(), *got = malloc(TEXT_BYTES);
    struct input *input = input_open_bytes(text, TEXT_BYTES);
    struct line_blocks blocks = {.input = input};
    struct slice lines;
    size_t done = 0;
    while (line_blocks_next(&blocks, &lines)) {
        assert_int_equal(lines.data[lines.size - 1], '\n');
        memcpy(got + done, lines.data, lines.size);
        done += lines.size;
    }
    assert_int_equal(done, TEXT_BYTES - TEXT_BYTES % 13);
    assert_int_equal(blocks.tail_bytes, TEXT_BYTES % 13);
    assert_memory_equal(got, text, done);
    line_blocks_fini(&blocks);
    input_close(input);
    free(text);
    free(got);
}

TEST(a_line_without_end_is_cut_and_the_next_one_is_found)
{
    size_t const size = 5 * LINE_BYTES_MAX;
    char *text = malloc(size);
    memset(text, 'x', size);
    memcpy(text, "first\n", 6);
    memcpy(text + size - 11, "\nlast\nrest", 10);
    struct input *input = input_open_bytes(text, size);
    struct line_blocks blocks = {.input = input};
    struct slice lines;
    size_t most = 0;
    char ending[6] = "";
    while (line_blocks_next(&blocks, &lines)) {
        most = lines.size > most ? lines.size : most;
        if (lines.size >= 5)
            memcpy(ending, lines.data + lines.size - 5, 5);
    }
    assert_int_equal(blocks.cut, 1);
    CHECK(most <= 2 * LINE_BYTES_MAX);
    assert_string_equal(ending, "last\n");
    assert_int_equal(blocks.tail_bytes, 5);
    line_blocks_fini(&blocks);
    input_close(input);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_packing_gives_the_same_bytes),
        cmocka_unit_test(parts_packed_one_after_the_other_are_one_input),
        cmocka_unit_test(what_is_cut_or_damaged_is_told_and_the_part_before_is_there),
        cmocka_unit_test(no_bytes_are_a_whole_input),
        cmocka_unit_test(a_folder_is_refused_with_a_sentence),
        cmocka_unit_test(blocks_are_whole_lines_and_hold_all_of_them),
        cmocka_unit_test(a_line_without_end_is_cut_and_the_next_one_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
