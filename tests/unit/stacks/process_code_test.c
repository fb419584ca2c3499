/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks/process_code.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "scratch.h"
#include "stacks/process_file.h"
#include "stacks/code_tables.h"

static struct code_store *store;
static struct process_code *code;

static int open_code(void **state)
{
    (void)state;
    store = code_store_create((size_t)64 << 20);
    return process_code_open(store, (uint32_t)getpid(), &code);
}

static int close_code(void **state)
{
    (void)state;
    process_code_close(code);
    code_store_destroy(store);
    return 0;
}

static enum rule_kind kind_at(const void *address)
{
    return rule_kind_of(process_code_rule(code, (uint64_t)(uintptr_t)address));
}

static void build_library(const char *name, const char *text)
{
    scratch_write("lib.c", text, strlen(text));
    scratch_run("cc", "-O1", "-shared", "-fPIC", "-o", name, "lib.c");
}

TEST(libraries_programs_and_the_vdso_have_tables)
{
    char *vdso = (char *)getauxval(AT_SYSINFO_EHDR);
    void *clock = NULL;
    assert_int_equal(kind_at((void *)open_code), RULE_SP);
    assert_int_equal(kind_at(dlsym(NULL, "gnu_get_libc_version")), RULE_SP);
    const struct code_region *region = process_code_find(code, (uint64_t)(uintptr_t)vdso);
    CHECK(region && region->kind == CODE_FILE && region->tables && region->tables->has_frames);
    assert_string_equal(region->path, "[vdso]");
    CHECK(region->bias == (uint64_t)(uintptr_t)vdso);
    (void)clock;
}

TEST(nobody_is_not_opened)
{
    struct process_code *none = NULL;
    assert_int_equal(process_code_open(store, 0x3ffffff, &none), -ESRCH);
}

TEST(a_file_that_is_gone_is_read_all_the_same)
{
    scratch_open();
    build_library("gone.so", "int gone(int x) { return x ? gone(x - 1) + 1 : 0; }");
    void *library = dlopen(scratch_path("gone.so"), RTLD_NOW);
    CHECK(library != NULL);
    unlink(scratch_path("gone.so"));
    CHECK(process_code_refresh(code) == 0);
    assert_int_equal(kind_at(dlsym(library, "gone")), RULE_SP);
    const struct code_region *region =
        process_code_find(code, (uint64_t)(uintptr_t)dlsym(library, "gone"));
    assert_string_equal(region->path, scratch_path("gone.so"));
    dlclose(library);
    CHECK(process_code_refresh(code) == 0);
    CHECK(process_code_was_replaced(code));
    CHECK(!process_code_was_replaced(code));
    scratch_close();
}

/* As when neither the link nor the path can be opened. */
TEST(files_are_read_from_memory_if_need_be)
{
    struct map_list maps;
    struct process_file file;
    struct code_tables tables;
    struct unwind_row row;
    uint64_t bias;
    int const memory = open("/proc/self/mem", O_RDONLY);
    CHECK(map_list_read((uint32_t)getpid(), &maps) == 0);
    uint64_t const function = (uint64_t)(uintptr_t)dlsym(NULL, "gnu_get_libc_version");
    const struct map_region *region = map_list_find(&maps, function);
    process_file_open(&file, 0x3ffffff, memory, &maps, region);
    assert_int_equal(file.fd, -1);
    CHECK(code_tables_init(&tables, &file.source) == 0);
    CHECK(code_tables_bias(&tables, region->start, region->offset, &bias));
    CHECK(code_tables_row(&tables, function - bias, &row) == 0);
    assert_int_equal(row.cfa_register, REG_SP);
    assert_int_equal(row.cfa_offset, 8);
    assert_int_equal(strlen(tables.build_id), 40);
    code_tables_fini(&tables);
    process_file_close(&file);
    map_list_fini(&maps);
    close(memory);
}

static const struct code_region *region_of(struct process_code *of, void *function)
{
    return process_code_find(of, (uint64_t)(uintptr_t)function);
}

/* A child that ends when the second of the ends is closed. */
static pid_t fork_until(int ends[2])
{
    char byte;
    CHECK(pipe(ends) == 0);
    pid_t const pid = fork();
    if (pid == 0) {
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) != 0);
    }
    return pid;
}

/* Nobody asks how it ended: <sys/wait.h> does not go together with registers.  It has neither
 * memory nor files when it has no root. */
static void wait_until_gone(pid_t pid)
{
    char path[32], root[8];
    snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
    while (readlink(path, root, sizeof(root)) >= 0)
        usleep(1000);
}

/* A process may be over between the list of its mappings and the first look at what is there; it
 * has its files all the same, and those that are gone with it were nobody's to make. */
