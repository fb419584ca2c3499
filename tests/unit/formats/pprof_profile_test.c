/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pprof_bytes.h"

#define BYTES(text) text, sizeof(text) - 1

static struct pprof_profile *read_bytes(const char *data, size_t size)
{
    struct fault fault = {.text = ""};
    struct pprof_profile *profile = pprof_read_bytes(data, size, &fault);
    if (!profile)
        fail_msg("%s", fault.text);
    return profile;
}

static void check_refused(const char *data, size_t size, const char *why)
{
    struct fault fault = {.text = ""};
    CHECK(pprof_read_bytes(data, size, &fault) == NULL);
    CHECK(fault.code < 0);
    if (!strstr(fault.text, why))
        fail_msg("\"%s\" says nothing of \"%s\"", fault.text, why);
}

static void check_total(const char *data, size_t size, int64_t total)
{
    struct pprof_profile *profile = read_bytes(data, size);
    int const column = pprof_column(profile, NULL);
    CHECK(column >= 0);
    assert_int_equal(pprof_total(profile, (unsigned)column), total);
    pprof_destroy(profile);
}

static bool says(const struct pprof_profile *profile, uint32_t string, const char *text)
{
    return slice_equals(pprof_text(profile, string), slice_of(text));
}

/* The name of line `line` of the location at `depth` of a sample. */
static uint32_t function_at(const struct pprof_profile *profile, size_t sample, uint32_t depth,
                            uint32_t line)
{
    const struct pprof_sample *row = &profile->samples.items[sample];
    uint64_t const place = profile->stacks.items[row->first_location + depth];
    const struct pprof_location *location = &profile->locations.items[place];
    uint64_t const function = profile->lines.items[location->first_line + line].function;
    return profile->functions.items[function - 1].name;
}

TEST(the_minimal_profile_is_read_as_it_is)
{
    struct pprof_profile *profile = read_bytes(BYTES(PPROF_MINIMAL));
    assert_int_equal(sizeof(PPROF_MINIMAL) - 1, 152);
    CHECK(profile->types.count == 1 && profile->samples.count == 1);
    CHECK(says(profile, profile->types.items[0].type, "inuse_space"));
    CHECK(says(profile, profile->types.items[0].unit, "bytes"));
    CHECK(says(profile, function_at(profile, 0, 0, 0), "main.work"));
    CHECK(says(profile, function_at(profile, 0, 1, 0), "main.main"));
    CHECK(profile->lines.items[0].line == 12 && profile->locations.items[0].address == 0x401000);
    CHECK(says(profile, profile->labels.items[0].key, "bytes"));
    CHECK(profile->labels.items[0].number == 64);
    CHECK(profile->time_ns == INT64_C(1700000000000000000) && profile->period == 524288);
    CHECK(says(profile, profile->period_type.type, "space"));
    CHECK(pprof_value(profile, 0, 0) == 4096 && pprof_total(profile, 0) == 4096);
    pprof_destroy(profile);
}

TEST(columns_are_chosen_by_name_number_and_wish)
{
    struct pprof_profile *profile = read_bytes(BYTES(PPROF_MINIMAL));
    CHECK(pprof_column(profile, NULL) == 0 && pprof_column(profile, "inuse_space") == 0);
    CHECK(pprof_column(profile, "0") == 0 && pprof_column(profile, "1") == -ENOENT);
    CHECK(pprof_column(profile, "space") == -ENOENT && pprof_column(profile, "") == -ENOENT);
    pprof_destroy(profile);
    /* "objects", "space" of older forms; string 3 is "main.work", made the default */
    profile = read_bytes(BYTES("\x0a\x04\x08\x03\x10\x02\x0a\x04\x08\x06\x10\x02"
                               "\x70\x03" PPROF_MINIMAL_STRINGS));
    CHECK(pprof_column(profile, "inuse_space") == 1 && pprof_column(profile, NULL) == 0);
    CHECK(pprof_total(profile, 0) == 0 && pprof_total(profile, 7) == 0);
    pprof_destroy(profile);
}

