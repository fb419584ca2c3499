/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/loaded_elf.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

#include "check.h"
#include "inject/threads/busy_names.h"

/* Our own memory, as if it were somebody else's: what is not mapped is an answer, not a crash. */
static bool read_own(void *context, uint64_t address, void *to, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)address, size};
    (void)context;
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

static const struct memory_reader own = {read_own, NULL};

static struct loaded_elf elf_of(const char *function)
{
    Dl_info info;
    struct loaded_elf elf;
    CHECK(dladdr(dlsym(RTLD_DEFAULT, function), &info) != 0);
    CHECK(loaded_elf_read(own, (uint64_t)info.dli_fbase, &elf) == 0);
    return elf;
}

TEST(functions_are_found_where_the_loader_has_them)
{
    static const char *const names[] = {"dlopen", "getpid", "malloc_usable_size", "qsort",
                                        "__errno_location"};
    struct loaded_elf elf = elf_of("getpid");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint64_t found = loaded_elf_function(own, &elf, names[i]);
        CHECK(found >= elf.text_low && found < elf.text_high);
    }
    CHECK(loaded_elf_function(own, &elf, "getpid") == (uint64_t)dlsym(RTLD_DEFAULT, "getpid"));
    CHECK(loaded_elf_function(own, &elf, "no_such_function") == 0);
    CHECK(elf.build_id_size == 20 && elf.eh_header > elf.low && elf.eh_header < elf.eh_high);
}

TEST(the_kernels_object_is_one_too)
{
    struct loaded_elf elf;
    uint64_t base = getauxval(AT_SYSINFO_EHDR);
    if (base == 0)
        skip();
    CHECK(loaded_elf_read(own, base, &elf) == 0 && elf.eh_header != 0);
    CHECK(loaded_elf_function(own, &elf, "__vdso_clock_gettime") != 0);
}

TEST(what_is_no_object_is_refused)
{
    struct loaded_elf elf;
    char text[4096] = "\177ELF but no more";
    CHECK(loaded_elf_read(own, (uint64_t)text, &elf) < 0);
    CHECK(loaded_elf_read(own, 0, &elf) < 0 && loaded_elf_read(own, UINT64_MAX - 100, &elf) < 0);
}

TEST(busy_functions_are_known_by_name_and_by_place)
{
    struct loaded_elf elf = elf_of("getpid");
    struct busy_names *names = busy_names_create(own, &elf, true);
    static const char *const busy[] = {"malloc_trim", "dl_iterate_phdr",   "fork", "pthread_create",
                                       "exit",        "malloc_usable_size"};
    static const char *const calm[] = {
        "getpid", "qsort", "strtol", "poll", "pthread_mutex_lock", "pthread_cond_wait"};
    CHECK(names && busy_names_is_allocator(names));
    for (size_t i = 0; i < sizeof(busy) / sizeof(busy[0]); i++)
        CHECK(busy_names_hold(names, loaded_elf_function(own, &elf, busy[i]) + 1));
    for (size_t i = 0; i < sizeof(calm) / sizeof(calm[0]); i++)
        CHECK(!busy_names_hold(names, loaded_elf_function(own, &elf, calm[i]) + 1));
    busy_names_destroy(names);
    CHECK(busy_names_know("je_malloc", false) && !busy_names_know("fork", false) &&
          !busy_names_know("mime", false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_found_where_the_loader_has_them),
        cmocka_unit_test(the_kernels_object_is_one_too),
        cmocka_unit_test(what_is_no_object_is_refused),
        cmocka_unit_test(busy_functions_are_known_by_name_and_by_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
