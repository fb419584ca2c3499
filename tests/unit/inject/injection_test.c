/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/injection.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "procfs/process/process_named.h"
#include "target.h"

static void cycle(pid_t pid, const struct tracer_library *library, int arena)
{
    struct injection injection;
    struct fault fault = {0};
    if (injection_open(&injection, pid, library, &fault) < 0 ||
        injection_detach(&injection, &fault) < 0 ||
        injection_attach(&injection, arena, &fault) < 0 || injection_detach(&injection, &fault) < 0)
        fail_msg("%s", fault.text);
    CHECK(injection.loaded && injection.times.borrows >= 2 && injection.times.borrowed_ns > 0);
    injection_close(&injection);
}

TEST(in_on_off_and_again_leaves_nothing)
{
    struct tracer_library library;
    struct fault fault = {0};
    int arena = memfd_create("arena", MFD_CLOEXEC);
    CHECK(tracer_library_open(&library, FAKE_TRACER, &fault) == 0 && arena >= 0);
    pid_t pid = target_start_watchful();
    cycle(pid, &library, arena);
    struct target_size first = target_measure(pid);
    for (int i = 0; i < 20; i++)
        cycle(pid, &library, arena);
    struct target_size last = target_measure(pid);
    CHECK(first.maps == last.maps && first.descriptors == last.descriptors &&
          first.threads == last.threads);
    CHECK(first.kib == last.kib);
    CHECK(target_finish(pid) == 0);
    tracer_library_close(&library);
    close(arena);
}

TEST(what_the_library_answers_comes_back)
{
    struct tracer_library library;
    struct injection injection;
    struct fault fault = {0};
    int arena = memfd_create("arena", MFD_CLOEXEC);
    CHECK(tracer_library_open(&library, FAKE_TRACER, &fault) == 0);
    pid_t pid = target_start_watchful();
    CHECK(injection_open(&injection, pid, &library, &fault) == 0);
    CHECK(injection_attach(&injection, arena, &fault) == 0);
    CHECK(injection_attach(&injection, arena, &fault) == -EBUSY &&
          strstr(fault.text, "memoir detach"));
    CHECK(injection_detach(&injection, &fault) == 0);
    injection_close(&injection);
    target_end(pid);
    tracer_library_close(&library);
    close(arena);
}

static bool status_has(pid_t pid, const char *wanted)
{
    char path[32], line[256];
    bool found = false;
    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof(line), file))
        found = strcmp(line, wanted) == 0;
    if (file)
        fclose(file);
    return found;
}

static unsigned count_open(pid_t pid)
{
    char path[48];
    unsigned count = 0;
    for (int fd = 0; fd < 64; fd++) {
        struct stat about;
        snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
        count += lstat(path, &about) == 0;
    }
    return count;
}

/* Whoever reads the objects of the process has no rights, three descriptors that lead nowhere, the
 * memory, and a line. */
TEST(the_reader_is_confined)
{
    struct tracer_library library;
    struct injection injection;
    struct fault fault = {0};
    char user[64];
    CHECK(tracer_library_open(&library, FAKE_TRACER, &fault) == 0);
    pid_t pid = target_start_watchful();
    CHECK(injection_open(&injection, pid, &library, &fault) == 0);
    pid_t const reader = injection.modules.reader;
    CHECK(status_has(reader, "Seccomp:\t2\n") && status_has(reader, "NoNewPrivs:\t1\n"));
    CHECK(status_has(reader, "CapEff:\t0000000000000000\n"));
    if (geteuid() == 0) {
        unsigned const own = 0x70000000u + (unsigned)reader;
        snprintf(user, sizeof(user), "Uid:\t%u\t%u\t%u\t%u\n", own, own, own, own);
        CHECK(status_has(reader, user) && count_open(reader) == 5);
    }
    CHECK(injection_detach(&injection, &fault) == 0);
    CHECK(kill(reader, 0) < 0 && errno == ESRCH); /* it lives no longer than that */
    injection_close(&injection);
    target_end(pid);
    tracer_library_close(&library);
}

/* A process that took its reader over, or killed it, gets one sentence; and the hooks are taken
 * out by another one. */
TEST(a_reader_that_was_killed_is_one_sentence)
{
    struct tracer_library library;
    struct injection injection;
    struct fault fault = {0};
    int arena = memfd_create("arena", MFD_CLOEXEC);
    CHECK(tracer_library_open(&library, FAKE_TRACER, &fault) == 0);
    pid_t pid = target_start_watchful();
    CHECK(injection_open(&injection, pid, &library, &fault) == 0);
    kill(injection.modules.reader, SIGKILL);
    CHECK(injection_attach(&injection, arena, &fault) == -EPROTO);
    CHECK(strstr(fault.text, "confined process") && !strchr(fault.text, '\n'));
    CHECK(injection_attach(&injection, arena, &fault) == 0);
    CHECK(injection_detach(&injection, &fault) == 0);
    injection_close(&injection);
    CHECK(target_finish(pid) == 0);
    tracer_library_close(&library);
    close(arena);
}

