/* SPDX-License-Identifier: Apache-2.0 */
/* keeper_test.c - a confined side that was taken over: it asks its keepers for files and processes
 * that are not its business, and gets nothing; and what is its business, it gets. */
#include "keeper/keeper.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "foreign/foreign_request.h"
#include "keeper/keeper_facts.h"
#include "procfs/process/proc_open.h"
#include "procfs/process/process_facts.h"
#include "sleeper.h"
#include "store/write/growing_file.h"

#define ARENA_BYTES 8192u

static char folder[] = "/tmp/memoir-keeper-XXXXXX";
static char core[64], output[64], sibling[64], secret[64], linked[64], hidden[64];
static pid_t stranger, ours;
static void *arena;
static char name[ARENA_NAME_MAX];

static void write_file(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    CHECK(file);
    fputs(text, file);
    fclose(file);
}

static void write_core(const char *path)
{
    Elf64_Ehdr const head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3}, .e_type = ET_CORE};
    int const fd = open(path, O_WRONLY | O_CREAT, 0600);
    CHECK(fd >= 0 && write(fd, &head, sizeof(head)) == (ssize_t)sizeof(head));
    close(fd);
}

/* A stranger that does not have the arena, a process that has, and keepers of both. */
static int set_up(void **state)
{
    (void)state;
    CHECK(mkdtemp(folder));
    snprintf(output, sizeof(output), "%s/out", folder);
    snprintf(sibling, sizeof(sibling), "%s/other.memoir", folder);
    snprintf(secret, sizeof(secret), "%s/secret", folder);
    snprintf(linked, sizeof(linked), "%s/linked.memoir", folder);
    snprintf(hidden, sizeof(hidden), "%s/.hidden.memoir", folder);
    write_file(secret, "secret");
    CHECK(symlink(secret, linked) == 0);
    snprintf(core, sizeof(core), "%s/core", folder);
    write_core(core);
    stranger = start_sleeper();
    int const fd = memfd_create("memoir", MFD_CLOEXEC);
    CHECK(fd >= 0 && ftruncate(fd, ARENA_BYTES) == 0);
    arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(arena != MAP_FAILED);
    ours = start_sleeper();
    struct keeper_wish const wish = {.arena = arena,
                                     .arena_bytes = ARENA_BYTES,
                                     .arena_fd = fd,
                                     .output = output,
                                     .folder = folder,
                                     .claim = -1};
    CHECK(keeper_begin(&wish, name) == 0);
    CHECK(keeper_tell_program(ours, true) == 0);
    keeper_use();
    return 0;
}

