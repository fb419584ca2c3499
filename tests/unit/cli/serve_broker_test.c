/* SPDX-License-Identifier: Apache-2.0 */
/* What a confined server can have done outside, should a recording or a client have taken it
 * over: what is meant to be served, and nothing else. */
#include "cli/serve/serve_broker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "foreign/foreign_request.h"
#include "procfs/process/proc_request.h"
#include "serve/content/errand.h"
#include "serve/content/source_file.h"

static char named[] = "served.memoir", other[] = "other.memoir";
static char *files[] = {named};

static int try_proc(uint32_t pid, enum proc_file file)
{
    int const fd = proc_open(pid, 0, file);
    if (fd >= 0)
        close(fd);
    return fd < 0 ? fd : 0;
}

static int try_file(const struct foreign_request *request)
{
    int const fd = foreign_ask_path((enum foreign_kind)request->kind, request->root, request->path,
                                    &(struct foreign_limits){.bytes_max = FOREIGN_ELF_MAX});
    if (fd >= 0)
        close(fd);
    return fd < 0 ? fd : 0;
}

/* 0 when such a program is started, which it should end. */
static int try_words(const char *const *words)
{
    struct fault fault = {.text = ""};
    struct errand *errand = errand_start("/bin/true", words, 1, &fault);
    errand_end(errand);
    return errand ? 0 : fault.code;
}

static void begin(uint32_t pid)
{
    static const char empty[] = "/bin/true";
    struct serve_meant const meant = {.pid = pid,
                                      .files = files,
                                      .file_count = 1,
                                      .beside = {.live = empty,
                                                 .fetch = empty,
                                                 .history = empty,
                                                 .go_pprof = "http://127.0.0.1:6060/debug/pprof"}};
    CHECK(serve_broker_begin(&meant) == 0);
    serve_broker_use();
}

/* Each in a process of its own: a broker stays for good. */
static void in_child(void (*body)(void))
{
    int status = 0;
    pid_t const child = fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void serve_a_process(void)
{
    struct stat about;
    char link[64];
    uint32_t const pid = (uint32_t)getpid();
    begin(pid);
    CHECK(try_proc(pid, PROC_MAPS) == 0 && try_proc(pid, PROC_MEM) == 0);
    CHECK(try_proc(pid, PROC_MEM_WRITE) == -EACCES && try_proc(pid, PROC_ENVIRON) == -EACCES);
    CHECK(try_proc(pid, PROC_ROOT) == -EACCES && try_proc(pid, PROC_FDS) == -EACCES);
    CHECK(try_proc(1, PROC_STATUS) == -EACCES && try_proc(1, PROC_MEM) == -EACCES);
    CHECK(try_proc((uint32_t)getppid(), PROC_MAPS) == -EACCES);
    CHECK(proc_read_link(pid, PROC_EXE, link, sizeof(link)) > 0 && link[0] == '/');
    CHECK(proc_stat(pid, 0, PROC_ITSELF, &about) == 0 && S_ISDIR(about.st_mode));
    CHECK(proc_stat(1, 0, PROC_ITSELF, &about) == -EACCES);
}

TEST(of_one_process_nothing_is_seen_but_that)
{
    in_child(serve_a_process);
}

static int make_file(const char *path)
{
    int const fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0);
    return fd;
}

static void serve_a_file(void)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    uint32_t const pid = (uint32_t)getpid();
    int const fd = make_file(named), not_named = make_file(other);
    begin(0);
    CHECK(fcntl(not_named, F_OFD_SETLK, &whole) == 0);
    CHECK(try_proc(pid, PROC_STATUS) == -EACCES && try_proc(pid, PROC_MEM) == -EACCES);
    CHECK(fcntl(fd, F_OFD_SETLK, &whole) == 0);
    CHECK(try_proc(pid, PROC_STATUS) == 0 && try_proc(pid, PROC_SMAPS) == 0);
    close(fd);
    CHECK(try_proc(pid, PROC_STATUS) == -EACCES);
}

TEST(of_a_file_processes_are_seen_while_it_is_written)
{
    in_child(serve_a_file);
}

static void serve_a_file_of_a_stranger(void)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int const fd = make_file(named);
    CHECK(fchown(fd, 65534, 65534) == 0 && fcntl(fd, F_OFD_SETLK, &whole) == 0);
    begin(0);
    CHECK(try_proc((uint32_t)getpid(), PROC_STATUS) == -EACCES);
    CHECK(try_proc(1, PROC_MAPS) == -EACCES);
}

