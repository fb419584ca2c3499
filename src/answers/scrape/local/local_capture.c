/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/local/local_capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "procfs/process/process_facts.h"

#define GRACE_MS   60000 /* a recorder with a large file takes some seconds to end */
#define LAST_WORDS 300u
#define FILES_MAX  1000u

/* What a recorder is for, and how it is called: several kinds may be one recorder. */
struct local_recorder {
    const struct node *node;
    const char *command; /* "attach" */
    const char *ending;  /* of the file: "", ".cpu" */
    bool with_pages, with_cpu;
    pid_t child;                     /* 0: none runs */
    int words;                       /* what it says on its standard error; -1: none */
    uint32_t target;                 /* the process that it records, or did */
    unsigned files;                  /* begun so far */
    bool was_asked_to_end, was_told; /* told: why there is none now */
};

struct local_capture {
    char *program, *folder;
    local_capture_tell_fn tell;
    void *context;
    VEC(struct local_recorder) recorders;
};

struct local_capture *local_capture_create(const char *program, const char *folder,
                                           local_capture_tell_fn tell, void *context,
                                           struct fault *fault)
{
    struct local_capture *capture = calloc(1, sizeof(*capture));
    if (capture) {
        capture->program = strdup(program);
        capture->folder = strdup(folder);
        capture->tell = tell;
        capture->context = context;
    }
    if (!capture || !capture->program || !capture->folder) {
        fault_set(fault, -ENOMEM, "not enough memory to record processes");
        local_capture_destroy(capture);
        return NULL;
    }
    return capture;
}

static void tell(struct local_capture *capture, struct local_recorder *recorder, const char *why)
{
    char text[FAULT_TEXT_MAX];
    if (recorder->was_told)
        return;
    recorder->was_told = true;
    snprintf(text, sizeof(text), "%s: no recording by memoir %s: %.380s", recorder->node->name,
             recorder->command, why);
    capture->tell(capture->context, recorder->node, text);
}

/* RUN/NICK.memoir, RUN/NICK-2.memoir; never a file that is there: a run may be continued. */
static char *free_path(const struct local_capture *capture, struct local_recorder *recorder)
{
    while (recorder->files < FILES_MAX) {
        char *path = NULL, number[16] = "";
        if (recorder->files++)
            snprintf(number, sizeof(number), "-%u", recorder->files);
        if (asprintf(&path, "%s/%s%s%s.memoir", capture->folder, recorder->node->nick,
                     recorder->ending, number) < 0)
            return NULL;
        if (access(path, F_OK) != 0)
            return path;
        free(path);
    }
    return NULL;
}

/* The child: signals as a shell would leave them, in a group of its own so that Ctrl-C reaches
 * us alone, and ended when we are. */
static _Noreturn void become(const char *program, char *const *arguments, int words, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGINT);
    int const nothing = open("/dev/null", O_RDWR);
    if (getppid() != parent || nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 ||
        dup2(words, 2) < 0)
        _exit(127);
    execv(program, arguments);
    dprintf(2, "%s cannot be run: %s\n", program, strerror(errno));
    _exit(127);
}

static bool start(struct local_capture *capture, struct local_recorder *recorder, uint32_t target)
{
    char number[16], *path = free_path(capture, recorder);
    char *arguments[10];
    size_t count = 0;
    snprintf(number, sizeof(number), "%u", target);
    arguments[count++] = capture->program;
    arguments[count++] = (char *)(uintptr_t)recorder->command;
    arguments[count++] = number;
    arguments[count++] = (char *)"-o";
    arguments[count++] = path;
    arguments[count++] = (char *)"--quiet";
    if (recorder->with_pages)
        arguments[count++] = (char *)"--pages";
    if (recorder->with_cpu)
        arguments[count++] = (char *)"--cpu";
    arguments[count] = NULL;
    recorder->target = target;
    recorder->words = path ? memfd_create("words", MFD_CLOEXEC) : -1;
    pid_t const parent = getpid(), child = recorder->words >= 0 ? fork() : -1;
    if (child == 0)
        become(capture->program, arguments, recorder->words, parent);
    free(path);
    if (child < 0) {
        tell(capture, recorder, strerror(errno));
        if (recorder->words >= 0)
            close(recorder->words);
        recorder->words = -1;
        return false;
    }
    recorder->child = child;
    recorder->was_told = false;
    return true;
}

/* Starts it if its node runs, and as another process than the one that was recorded already. */
static bool try_start(struct local_capture *capture, struct local_recorder *recorder)
{
    struct fault why = {.text = ""};
    uint32_t const target = node_pid(recorder->node, &why);
    if (target == 0) {
        tell(capture, recorder, why.text);
        return false;
    }
    return target != recorder->target && start(capture, recorder, target);
}

