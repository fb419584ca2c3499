/* SPDX-License-Identifier: Apache-2.0 */
/* attach.c - records a process that runs: in, until it ends or we are told to stop, and out again.
 *
 * Whatever reaches into the process is done by a thread of its own, so that the rings are read meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/human.h"
#include "capture/recorder_subject.h"
#include "capture/target_check.h"
#include "inject/exit_status.h"
#include "inject/injection.h"
#include "inject/thread_stop.h"
#include "procfs/memory_sums.h"
#include "procfs/proc_text.h"
#include "procfs/process_status.h"

#define LOOK_NS     10000000ull
#define WORDS_MAX   64
#define CMDLINE_MAX 65536u

enum stage { STAGE_ENTERING, STAGE_IN, STAGE_LEAVING, STAGE_OUT, STAGE_FAILED };

struct attachment {
    struct recorder_options options;
    struct recorder_attached facts;
    pid_t pid;
    char name[64]; /* "redis-server (pid 4242)" */
    char root[64]; /* a folder that stays open: the process's root, if that is not ours */
    int root_fd;
    char *arguments;
    char *words[WORDS_MAX + 1];
    struct arena *arena;
    struct tracer_library library;
    struct injection injection;
    pthread_t worker;
    _Atomic int stage;
    int err; /* of the worker */
    struct fault fault;
    uint64_t next_look_ns;
    bool has_worker, told;
};

static volatile sig_atomic_t stop_asked;

static void on_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static void set_signals(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = on_stop};
    for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
        sigaction(stops[i], &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL); /* a file at its limit is a full disk to us */
}

/* Whether it sees the file `path` as we do. */
static bool sees_file(pid_t pid, const char *path)
{
    char there[PATH_MAX];
    struct stat ours, theirs;
    snprintf(there, sizeof(there), "/proc/%d/root%.3900s", (int)pid, path);
    return stat(path, &ours) == 0 && stat(there, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
           ours.st_ino == theirs.st_ino;
}

/* Its files, by a path that holds as long as we live; "" when they are where ours are. */
static void find_root(struct attachment *attachment)
{
    char path[64];
    attachment->root_fd = -1;
    attachment->facts.root = attachment->root;
    if (sees_file(attachment->pid, "/") && sees_file(attachment->pid, "/proc") &&
        sees_file(attachment->pid, "/usr"))
        return;
    snprintf(path, sizeof(path), "/proc/%d/root", (int)attachment->pid);
    attachment->root_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (attachment->root_fd >= 0)
        snprintf(attachment->root, sizeof(attachment->root), "/proc/self/fd/%d",
                 attachment->root_fd);
}

/* Its command line, as words. */
static void find_command(struct attachment *attachment)
{
    static char unknown[] = "";
    char path[64];
    int fd, count = 0;
    ssize_t size = 0;
    snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)attachment->pid);
    attachment->arguments = calloc(1, CMDLINE_MAX + 1);
    if (attachment->arguments && (fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0) {
        size = read(fd, attachment->arguments, CMDLINE_MAX);
        close(fd);
    }
    for (char *at = attachment->arguments;
         at && at < attachment->arguments + size && count < WORDS_MAX; at += strlen(at) + 1)
        attachment->words[count++] = at;
    if (count == 0)
        attachment->words[0] = unknown;
    attachment->options.command = attachment->words;
}

/* The path of its executable inside its own root. */
static void find_path(const struct attachment *attachment, char *path, size_t size)
{
    char link[64], root[PATH_MAX], program[PATH_MAX];
    snprintf(link, sizeof(link), "/proc/%d/root", (int)attachment->pid);
    ssize_t root_length = readlink(link, root, sizeof(root) - 1);
    snprintf(link, sizeof(link), "/proc/%d/exe", (int)attachment->pid);
    ssize_t length = readlink(link, program, sizeof(program) - 1);
    if (root_length <= 0 || length <= 0)
        return;
    program[length] = '\0';
    bool const inside = root_length > 1 && length > root_length && program[root_length] == '/' &&
                        memcmp(program, root, (size_t)root_length) == 0;
    const char *found = program + (inside ? root_length : 0);
    if (strlen(found) < size)
        memcpy(path, found, strlen(found) + 1);
}