TEST(a_library_that_is_none_is_refused)
{
    struct tracer_library library;
    struct fault fault = {0};
    CHECK(tracer_library_open(&library, "/etc/passwd", &fault) < 0 && strstr(fault.text, "passwd"));
    CHECK(tracer_library_open(&library, "/no/such/file", &fault) == -ENOENT && library.fd == -1);
}

/* Injectors killed at any moment. */
TEST(killed_injectors_do_no_harm)
{
    struct tracer_library library;
    struct fault fault = {0};
    int arena = memfd_create("arena", MFD_CLOEXEC);
    CHECK(tracer_library_open(&library, FAKE_TRACER, &fault) == 0);
    pid_t pid = target_start_watchful();
    cycle(pid, &library, arena);
    srand(1);
    for (int i = 0; i < 60; i++) {
        pid_t injector = fork();
        if (injector == 0)
            for (;;)
                cycle(pid, &library, arena);
        usleep((unsigned)rand() % 12000);
        kill(injector, SIGKILL);
        waitpid(injector, NULL, 0);
    }
    cycle(pid, &library, arena);
    CHECK(target_finish(pid) == 0);
    tracer_library_close(&library);
    close(arena);
}

/* Lets the injector make `count` calls of ptrace(2) and kills it at the end of the last.
 * Whether it ended before. */
static bool ends_before(pid_t injector, int count)
{
    struct __ptrace_syscall_info call;
    bool in_ptrace = false;
    int status;
    pid_t tid;
    while ((tid = waitpid(-1, &status, __WALL)) > 0 && count > 0) {
        if (!WIFSTOPPED(status)) {
            if (tid == injector)
                return WIFEXITED(status) && WEXITSTATUS(status) == 0;
            continue;
        }
        int const signal =
            WSTOPSIG(status) == (SIGTRAP | 0x80) || status >> 16 || WSTOPSIG(status) == SIGSTOP
                ? 0
                : WSTOPSIG(status);
        if (WSTOPSIG(status) == (SIGTRAP | 0x80) &&
            ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(call), &call) > 0) {
            if (call.op == PTRACE_SYSCALL_INFO_ENTRY)
                in_ptrace = call.entry.nr == SYS_ptrace;
            else if (in_ptrace && --count == 0)
                break;
        }
        ptrace(PTRACE_SYSCALL, tid, 0, signal);
    }
    kill(injector, SIGKILL);
    do /* its threads are ours to bury, before it */
        tid = waitpid(-1, &status, __WALL);
    while (tid > 0 && (tid != injector || WIFSTOPPED(status)));
    return false;
}

/* At every third of the first calls by which they move the thread that they borrowed.  Not up to
 * the end of a visit: watched like this, one takes thousands of calls, and none was seen to end. */
#define KILLS_MAX 40

TEST(injectors_killed_at_their_first_steps_leave_nothing)
{
    struct tracer_library library;
    struct fault fault = {0};
    int arena = memfd_create("arena", MFD_CLOEXEC);
    CHECK(tracer_library_open(&library, FAKE_TRACER, &fault) == 0);
    pid_t pid = target_start((char *const[]){"sh", "-c", "echo; exec sleep 200", NULL});
    while (!process_is_named((uint32_t)pid, "sleep"))
        usleep(1000);
    cycle(pid, &library, arena);
    struct target_size const before = target_measure(pid);
    int count = 1;
    for (bool is_whole = false; !is_whole && count < 3 * KILLS_MAX; count += 3) {
        pid_t const injector = fork();
        if (injector == 0) {
            raise(SIGSTOP);
            struct injection injection;
            _exit(injection_open(&injection, pid, &library, &fault) < 0 ||
                  injection_attach(&injection, arena, &fault) < 0 ||
                  injection_detach(&injection, &fault) < 0);
        }
        CHECK(ptrace(PTRACE_SEIZE, injector, 0,
                     PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) == 0);
        CHECK(kill(injector, SIGCONT) == 0);
        is_whole = ends_before(injector, count);
        struct target_size const after = target_measure(pid);
        if (after.descriptors != before.descriptors || after.kib != before.kib ||
            after.maps != before.maps)
            fail_msg("killed at call %d: %zu descriptors more, %zu mappings more, %zu KiB more",
                     count, after.descriptors - before.descriptors, after.maps - before.maps,
                     after.kib - before.kib);
    }
    CHECK(count > 20); /* or it was not looked at */
    cycle(pid, &library, arena);
    target_end(pid);
    tracer_library_close(&library);
    close(arena);
}

/* What a process in a root without /proc has there, where others would put a file. */
struct bare_root {
    const char
        *links_to;  /* /dev/shm, /run, /tmp and /var/tmp lead there; NULL: they are not there */
    bool mounts;    /* by a mount, and not by a link */
    bool can_write; /* the process may write to its root itself */
};

