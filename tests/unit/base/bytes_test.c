/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

#include "check.h"
#include "random.h"

/* As the format says it: seven bits a byte, at most ten bytes. */
static bool take_slowly(const uint8_t *bytes, size_t size, uint64_t *value, size_t *used)
{
    *value = 0;
    for (*used = 0; *used < size && *used < 10; ++*used) {
        *value |= (uint64_t)(bytes[*used] & 0x7f) << (7 * *used);
        if (bytes[*used] < 0x80) {
            ++*used;
            return true;
        }
    }
    return false;
}

static uint64_t draw(struct random *random)
{
    return random_next(random) >> random_below(random, 64);
}

TEST(numbers_of_any_length_come_back)
{
    struct random random = random_from(1);
    struct byte_buffer buffer = {0};
    uint64_t numbers[1000];
    for (size_t i = 0; i < 1000; i++)
        put_varint(&buffer, numbers[i] = i < 2 ? i - 1 : draw(&random));
    struct byte_reader reader = {.at = buffer.data, .end = buffer.data + buffer.size};
    for (size_t i = 0; i < 1000; i++)
        CHECK(parse_varint(&reader) == numbers[i] && !reader.failed);
    CHECK(bytes_left(&reader) == 0);
    for (size_t passed = 0; passed <= 1000; passed += 1 + random_below(&random, 20)) {
        reader = (struct byte_reader){.at = buffer.data, .end = buffer.data + buffer.size};
        skip_varints(&reader, passed);
        CHECK(!reader.failed);
        if (passed < 1000)
            CHECK(parse_varint(&reader) == numbers[passed]);
    }
    skip_varints(&reader, 1001);
    CHECK(reader.failed && bytes_left(&reader) == 0);
    bytes_free(&buffer);
}

/* Bytes that no writer made, in memory that ends where they do. */
TEST(any_bytes_are_read_as_the_format_says)
{
    struct random random = random_from(2);
    for (unsigned round = 0; round < 20000; round++) {
        size_t const size = random_below(&random, 14);
        uint8_t *bytes = malloc(size + !size);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(random_next(&random) | (random_below(&random, 8) ? 0x80 : 0));
        struct byte_reader reader = {.at = bytes, .end = bytes + size};
        uint64_t value;
        size_t used;
        bool const is_number = take_slowly(bytes, size, &value, &used);
        uint64_t const parsed = parse_varint(&reader);
        CHECK(reader.failed == !is_number);
        if (is_number)
            CHECK(parsed == value && reader.at == bytes + used);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_any_length_come_back),
        cmocka_unit_test(any_bytes_are_read_as_the_format_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