/* Programs that it starts need the library's path and the arena's; both only where it sees them as we do. */
static void tell_children(struct attachment *attachment)
{
    struct arena_header *header = attachment->arena->header;
    const char *library = attachment->options.library;
    bool const beside_us =
        attachment->facts.local_pid == attachment->facts.pid && !attachment->root[0];
    if (!attachment->options.follow_children || !beside_us ||
        !sees_file(attachment->pid, library) || strlen(library) >= sizeof(header->follow_library) ||
        strpbrk(library, " :"))
        return;
    snprintf(header->follow_library, sizeof(header->follow_library), "%s", library);
    arena_path(attachment->arena, header->follow_arena, sizeof(header->follow_arena));
}

static void *enter(void *self)
{
    struct attachment *attachment = self;
    attachment->err =
        injection_attach(&attachment->injection, attachment->arena->fd, &attachment->fault);
    atomic_store(&attachment->stage, attachment->err < 0 ? STAGE_FAILED : STAGE_IN);
    return NULL;
}

static void *leave(void *self)
{
    struct attachment *attachment = self;
    attachment->err = injection_detach(&attachment->injection, &attachment->fault);
    atomic_store(&attachment->stage, STAGE_OUT);
    return NULL;
}

static int hire(struct attachment *attachment, void *(*work)(void *), enum stage stage,
                struct fault *fault)
{
    atomic_store(&attachment->stage, stage);
    int err = pthread_create(&attachment->worker, NULL, work, attachment);
    if (err != 0)
        return fault_set(fault, -err, "cannot start a thread: %s", strerror(err));
    attachment->has_worker = true;
    return 0;
}

static void dismiss(struct attachment *attachment)
{
    if (attachment->has_worker)
        pthread_join(attachment->worker, NULL);
    attachment->has_worker = false;
}

static int start(void *self, struct arena *arena, struct fault *fault)
{
    struct attachment *attachment = self;
    attachment->arena = arena;
    arena->header->target_pid = (uint32_t)attachment->pid;
    find_path(attachment, arena->header->attached_path, sizeof(arena->header->attached_path));
    tell_children(attachment);
    int err = hire(attachment, enter, STAGE_ENTERING, fault);
    return err < 0 ? err : (int)attachment->pid;
}

/* Says what the process has noticed so far. */
static void tell_times(struct attachment *attachment, const char *done)
{
    const struct injection_times *times = &attachment->injection.times;
    struct before *before = &attachment->facts.before;
    char borrowed[HUMAN_MAX], stopped[HUMAN_MAX];
    uint64_t const since = before->borrowed_ns;
    before->borrowed_ns = times->borrowed_ns;
    before->stopped_ns = times->looks.longest_ns;
    if (attachment->options.quiet)
        return;
    fprintf(stderr, "memoir: %s %s: thread %d worked for us for %s meanwhile", done,
            attachment->name, (int)times->borrowed_tid,
            human_duration(times->borrowed_ns - since, borrowed));
    if (times->looks.longest_ns)
        fprintf(stderr, ", no other stood still for longer than %s",
                human_duration(times->looks.longest_ns, stopped));
    else
        fprintf(stderr, ", no other stood still");
    fprintf(stderr, "%s\n", atomic_load(&attachment->stage) == STAGE_IN ? "; Ctrl-C detaches" : "");
}

static int ended(struct attachment *attachment, struct recorder_result *result)
{
    dismiss(attachment);
    result->wait_status = process_exit_status(attachment->injection.pidfd, attachment->pid);
    if (!attachment->options.quiet)
        fprintf(stderr, "memoir: %s has ended\n", attachment->name);
    return SUBJECT_ENDED;
}

/* It is out, or as far out as it gets. */
static int left(struct attachment *attachment)
{
    dismiss(attachment);
    if (attachment->err < 0) {
        fprintf(stderr, "memoir: %s\n", attachment->fault.text);
        return SUBJECT_CUT;
    }
    tell_times(attachment, "detached from");
    return SUBJECT_LEFT;
}

