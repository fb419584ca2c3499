/* SPDX-License-Identifier: Apache-2.0 */
/* What a confined process tries that it must not, each in a child of its own. */
#include "sandbox/sandbox.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "check.h"
#include "sleeper.h"

#define ORDINARY_USER 12345

enum { SUCCEEDED = 0, REFUSED = 1, NOT_CONFINED = 2, OTHERWISE = 3 };

static char folder[] = "/tmp/memoir-sandbox-XXXXXX";
static char inside[64], outside[64], made[64];
static pid_t sleeper;

static const struct sandbox_wish nothing = {
    .memory_bytes = SANDBOX_NO_LIMIT, .cpu_seconds = 60, .processes = 0};

static int judge(long result)
{
    if (result >= 0)
        return SUCCEEDED;
    return errno == EPERM || errno == EACCES || errno == ENOSYS ? REFUSED : OTHERWISE;
}

static int try_open(void)
{
    return judge(open(outside, O_RDONLY));
}

static int try_passwords(void)
{
    return judge(open("/etc/passwd", O_RDONLY));
}

static int try_own_memory(void)
{
    return judge(open("/proc/self/mem", O_RDWR));
}

static int try_write(void)
{
    return judge(open(inside, O_WRONLY));
}

static int try_create(void)
{
    return judge(open(made, O_WRONLY | O_CREAT, 0600));
}

static int try_remove(void)
{
    return judge(unlink(inside));
}

static int try_socket(void)
{
    return judge(socket(AF_INET, SOCK_STREAM, 0));
}

static int try_unix_socket(void)
{
    return judge(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int try_ptrace(void)
{
    return judge(ptrace(PTRACE_ATTACH, sleeper, NULL, NULL));
}

static int try_vm_read(void)
{
    char byte;
    struct iovec const here = {&byte, 1}, there = {(void *)folder, 1};
    return judge(process_vm_readv(sleeper, &here, 1, &there, 1, 0));
}

static int try_kill(void)
{
    return judge(kill(sleeper, SIGKILL));
}

static int try_fork(void)
{
    pid_t const pid = (pid_t)syscall(SYS_fork);
    if (pid == 0)
        _exit(0);
    return judge(pid);
}

static int try_exec(void)
{
    char name[] = "true";
    char *words[] = {name, NULL};
    return judge(execve("/bin/true", words, NULL));
}

static int try_code(void)
{
    void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return judge(at == MAP_FAILED ? -1 : 0);
}

static int try_more_limits(void)
{
    struct rlimit const more = {1, 1};
    return judge(setrlimit(RLIMIT_CORE, &more));
}

static int try_root(void)
{
    return judge(setresuid(0, 0, 0));
}

static int try_other_architecture(void)
{
    /* The number of x32's getpid: another table of calls by the same instruction. */
    return judge(syscall(0x40000000 | SYS_getpid));
}

/* How an attempt in a child ended; by SIGSYS is refused as well, under MEMOIR_SANDBOX=strict. */
static int outcome(int (*attempt)(void), const struct sandbox_wish *wish, uid_t user)
{
    int status;
    pid_t const pid = fork();
    if (pid == 0) {
        struct sandbox_report report;
        if (user && (setgid(user) < 0 || setuid(user) < 0))
            _exit(NOT_CONFINED);
        int const err = sandbox_enter(wish, &report, NULL);
        _exit(err || report.missing[SANDBOX_CALL_FILTER] ? NOT_CONFINED : attempt());
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGSYS ? REFUSED : OTHERWISE;
    return WEXITSTATUS(status);
}

static bool has_landlock(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, 1u) > 0;
}

static void refuses_all(uid_t user)
{
    static int (*const attempts[])(void) = {
        try_open,        try_passwords, try_own_memory, try_write,
        try_create,      try_remove,    try_socket,     try_unix_socket,
        try_ptrace,      try_vm_read,   try_kill,       try_fork,
        try_exec,        try_code,      try_root,       try_other_architecture,
        try_more_limits,
    };
    for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
        int const got = outcome(attempts[i], &nothing, user);
        if (got != REFUSED)
            print_error("attempt %zu ended with %d\n", i, got);
        CHECK(got == REFUSED);
    }
}

TEST(nothing_that_was_not_given_can_be_had)
{
    setenv("MEMOIR_SANDBOX", "", 1);
    refuses_all(0);
    if (geteuid() == 0)
        refuses_all(ORDINARY_USER);
}

TEST(a_strict_sandbox_ends_what_asks_for_more)
{
    setenv("MEMOIR_SANDBOX", "strict", 1);
    refuses_all(0);
    setenv("MEMOIR_SANDBOX", "", 1);
}

static int read_what_is_given(void)
{
    char text[8] = "";
    int const fd = open(inside, O_RDONLY);
    return fd >= 0 && read(fd, text, sizeof(text)) == 6 && memcmp(text, "inside", 6) == 0
               ? SUCCEEDED
               : OTHERWISE;
}

static int terminal;

/* What a terminal does for anybody else, and what puts words into its user's mouth. */
static int order_a_terminal(void)
{
    struct winsize size;
    struct termios modes = {0};
    bool const sees = ioctl(terminal, TIOCGWINSZ, &size) == 0;
    bool const is_kept = ioctl(terminal, TCSETS, &modes) < 0 && errno == ENOTTY &&
                         ioctl(terminal, TIOCSTI, "x") < 0 && errno == ENOTTY;
    return sees && is_kept ? SUCCEEDED : OTHERWISE;
}

TEST(a_terminal_takes_no_orders_from_a_confined_process)
{
    static const unsigned calls[] = {0, SANDBOX_EVENTS, SANDBOX_EVENTS | SANDBOX_FILES,
                                     SANDBOX_PROGRAMS};
    struct sandbox_wish wish = nothing;
    terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0)
        skip();
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        wish.calls = calls[i];
        CHECK(outcome(order_a_terminal, &wish, 0) == SUCCEEDED);
    }
    close(terminal);
}