TEST(who_writes_a_recording_is_shown_no_process_of_others)
{
    if (geteuid() == 0)
        in_child(serve_a_file_of_a_stranger);
}

static void ask_for_files(void)
{
    struct foreign_request program = {.kind = FOREIGN_BELOW, .path = "/bin/true"},
                           text = {.kind = FOREIGN_BELOW, .path = "/etc/passwd"},
                           theirs = {.kind = FOREIGN_BELOW,
                                     .root = "/proc/1/root",
                                     .path = "/bin/true"},
                           odd = {.kind = FOREIGN_BELOW,
                                  .root = "/proc/self/root",
                                  .path = "/bin/true"},
                           mapped = {.kind = FOREIGN_MAPPED, .path = "/bin/true"};
    begin((uint32_t)getpid());
    CHECK(try_file(&program) == 0);
    CHECK(try_file(&text) == -ENOEXEC);
    CHECK(try_file(&theirs) == -EACCES && try_file(&odd) == -EACCES);
    CHECK(try_file(&mapped) == -EACCES);
    CHECK(foreign_program_open(1, &(struct foreign_limits){.bytes_max = 1 << 30}, NULL) < 0);
}

TEST(files_are_elf_files_of_this_machine_or_of_the_process)
{
    in_child(ask_for_files);
}

static void ask_for_sources(void)
{
    static const char *const refused[] = {
        "/etc/passwd", "/etc/shadow", "../x.c", "/etc/../etc/x.c", "/.hidden/x.c", "x.c", ""};
    struct source_folders const none = {.count = 0};
    struct source_text text;
    struct fault fault;
    begin(0);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        CHECK(source_file_read(&none, true, refused[i], &text, &fault) < 0);
        source_text_fini(&text);
    }
}

TEST(sources_are_what_everybody_may_read)
{
    in_child(ask_for_sources);
}

static void start_programs(void)
{
    char pid[16];
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    begin((uint32_t)getpid());
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
    CHECK(try_words(WORDS("memoir-record", "live", "cpu", pid, "1", "pprof")) == 0);
    CHECK(try_words(WORDS("memoir-record", "live", "threads", pid, "1", "-text")) == 0);
    CHECK(try_words(WORDS("memoir-record", "live", "cpu", "1", "1", "pprof")) == -EACCES);
    CHECK(try_words(WORDS("memoir-record", "live", "cpu", "-1", "1", "pprof")) == -EACCES);
    CHECK(try_words(WORDS("memoir-record", "live", "-o", pid, "1", "pprof")) == -EACCES);
    CHECK(try_words(WORDS("memoir-record", "live", "cpu", pid, "1", "--x")) == -EACCES);
    CHECK(try_words(WORDS("memoir-record", "run", "cpu", pid, "1", "pprof")) == -EACCES);
    CHECK(try_words(WORDS("memoir-record", "live", "cpu", pid, "1", "pprof", "x")) == -EACCES);
    CHECK(try_words(WORDS("/bin/sh", "-c", "true")) == -EACCES);
    CHECK(try_words(WORDS("memoir-history", "history", named, "--json", "--points")) == 0);
    CHECK(try_words(WORDS("memoir-history", "history", other, "--json", "--points")) == -EACCES);
    CHECK(try_words(WORDS("memoir-history", "history", named, "--prune", "--points")) == -EACCES);
    CHECK(try_words(WORDS("memoir-fetch", "http://127.0.0.1:6060/debug/pprof/heap", "9")) == 0);
    CHECK(try_words(WORDS("memoir-fetch", "http://127.0.0.1:6060/debug/pprofx", "9")) == -EACCES);
    CHECK(try_words(WORDS("memoir-fetch", "http://127.0.0.1:6060/debug/pprof/../x", "9")) ==
          -EACCES);
    CHECK(try_words(WORDS("memoir-fetch", "http://169.254.169.254/", "9")) == -EACCES);
}

TEST(programs_are_started_as_the_server_means_them)
{
    in_child(start_programs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_one_process_nothing_is_seen_but_that),
        cmocka_unit_test(of_a_file_processes_are_seen_while_it_is_written),
        cmocka_unit_test(who_writes_a_recording_is_shown_no_process_of_others),
        cmocka_unit_test(files_are_elf_files_of_this_machine_or_of_the_process),
        cmocka_unit_test(sources_are_what_everybody_may_read),
        cmocka_unit_test(programs_are_started_as_the_server_means_them)};
    char folder[] = "/tmp/serve-broker-XXXXXX";
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    int const failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(named);
    unlink(other);
    rmdir(folder);
    return failed;
}
