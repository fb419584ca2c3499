/* SPDX-License-Identifier: Apache-2.0 */
/* Files of somebody who means harm. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "resolve.h"
#include "scratch.h"
#include "symbols/dwarf/debug_copy.h"
#include "symbols/dwarf/dwarf_lines.h"
#include "symbols/elf/elf_image.h"
#include "symbols/elf/elf_view.h"
#include "symbols/elf/mapped_file.h"
#include "symbols/lookup/perf_map.h"

static const char *const chain[] = {"deep program.c:4", "middle program.c:10", "outer program.c:17",
                                    NULL};

/* Whether anybody opens a file in the folder `name` from now on. */
static int watch_folder(const char *name)
{
    int const watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    CHECK(watch >= 0 && inotify_add_watch(watch, scratch_path(name), IN_OPEN) >= 0);
    return watch;
}

static void expect_nobody(int watch)
{
    char event[4096];
    CHECK(read(watch, event, sizeof(event)) < 0 && errno == EAGAIN);
    close(watch);
}

static bool has_any_name(const char *path, const char *root, const char *build_id)
{
    struct resolver *resolver = resolver_create();
    struct resolver_module const module = {path, root, build_id};
    struct resolved frames[RESOLVED_MAX];
    size_t const count = resolver_lookup(resolver, &module, 0x1000, frames);
    resolver_destroy(resolver);
    return count > 0;
}

/* A FIFO that is opened lets go on who waits for a reader. */
static void a_fifo_is_not_opened_as_a_module(void **state)
{
    (void)state;
    scratch_run("mkdir", "app");
    CHECK(mkfifo(scratch_path("app/program"), 0600) == 0);
    int const watch = watch_folder("app");
    CHECK(!has_any_name("/app/program", scratch_path(""), ""));
    expect_nobody(watch);
}

static void a_fifo_is_not_opened_by_build_id(void **state)
{
    (void)state;
    scratch_run("mkdir", "-p", "usr/lib/debug/.build-id/ab");
    CHECK(mkfifo(scratch_path("usr/lib/debug/.build-id/ab/cd.debug"), 0600) == 0);
    int const watch = watch_folder("usr/lib/debug/.build-id/ab");
    CHECK(!has_any_name("/app/program", scratch_path(""), "abcd"));
    expect_nobody(watch);
}

static void a_fifo_is_not_opened_by_debuglink(void **state)
{
    (void)state;
    scratch_run("cc", "-O2", "-g", "-Wl,--build-id=none", "-o", "program", "program.c");
    scratch_run("objcopy", "--only-keep-debug", "program", "stripped.debug");
    scratch_run("objcopy", "--strip-all", "--add-gnu-debuglink=stripped.debug", "program",
                "stripped");
    scratch_run("mkdir", ".debug");
    CHECK(mkfifo(scratch_path(".debug/stripped.debug"), 0600) == 0);
    scratch_run("rm", "stripped.debug");
    int const watch = watch_folder(".debug");
    (void)has_any_name(scratch_path("stripped"), "", "");
    expect_nobody(watch);
}

/* "/proc/PID/root/tmp" of a process that has a root of its own may lead to ours. */
static void a_list_of_code_is_looked_for_in_the_root_of_its_process(void **state)
{
    char path[128];
    (void)state;
    if (geteuid() != 0)
        skip();
    scratch_run("mkdir", "ours", "root");
    scratch_write("ours/perf-1.map", "1000 10 secret\n", 15);
    CHECK(symlink(scratch_path("ours"), scratch_path("root/tmp")) == 0);
    pid_t const pid = fork();
    if (pid == 0) {
        CHECK(chroot(scratch_path("root")) == 0);
        for (;;)
            pause();
    }
    struct stat root, wanted;
    snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
    CHECK(stat(scratch_path("root"), &wanted) == 0);
    while (stat(path, &root) == 0 && root.st_ino != wanted.st_ino)
        usleep(1000);
    snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-1.map", (int)pid);
    CHECK(access(path, R_OK) == 0); /* so it is, for who follows links */
    CHECK(!perf_map_exists(path, PERF_MAP_ANYONE));
    CHECK(unlink(scratch_path("root/tmp")) == 0);
    scratch_run("mv", "ours", "root/tmp");
    CHECK(perf_map_exists(path, PERF_MAP_ANYONE));
    kill(pid, SIGKILL);
}

/* A program that was deleted, with a name that goes on after a line's end. */
static void a_file_without_a_name_is_found_by_its_mapping(void **state)
{
    char name[600], seen[600], root[64];
    struct stat mapped, found;
    (void)state;
    snprintf(name, sizeof(name), "%s/odd\nname", scratch_path(""));
    snprintf(seen, sizeof(seen), "%s/odd\\012name", scratch_path(""));
    snprintf(root, sizeof(root), "/proc/%d/root", (int)getpid());
    int const file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK(file >= 0 && ftruncate(file, 4096) == 0 && fstat(file, &mapped) == 0);
    void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    CHECK(page != MAP_FAILED && unlink(name) == 0);
    int const fd = mapped_file_open(root, seen);
    if (fd < 0 && geteuid() != 0)
        skip();
    CHECK(fd >= 0 && fstat(fd, &found) == 0 && found.st_ino == mapped.st_ino);
    close(fd);
    munmap(page, 4096);
    close(file);
}

