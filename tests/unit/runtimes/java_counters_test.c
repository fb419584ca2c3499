/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/java_counters.h"

#include <string.h>

#include "check.h"

struct made {
    char bytes[4096];
    size_t size;
};

static void put_u32(struct made *made, size_t at, uint32_t value)
{
    memcpy(made->bytes + at, &value, sizeof(value));
}

static struct made begin(void)
{
    struct made made = {.size = 32};
    memcpy(made.bytes, "\xca\xfe\xc0\xc0\x01", 5);
    put_u32(&made, 24, 32);
    return made;
}

static void add(struct made *made, const char *name, uint64_t value)
{
    size_t const at = made->size, name_room = (strlen(name) + 8) & ~(size_t)7;
    uint32_t count;
    put_u32(made, at, (uint32_t)(24 + name_room + 8));
    put_u32(made, at + 4, 24);
    made->bytes[at + 12] = 'J';
    put_u32(made, at + 16, (uint32_t)(24 + name_room));
    strcpy(made->bytes + at + 24, name);
    memcpy(made->bytes + at + 24 + name_room, &value, sizeof(value));
    made->size += 24 + name_room + 8;
    memcpy(&count, made->bytes + 28, sizeof(count));
    put_u32(made, 28, count + 1);
}

TEST(spaces_add_up)
{
    struct made made = begin();
    struct java_counters counters;
    add(&made, "sun.gc.generation.0.space.0.used", 10);
    add(&made, "sun.gc.generation.0.space.0.capacity", 100);
    add(&made, "sun.gc.generation.0.capacity", 100); /* the sum of its spaces, not one more */
    add(&made, "sun.gc.generation.1.space.0.used", 7);
    add(&made, "sun.gc.generation.1.space.0.capacity", 50);
    add(&made, "sun.gc.metaspace.used", 3);
    add(&made, "sun.gc.collector.0.invocations", 4);
    CHECK(java_counters_parse(&counters, (struct slice){made.bytes, made.size}) == 0);
    CHECK(counters.heap_used == 17 && counters.heap_capacity == 150);
    CHECK(counters.metaspace_used == 3 && counters.collections == 4);
}

TEST(what_is_cut_or_wrong_is_refused_or_ends_there)
{
    struct made made = begin();
    struct java_counters counters;
    add(&made, "sun.gc.generation.0.space.0.capacity", 100);
    add(&made, "sun.gc.metaspace.used", 3);
    for (size_t size = 0; size < made.size; size++)
        (void)java_counters_parse(&counters, (struct slice){made.bytes, size});
    CHECK(java_counters_parse(&counters, (struct slice){made.bytes, made.size - 8}) == 0);
    CHECK(counters.metaspace_used == 0);
    put_u32(&made, 32, 0); /* an entry of no length: no endless list */
    CHECK(java_counters_parse(&counters, (struct slice){made.bytes, made.size}) < 0);
    made.bytes[0] = 0;
    CHECK(java_counters_parse(&counters, (struct slice){made.bytes, made.size}) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spaces_add_up),
        cmocka_unit_test(what_is_cut_or_wrong_is_refused_or_ends_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