TEST(a_folder_that_was_given_can_be_read_and_no_more)
{
    struct sandbox_place place = {open(folder, O_PATH | O_CLOEXEC), SANDBOX_READ};
    struct sandbox_wish wish = nothing;
    if (!has_landlock())
        skip();
    wish.calls = SANDBOX_FILES;
    wish.places = &place;
    wish.place_count = 1;
    wish.keeps_user = true;
    CHECK(outcome(read_what_is_given, &wish, 0) == SUCCEEDED);
    CHECK(outcome(try_open, &wish, 0) == REFUSED);
    CHECK(outcome(try_passwords, &wish, 0) == REFUSED);
    CHECK(outcome(try_own_memory, &wish, 0) == REFUSED);
    CHECK(outcome(try_write, &wish, 0) == REFUSED);
    CHECK(outcome(try_create, &wish, 0) == REFUSED);
    CHECK(outcome(try_remove, &wish, 0) == REFUSED);
    CHECK(outcome(try_exec, &wish, 0) == REFUSED);
    place.access = SANDBOX_READ | SANDBOX_WRITE | SANDBOX_CREATE;
    CHECK(outcome(try_create, &wish, 0) == SUCCEEDED);
    unlink(made);
    close(place.fd);
}

static int kill_a_stranger(void)
{
    return judge(kill(sleeper, 0));
}

TEST(children_are_allowed_and_strangers_stay_out_of_reach)
{
    struct sandbox_wish wish = nothing;
    wish.calls = SANDBOX_CHILDREN;
    wish.processes = 4;
    CHECK(outcome(try_fork, &wish, 0) == SUCCEEDED);
    if (geteuid() == 0)
        CHECK(outcome(kill_a_stranger, &wish, 0) == REFUSED); /* another user's */
}

static void *add_one(void *context)
{
    ++*(int *)context;
    return context;
}

