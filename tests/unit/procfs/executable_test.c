/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/executable_facts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "procfs/process/process_libc.h"

TEST(this_test_is_a_dynamic_program_of_64_bits)
{
    int const fd = open("/proc/self/exe", O_RDONLY);
    struct executable_facts const facts = executable_facts_read(fd);
    CHECK(facts.bits == 64 && facts.is_ours);
    CHECK(strstr(facts.interpreter, "ld-linux-x86-64") != NULL);
    close(fd);
}

TEST(what_is_no_program_is_told)
{
    static const char *const texts[] = {"", "#!/bin/sh\n", "\177ELF", "\177ELF\2\1\1"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        int const fd = memfd_create("none", 0);
        CHECK(write(fd, texts[i], strlen(texts[i])) >= 0);
        CHECK(executable_facts_read(fd).bits == 0);
        close(fd);
    }
}

static bool is_told(const char *source, const char *options)
{
    char command[512], path[64];
    snprintf(path, sizeof(path), "/tmp/memoir-executable-%d", (int)getpid());
    snprintf(command, sizeof(command), "echo '%s' | gcc -x c %s -o %s - 2>&1", source, options,
             path);
    if (system(command) != 0)
        skip();
    int const fd = open(path, O_RDONLY);
    CHECK(fd >= 0);
    bool const is_told = executable_facts_read(fd).needs_sanitizer;
    close(fd);
    unlink(path);
    return is_told;
}

/* Whoever looks for sanitizers has their names in it. */
TEST(a_sanitizer_is_a_library_that_is_needed_and_not_a_text)
{
    CHECK(!is_told("int main(void) { return 0; }", ""));
    CHECK(!is_told("const char text[] = \"libasan.so.8\"; int main(void) { return text[1]; }", ""));
    CHECK(is_told("int main(void) { return 0; }", "-fsanitize=address"));
}

/* Any bytes behind a good beginning: nothing is read past what is there. */
TEST(headers_that_lie_do_no_harm)
{
    unsigned char bytes[512];
    for (unsigned seed = 1; seed < 500; seed++) {
        int const fd = memfd_create("lies", 0);
        srand(seed);
        for (size_t i = 0; i < sizeof(bytes); i++)
            bytes[i] = (unsigned char)rand();
        memcpy(bytes, "\177ELF\2\1\1", 7);
        CHECK(write(fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes));
        struct executable_facts const facts = executable_facts_read(fd);
        CHECK(facts.bits == 64 && strlen(facts.interpreter) < sizeof(facts.interpreter));
        close(fd);
    }
}

TEST(the_version_of_libc_stands_in_it)
{
    char version[16], text[32];
    static const char bytes[] =
        "xx\0GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.\n";
    libc_version_find(bytes, sizeof(bytes), version, sizeof(version));
    assert_string_equal(version, "2.36");
    libc_version_find(bytes, 40, version, sizeof(version)); /* cut before the number */
    assert_string_equal(version, "");
    libc_version_find("", 0, version, sizeof(version));
    assert_string_equal(version, "");
    process_libc((uint32_t)getpid(), text, sizeof(text));
    CHECK(strncmp(text, "glibc 2.", 8) == 0);
    process_libc(0x7fffffff, text, sizeof(text));
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_test_is_a_dynamic_program_of_64_bits),
        cmocka_unit_test(what_is_no_program_is_told),
        cmocka_unit_test(a_sanitizer_is_a_library_that_is_needed_and_not_a_text),
        cmocka_unit_test(headers_that_lie_do_no_harm),
        cmocka_unit_test(the_version_of_libc_stands_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