static int look(void *self, bool enough, struct recorder_result *result, struct fault *fault)
{
    struct attachment *attachment = self;
    uint64_t now = monotonic_ns();
    result->wait_status = -1;
    if (now < attachment->next_look_ns)
        return SUBJECT_RUNS;
    attachment->next_look_ns = now + LOOK_NS;
    int stage = atomic_load(&attachment->stage);
    if (stage == STAGE_FAILED) {
        dismiss(attachment);
        *fault = attachment->fault;
        return attachment->err;
    }
    if (stage == STAGE_OUT)
        return process_has_ended(attachment->injection.pidfd) ? ended(attachment, result)
                                                              : left(attachment);
    if (stage != STAGE_IN) /* the worker finds out what there is to know */
        return SUBJECT_RUNS;
    if (!attachment->told) {
        dismiss(attachment);
        tell_times(attachment, "attached to");
        attachment->told = true;
    }
    if (process_has_ended(attachment->injection.pidfd))
        return ended(attachment, result);
    if ((enough || stop_asked) &&
        (attachment->err = hire(attachment, leave, STAGE_LEAVING, &attachment->fault)) < 0)
        return left(attachment);
    return SUBJECT_RUNS;
}

static bool has_news(void *self)
{
    struct attachment *attachment = self;
    int stage = atomic_load(&attachment->stage);
    return (stop_asked && stage == STAGE_IN) || stage == STAGE_OUT || stage == STAGE_FAILED;
}

static void finish(void *self, enum subject_state how, struct recorder_result *result)
{
    (void)self;
    (void)how;
    (void)result;
}

static void fini(struct attachment *attachment)
{
    dismiss(attachment);
    injection_close(&attachment->injection);
    tracer_library_close(&attachment->library);
    if (attachment->root_fd >= 0)
        close(attachment->root_fd);
    free(attachment->arguments);
    free(attachment);
}

/* Everything that can be known before the process is touched. */
static int prepare(struct attachment *attachment, struct fault *fault)
{
    struct process_status status;
    struct memory_sums sums;
    int err = target_check(attachment->pid, fault);
    if (err < 0)
        return err;
    if (process_status_read((uint32_t)attachment->pid, 0, &status) < 0)
        return fault_set(fault, -ESRCH, "process %d ended meanwhile", (int)attachment->pid);
    target_describe(attachment->pid, attachment->name, sizeof(attachment->name));
    attachment->facts.pid = (uint32_t)attachment->pid;
    attachment->facts.local_pid = status.inner_pid ? status.inner_pid : (uint32_t)attachment->pid;
    find_root(attachment);
    find_command(attachment);
    err = tracer_library_open(&attachment->library, attachment->options.library, fault);
    if (err == 0)
        err = injection_open(&attachment->injection, attachment->pid, &attachment->library, fault);
    if (err == 0 && memory_sums_read((uint32_t)attachment->pid, &sums) == 0)
        attachment->facts.before = (struct before){.attached = 1,
                                                   .rss_bytes = sums.rss_bytes,
                                                   .heap_bytes = sums.heap_bytes,
                                                   .anonymous_bytes = sums.anonymous_bytes};
    attachment->facts.before.attached = 1;
    return err;
}

int recorder_attach(const struct recorder_options *options, pid_t pid,
                    struct recorder_result *result, struct fault *fault)
{
    struct attachment *attachment = calloc(1, sizeof(*attachment));
    if (!attachment)
        return fault_set(fault, -ENOMEM, "out of memory before the start");
    attachment->options = *options;
    attachment->options.attached = &attachment->facts;
    attachment->pid = pid;
    attachment->root_fd = attachment->library.fd = attachment->injection.pidfd = -1;
    attachment->injection.memory.fd = -1;
    memset(result, 0, sizeof(*result));
    set_signals();
    int err = prepare(attachment, fault);
    if (err == 0)
        err = recorder_record(&attachment->options,
                              &(struct recorder_subject){start, look, has_news, finish, attachment},
                              result, fault);
    fini(attachment);
    return err;
}