static int tear_down(void **state)
{
    char command[96];
    (void)state;
    end(stranger);
    end(ours);
    keeper_end();
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

TEST(strangers_are_not_shown)
{
    struct stat about;
    struct statfs system;
    char text[256];
    for (int row = 0; row < PROC_FILES; row++) {
        CHECK(proc_open((uint32_t)stranger, 0, (enum proc_file)row) < 0);
        CHECK(proc_read_link((uint32_t)stranger, (enum proc_file)row, text, sizeof(text)) < 0);
        if (row != PROC_ITSELF)
            CHECK(proc_stat((uint32_t)stranger, 0, (enum proc_file)row, &about) < 0);
        if (row != PROC_STAT)
            CHECK(proc_read_start((uint32_t)stranger, 0, (enum proc_file)row, text, sizeof(text)) <
                  0);
    }
    CHECK(proc_stat_below((uint32_t)stranger, "/etc/passwd", &about) == -EACCES);
    CHECK(proc_mapped_system((uint32_t)stranger, 4096, 8192, &system) < 0);
    CHECK(keeper_listen(stranger) == -EACCES);
    CHECK(proc_open(1, 0, PROC_MEM_WRITE) < 0);
    CHECK(proc_open((uint32_t)getppid(), 0, PROC_ENVIRON) < 0);
}

/* Whether it runs and since when: no addresses, no exit code. */
TEST(of_strangers_only_their_life_is_told)
{
    char text[1024];
    struct stat about;
    CHECK(process_runs((uint32_t)stranger));
    CHECK(process_age_ns((uint32_t)stranger) > 0);
    CHECK(proc_stat((uint32_t)stranger, 0, PROC_ITSELF, &about) == 0);
    CHECK(proc_read_start((uint32_t)stranger, 0, PROC_STAT, text, sizeof(text)) > 0);
    const char *at = strrchr(text, ')');
    for (unsigned i = 0; at && i < 21; i++)
        at = strchr(at + 1, ' ');
    CHECK(at);
    CHECK(strspn(at, " -0\n") == strlen(at));
}

TEST(who_has_the_arena_is_shown)
{
    enum arena_finding found;
    bool is_old;
    CHECK(keeper_uses_arena((uint32_t)ours, &found, &is_old) == 0);
    CHECK(found == HAS_ARENA);
    CHECK(keeper_uses_arena((uint32_t)stranger, &found, &is_old) == 0);
    CHECK(found == LACKS_ARENA);
    int const memory = proc_open((uint32_t)ours, 0, PROC_MEM);
    CHECK(memory >= 0);
    close(memory);
    CHECK(process_memory((uint32_t)ours).rss_bytes > 0);
}

static int ask_file(enum foreign_kind kind, const char *root, const char *path)
{
    struct foreign_limits const limits = {.bytes_max = FOREIGN_ELF_MAX};
    int const fd = foreign_ask_path(kind, root, path, &limits);
    if (fd >= 0)
        close(fd);
    return fd;
}

TEST(only_elf_files_are_opened)
{
    struct foreign_limits const limits = {.bytes_max = FOREIGN_ELF_MAX};
    char root[64];
    CHECK(ask_file(FOREIGN_BELOW, "", "/proc/self/exe") < 0);
    CHECK(ask_file(FOREIGN_BELOW, "", "/bin/true") >= 0);
    CHECK(ask_file(FOREIGN_BELOW, "", "/etc/passwd") == -ENOEXEC);
    CHECK(ask_file(FOREIGN_BELOW, "", secret) == -ENOEXEC);
    CHECK(ask_file(FOREIGN_BELOW, "", core) == -ENOEXEC);
    CHECK(ask_file(FOREIGN_BELOW, "", "/dev/zero") == -EACCES);
    CHECK(ask_file(FOREIGN_BELOW, "", folder) == -EACCES);
    CHECK(ask_file(FOREIGN_BELOW, "/", "bin/true") == -EACCES);
    CHECK(ask_file(FOREIGN_BELOW, "/proc/1/root/../..", "bin/true") == -EACCES);
    snprintf(root, sizeof(root), "/proc/%d/root", (int)stranger);
    CHECK(ask_file(FOREIGN_BELOW, root, "/bin/true") == -EACCES);
    CHECK(ask_file(FOREIGN_MAPPED, root, "/bin/true") < 0);
    snprintf(root, sizeof(root), "/proc/%d/root", (int)ours);
    CHECK(ask_file(FOREIGN_BELOW, root, "/bin/true") >= 0);
    CHECK(ask_file(FOREIGN_BELOW, root, "/etc/passwd") == -ENOEXEC);
    CHECK(foreign_ask_process(FOREIGN_PROGRAM, (uint32_t)stranger, 0, 0, &limits) == -EACCES);
    int const program = foreign_ask_process(FOREIGN_PROGRAM, (uint32_t)ours, 0, 0, &limits);
    CHECK(program >= 0);
    close(program);
}

static int take(const char *path)
{
    struct growing_file file;
    int const err = growing_file_create(&file, path);
    if (err == 0)
        growing_file_close(&file);
    return err;
}

static bool is_secret(void)
{
    char text[16] = "";
    int const fd = open(secret, O_RDONLY);
    CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) == 6);
    close(fd);
    return strcmp(text, "secret") == 0;
}

TEST(only_recordings_are_made)
{
    char outside[96], below[96];
    int64_t bytes;
    snprintf(outside, sizeof(outside), "%s/../elsewhere.memoir", folder);
    snprintf(below, sizeof(below), "%s/a/b.memoir", folder);
    CHECK(take(secret) == -EACCES);
    CHECK(take("/etc/elsewhere.memoir") == -EACCES);
    CHECK(take("elsewhere.memoir") == -EACCES);
    CHECK(take(outside) == -EACCES);
    CHECK(take(below) == -EACCES);
    CHECK(take(hidden) == -EACCES);
    CHECK(take(linked) == -EACCES); /* there is something */
    CHECK(keeper_output_look(secret, &bytes) == -EACCES);
    CHECK(keeper_output_look("/etc/passwd", &bytes) == -EACCES);
    CHECK(keeper_output_put_aside(secret) == -EACCES);
    CHECK(keeper_output_remove(secret, false) == -EACCES);
    CHECK(keeper_output_remove(linked, false) == -EACCES);
    CHECK(is_secret());
    CHECK(take(output) == 0);
    CHECK(take(sibling) == 0);
    CHECK(take(sibling) == -EACCES); /* it is no new one any more */
    CHECK(keeper_output_look(sibling, &bytes) == 0);
    CHECK(keeper_output_remove(sibling, false) == 0);
    CHECK(keeper_output_look(sibling, &bytes) == -ENOENT);
}

