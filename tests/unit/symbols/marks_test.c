/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/allocators/program_marks.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "scratch.h"
#include "symbols/elf/elf_image.h"

static uint32_t marks_of(const char *name)
{
    struct elf_image image;
    struct elf_view view;
    CHECK(elf_image_open(&image, "", scratch_path(name)) == 0);
    CHECK(elf_view_init(&view, image.bytes) == 0);
    uint32_t marks = program_marks_find(&view);
    elf_image_close(&image);
    return marks;
}

static void build(const char *code)
{
    scratch_write("program.c", code, strlen(code));
    scratch_run("gcc", "-w", "-fno-builtin", "-rdynamic", "-o", "program", "program.c");
}

TEST(a_plain_program_has_no_marks)
{
    scratch_open();
    build("void *malloc(unsigned long); int main(void) { return !malloc(3); }");
    assert_int_equal(marks_of("program"), 0);
    scratch_close();
}

TEST(allocators_inside_are_found_by_any_of_their_names)
{
    scratch_open();
    build("void *malloc(unsigned long n) { return 0; } int main(void) { return 0; }");
    assert_int_equal(marks_of("program"), MARK_MALLOC);
    build(
        "static void *malloc(unsigned long n) { return 0; } int main(void) { return !malloc(1); }");
    assert_int_equal(marks_of("program"), 0);
    build("int _rjem_mallctl(void) { return 0; } int main(void) { return 0; }");
    assert_int_equal(marks_of("program"), MARK_JEMALLOC);
    build("int mallctl(void) { return 0; } void *malloc(unsigned long n) { return 0; }"
          "int main(void) { return 0; }");
    assert_int_equal(marks_of("program"), MARK_JEMALLOC | MARK_MALLOC);
    build("void tc_malloc(void) {} void mi_malloc(void) {} int main(void) { return 0; }");
    assert_int_equal(marks_of("program"), MARK_TCMALLOC | MARK_MIMALLOC);
    scratch_close();
}

TEST(a_name_that_is_only_used_is_no_mark)
{
    scratch_open();
    build("int mallctl(void) __attribute__((weak)); void *mi_malloc(void) __attribute__((weak));"
          "int main(void) { return mallctl ? mallctl() : mi_malloc != 0; }");
    assert_int_equal(marks_of("program"), 0);
    scratch_close();
}

TEST(runtimes_are_found_by_what_every_program_of_theirs_has)
{
    scratch_open();
    build("void NimMain(void) {} static void rawAlloc__system_4554(void) {}"
          "int main(void) { rawAlloc__system_4554(); return 0; }");
    assert_int_equal(marks_of("program"), MARK_NIM | MARK_NIM_POOL);
    build("void caml_startup_common(void) {} void rust_eh_personality(void) {}"
          "void Py_BytesMain(void) {} int main(void) { return 0; }");
    assert_int_equal(marks_of("program"), MARK_OCAML | MARK_RUST | MARK_PYTHON);
    scratch_close();
}

TEST(strip_leaves_the_messages)
{
    scratch_open();
    build("int puts(const char *); int main(void) { return puts(\"<jemalloc>: out\") < 0; }");
    assert_int_equal(marks_of("program"), 0);
    scratch_run("strip", "program");
    assert_int_equal(marks_of("program"), MARK_JEMALLOC);
    scratch_close();
}

TEST(go_is_found_with_and_without_symbols)
{
    static const char code[] = "package main\nfunc main() { println(1) }\n";
    if (!scratch_has("go"))
        skip();
    scratch_open();
    scratch_write("main.go", code, strlen(code));
    scratch_run("go", "build", "-o", "full", "main.go");
    scratch_run("go", "build", "-ldflags", "-s -w", "-o", "stripped", "main.go");
    assert_int_equal(marks_of("full"), MARK_GO);
    assert_int_equal(marks_of("stripped"), MARK_GO);
    scratch_close();
}

TEST(libraries_are_known_by_name)
{
    assert_int_equal(program_marks_of_library("/usr/lib/jvm/x/lib/server/libjvm.so"), MARK_JAVA);
    assert_int_equal(program_marks_of_library("libjemalloc.so.2"), MARK_JEMALLOC);
    assert_int_equal(program_marks_of_library("/usr/lib/libtcmalloc_minimal.so.4"), MARK_TCMALLOC);
    assert_int_equal(program_marks_of_library("/lib/libmimalloc.so.2.0"), MARK_MIMALLOC);
    assert_int_equal(program_marks_of_library("/lib/libpython3.11.so.1.0"), MARK_PYTHON);
    assert_int_equal(program_marks_of_library("/libjvm.so/libc.so.6"), 0);
    assert_int_equal(program_marks_of_library(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_program_has_no_marks),
        cmocka_unit_test(allocators_inside_are_found_by_any_of_their_names),
        cmocka_unit_test(a_name_that_is_only_used_is_no_mark),
        cmocka_unit_test(runtimes_are_found_by_what_every_program_of_theirs_has),
        cmocka_unit_test(strip_leaves_the_messages),
        cmocka_unit_test(go_is_found_with_and_without_symbols),
        cmocka_unit_test(libraries_are_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