static bool add(struct local_capture *capture, const struct node *node, const char *command,
                const char *ending)
{
    bool const is_heap = strcmp(command, "attach") == 0;
    struct local_recorder const recorder = {.node = node,
                                            .command = command,
                                            .ending = ending,
                                            .with_pages =
                                                is_heap && node->recordings & RECORDING_PAGES,
                                            .with_cpu = is_heap && node->recordings & RECORDING_CPU,
                                            .words = -1};
    if (vec_push(&capture->recorders, recorder))
        return true;
    capture->tell(capture->context, node, "not enough memory to record processes");
    return false;
}

unsigned local_capture_begin(struct local_capture *capture, const struct node_list *list)
{
    unsigned started = 0;
    size_t const first = capture->recorders.count;
    vec_each (node, &list->nodes) {
        uint32_t const wanted = (*node)->recordings;
        if (wanted & RECORDING_HEAP) {
            add(capture, *node, "attach", "");
            continue;
        }
        if (wanted & RECORDING_PAGES)
            add(capture, *node, "pages", wanted & RECORDING_CPU ? ".pages" : "");
        if (wanted & RECORDING_CPU)
            add(capture, *node, "cpu", wanted & RECORDING_PAGES ? ".cpu" : "");
    }
    for (size_t i = first; i < capture->recorders.count; i++)
        started += try_start(capture, &capture->recorders.items[i]);
    return started;
}

/* The last line of what it said. */
static void last_words(int words, char *text)
{
    char end[LAST_WORDS];
    off_t const size = words >= 0 ? lseek(words, 0, SEEK_END) : 0;
    off_t const from = size > (off_t)sizeof(end) - 1 ? size - (off_t)sizeof(end) + 1 : 0;
    ssize_t got = size > 0 ? pread(words, end, sizeof(end) - 1, from) : 0;
    while (got > 0 && (end[got - 1] == '\n' || end[got - 1] == '\r'))
        got--;
    end[got > 0 ? got : 0] = '\0';
    const char *line = strrchr(end, '\n');
    snprintf(text, LAST_WORDS, "%s", line ? line + 1 : end);
}

/* After a recorder has ended: whether that was as it should be. */
static void conclude(struct local_capture *capture, struct local_recorder *recorder, int status)
{
    char words[LAST_WORDS], why[LAST_WORDS + 64];
    last_words(recorder->words, words);
    close(recorder->words);
    recorder->words = -1;
    recorder->child = 0;
    bool const is_good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (is_good && (recorder->was_asked_to_end || !process_runs(recorder->target)))
        return;
    if (WIFSIGNALED(status))
        snprintf(why, sizeof(why), "it was ended by signal %d%s%s", WTERMSIG(status),
                 words[0] ? ": " : "", words);
    else if (is_good)
        snprintf(why, sizeof(why), "it ended, but process %u still runs%s%s", recorder->target,
                 words[0] ? ": " : "", words);
    else
        snprintf(why, sizeof(why), "%s", words[0] ? words : "it failed without a message");
    tell(capture, recorder, why);
}

static void collect(struct local_capture *capture)
{
    int status;
    vec_each (recorder, &capture->recorders)
        if (recorder->child && waitpid(recorder->child, &status, WNOHANG) == recorder->child)
            conclude(capture, recorder, status);
}

void local_capture_look(struct local_capture *capture)
{
    collect(capture);
    vec_each (recorder, &capture->recorders)
        if (!recorder->child && !recorder->was_asked_to_end)
            try_start(capture, recorder);
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void wait_until(pid_t child, uint64_t until_ms)
{
    int const fd = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd ended = {.fd = fd, .events = POLLIN};
    for (uint64_t now; (now = now_ms()) < until_ms;) {
        siginfo_t info = {.si_pid = 0};
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid)
            break;
        poll(&ended, 1,
             fd >= 0 ? (int)(until_ms - now)
                     : 10); /* kernels before 5.3 have no descriptors of processes */
    }
    if (fd >= 0)
        close(fd);
}

void local_capture_end(struct local_capture *capture)
{
    uint64_t const until_ms = now_ms() + GRACE_MS;
    collect(capture); /* who failed before is told as such */
    vec_each (recorder, &capture->recorders) {
        recorder->was_asked_to_end = true;
        if (recorder->child)
            kill(recorder->child, SIGINT);
    }
    vec_each (recorder, &capture->recorders) {
        int status;
        if (!recorder->child)
            continue;
        wait_until(recorder->child, until_ms);
        if (waitpid(recorder->child, &status, WNOHANG) != recorder->child) {
            kill(recorder->child, SIGKILL); /* its file is good up to here */
            waitpid(recorder->child, &status, 0);
        }
        conclude(capture, recorder, status);
    }
}

void local_capture_destroy(struct local_capture *capture)
{
    if (!capture)
        return;
    local_capture_end(capture);
    vec_free(&capture->recorders);
    free(capture->program);
    free(capture->folder);
    free(capture);
}

unsigned local_capture_count(const struct local_capture *capture)
{
    unsigned count = 0;
    vec_each (recorder, &capture->recorders)
        count += recorder->child != 0;
    return count;
}
