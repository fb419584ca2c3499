/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/load.h"

#include <string.h>

#include "check.h"
#include "nets/latency.h"

TEST(percentiles_are_at_most_a_64th_too_high)
{
    struct latency latency = {0};
    CHECK(latency_percentile(&latency, 0.5) == 0);
    for (uint64_t us = 1; us <= 100000; us++)
        latency_add(&latency, us);
    uint64_t const half = latency_percentile(&latency, 0.5),
                   most = latency_percentile(&latency, 0.99);
    CHECK(half >= 50000 && half <= 50000 + 50000 / 64 + 1);
    CHECK(most >= 99000 && most <= 99000 + 99000 / 64 + 1);
    CHECK(latency_percentile(&latency, 1) == 100000 && latency.max_us == 100000);
    latency_add(&latency, UINT64_MAX);
    CHECK(latency_percentile(&latency, 1) == UINT64_MAX || latency.max_us == UINT64_MAX);
}

TEST(small_times_are_exact)
{
    struct latency latency = {0};
    for (int i = 0; i < 9; i++)
        latency_add(&latency, 3);
    latency_add(&latency, 63);
    CHECK(latency_percentile(&latency, 0.9) == 3 && latency_percentile(&latency, 0.91) == 63);
}

TEST(a_put_is_a_frame_with_key_and_value)
{
    struct load_options const options = {.kind = "etcd", .name = "a", .value_bytes = 3};
    struct protobuf_out body = {0};
    const char *path;
    load_kind_find("etcd")->make(&options, 2, &body, &path);
    assert_string_equal(path, "/etcdserverpb.KV/Put");
    CHECK(body.size == 16 && !body.failed);
    assert_memory_equal(body.data,
                        "\0\0\0\0\x0b\x0a\x04/a/2\x12\x03"
                        "ccc",
                        16);
    protobuf_fini(&body);
    load_kind_find("etcd")->make(&options, 1, &body, &path);
    assert_string_equal(path, "/etcdserverpb.KV/Txn");
    CHECK(body.size == 5u + body.data[4]);
    protobuf_fini(&body);
    CHECK(load_kind_find("other") == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_are_at_most_a_64th_too_high),
        cmocka_unit_test(small_times_are_exact),
        cmocka_unit_test(a_put_is_a_frame_with_key_and_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
