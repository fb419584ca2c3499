/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the system's files, kept on disk: what is kept is what the namer says, and a file that
 * is damaged, not ours alone, or about other files is as good as none. */
#include "symbols/namer/known_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "sandbox/line.h"
#include "scratch.h"
#include "symbols/namer/cache_folder.h"
#include "symbols/namer/name_cache.h"
#include "symbols/namer/name_message.h"
#include "symbols/namer/name_source.h"

#define NOBODY 65534u

static char *libc_path, *build_id;
static uint64_t addresses[3];
static char folder[4096], kept[4400];

/* Paths of the system, as those of a process. */
static void find_libc(void)
{
    static const char *const paths[] = {"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6",
                                        "/usr/lib/libc.so.6"};
    static const char *const names[] = {"malloc", "fopen", "qsort"};
    for (size_t i = 0; !libc_path && i < sizeof(paths) / sizeof(paths[0]); i++)
        libc_path = access(paths[i], R_OK) == 0 ? strdup(paths[i]) : NULL;
    CHECK(libc_path);
    build_id = scratch_build_id(libc_path);
    char *table = scratch_output("nm", "-D", "--defined-only", libc_path);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char line[64];
        snprintf(line, sizeof(line), " T %s@@", names[i]);
        const char *at = strstr(table, line);
        while (at && at > table && at[-1] != '\n')
            at--;
        if (!at) {
            snprintf(line, sizeof(line), " W %s@@", names[i]);
            for (at = strstr(table, line); at && at > table && at[-1] != '\n';)
                at--;
        }
        CHECK(at);
        addresses[i] = strtoull(at, NULL, 16) + 4;
    }
    free(table);
}

static int set_up(void **state)
{
    (void)state;
    scratch_open();
    snprintf(folder, sizeof(folder), "%s/memoir/names", scratch_path("cache"));
    CHECK(mkdir(scratch_path("cache"), 0700) == 0);
    setenv("XDG_CACHE_HOME", scratch_path("cache"), 1);
    unsetenv("DEBUGINFOD_URLS");
    name_client_use_program(NAMER);
    if (!libc_path)
        find_libc();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_close();
    return 0;
}

static struct resolver_module libc_module(void)
{
    return (struct resolver_module){libc_path, "/proc/1/root", build_id};
}

/* All that is said about the addresses, with a namer or from what is kept alone.  For the latter
 * the program that names them must stay the same, and not start: it has no descriptors left. */
static bool ask(struct known_names *known, char text[4096])
{
    struct resolver_module const module = libc_module();
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < 3; i++) {
        struct name_answer answer;
        if (!known_names_ask(known, &module, &addresses[i], 3 - i, &answer))
            return false;
        for (uint32_t at = 0; at < answer.count; at++)
            used += (size_t)snprintf(text + used, 4096 - used, "%s %s %s:%u\n",
                                     answer.names[at].function, answer.names[at].symbol,
                                     answer.names[at].file, answer.names[at].line);
        used += (size_t)snprintf(text + used, 4096 - used, "into %u\n", answer.into_function);
        free(answer.names);
    }
    return true;
}

static unsigned starts;

static int refuse_to_start(pid_t *pid)
{
    (void)pid;
    starts++;
    return -1;
}

static int never_ends(pid_t pid, bool at_once)
{
    (void)pid;
    (void)at_once;
    return 0;
}

static void no_nice(pid_t pid, int nice)
{
    (void)pid;
    (void)nice;
}

static const struct namer_process nobody = {refuse_to_start, never_ends, no_nice};

/* In a process of its own, for who starts namers is set for good. */
static int ask_the_kept(const char *truth)
{
    fflush(NULL);
    pid_t const child = fork();
    if (child == 0) {
        char text[4096];
        name_client_start_by(&nobody);
        struct known_names *known = known_names_create();
        bool const is_known = ask(known, text);
        known_names_destroy(known);
        _exit(!is_known ? 1 : strcmp(text, truth) == 0 && starts == 0 ? 0 : 2);
    }
    return child;
}

#define KEPT    0 /* the same as the namer said, without one */
#define MISSING 1
static int kept_is(const char *truth)
{
    int status = 0;
    pid_t const child = ask_the_kept(truth);
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void fill(char truth[4096])
{
    struct known_names *known = known_names_create();
    CHECK(ask(known, truth));
    CHECK(strstr(truth, "malloc") && strstr(truth, "fopen") && strstr(truth, "qsort"));
    known_names_destroy(known);
    DIR *list = opendir(folder);
    CHECK(list);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(list));)
        if (entry->d_name[0] != '.') {
            snprintf(kept, sizeof(kept), "%s/%.100s", folder, entry->d_name);
            count++;
        }
    closedir(list);
    CHECK(count == 1);
}

