/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/allocators/allocator_family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scratch.h"
#include "symbols/allocators/allocator_api.h"
#include "symbols/elf/elf_image.h"

static struct elf_image image;
static struct elf_view view;

static void open_file(const char *path)
{
    assert_int_equal(elf_image_open(&image, "", path), 0);
    assert_int_equal(elf_view_init(&view, image.bytes), 0);
}

/* Compiles a library of empty functions with these names. */
static void make_library(const char *const *names)
{
    char source[8192] = "";
    for (; *names; names++)
        snprintf(source + strlen(source), sizeof(source) - strlen(source),
                 "void *%s(void *a, unsigned long b) { return b ? a : (char *)a + %zu; }\n", *names,
                 strlen(source)); /* no two alike */
    scratch_write("made.c", source, strlen(source));
    scratch_run("gcc", "-O2", "-fno-builtin", "-shared", "-fPIC", "-o", "made.so", "made.c");
    open_file(scratch_path("made.so"));
}

static const struct allocator_entry *entry_of(const struct allocator_family *family,
                                              const char *name)
{
    vec_each (entry, &family->entries) {
        if (slice_equals(entry->name, slice_of(name)))
            return entry;
    }
    return NULL;
}

TEST(the_table_of_names_is_in_order)
{
    static const char *const names[] = {"malloc", "xallocx", "aligned_alloc", "reallocarray",
                                        "sdallocx"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        CHECK(allocator_api_find(slice_of(names[i]), API_COMMON) != NULL);
    static const char *const more[] = {"zalloc_small", "_expand", "new", "heap_rezalloc_aligned_at",
                                       "mallocn"};
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        CHECK(allocator_api_find(slice_of(more[i]), API_MIMALLOC) != NULL);
        CHECK(allocator_api_find(slice_of(more[i]), API_COMMON) == NULL);
    }
    CHECK(allocator_api_find(slice_of("deletearray_sized"), API_TCMALLOC) != NULL);
    CHECK(allocator_api_find(slice_of("delete"), API_MIMALLOC) ==
          NULL); /* a table's, not a block's */
    static const char *const none[] = {"", "mallo", "malloc_", "mallocy", "zzz", "a"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        CHECK(allocator_api_find(slice_of(none[i]), API_MIMALLOC | API_TCMALLOC) == NULL);
}

TEST(operators_are_known_by_their_mangled_names)
{
    static const char *const news[] = {"_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t",
                                       "_ZnamSt11align_val_tRKSt9nothrow_t"};
    static const char *const deletes[] = {"_ZdlPv", "_ZdaPvm", "_ZdlPvmSt11align_val_t",
                                          "_ZdaPvRKSt9nothrow_t"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(allocator_api_find_operator(slice_of(news[i]))->call, INSIDE_ALLOC);
        assert_int_equal(allocator_api_find_operator(slice_of(deletes[i]))->call, INSIDE_FREE);
    }
    CHECK(!allocator_api_find_operator(slice_of("_ZnwmPv"))); /* placement new */
    CHECK(!allocator_api_find_operator(slice_of("_ZdlPvS_")));
    CHECK(!allocator_api_find_operator(slice_of("_Znw")));
}

TEST(jemalloc_is_found_under_any_prefix)
{
    struct allocator_family family;
    scratch_open();
    make_library((const char *const[]){"_rjem_mallocx", "_rjem_malloc", "_rjem_sdallocx",
                                       "_rjem_realloc", "_rjem_sallocx", "_rjem_expand",
                                       "do_rallocx", NULL});
    assert_int_equal(allocator_family_find(&family, &view, NULL), 0);
    assert_string_equal(family.name, "jemalloc");
    assert_string_equal(family.prefix, "_rjem_");
    assert_int_equal(family.entries.count,
                     4); /* not _rjem_expand, which is no function of jemalloc */
    const struct allocator_entry *entry = entry_of(&family, "_rjem_sdallocx");
    uint64_t address, size;
    scratch_symbol("made.so", "_rjem_sdallocx", &address, &size);
    CHECK(entry->address == address && entry->size == size && entry->shape.call == INSIDE_FREE);
    scratch_symbol("made.so", "_rjem_sallocx", &address, &size);
    CHECK(entry->usable == address && entry->usable_rule == INSIDE_USABLE_JEMALLOC);
    allocator_family_free(&family);
    elf_image_close(&image);
    scratch_close();
}

TEST(a_prefix_ends_a_word)
{
    struct allocator_family family;
    scratch_open();
    make_library((const char *const[]){"xmallocx", "xmalloc", "xfree", "xrealloc", NULL});
    assert_int_equal(allocator_family_find(&family, &view, NULL), 0);
    CHECK(family.name == NULL);
    elf_image_close(&image);
    scratch_close();
}

TEST(words_of_the_program_are_not_taken_for_functions)
{
    struct allocator_family family;
    scratch_open();
    make_library((const char *const[]){"malloc", "free", "expand", "zalloc", "new", "strdup",
                                       "my_free", NULL});
    assert_int_equal(allocator_family_find(&family, &view, NULL), 0);
    assert_int_equal(family.entries.count, 2);
    allocator_family_free(&family);
    /* unless somebody says that they are */
    assert_int_equal(allocator_family_find(&family, &view, "my_"), 0);
    CHECK(entry_of(&family, "my_free") != NULL);
    allocator_family_free(&family);
    elf_image_close(&image);
    scratch_close();
}

TEST(an_allocator_that_never_frees_is_none)
{
    struct allocator_family family;
    scratch_open();
    make_library((const char *const[]){"malloc", "je_mallocx", "_Znwm", "_ZdlPv", NULL});
    assert_int_equal(allocator_family_find(&family, &view, NULL), 0);
    CHECK(family.name == NULL && family.entries.count == 0);
    elf_image_close(&image);
    scratch_close();
}

TEST(two_meanings_of_one_address_are_disputed)
{
    struct allocator_family family;
    static const char source[] =
        "void *mi_malloc(unsigned long n) { return (char *)n + 1; }\n"
        "void mi_free(void *p) { *(char *)p = 0; }\n"
        "void *mi_zalloc(unsigned long) __attribute__((alias(\"mi_malloc\")));\n"
        "void mi_cfree(void *) __attribute__((alias(\"mi_free\")));\n"
        "void *mi_mallocn(unsigned long, unsigned long) __attribute__((alias(\"mi_malloc\")));\n";
    scratch_open();
    scratch_write("made.c", source, strlen(source));
    scratch_run("gcc", "-O2", "-w", "-shared", "-fPIC", "-o", "made.so", "made.c");
    open_file(scratch_path("made.so"));
    assert_int_equal(allocator_family_find(&family, &view, NULL), 0);
    assert_string_equal(family.name, "mimalloc");
    assert_int_equal(family.entries.count, 2);
    vec_each (entry, &family.entries)
        CHECK(entry->disputed == (entry->shape.call == INSIDE_ALLOC));
    allocator_family_free(&family);
    elf_image_close(&image);
    scratch_close();
}

/* libc brings malloc and free too, and is none of our business. */
TEST(libc_and_this_program_have_none)
{
    static const char *const files[] = {"/lib/x86_64-linux-gnu/libc.so.6",
                                        "/lib64/ld-linux-x86-64.so.2", "/proc/self/exe"};
    for (size_t i = 0; i < 3; i++) {
        struct allocator_family family;
        if (elf_image_open(&image, "", files[i]) != 0)
            continue;
        assert_int_equal(elf_view_init(&view, image.bytes), 0);
        assert_int_equal(allocator_family_find(&family, &view, NULL), 0);
        if (i < 2)
            CHECK(family.name == NULL);
        allocator_family_free(&family);
        elf_image_close(&image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_names_is_in_order),
        cmocka_unit_test(operators_are_known_by_their_mangled_names),
        cmocka_unit_test(jemalloc_is_found_under_any_prefix),
        cmocka_unit_test(a_prefix_ends_a_word),
        cmocka_unit_test(words_of_the_program_are_not_taken_for_functions),
        cmocka_unit_test(an_allocator_that_never_frees_is_none),
        cmocka_unit_test(two_meanings_of_one_address_are_disputed),
        cmocka_unit_test(libc_and_this_program_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