static void build_split(void)
{
    scratch_run("cc", "-O2", "-g", "-gsplit-dwarf", "-c", "-o", "program.o", "program.c");
    scratch_run("cc", "-o", "program", "program.o");
}

/* libdw has it mapped: to touch what is no more there would end us. */
static void a_split_file_that_is_cut_while_it_is_used_does_no_harm(void **state)
{
    struct resolver *resolver = resolver_create();
    struct resolver_module module = {scratch_path("program"), "", ""};
    (void)state;
    build_split();
    CHECK(finds_chain(resolver, &module, "program", "outer", chain));
    CHECK(truncate(scratch_path("program.dwo"), 0) == 0);
    (void)finds_chain(resolver, &module, "program", "main", chain);
    resolver_destroy(resolver);
}

static void a_split_file_is_looked_for_in_the_root_of_its_process(void **state)
{
    char folder[512];
    (void)state;
    build_split();
    scratch_run("mkdir", "root");
    scratch_run("cp", "program", "root/program");
    struct resolver_module const module = {"/program", scratch_path("root"), ""};
    struct resolver *resolver = resolver_create();
    CHECK(!finds_chain(resolver, &module, "program", "outer", chain));
    resolver_destroy(resolver);
    snprintf(folder, sizeof(folder), "%s%s", scratch_path("root"), scratch_path(""));
    scratch_run("mkdir", "-p", folder);
    scratch_run("cp", "program.dwo", folder);
    resolver = resolver_create();
    CHECK(finds_chain(resolver, &module, "program", "outer", chain));
    resolver_destroy(resolver);
}

/* What others own is copied before libdw looks at it: they may write to it meanwhile. */
static void a_file_of_another_user_may_change_while_it_is_read(void **state)
{
    struct resolver *resolver = resolver_create();
    struct resolver_module module = {scratch_path("program"), "", ""};
    struct elf_image image;
    (void)state;
    if (geteuid() != 0)
        skip();
    scratch_run("cc", "-O2", "-g", "-o", "program", "program.c");
    CHECK(elf_image_open(&image, "", scratch_path("program")) == 0 && !image.may_change);
    elf_image_close(&image);
    CHECK(chown(scratch_path("program"), 65534, 65534) == 0);
    CHECK(finds_chain(resolver, &module, "program", "outer", chain));
    resolver_destroy(resolver);

    CHECK(elf_image_open(&image, "", scratch_path("program")) == 0 && image.may_change);
    struct slice const copy = debug_copy_make(image.bytes);
    struct elf_view view;
    struct elf_section section;
    CHECK(elf_view_init(&view, copy) == 0 && elf_view_find(&view, ".debug_info", &section));
    char *before = malloc(section.bytes.size);
    memcpy(before, section.bytes.data, section.bytes.size);
    scratch_write("program", "", 0);
    CHECK(memcmp(before, section.bytes.data, section.bytes.size) == 0);
    struct dwarf_lines *lines = dwarf_lines_open(copy, (struct slice){"", 0}, "");
    CHECK(lines != NULL);
    dwarf_lines_close(lines);
    free(before);
    debug_copy_free(copy);
    elf_image_close(&image);
}

/* Sections that lie on each other, each of them nearly all of a large file. */
static void a_file_that_claims_more_than_there_is_has_no_copy(void **state)
{
    enum { COUNT = 2000 };
    static struct {
        Elf64_Ehdr head;
        Elf64_Shdr sections[COUNT];
    } file;
    uint64_t const size = (uint64_t)32 << 20;
    (void)state;
    memcpy(file.head.e_ident, ELFMAG, SELFMAG);
    file.head.e_ident[EI_CLASS] = ELFCLASS64;
    file.head.e_ident[EI_DATA] = ELFDATA2LSB;
    file.head.e_shoff = sizeof(file.head);
    file.head.e_shentsize = sizeof(Elf64_Shdr);
    file.head.e_shnum = COUNT;
    for (size_t i = 1; i < COUNT; i++)
        file.sections[i] = (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_size = size};
    char *bytes = calloc(1, size);
    memcpy(bytes, &file, sizeof(file));
    CHECK(debug_copy_make((struct slice){bytes, size}).size == 0);
    free(bytes);
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
        WITH_FOLDER(a_fifo_is_not_opened_as_a_module),
        WITH_FOLDER(a_fifo_is_not_opened_by_build_id),
        WITH_FOLDER(a_fifo_is_not_opened_by_debuglink),
        WITH_FOLDER(a_list_of_code_is_looked_for_in_the_root_of_its_process),
        WITH_FOLDER(a_file_without_a_name_is_found_by_its_mapping),
        WITH_FOLDER(a_split_file_that_is_cut_while_it_is_used_does_no_harm),
        WITH_FOLDER(a_split_file_is_looked_for_in_the_root_of_its_process),
        WITH_FOLDER(a_file_of_another_user_may_change_while_it_is_read),
        WITH_FOLDER(a_file_that_claims_more_than_there_is_has_no_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