/* What somebody else has put in the place of a recording stays. */
TEST(a_copy_takes_the_place_of_what_we_made_alone)
{
    struct growing_file old, copy;
    char theirs[8] = "";
    CHECK(growing_file_create(&old, sibling) == 0);
    CHECK(growing_file_create_beside(&copy, linked) == -EACCES);
    CHECK(growing_file_create_beside(&copy, sibling) == 0);
    CHECK(growing_file_append(&copy, "coarse", 6) == 0);
    CHECK(growing_file_replace(&copy, sibling, &old) == 0);
    growing_file_close(&old);
    struct stat about;
    CHECK(stat(sibling, &about) == 0 && about.st_size == 6 && (about.st_mode & 0777) == 0600);
    struct growing_file again;
    CHECK(growing_file_create_beside(&again, sibling) == 0);
    CHECK(unlink(sibling) == 0);
    write_file(sibling, "theirs");
    CHECK(growing_file_replace(&again, sibling, &copy) == -EEXIST);
    growing_file_discard(&again);
    growing_file_close(&copy);
    CHECK(keeper_output_remove(sibling, false) == -EACCES);
    int const fd = open(sibling, O_RDONLY);
    CHECK(fd >= 0 && read(fd, theirs, sizeof(theirs) - 1) == 6);
    close(fd);
    CHECK(strcmp(theirs, "theirs") == 0);
    CHECK(unlink(sibling) == 0);
}

TEST(signals_go_to_the_program_alone_and_never_kill_by_force)
{
    CHECK(keeper_send_signal(SIGKILL, 0) == -EACCES);
    CHECK(keeper_send_signal(SIGSTOP, 0) == -EACCES);
    CHECK(keeper_send_signal(0, 0) < 0);
    CHECK(keeper_send_signal(SIGCONT, 0) == 0);
    CHECK(kill(ours, 0) == 0);
}

TEST(priorities_are_of_the_recorder_alone)
{
    CHECK(keeper_raise(0, 0) == 0);
}

/* A child asks by a line of its own, and the recorder goes on by its own. */
TEST(a_child_has_its_own_line)
{
    int status;
    int const line = keeper_branch_open();
    CHECK(line >= 0);
    pid_t const child = fork();
    if (child == 0) {
        keeper_branch_use(line);
        bool const is_shown = process_memory((uint32_t)ours).rss_bytes > 0;
        _exit(is_shown && proc_open((uint32_t)stranger, 0, PROC_MEM) < 0 ? 0 : 1);
    }
    close(line);
    for (int i = 0; i < 100; i++)
        CHECK(process_memory((uint32_t)ours).rss_bytes > 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

TEST(a_text_of_stat_is_tamed)
{
    char text[512] =
        "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 "
        "28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 9\n";
    size_t const size = keeper_tame_stat(text, true);
    CHECK(size == strlen(text));
    CHECK(strstr(text, " 18 19 0 0"));
    CHECK(strcmp(text + size - 4, " 0 9") == 0);
    CHECK(keeper_tame_stat(text, false) == strlen(text));
    CHECK(strcmp(text + strlen(text) - 4, " 0 -") == 0);
    char nonsense[] = "no name";
    CHECK(keeper_tame_stat(nonsense, true) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strangers_are_not_shown),
        cmocka_unit_test(of_strangers_only_their_life_is_told),
        cmocka_unit_test(who_has_the_arena_is_shown),
        cmocka_unit_test(only_elf_files_are_opened),
        cmocka_unit_test(only_recordings_are_made),
        cmocka_unit_test(a_copy_takes_the_place_of_what_we_made_alone),
        cmocka_unit_test(signals_go_to_the_program_alone_and_never_kill_by_force),
        cmocka_unit_test(priorities_are_of_the_recorder_alone),
        cmocka_unit_test(a_child_has_its_own_line),
        cmocka_unit_test(a_text_of_stat_is_tamed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