/* Memory, threads, clocks, standard I/O, and abort, by the way of libc. */
static int live_normally(void)
{
    int count = 0;
    pthread_t thread;
    char *block = malloc(5 << 20), text[32];
    struct timespec now, moment = {0, 1000};
    if (!block || pthread_create(&thread, NULL, add_one, &count) != 0)
        return OTHERWISE;
    memset(block, 1, 5 << 20);
    block = realloc(block, 50 << 20);
    pthread_join(thread, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    nanosleep(&moment, NULL);
    FILE *file = fdopen(memfd_create("test", 0), "w+");
    int const printed = file ? fprintf(file, "%d", isatty(1)) : 0;
    snprintf(text, sizeof(text), "%ld", (long)now.tv_sec);
    free(block);
    return count == 1 && printed == 1 && fclose(file) == 0 && raise(SIGCHLD) == 0 ? SUCCEEDED
                                                                                  : OTHERWISE;
}

TEST(what_every_program_does_goes_on)
{
    struct sandbox_wish wish = nothing;
    wish.processes = 4;
    wish.file_bytes = SANDBOX_NO_LIMIT;
    setenv("MEMOIR_SANDBOX", "strict", 1);
    CHECK(outcome(live_normally, &wish, 0) == SUCCEEDED);
    setenv("MEMOIR_SANDBOX", "", 1);
}

static bool status_says(const char *status, const char *line)
{
    return strstr(status, line) != NULL;
}

/* What the kernel says about a confined child that waits. */
static void read_status(uid_t user, char *status, size_t size, struct sandbox_report *report)
{
    int ends[2], told[2];
    char path[64], byte;
    CHECK(pipe(ends) == 0 && pipe(told) == 0);
    pid_t const pid = fork();
    if (pid == 0) {
        close(ends[1]);
        if (user && (setgid(user) < 0 || setuid(user) < 0))
            _exit(1);
        sandbox_enter(&nothing, report, NULL);
        (void)!write(told[1], report, sizeof(*report));
        _exit(read(ends[0], &byte, 1) != 0);
    }
    close(ends[0]);
    CHECK(read(told[0], report, sizeof(*report)) == (ssize_t)sizeof(*report));
    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    int const fd = open(path, O_RDONLY);
    ssize_t const got = read(fd, status, size - 1);
    CHECK(got > 0);
    status[got] = '\0';
    close(fd);
    if (report->missing[SANDBOX_OWN_USER] == 0) {
        char line[64];
        unsigned const own = SANDBOX_USER_FIRST + (unsigned)pid;
        snprintf(line, sizeof(line), "Uid:\t%u\t%u\t%u\t%u\n", own, own, own, own);
        CHECK(status_says(status, line));
        snprintf(line, sizeof(line), "Gid:\t%u\t%u\t%u\t%u\n", own, own, own, own);
        CHECK(status_says(status, line));
        CHECK(status_says(status, "Groups:\t \n") || status_says(status, "Groups:\t\n"));
    }
    close(ends[1]);
    close(told[0]);
    close(told[1]);
    waitpid(pid, NULL, 0);
}

TEST(the_kernel_says_that_every_layer_holds)
{
    static char status[16384], text[256];
    struct sandbox_report report;
    read_status(0, status, sizeof(status), &report);
    CHECK(status_says(status, "NoNewPrivs:\t1\n") && status_says(status, "Seccomp:\t2\n"));
    static const char *const sets[] = {"CapInh", "CapPrm", "CapEff", "CapAmb"};
    for (size_t i = 0; i < 4; i++) {
        char line[64];
        snprintf(line, sizeof(line), "%s:\t0000000000000000\n", sets[i]);
        CHECK(status_says(status, line));
    }
    if (geteuid() == 0) {
        CHECK(status_says(status, "CapBnd:\t0000000000000000\n"));
        CHECK(report.missing[SANDBOX_OWN_USER] == 0);
    }
    if (has_landlock())
        assert_string_equal(sandbox_missing(&report, text, sizeof(text)), "");
}

TEST(an_ordinary_user_keeps_the_user_and_every_other_layer)
{
    static char status[16384], text[256];
    struct sandbox_report report;
    if (geteuid() != 0)
        skip();
    read_status(ORDINARY_USER, status, sizeof(status), &report);
    CHECK(report.missing[SANDBOX_OWN_USER] == SANDBOX_USER_KEPT);
    CHECK(status_says(status, "Seccomp:\t2\n"));
    if (has_landlock())
        assert_string_equal(sandbox_missing(&report, text, sizeof(text)), "");
}

TEST(a_layer_that_is_missing_is_named)
{
    struct sandbox_report report = {{0}};
    char text[256];
    report.missing[SANDBOX_FILE_RULES] = -ENOSYS;
    report.missing[SANDBOX_CALL_FILTER] = -EINVAL;
    assert_string_equal(sandbox_missing(&report, text, sizeof(text)),
                        "file rules (Function not implemented), call filter (Invalid argument)");
    CHECK(strlen(sandbox_missing(&report, text, 12)) == 11);
}

static void *wait_for_end(void *context)
{
    (void)!read(*(int *)context, &(char){0}, 1);
    return NULL;
}

TEST(a_second_thread_is_too_late)
{
    int ends[2];
    pthread_t thread;
    struct sandbox_report report;
    struct fault fault = {0};
    CHECK(pipe(ends) == 0 && pthread_create(&thread, NULL, wait_for_end, &ends[0]) == 0);
    CHECK(sandbox_enter(&nothing, &report, &fault) == -EINVAL);
    assert_string_equal(fault.text,
                        "a process cannot be confined after its second thread has started");
    close(ends[1]);
    pthread_join(thread, NULL);
    close(ends[0]);
}

TEST(a_try_confines_only_the_child_that_tries)
{
    struct sandbox_report report;
    CHECK(sandbox_try(&nothing, &report) == 0);
    CHECK(report.missing[SANDBOX_CALL_FILTER] == 0);
    CHECK(try_passwords() == SUCCEEDED);
}

static int count_open(void)
{
    int count = 0;
    for (int fd = 0; fd < 64; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

TEST(others_are_closed_and_the_one_is_kept)
{
    int status;
    pid_t const pid = fork();
    if (pid == 0) {
        int const kept = dup2(0, 20);
        dup2(0, 30);
        sandbox_close_others(kept);
        _exit(count_open() == 4 && fcntl(kept, F_GETFD) >= 0 ? 0 : 1);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(inside, sizeof(inside), "%s/inside", folder);
    snprintf(made, sizeof(made), "%s/made", folder);
    snprintf(outside, sizeof(outside), "%s.outside", folder);
    FILE *file = fopen(inside, "w");
    if (!file || fputs("inside", file) < 0 || fclose(file) != 0 || chmod(folder, 0755) < 0 ||
        chmod(inside, 0644) < 0)
        return -1;
    close(open(outside, O_CREAT | O_WRONLY, 0644));
    sleeper = start_sleeper();
    return sleeper > 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    end(sleeper);
    unlink(inside);
    unlink(outside);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_that_was_not_given_can_be_had),
        cmocka_unit_test(a_strict_sandbox_ends_what_asks_for_more),
        cmocka_unit_test(a_terminal_takes_no_orders_from_a_confined_process),
        cmocka_unit_test(a_folder_that_was_given_can_be_read_and_no_more),
        cmocka_unit_test(children_are_allowed_and_strangers_stay_out_of_reach),
        cmocka_unit_test(what_every_program_does_goes_on),
        cmocka_unit_test(the_kernel_says_that_every_layer_holds),
        cmocka_unit_test(an_ordinary_user_keeps_the_user_and_every_other_layer),
        cmocka_unit_test(a_layer_that_is_missing_is_named),
        cmocka_unit_test(a_second_thread_is_too_late),
        cmocka_unit_test(a_try_confines_only_the_child_that_tries),
        cmocka_unit_test(others_are_closed_and_the_one_is_kept),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