/* A profile of the minimal one's tables with other samples. */
#define WITH_SAMPLES(samples) BYTES(PPROF_MINIMAL_TYPES samples PPROF_MINIMAL_AFTER_SAMPLE)

TEST(values_may_come_one_by_one_and_fields_in_any_order)
{
    check_total(WITH_SAMPLES("\x12\x0d\x10\x80\x20\x08\x01\x08\x02\x1a\x04\x08\x02\x18\x40"), 4096);
    check_total(BYTES(PPROF_MINIMAL_STRINGS PPROF_MINIMAL_REST PPROF_MINIMAL_SAMPLE
                          PPROF_MINIMAL_FUNCTIONS PPROF_MINIMAL_LOCATIONS PPROF_MINIMAL_TYPES),
                4096);
    /* field 99, as a number, eight bytes, text and four bytes: of the profile, and of a sample */
    check_total(BYTES("\x98\x06\x7f\x99\x06"
                      "12345678"
                      "\x9a\x06\x03"
                      "abc"
                      "\x9d\x06"
                      "1234" PPROF_MINIMAL),
                4096);
    check_total(WITH_SAMPLES("\x12\x0f\x0a\x02\x01\x02\x12\x02\x80\x20\x98\x06\x07\x9a\x06\x01"
                             "a"),
                4096);
    check_refused(BYTES("\x9b\x06" PPROF_MINIMAL), "byte 0");
}

