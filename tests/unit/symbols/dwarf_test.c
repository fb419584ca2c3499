/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "resolve.h"
#include "scratch.h"

static void check_build(const char *compiler, const char *first, const char *second)
{
    struct resolver *resolver = resolver_create();
    struct resolver_module module = {scratch_path("program"), "", ""};

    scratch_run(compiler, "-O2", "-g", first, second, "-o", "program", "program.c");
    check_like_addr2line(resolver, &module, "program", "outer");
    check_like_addr2line(resolver, &module, "program", "main");
    resolver_destroy(resolver);
}

static void inlined_calls_and_lines_are_as_addr2line_says(void **state)
{
    (void)state;
    check_build("cc", "-pie", "-gdwarf-5");
    check_build("cc", "-no-pie", "-gdwarf-4");
    check_build("cc", "-static", "-gz");
    check_build("cc", "-g1", "-pie");
    check_build("cc", "-gdwarf-3", "-pie");
    if (scratch_has("clang-14")) /* writes no .debug_aranges */
        check_build("clang-14", "-gdwarf-5", "-fPIE");
}

static void an_inner_frame_has_its_line_and_an_outer_one_the_call(void **state)
{
    static const char *const chain[] = {"deep program.c:4", "middle program.c:10",
                                        "outer program.c:17", NULL};
    static const char *const plain[] = {"outer program.c:16", NULL};
    static const char *const wrong[] = {"deep program.c:4", "middle program.c:4", NULL};
    struct resolver *resolver = resolver_create();
    struct resolver_module module = {scratch_path("program"), "", ""};

    (void)state;
    scratch_run("cc", "-O2", "-g", "-o", "program", "program.c");
    CHECK(finds_chain(resolver, &module, "program", "outer", chain));
    CHECK(finds_chain(resolver, &module, "program", "outer", plain));
    CHECK(!finds_chain(resolver, &module, "program", "outer", wrong));
    resolver_destroy(resolver);
}

/* A lambda is described inside the function that wrote it, not beside it. */
static void a_lambda_has_its_inlined_calls(void **state)
{
    static const char source[] =
        "static inline __attribute__((always_inline)) int deep(volatile int *p)\n"
        "{\n"
        "    return *p * 3;\n"
        "}\n"
        "int main(int argc, char **)\n"
        "{\n"
        "    volatile int cell = argc;\n"
        "    auto call = [&](int n) __attribute__((noipa)) {\n"
        "        return deep(&cell) + n;\n"
        "    };\n"
        "    return call(1) + call(2);\n"
        "}\n";
    static const char *const chain[] = {
        "deep lambda.cc:3", "main::{lambda(int)#1}::operator()(int) const lambda.cc:9", NULL};
    struct resolver *resolver = resolver_create();
    struct resolver_module module = {scratch_path("lambda"), "", ""};

    (void)state;
    scratch_write("lambda.cc", source, strlen(source));
    scratch_run("g++", "-O2", "-g", "-o", "lambda", "lambda.cc");
    char *symbols = scratch_output("nm", "lambda"), *at = strstr(symbols, "_ZZ4main");
    CHECK(at != NULL);
    char *name = strndup(at, strcspn(at, "\n"));
    CHECK(finds_chain(resolver, &module, "lambda", name, chain));
    free(name);
    free(symbols);
    resolver_destroy(resolver);
}

static void relative_files_count_from_the_build_folder(void **state)
{
    struct resolver *resolver = resolver_create();
    struct resolver_module module = {scratch_path("program"), "", ""};
    struct resolved frames[RESOLVED_MAX];
    uint64_t begin, size;

    (void)state;
    scratch_run("cc", "-O2", "-g", "-o", "program", "./program.c");
    scratch_symbol("program", "outer", &begin, &size);
    CHECK(resolver_lookup(resolver, &module, begin, frames) == 1);
    assert_string_equal(frames[0].file, scratch_path("program.c"));
    resolver_destroy(resolver);
}

static void split_dwarf_is_found_beside_the_objects(void **state)
{
    static const char *const chain[] = {"deep program.c:4", "middle program.c:10",
                                        "outer program.c:17", NULL};
    struct resolver_module module = {scratch_path("program"), "", ""};

    (void)state;
    for (int version = 4; version <= 5; version++) {
        struct resolver *resolver = resolver_create();
        scratch_run("cc", "-O2", "-g", version == 4 ? "-gdwarf-4" : "-gdwarf-5", "-gsplit-dwarf",
                    "-c", "-o", "program.o", "program.c");
        scratch_run("cc", "-o", "program", "program.o");
        CHECK(finds_chain(resolver, &module, "program", "outer", chain));
        resolver_destroy(resolver);
    }
}

/* Without its .dwo file a unit still has lines, and the symbol table has the function. */
static void a_missing_dwo_file_leaves_name_and_line(void **state)
{
    static const char *const chain[] = {"outer program.c:4", NULL};
    struct resolver *resolver = resolver_create();
    struct resolver_module module = {scratch_path("program"), "", ""};

    (void)state;
    scratch_run("cc", "-O2", "-g", "-gsplit-dwarf", "-c", "-o", "program.o", "program.c");
    scratch_run("cc", "-o", "program", "program.o");
    scratch_run("rm", "program.dwo");
    scratch_run("mkfifo", "program.dwo"); /* and something that would block must not be opened */
    CHECK(finds_chain(resolver, &module, "program", "outer", chain));
    resolver_destroy(resolver);
}

static void what_dwz_moved_to_a_common_file_is_found(void **state)
{
    static const char *const chain[] = {"deep program.c:4", "middle program.c:10",
                                        "outer program.c:17", NULL};
    struct resolver_module module = {scratch_path("program"), "", ""};

    (void)state;
    if (!scratch_has("dwz"))
        skip();
    struct resolver *resolver = resolver_create();
    scratch_run("cc", "-O2", "-g", "-gdwarf-4", "-o", "program", "program.c");
    scratch_run("cc", "-O2", "-g", "-gdwarf-4", "-DOTHER", "-o", "other", "program.c");
    scratch_run("dwz", "-m", "common", "-M", scratch_path("common"), "program", "other");
    char *sections = scratch_output("readelf", "-SW", "program");
    CHECK(strstr(sections, ".gnu_debugaltlink") != NULL);
    free(sections);
    CHECK(finds_chain(resolver, &module, "program", "outer", chain));
    resolver_destroy(resolver);

    /* Without that file, names may be missing but nothing else goes wrong. */
    scratch_run("rm", "common");
    scratch_run("mkfifo", "common");
    struct resolved frames[RESOLVED_MAX];
    uint64_t begin, size;
    resolver = resolver_create();
    scratch_symbol("program", "main", &begin, &size);
    CHECK(resolver_lookup(resolver, &module, begin, frames) > 0);
    assert_string_equal(frames[0].function, "main");
    resolver_destroy(resolver);
}

static int open_folder(void **state)
{
    (void)state;
    scratch_open();
    write_c_program();
    return 0;
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, open_folder, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(inlined_calls_and_lines_are_as_addr2line_says),
        WITH_FOLDER(an_inner_frame_has_its_line_and_an_outer_one_the_call),
        WITH_FOLDER(a_lambda_has_its_inlined_calls),
        WITH_FOLDER(relative_files_count_from_the_build_folder),
        WITH_FOLDER(split_dwarf_is_found_beside_the_objects),
        WITH_FOLDER(a_missing_dwo_file_leaves_name_and_line),
        WITH_FOLDER(what_dwz_moved_to_a_common_file_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
