/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/encodings/msgpack.h"

#include <stdlib.h>

#include "check.h"
#include "formats/encodings/base64.h"

static struct msgpack_value parse_one(const char *bytes, size_t size)
{
    struct msgpack_in in = {.text = {bytes, size}};
    struct msgpack_value value;
    CHECK(msgpack_next(&in, &value) && !in.failed);
    CHECK(in.text.size == 0);
    return value;
}

TEST(every_width_of_number_is_read)
{
    CHECK(parse_one("\x07", 1).number == 7);
    CHECK(parse_one("\xff", 1).negative == -1);
    CHECK(parse_one("\xe0", 1).negative == -32);
    CHECK(parse_one("\xcc\xff", 2).number == 255);
    CHECK(parse_one("\xcd\x01\x00", 3).number == 256);
    CHECK(parse_one("\xce\x80\x00\x00\x00", 5).number == UINT64_C(2147483648));
    CHECK(parse_one("\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9).number == UINT64_MAX);
    CHECK(parse_one("\xd0\x80", 2).negative == -128);
    CHECK(parse_one("\xd0\x7f", 2).number == 127);
    CHECK(parse_one("\xd1\xff\xfe", 3).negative == -2);
    CHECK(parse_one("\xd2\x80\x00\x00\x00", 5).negative == INT32_MIN);
    CHECK(parse_one("\xd3\x80\x00\x00\x00\x00\x00\x00\x00", 9).negative == INT64_MIN);
    CHECK(parse_one("\xca\x3f\x80\x00\x00", 5).real == 1.0);
    CHECK(parse_one("\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00", 9).real == 1.5);
}

TEST(what_is_written_is_read)
{
    static const int64_t numbers[] = {
        0,  1,   127, 128,  255,       256,       65535,      65536,
        -1, -32, -33, -129, INT64_MIN, INT64_MAX, UINT32_MAX, (int64_t)UINT32_MAX + 1};
    struct msgpack_out out = {0};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        msgpack_reset(&out);
        msgpack_put_int(&out, numbers[i]);
        struct msgpack_value const value = parse_one(out.data, out.size);
        CHECK(value.type == (numbers[i] < 0 ? MSGPACK_INT : MSGPACK_UINT));
        CHECK((numbers[i] < 0 ? value.negative : (int64_t)value.number) == numbers[i]);
    }
    for (size_t size = 0; size < 70000; size = size * 3 + 5) {
        char *text = calloc(1, size + 1);
        memset(text, 'a', size);
        msgpack_reset(&out);
        msgpack_put_text(&out, text);
        CHECK(parse_one(out.data, out.size).bytes.size == size);
        msgpack_reset(&out);
        msgpack_put_bytes(&out, (struct slice){text, size});
        struct msgpack_value const value = parse_one(out.data, out.size);
        CHECK(value.type == MSGPACK_BYTES && value.bytes.size == size);
        free(text);
    }
    msgpack_fini(&out);
}

TEST(anything_is_skipped_whole)
{
    struct msgpack_out out = {0};
    msgpack_put_map(&out, 20);
    for (unsigned i = 0; i < 20; i++) {
        msgpack_put_uint(&out, i); /* spt has whole numbers as keys */
        msgpack_put_array(&out, 2);
        msgpack_put_nil(&out);
        msgpack_put_raw(&out, (struct slice){"\xd6\x01wxyz", 6}); /* ext of four bytes */
    }
    msgpack_put_bool(&out, true);
    struct msgpack_in in = {.text = {out.data, out.size}};
    struct slice whole;
    CHECK(msgpack_skip(&in, &whole));
    CHECK(whole.size == out.size - 1 && in.text.size == 1);
    for (size_t size = 0; size + 1 < out.size; size++) { /* cut anywhere: told, not read on */
        in = (struct msgpack_in){.text = {out.data, size}};
        CHECK(!msgpack_skip(&in, NULL) && in.failed);
    }
    msgpack_fini(&out);
}

TEST(depth_and_counts_that_lie_cost_nothing)
{
    char deep[100000];
    memset(deep, 0x91, sizeof(deep)); /* arrays of one array each */
    struct msgpack_in in = {.text = {deep, sizeof(deep)}};
    CHECK(!msgpack_skip(&in, NULL));
    in = (struct msgpack_in){.text = {"\xdd\xff\xff\xff\xff\x01", 6}};
    CHECK(!msgpack_skip(&in, NULL));
    in = (struct msgpack_in){.text = {"\xdb\xff\xff\xff\xff\x01", 6}};
    CHECK(!msgpack_skip(&in, NULL));
    in = (struct msgpack_in){.text = {"\xc1", 1}};
    CHECK(!msgpack_skip(&in, NULL));
}

TEST(base64_both_ways)
{
    static const char *const pairs[][2] = {
        {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
        {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe\xfd", "//79"}};
    char text[64];
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        size_t const size = base64_encode(slice_of(pairs[i][0]), text);
        CHECK(slice_equals((struct slice){text, size}, slice_of(pairs[i][1])));
        ssize_t const back = base64_decode(slice_of(pairs[i][1]), text);
        CHECK(back == (ssize_t)strlen(pairs[i][0]) && memcmp(text, pairs[i][0], (size_t)back) == 0);
    }
    CHECK(base64_decode(slice_of("Zm9vYg"), text) == 4); /* some leave the padding out */
    CHECK(base64_decode(slice_of("Zm9vY"), text) < 0);
    CHECK(base64_decode(slice_of("Zm=v"), text) < 0);
    CHECK(base64_decode(slice_of("===="), text) < 0);
    CHECK(base64_decode(slice_of("Zg="), text) < 0);
    CHECK(base64_decode(slice_of("Zm9v\n"), text) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_width_of_number_is_read),
                                       cmocka_unit_test(what_is_written_is_read),
                                       cmocka_unit_test(anything_is_skipped_whole),
                                       cmocka_unit_test(depth_and_counts_that_lie_cost_nothing),
                                       cmocka_unit_test(base64_both_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