TEST(what_is_kept_is_what_the_namer_says)
{
    char truth[4096];
    struct stat about;
    fill(truth);
    CHECK(kept_is(truth) == KEPT);
    CHECK(stat(folder, &about) == 0 && (about.st_mode & 07777) == 0700);
    CHECK(stat(kept, &about) == 0 && (about.st_mode & 07777) == 0600);
}

TEST(a_damaged_file_never_gives_another_name)
{
    char truth[4096];
    size_t size;
    fill(truth);
    char *bytes = scratch_read(strstr(kept, "cache/"), &size);
    CHECK(size > 100);
    for (size_t at = 0; at < size; at += 1 + size / 150) {
        int const fd = open(kept, O_WRONLY);
        char const wrong = (char)(bytes[at] ^ (1 << at % 8));
        CHECK(fd >= 0 && pwrite(fd, &wrong, 1, (off_t)at) == 1);
        CHECK(kept_is(truth) == MISSING);
        CHECK(pwrite(fd, bytes + at, 1, (off_t)at) == 1 && close(fd) == 0);
    }
    CHECK(kept_is(truth) == KEPT);
    for (size_t cut = 0; cut < size; cut += 1 + size / 40) {
        CHECK(truncate(kept, (off_t)cut) == 0);
        CHECK(kept_is(truth) == MISSING);
    }
    free(bytes);
    fill(truth); /* made whole again */
    CHECK(kept_is(truth) == KEPT);
}

TEST(only_what_is_ours_alone_is_read)
{
    char truth[4096], link[4500];
    fill(truth);
    CHECK(chmod(kept, 0640) == 0);
    CHECK(kept_is(truth) == MISSING);
    CHECK(chmod(kept, 0600) == 0 && kept_is(truth) == KEPT);
    snprintf(link, sizeof(link), "%s.other", kept);
    CHECK(rename(kept, link) == 0 && symlink(link, kept) == 0);
    CHECK(kept_is(truth) == MISSING);
    CHECK(unlink(kept) == 0 && rename(link, kept) == 0 && kept_is(truth) == KEPT);
    CHECK(chmod(folder, 0770) == 0);
    CHECK(kept_is(truth) == MISSING);
    CHECK(chmod(folder, 0700) == 0 && kept_is(truth) == KEPT);
    if (geteuid() != 0)
        return;
    CHECK(chown(kept, NOBODY, NOBODY) == 0);
    CHECK(kept_is(truth) == MISSING);
    CHECK(chown(kept, 0, 0) == 0 && chown(folder, NOBODY, NOBODY) == 0);
    CHECK(kept_is(truth) == MISSING);
    CHECK(chown(folder, 0, 0) == 0 && kept_is(truth) == KEPT);
}

TEST(root_leaves_nothing_in_the_home_of_somebody_else)
{
    char truth[4096];
    if (geteuid() != 0)
        skip();
    CHECK(mkdir(scratch_path("home"), 0755) == 0);
    CHECK(chown(scratch_path("home"), NOBODY, NOBODY) == 0);
    setenv("HOME", scratch_path("home"), 1);
    unsetenv("XDG_CACHE_HOME");
    struct known_names *known = known_names_create();
    CHECK(!ask(known, truth));
    known_names_destroy(known);
    CHECK(rmdir(scratch_path("home")) == 0); /* empty */
}

static bool is_known(const char *path, const char *id)
{
    struct known_names *known = known_names_create();
    struct resolver_module const module = {path, "", id};
    struct name_answer answer;
    bool const found = known_names_ask(known, &module, addresses, 1, &answer);
    free(answer.names);
    known_names_destroy(known);
    return found;
}

TEST(only_files_of_the_system_are_read)
{
    char path[4400], changed[200];
    scratch_run("cp", libc_path, "libc.so.6");
    CHECK(!is_known(scratch_path("libc.so.6"), build_id)); /* root's perhaps, but not in place */
    snprintf(path, sizeof(path), "/usr/lib/../..%s", scratch_path("libc.so.6"));
    CHECK(!is_known(path, build_id));
    snprintf(changed, sizeof(changed), "%s", build_id);
    changed[0] = changed[0] == '0' ? '1' : '0';
    CHECK(!is_known(libc_path, changed)); /* another file of that name */
    CHECK(!is_known(libc_path, ""));
    setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
    CHECK(!is_known(libc_path, build_id));
    unsetenv("DEBUGINFOD_URLS");
    CHECK(is_known(libc_path, build_id));
}

