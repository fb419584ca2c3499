/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "check.h"

#define MUCH 1000000 /* several buffers */

static char *write_numbers(enum compression compression, size_t *size)
{
    char *data = NULL;
    FILE *file = open_memstream(&data, size);
    struct output *out = output_create(file, compression);
    assert_non_null(out);
    for (uint64_t i = 0; i < MUCH / 8; i++) {
        output_text(out, "+ ");
        output_hex(out, i * 1234567);
        output_char(out, '\n');
    }
    output_format(out, "%s %d\n", "end", 7);
    assert_int_equal(output_finish(out, NULL), 0);
    fclose(file);
    return data;
}

static void check_plain(const char *text, size_t size)
{
    char line[32];
    for (uint64_t i = 0; i < MUCH / 8; i++) {
        int length = snprintf(line, sizeof(line), "+ %llx\n", (unsigned long long)i * 1234567);
        assert_memory_equal(text, line, (size_t)length);
        text += length;
        size -= (size_t)length;
    }
    assert_int_equal(size, 6);
    assert_memory_equal(text, "end 7\n", 6);
}

static void plain_bytes_arrive(void **state)
{
    (void)state;
    size_t size;
    char *data = write_numbers(COMPRESS_NONE, &size);
    check_plain(data, size);
    free(data);
}

static void text_steers_no_terminal(void **state)
{
    (void)state;
    char *data = NULL;
    size_t size, at = 0;
    FILE *file = open_memstream(&data, &size);
    struct output *out = output_create(file, COMPRESS_NONE);
    assert_non_null(out);
    output_be_text(out);
    for (uint64_t i = 0; i < MUCH / 8; i++) /* every way to lie across the end of the buffer */
        output_text(out, i % 1000 ? "\t\xc3\xbc\xe2\x82\xac\n" : "\t\xc3\xbc\xe2\x82\xac!\n");
    output_text(out, "\033[31m\xe2\x80\xae \xff \xc3");
    assert_int_equal(output_finish(out, NULL), 0);
    fclose(file);
    for (uint64_t i = 0; i < MUCH / 8; i++) {
        const char *line = i % 1000 ? "\t\xc3\xbc\xe2\x82\xac\n" : "\t\xc3\xbc\xe2\x82\xac!\n";
        assert_memory_equal(data + at, line, strlen(line));
        at += strlen(line);
    }
    assert_string_equal(data + at, "?[31m??? ? ?");
    free(data);
}

static void gzip_unpacks_to_the_same(void **state)
{
    (void)state;
    size_t size, room = 4 * MUCH;
    char *data = write_numbers(COMPRESS_GZIP, &size), *plain = malloc(room);
    z_stream stream = {.next_in = (void *)data,
                       .avail_in = (uInt)size,
                       .next_out = (void *)plain,
                       .avail_out = (uInt)room};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    check_plain(plain, stream.total_out);
    inflateEnd(&stream);
    free(data);
    free(plain);
}

static void zstd_unpacks_to_the_same(void **state)
{
    (void)state;
    size_t size, room = 4 * MUCH;
    char *data = write_numbers(COMPRESS_ZSTD, &size), *plain = malloc(room);
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_inBuffer in = {data, size, 0};
    ZSTD_outBuffer out = {plain, room, 0};
    assert_int_equal(ZSTD_decompressStream(context, &out, &in), 0); /* one whole frame */
    assert_int_equal(in.pos, size);
    check_plain(plain, out.pos);
    ZSTD_freeDCtx(context);
    free(data);
    free(plain);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    FILE *file = fopen("/dev/full", "w");
    if (!file)
        skip();
    struct output *out = output_create(file, COMPRESS_NONE);
    struct fault fault = {.text = ""};
    output_text(out, "x");
    assert_int_equal(output_finish(out, &fault), -ENOSPC);
    assert_non_null(strstr(fault.text, "No space"));
    fclose(file);
}

static void names_choose_the_compression(void **state)
{
    (void)state;
    assert_int_equal(compression_of_name("a.gz"), COMPRESS_GZIP);
    assert_int_equal(compression_of_name("heaptrack.x.1.zst"), COMPRESS_ZSTD);
    assert_int_equal(compression_of_name("a.gzip"), COMPRESS_NONE);
    assert_int_equal(compression_of_name("gz"), COMPRESS_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_bytes_arrive),       cmocka_unit_test(text_steers_no_terminal),
        cmocka_unit_test(gzip_unpacks_to_the_same), cmocka_unit_test(zstd_unpacks_to_the_same),
        cmocka_unit_test(a_full_disk_is_reported),  cmocka_unit_test(names_choose_the_compression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
