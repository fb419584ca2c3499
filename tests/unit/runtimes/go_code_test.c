/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/go_code.h"

#include "check.h"

TEST(operands_are_found_and_runs_in_them)
{
    /* mov rax,[rip+0x10]; add rcx,[rip+0x11]; lea r8,[rip+0x100]; mov rax,[rsp+8]; mov
     * rax,[rip-7] */
    static const char code[] = "\x48\x8b\x05\x10\x00\x00\x00"
                               "\x48\x03\x0d\x11\x00\x00\x00"
                               "\x4c\x8d\x05\x00\x01\x00\x00"
                               "\x48\x8b\x44\x24\x08"
                               "\x48\x8b\x05\xf9\xff\xff\xff";
    struct go_targets targets;
    go_code_targets(&targets, (struct slice){code, sizeof(code) - 1}, 0x1000);
    CHECK(targets.count == 4);
    CHECK(targets.addresses[0] == 0x1017 && targets.addresses[2] == 0x101f);
    CHECK(targets.addresses[1] == 0x101a); /* the last one names itself */
    CHECK(targets.addresses[3] == 0x1115);
    size_t at = 0;
    uint64_t first = 0;
    CHECK(!go_targets_run(&targets, 2, &at, &first)); /* 8 apart, but with another one between */
    targets = (struct go_targets){.addresses = {8, 24, 32, 40, 48, 64}, .count = 6};
    at = 0;
    CHECK(go_targets_run(&targets, 3, &at, &first) && first == 24);
    CHECK(go_targets_run(&targets, 3, &at, &first) && first == 32);
    CHECK(!go_targets_run(&targets, 3, &at, &first));
    at = 0;
    CHECK(!go_targets_run(&targets, 5, &at, &first));
}

TEST(code_that_ends_early_is_no_harm)
{
    struct go_targets targets;
    go_code_targets(&targets, (struct slice){"\x48\x8b\x05\x10\x00", 5}, 0);
    CHECK(targets.count == 0);
    go_code_targets(&targets, (struct slice){"", 0}, 0);
    CHECK(targets.count == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operands_are_found_and_runs_in_them),
                                       cmocka_unit_test(code_that_ends_early_is_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