TEST(samples_may_be_without_stack_negative_and_many)
{
    check_total(WITH_SAMPLES("\x12\x04\x12\x02\x80\x20"), 4096);
    check_total(WITH_SAMPLES("\x12\x0e\x08\x01\x12\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                             "\x12\x03\x12\x01\x05"),
                6);
    check_total(WITH_SAMPLES("\x12\x0c\x12\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"
                             "\x12\x03\x12\x01\x05"),
                INT64_MAX); /* |-2^63| + 5 */
    /* of a difference, the base alone: key is string 3 here, its text string 4 */
#define DIFFERENCE(samples)                                                                        \
    BYTES(PPROF_MINIMAL_TYPES samples "\x32\x00\x32\x01x\x32\x01y\x32\x0bpprof::base\x32\x04true")
    check_total(DIFFERENCE("\x12\x03\x12\x01\x05\x12\x09\x12\x01\x07\x1a\x04\x08\x03\x10\x04"), 7);
}

TEST(ids_need_not_be_dense_but_must_be_there_once)
{
    /* locations 3000000 and 1, named by a sample in that order */
    struct pprof_profile *profile =
        read_bytes(BYTES(PPROF_MINIMAL_TYPES PPROF_MINIMAL_STRINGS
                         "\x12\x0a\x0a\x05\xc0\x8d\xb7\x01\x01\x12\x01\x09"
                         "\x22\x07\x08\xc0\x8d\xb7\x01\x18\x07\x22\x02\x08\x01"));
    CHECK(profile->locations.items[profile->stacks.items[0]].address == 7);
    CHECK(profile->locations.items[profile->stacks.items[1]].id == 1);
    pprof_destroy(profile);
    check_refused(BYTES(PPROF_MINIMAL "\x22\x02\x08\x02"), "location");
    check_refused(BYTES(PPROF_MINIMAL "\x22\x00"), "location");
    check_refused(BYTES(PPROF_MINIMAL "\x2a\x02\x08\x02"), "function");
    check_refused(WITH_SAMPLES("\x12\x05\x08\x09\x12\x01\x05"), "location 9");
    check_refused(BYTES(PPROF_MINIMAL "\x22\x06\x08\x03\x22\x02\x08\x09"), "function 9");
    check_refused(BYTES(PPROF_MINIMAL "\x22\x04\x08\x03\x10\x09"), "mapping 9");
    check_total(BYTES(PPROF_MINIMAL "\x22\x06\x08\x03\x22\x02\x10\x09"), 4096); /* function 0 */
}

TEST(what_profile_proto_does_not_allow_is_refused)
{
    check_refused(WITH_SAMPLES("\x12\x04\x12\x02\x05\x05"), "values");
    check_refused(WITH_SAMPLES("\x12\x03\x12\x01\x05\x12\x04\x12\x02\x05\x05"), "values");
    check_refused(BYTES(PPROF_MINIMAL_SAMPLE PPROF_MINIMAL_AFTER_SAMPLE), "of what");
    check_refused(BYTES(PPROF_MINIMAL "\x70\x07"), "string 7");
    check_refused(BYTES(PPROF_MINIMAL "\x70\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "string");
    check_refused(BYTES("\x32\x01x" PPROF_MINIMAL), "first string");
    check_refused(BYTES(PPROF_MINIMAL "\x70\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
                  "byte 152");
    check_refused(BYTES(PPROF_MINIMAL "\x32\x7f"), "byte 152");
    check_refused(BYTES(PPROF_MINIMAL "\x60"), "byte 152");
}

TEST(inlined_functions_are_lines_of_one_location)
{
    struct pprof_profile *profile =
        read_bytes(BYTES(PPROF_MINIMAL_TYPES
                         "\x12\x05\x08\x07\x12\x01\x05"
                         "\x22\x14\x08\x07\x22\x04\x08\x02\x10\x01\x22\x04\x08\x01\x10\x02\x22\x04"
                         "\x08\x02\x10\x03" PPROF_MINIMAL_FUNCTIONS PPROF_MINIMAL_STRINGS));
    CHECK(profile->locations.items[0].line_count == 3);
    CHECK(says(profile, function_at(profile, 0, 0, 0), "main.main"));
    CHECK(says(profile, function_at(profile, 0, 0, 1), "main.work"));
    CHECK(profile->lines.items[2].line == 3);
    pprof_destroy(profile);
}

TEST(packed_files_are_unpacked_whatever_is_around_them)
{
    size_t once, twice, half;
    char *packed = gzip_bytes(BYTES(PPROF_MINIMAL), &once);
    char *again = gzip_bytes(packed, once, &twice);
    check_total(packed, once, 4096);
    check_total(again, twice, 4096);
    /* the message in two members */
    char *first = gzip_bytes(PPROF_MINIMAL, 60, &half);
    size_t rest;
    char *second = gzip_bytes(PPROF_MINIMAL + 60, 152 - 60, &rest);
    char *both = malloc(half + rest);
    memcpy(both, first, half);
    memcpy(both + half, second, rest);
    check_total(both, half + rest, 4096);
    check_refused(packed, once - 9, "cut short");
    packed[once / 2] ^= 0x55;
    check_refused(packed, once, "damaged");
    free(both);
    free(first);
    free(second);
    free(packed);
    free(again);
}

TEST(two_profiles_in_one_file_are_refused)
{
    check_refused(BYTES(PPROF_MINIMAL PPROF_MINIMAL), "two profiles");
}

TEST(every_shorter_file_is_refused_or_read_but_never_past_its_end)
{
    for (size_t size = 0; size < sizeof(PPROF_MINIMAL) - 1; size++) {
        char *exact = malloc(size + 1);
        struct fault fault = {.text = ""};
        memcpy(exact, PPROF_MINIMAL, size);
        struct pprof_profile *profile = pprof_read_bytes(exact, size, &fault);
        CHECK(profile || fault.text[0]);
        pprof_destroy(profile);
        free(exact);
    }
    check_refused("", 0, "empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_minimal_profile_is_read_as_it_is),
        cmocka_unit_test(columns_are_chosen_by_name_number_and_wish),
        cmocka_unit_test(values_may_come_one_by_one_and_fields_in_any_order),
        cmocka_unit_test(samples_may_be_without_stack_negative_and_many),
        cmocka_unit_test(ids_need_not_be_dense_but_must_be_there_once),
        cmocka_unit_test(what_profile_proto_does_not_allow_is_refused),
        cmocka_unit_test(inlined_functions_are_lines_of_one_location),
        cmocka_unit_test(packed_files_are_unpacked_whatever_is_around_them),
        cmocka_unit_test(two_profiles_in_one_file_are_refused),
        cmocka_unit_test(every_shorter_file_is_refused_or_read_but_never_past_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