TEST(a_process_that_is_gone_has_files)
{
    struct process_code *child;
    int ends[2];
    scratch_open();
    build_library("gone.so", "int gone(int x) { return x ? gone(x - 1) + 1 : 0; }");
    void *library = dlopen(scratch_path("gone.so"), RTLD_NOW);
    CHECK(library != NULL);
    void *function = dlsym(NULL, "gnu_get_libc_version"), *lost = dlsym(library, "gone");
    pid_t const pid = fork_until(ends);
    CHECK(pid > 0 && process_code_open(store, (uint32_t)pid, &child) == 0);
    close(ends[1]);
    wait_until_gone(pid);
    unlink(scratch_path("gone.so"));
    const struct code_region *region = region_of(child, function);
    CHECK(region && region->kind == CODE_FILE && region->tables);
    CHECK(region->bias == region_of(code, function)->bias);
    assert_int_equal(rule_kind_of(process_code_rule(child, (uint64_t)(uintptr_t)function)),
                     RULE_SP);
    region = region_of(child, lost);
    CHECK(region && region->kind == CODE_LOST && !region->tables);
    process_code_close(child);
    close(ends[0]);
    dlclose(library);
    scratch_close();
}

TEST(other_code_in_the_same_place_is_noticed)
{
    scratch_open();
    build_library("one.so", "int one(int x) { return x + 1; }");
    build_library("two.so", "int two(int x) { return x + 2; }");
    int const one = open(scratch_path("one.so"), O_RDONLY),
              two = open(scratch_path("two.so"), O_RDONLY);
    void *place = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, one, 4096);
    CHECK(place != MAP_FAILED);
    CHECK(process_code_refresh(code) == 0);
    uint64_t const address = (uint64_t)(uintptr_t)place;
    const struct code_region *region = process_code_find(code, address);
    CHECK(region && region->kind == CODE_FILE);
    uint64_t const number = region->number;
    CHECK(process_code_refresh(code) == 0 && !process_code_was_replaced(code));
    assert_int_equal(process_code_find(code, address)->number, number);
    CHECK(mmap(place, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, two, 4096) == place);
    CHECK(process_code_refresh(code) == 0 && process_code_was_replaced(code));
    region = process_code_find(code, address);
    assert_string_equal(region->path, scratch_path("two.so"));
    CHECK(region->number != number);
    munmap(place, 4096);
    close(one);
    close(two);
    scratch_close();
}

TEST(tables_are_shared_and_bounded)
{
    struct process_code *twin;
    void *function = dlsym(NULL, "gnu_get_libc_version");
    (void)kind_at(function);
    size_t const files = code_store_measure(store).files;
    CHECK(process_code_open(store, (uint32_t)getpid(), &twin) == 0);
    (void)process_code_rule(twin, (uint64_t)(uintptr_t)function);
    assert_int_equal(code_store_measure(store).files, files);
    process_code_close(twin);
    assert_int_equal(code_store_measure(store).files, files);

    struct code_store *small = code_store_create(1000);
    CHECK(process_code_open(small, (uint32_t)getpid(), &twin) == 0);
    const struct code_region *region = process_code_find(twin, (uint64_t)(uintptr_t)function);
    CHECK(region && region->kind == CODE_FILE && region->tables && !region->tables->has_frames);
    assert_int_equal(strlen(region->build_id), 40);
    CHECK(region->bias == process_code_find(code, (uint64_t)(uintptr_t)function)->bias);
    assert_int_equal(rule_kind_of(process_code_rule(twin, (uint64_t)(uintptr_t)function)),
                     RULE_MISSING);
    assert_int_equal(code_store_measure(small).refused, 1);
    assert_int_equal(code_store_measure(small).bytes, 0);
    process_code_close(twin);
    code_store_destroy(small);
}

TEST(a_file_that_is_cut_while_it_is_used_hurts_nobody)
{
    scratch_open();
    build_library("cut.so", "int cut(int x) { return x ? cut(x - 1) + 1 : 0; }");
    int const fd = open(scratch_path("cut.so"), O_RDWR);
    void *place = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096);
    CHECK(place != MAP_FAILED && process_code_refresh(code) == 0);
    CHECK(ftruncate(fd, 5000) == 0);
    (void)kind_at(place);
    const struct code_region *region = process_code_find(code, (uint64_t)(uintptr_t)place);
    CHECK(region != NULL);
    munmap(place, 4096);
    close(fd);
    scratch_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_programs_and_the_vdso_have_tables),
        cmocka_unit_test(nobody_is_not_opened),
        cmocka_unit_test(a_file_that_is_gone_is_read_all_the_same),
        cmocka_unit_test(files_are_read_from_memory_if_need_be),
        cmocka_unit_test(a_process_that_is_gone_has_files),
        cmocka_unit_test(other_code_in_the_same_place_is_noticed),
        cmocka_unit_test(tables_are_shared_and_bounded),
        cmocka_unit_test(a_file_that_is_cut_while_it_is_used_hurts_nobody),
    };
    return cmocka_run_group_tests(tests, open_code, close_code);
}