static void make_way(const struct bare_root *bare, const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/root%s", folder, name);
    if (!bare->mounts)
        CHECK(symlink(bare->links_to, path) == 0);
    else
        CHECK(mkdir(path, 0755) == 0 && mount(bare->links_to, path, NULL, MS_BIND, NULL) == 0);
}

/* A process of nobody in such a root; it has our libc. */
static pid_t start_in_bare_root(const struct bare_root *bare)
{
    char root[256];
    int ready[2];
    char byte;
    CHECK(pipe(ready) == 0);
    pid_t const pid = fork();
    if (pid == 0) {
        static const char *const names[] = {"/dev/shm", "/run", "/tmp", "/var/tmp"};
        CHECK(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) == 0);
        snprintf(root, sizeof(root), "%s/root/dev", folder);
        CHECK(mkdir(root, 0755) == 0);
        snprintf(root, sizeof(root), "%s/root/var", folder);
        CHECK(mkdir(root, 0755) == 0);
        for (size_t i = 0; bare->links_to && i < sizeof(names) / sizeof(names[0]); i++)
            make_way(bare, names[i]);
        snprintf(root, sizeof(root), "%s/root", folder);
        CHECK(chown(root, bare->can_write ? 65534 : 0, 0) == 0 && chroot(root) == 0 &&
              chdir("/") == 0 && setresgid(65534, 65534, 65534) == 0 &&
              setresuid(65534, 65534, 65534) == 0);
        prctl(PR_SET_DUMPABLE, 1);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* which the change of user had undone */
        CHECK(write(ready[1], "r", 1) == 1);
        for (;;)
            pause();
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

/* Attaches; whether that worked.  What came to be in `victim`, or changed its owner, is seen. */
static bool attach_bare(const struct bare_root *bare, const char *victim, struct fault *fault)
{
    struct tracer_library library;
    struct injection injection;
    char event[4096], left[300];
    int const watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    int arena = memfd_create("arena", MFD_CLOEXEC);
    snprintf(left, sizeof(left), "%s/root", folder);
    CHECK(mkdir(left, 0755) == 0);
    CHECK(inotify_add_watch(watch, victim, IN_CREATE | IN_ATTRIB | IN_DELETE) >= 0);
    CHECK(tracer_library_open(&library, FAKE_TRACER, fault) == 0 && arena >= 0);
    pid_t const pid = start_in_bare_root(bare);
    CHECK(injection_open(&injection, pid, &library, fault) == 0);
    struct target_size const before = target_measure(pid);
    int const err = injection_attach(&injection, arena, fault);
    CHECK(target_measure(pid).descriptors == before.descriptors);
    if (err == 0)
        CHECK(injection_detach(&injection, fault) == 0);
    injection_close(&injection);
    CHECK(read(watch, event, sizeof(event)) < 0 && errno == EAGAIN);
    target_end(pid);
    snprintf(event, sizeof(event), "find '%s' -name '*libmemoir*' | grep -q .", folder);
    CHECK(system(event) != 0); /* nothing is left */
    tracer_library_close(&library);
    close(arena);
    close(watch);
    return err == 0;
}

static const char *make_victim(void)
{
    static char victim[256];
    if (geteuid() != 0)
        skip();
    CHECK(chmod(folder, 0755) == 0);
    snprintf(victim, sizeof(victim), "%s/victim", folder);
    CHECK(mkdir(victim, 0700) == 0);
    return victim;
}

TEST(a_root_without_proc_gets_the_library_by_its_own_rights)
{
    struct fault fault = {0};
    const char *victim = make_victim();
    struct bare_root const bare = {.can_write = true};
    if (!attach_bare(&bare, victim, &fault))
        fail_msg("%s", fault.text);
}

/* Root would write there, and give what it wrote to nobody. */
TEST(links_to_what_others_own_get_nothing_written)
{
    struct fault fault = {0};
    const char *victim = make_victim();
    struct bare_root const bare = {.links_to = victim};
    CHECK(!attach_bare(&bare, victim, &fault) && strstr(fault.text, "has no /proc"));
}

TEST(mounts_of_what_others_own_get_nothing_written)
{
    struct fault fault = {0};
    const char *victim = make_victim();
    struct bare_root const bare = {.links_to = victim, .mounts = true};
    CHECK(!attach_bare(&bare, victim, &fault) && strstr(fault.text, "has no /proc"));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_on_off_and_again_leaves_nothing),
        cmocka_unit_test(what_the_library_answers_comes_back),
        cmocka_unit_test(the_reader_is_confined),
        cmocka_unit_test(a_reader_that_was_killed_is_one_sentence),
        cmocka_unit_test(a_library_that_is_none_is_refused),
        cmocka_unit_test(killed_injectors_do_no_harm),
        cmocka_unit_test(injectors_killed_at_their_first_steps_leave_nothing),
        IN_FOLDER(a_root_without_proc_gets_the_library_by_its_own_rights),
        IN_FOLDER(links_to_what_others_own_get_nothing_written),
        IN_FOLDER(mounts_of_what_others_own_get_nothing_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