/* In a folder of the system, which this process alone sees so. */
static void check_in_place(void)
{
    static const char place[] = "/usr/lib/debug/y.so";
    CHECK(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
    CHECK(mount("none", "/usr/lib/debug", "tmpfs", 0, "mode=0755") == 0);
    scratch_run("cp", libc_path, place);
    CHECK(chmod(place, 0644) == 0 && is_known(place, build_id));
    CHECK(chmod(place, 0664) == 0 && !is_known(place, build_id));
    CHECK(chmod(place, 0644) == 0 && chown(place, NOBODY, 0) == 0 && !is_known(place, build_id));
    CHECK(chown(place, 0, 0) == 0 && is_known(place, build_id));
    CHECK(chmod("/usr/lib/debug", 0777) == 0 && !is_known(place, build_id));
    CHECK(chmod("/usr/lib/debug", 0755) == 0 && is_known(place, build_id));
    scratch_run("cp", libc_path, "libc.so.6");
    CHECK(unlink(place) == 0 && symlink(scratch_path("libc.so.6"), place) == 0);
    CHECK(!is_known(place, build_id));
}

TEST(in_its_place_a_file_is_of_the_system_if_only_root_can_write_it)
{
    int status = -1;
    if (geteuid() != 0 || access("/usr/lib/debug", X_OK) != 0)
        skip();
    fflush(NULL);
    pid_t const child = fork();
    if (child == 0) {
        check_in_place();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* A file as it is kept, with one more that was read. */
static bool holds(const char *path, const struct stat *about)
{
    struct resolved const name = {"f", "f", "", 1};
    struct name_answer answer = {(struct resolved *)&name, 1, 0};
    int const cache = cache_folder_open();
    CHECK(cache >= 0);
    struct cached_names *names = cached_names_load(cache, NAMER, "/usr/lib/x", "00");
    cached_names_note_file(names, path, about);
    cached_names_add(names, 7, &answer);
    cached_names_close(names, cache);
    return cache >= 0 && close(cache) == 0;
}

static bool still_holds(void)
{
    struct name_answer answer;
    int const cache = cache_folder_open();
    struct cached_names *names = cached_names_load(cache, NAMER, "/usr/lib/x", "00");
    bool const found = cached_names_find(names, 7, &answer);
    if (found)
        free(answer.names);
    cached_names_close(names, cache);
    close(cache);
    return found;
}

TEST(names_hold_as_long_as_the_files_they_are_from)
{
    struct stat about;
    char path[4400];
    snprintf(path, sizeof(path), "%s", scratch_path("debug"));
    CHECK(holds(path, NULL) && still_holds());
    scratch_write("debug", "abc", 3); /* debug information was installed */
    CHECK(!still_holds());
    CHECK(stat(path, &about) == 0 && holds(path, &about) && still_holds());
    struct timespec const times[2] = {about.st_atim, about.st_mtim};
    scratch_write("debug", "abd", 3); /* the same size, inode and time */
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
    CHECK(!still_holds());
    CHECK(stat(path, &about) == 0 && holds(path, &about) && still_holds());
    CHECK(chmod(path, 0666) == 0);
    CHECK(!still_holds());
    CHECK(unlink(path) == 0 && !still_holds());
}

TEST(another_program_that_looks_up_names_begins_anew)
{
    struct resolved const name = {"f", "f", "", 1};
    struct name_answer answer = {(struct resolved *)&name, 1, 0};
    int const cache = cache_folder_open();
    CHECK(holds("/nonexistent", NULL) && still_holds());
    struct cached_names *names = cached_names_load(cache, "/bin/sh", "/usr/lib/x", "00");
    CHECK(!cached_names_find(names, 7, &answer));
    cached_names_close(names, cache);
    close(cache);
}

TEST(the_folder_and_each_file_are_bounded)
{
    static char text[60000];
    struct name_answer found;
    int const cache = cache_folder_open();
    memset(text, 'x', sizeof(text) - 1);
    struct resolved const name = {text, "", "", 1};
    struct name_answer answer = {(struct resolved *)&name, 1, 0};
    struct cached_names *names = cached_names_load(cache, NAMER, "/usr/lib/large", "00");
    cached_names_note_file(names, "/nonexistent", NULL);
    for (uint64_t i = 0; i < 100; i++)
        cached_names_add(names, i, &answer);
    CHECK(cached_names_find(names, 0, &found));
    free(found.names);
    CHECK(!cached_names_find(names, 99, &found));
    cached_names_close(names, cache);
    answer = (struct name_answer){.into_function = 1};
    for (unsigned i = 0; i < CACHE_FILES_MAX + 10; i++) {
        char path[64];
        snprintf(path, sizeof(path), "/usr/lib/%u", i);
        names = cached_names_load(cache, NAMER, path, "00");
        cached_names_note_file(names, "/nonexistent", NULL);
        cached_names_add(names, 1, &answer);
        cached_names_close(names, cache);
    }
    unsigned count = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry; (entry = readdir(list));) {
        struct stat about;
        if (entry->d_name[0] == '.')
            continue;
        CHECK(fstatat(cache, entry->d_name, &about, 0) == 0);
        CHECK((size_t)about.st_size < CACHED_BYTES_MAX + 4096);
        count++;
    }
    closedir(list);
    close(cache);
    CHECK(count == CACHE_FILES_MAX);
}

/* As a confined recorder has it: another process knows, and gives no more than a namer does. */
TEST(another_process_answers_in_the_same_way)
{
    static struct name_question question;
    static struct name_head head;
    static char body[NAME_PART_BYTES];
    int ends[2];
    CHECK(line_open(ends) == 0);
    fflush(NULL);
    pid_t const child = fork();
    if (child == 0) {
        close(ends[0]);
        known_names_serve(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    struct resolver_module const module = libc_module();
    CHECK(name_question_fill(&question, &module, addresses, 1));
    CHECK(line_send(ends[0], &question, sizeof(question), NULL, 0) == 0);
    CHECK(line_receive(ends[0], &head, sizeof(head), NULL) == (ssize_t)sizeof(head));
    CHECK(name_head_is_valid(&head) && head.reply == NAME_ANSWER && head.count == 1);
    CHECK(head.worked_ns > 0);
    CHECK(line_receive(ends[0], body, sizeof(body), NULL) == (ssize_t)head.body_bytes);
    struct resolved *names = name_body_parse(body, head.body_bytes, head.count);
    CHECK(names && strstr(names->function, "malloc"));
    free(names);
    snprintf(question.path, sizeof(question.path), "%s", NAMER); /* not the system's */
    CHECK(line_send(ends[0], &question, sizeof(question), NULL, 0) == 0);
    CHECK(line_receive(ends[0], &head, sizeof(head), NULL) == (ssize_t)sizeof(head));
    CHECK(name_head_is_valid(&head) && head.count == 0 && head.into_function == 0);
    question.nice = 77;
    CHECK(line_send(ends[0], &question, sizeof(question), NULL, 0) == 0);
    CHECK(line_receive(ends[0], &head, sizeof(head), NULL) == 0); /* nonsense: it has ended */
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    close(ends[0]);
}

TEST(what_is_not_known_goes_to_the_other_namer)
{
    extern const char __executable_start[];
    static char path[4096];
    struct name_source *source = name_source_create(NULL);
    struct name_answer answer;
    CHECK(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
    struct resolver_module const ours = {path, "", ""}, systems = {libc_path, "", build_id};
    uint64_t const address = (uint64_t)((uintptr_t)find_libc - (uintptr_t)__executable_start);
    name_source_ask(source, &ours, &address, 1, &answer);
    CHECK(answer.count > 0);
    assert_string_equal(answer.names[answer.count - 1].function, "find_libc");
    free(answer.names);
    name_source_ask(source, &systems, addresses, 1, &answer);
    CHECK(answer.count > 0 && name_source_worked_ns(source) > 0);
    free(answer.names);
    name_source_rest(source);
    name_source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_kept_is_what_the_namer_says, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_file_never_gives_another_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_what_is_ours_alone_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(root_leaves_nothing_in_the_home_of_somebody_else, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(only_files_of_the_system_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            in_its_place_a_file_is_of_the_system_if_only_root_can_write_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_hold_as_long_as_the_files_they_are_from, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(another_program_that_looks_up_names_begins_anew, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_folder_and_each_file_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_process_answers_in_the_same_way, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_known_goes_to_the_other_namer, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
