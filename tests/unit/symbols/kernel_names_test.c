/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/lookup/kernel_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static bool finds(const struct kernel_names *names, uint64_t address, const char *function,
                  const char *module)
{
    const char *found, *of;
    return kernel_names_find(names, address, &found, &of) && strcmp(found, function) == 0 &&
           strcmp(of, module) == 0;
}

TEST(functions_hold_the_addresses_up_to_the_next)
{
    struct kernel_names *names = kernel_names_parse(
        slice_of("ffffffff81002000 t second\nffffffff81001000 T first\nffffffff81001800 D data\n"
                 "ffffffffa0000000 t third\t[nf_tables]\n"));
    const char *function, *module;
    CHECK(names && !kernel_names_are_hidden(names));
    CHECK(finds(names, 0xffffffff81001000, "first", ""));
    CHECK(finds(names, 0xffffffff81001fff, "first", "")); /* data is no function */
    CHECK(finds(names, 0xffffffff81002000, "second", ""));
    CHECK(finds(names, 0xffffffffa0000010, "third", "nf_tables"));
    CHECK(!kernel_names_find(names, 0xffffffff81000fff, &function, &module));
    CHECK(!kernel_names_find(names, 0xffffffffa0001000, &function, &module));
    kernel_names_free(names);
}

TEST(of_several_names_the_global_short_one_is_taken)
{
    struct kernel_names *names = kernel_names_parse(
        slice_of("ffffffff81001000 t local\nffffffff81001000 T __pi_shared\n"
                 "ffffffff81001000 T shared\nffffffff81001000 T shared_longer\n"));
    CHECK(finds(names, 0xffffffff81001004, "shared", ""));
    kernel_names_free(names);
}

TEST(hidden_addresses_are_told)
{
    struct kernel_names *names =
        kernel_names_parse(slice_of("0000000000000000 T first\n0000000000000000 t second\n"));
    const char *function, *module;
    CHECK(names && kernel_names_are_hidden(names));
    CHECK(!kernel_names_find(names, 0, &function, &module));
    kernel_names_free(names);
}

TEST(what_makes_no_sense_is_left_out)
{
    struct kernel_names *names =
        kernel_names_parse(slice_of("\nxyz T a\nffffffff81001000\nffffffff81001000 T\n"
                                    "ffffffff81001000 TT b\nffffffff810010001 T c\n"
                                    "ffffffff81001000 T o\001k"));
    CHECK(finds(names, 0xffffffff81001000, "o?k", ""));
    kernel_names_free(names);
    CHECK(!kernel_names_read("/nonexistent"));
}

TEST(this_kernel_has_names_or_hides_them)
{
    struct kernel_names *names = kernel_names_read(NULL);
    FILE *list = fopen("/proc/kallsyms", "r");
    char line[512], type = 0;
    uint64_t address = 0;
    const char *function, *module;
    while (list && type != 'T' && fgets(line, sizeof(line), list))
        (void)sscanf(line, "%" SCNx64 " %c", &address, &type);
    if (list)
        fclose(list);
    CHECK(!names || kernel_names_are_hidden(names) ||
          kernel_names_find(names, address, &function, &module));
    kernel_names_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_hold_the_addresses_up_to_the_next),
        cmocka_unit_test(of_several_names_the_global_short_one_is_taken),
        cmocka_unit_test(hidden_addresses_are_told),
        cmocka_unit_test(what_makes_no_sense_is_left_out),
        cmocka_unit_test(this_kernel_has_names_or_hides_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
