/* SPDX-License-Identifier: Apache-2.0 */
#include "keeper/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/control_socket.h"
#include "keeper/keeper_facts.h"
#include "keeper/keeper_outputs.h"
#include "keeper/keeper_serve.h"
#include "sandbox/line.h"
#include "sandbox/sandbox.h"
#include "store/write/place.h"
#include "symbols/namer/known_names.h"
#include "symbols/namer/name_client.h"

#define LINES_MAX      16u
#define NICE_OF_PROMPT (-20)

static struct {
    struct keeper_facts facts;
    struct keeper_outputs outputs;
    struct pollfd lines[LINES_MAX]; /* the first is the recorder's, the others its children's */
    nfds_t line_count;
    int program;                  /* a pidfd, or -1 */
    pid_t recorder, namer, known; /* known: looks up known names */
} keeper;

static int send_signal(const struct keeper_request *request)
{
    siginfo_t info = {.si_signo = (int)request->number};
    if (keeper.program < 0 || request->number == SIGKILL || request->number == SIGSTOP)
        return -EACCES;
    info.si_code = SI_QUEUE;
    info.si_pid = keeper.recorder;
    info.si_value.sival_ptr = (void *)(uintptr_t)request->value;
    bool const is_plain = (int)request->number < SIGRTMIN;
    return syscall(SYS_pidfd_send_signal, keeper.program, request->number, is_plain ? NULL : &info,
                   0u) < 0
               ? -errno
               : 0;
}

/* Only ever that of a thread of the recorder. */
static int raise_priority(const struct keeper_request *request)
{
    struct stat about;
    struct sched_param const real_time = {.sched_priority = (int)request->value};
    id_t const tid = request->tid;
    if (tid == 0 || proc_stat((uint32_t)keeper.recorder, tid, PROC_ITSELF, &about) < 0)
        return -EACCES;
    if (request->value > 0) {
        (void)sched_setscheduler((pid_t)tid, SCHED_RR | SCHED_RESET_ON_FORK, &real_time);
        (void)sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &real_time); /* it waits */
    }
    int const now = getpriority(PRIO_PROCESS, tid);
    for (int nice = (int)request->number; nice < now; nice++)
        if (setpriority(PRIO_PROCESS, tid, nice) == 0)
            break;
    return 0;
}

static int listen_for(uint32_t pid, int *fd)
{
    if (!keeper_facts_know(&keeper.facts, pid) && !keeper_facts_prove(&keeper.facts, pid))
        return -EACCES;
    *fd = control_socket_listen((pid_t)pid);
    return *fd < 0 ? *fd : 0;
}

static int spawn_known(int line, pid_t *pid)
{
    *pid = fork();
    if (*pid == 0) {
        known_names_serve(line);
        _exit(0);
    }
    return *pid < 0 ? -errno : 0;
}

static int start(int (*spawn)(int line, pid_t *pid), pid_t *pid, struct keeper_reply *reply,
                 int *fd)
{
    int ends[2];
    if (*pid)
        return -EBUSY;
    int err = line_open(ends);
    if (err)
        return err;
    err = spawn(ends[1], pid);
    close(ends[1]);
    if (err) {
        *pid = 0;
        close(ends[0]);
        return err;
    }
    reply->value = *pid;
    *fd = ends[0];
    return 0;
}

static int end(pid_t *pid, bool at_once, struct keeper_reply *reply)
{
    int status = 0;
    if (!*pid)
        return -ESRCH;
    if (at_once)
        kill(*pid, SIGKILL);
    while (waitpid(*pid, &status, 0) < 0 && errno == EINTR)
        ;
    *pid = 0;
    reply->value = status;
    return 0;
}

static int open_line(int *fd)
{
    int ends[2];
    if (keeper.line_count == LINES_MAX)
        return -EMFILE;
    int const err = line_open(ends);
    if (err)
        return err;
    keeper.lines[keeper.line_count++] = (struct pollfd){.fd = ends[0], .events = POLLIN};
    *fd = ends[1];
    return 0;
}

static int serve_output(const struct keeper_request *request, int claim, struct keeper_reply *reply,
                        int *fd)
{
    const char *path = request->file.path;
    switch (request->what) {
    case KEEPER_TAKE:
        *fd = keeper_outputs_take(&keeper.outputs, path, claim);
        return *fd < 0 ? *fd : 0;
    case KEEPER_BESIDE:
        *fd = keeper_outputs_beside(&keeper.outputs, path);
        return *fd < 0 ? *fd : 0;
    case KEEPER_REPLACE:
        return keeper_outputs_replace(&keeper.outputs, path);
    case KEEPER_DISCARD:
        return keeper_outputs_discard(&keeper.outputs, path);
    case KEEPER_REMOVE:
        return keeper_outputs_remove(&keeper.outputs, path, request->number != 0);
    case KEEPER_EXISTS:
        return keeper_outputs_look(&keeper.outputs, path, &reply->value);
    default:
        if (!keeper.outputs.output || strcmp(path, keeper.outputs.output) != 0)
            return -EACCES;
        reply->value = place_put_aside(path);
        return 0;
    }
}

/* What came along is the caller's; *fd goes back. */
static int serve(const struct keeper_request *request, int came, struct keeper_reply *reply,
                 int *fd)
{
    struct keeper_facts *facts = &keeper.facts;
    switch ((enum keeper_what)request->what) {
    case KEEPER_OPEN:
        return keeper_facts_open(facts, request, fd);
    case KEEPER_READ:
        return keeper_facts_read(facts, request, reply);
    case KEEPER_LINK:
        return keeper_facts_link(facts, request, reply);
    case KEEPER_STAT:
        return keeper_facts_stat(facts, request, reply);
    case KEEPER_STAT_BELOW:
        return keeper_facts_stat_below(facts, request, reply);
    case KEEPER_SYSTEM:
        return keeper_facts_system(facts, request, reply);
    case KEEPER_USES_ARENA:
        return keeper_facts_uses_arena(facts, request, reply);
    case KEEPER_FIND_USER:
        return keeper_facts_find_user(facts, request, reply);
    case KEEPER_FILE:
        *fd = keeper_facts_file(facts, &request->file, came);
        return *fd < 0 ? *fd : 0;
    case KEEPER_SIGNAL:
        return send_signal(request);
    case KEEPER_RAISE:
        return raise_priority(request);
    case KEEPER_LISTEN:
        return listen_for(request->pid, fd);
    case KEEPER_NAMER_START:
        return start(name_client_spawn, &keeper.namer, reply, fd);
    case KEEPER_KNOWN_START:
        return start(spawn_known, &keeper.known, reply, fd);
    case KEEPER_NAMER_END:
        return end(&keeper.namer, request->number != 0, reply);
    case KEEPER_KNOWN_END:
        return end(&keeper.known, request->number != 0, reply);
    case KEEPER_NAMER_NICE:
        return keeper.namer &&
                       setpriority(PRIO_PROCESS, (id_t)keeper.namer, (int)request->number) == 0
                   ? 0
                   : -ESRCH;
    case KEEPER_LINE:
        return open_line(fd);
    default:
        return serve_output(request, came, reply, fd);
    }
}

static void answer(int line, const struct keeper_request *request, int came)
{
    static struct keeper_reply reply;
    int fd = -1;
    memset(&reply, 0, KEEPER_REPLY_HEAD);
    reply.err = serve(request, came, &reply, &fd);
    if (reply.err || reply.text_size > sizeof(reply.text))
        reply.text_size = 0;
    bool const has_file = reply.err == 0 && fd >= 0;
    (void)line_send(line, &reply, KEEPER_REPLY_HEAD + reply.text_size, &fd, has_file);
    if (fd >= 0)
        close(fd);
}

/* False when there is nobody any more, or only nonsense. */
static bool hear(int line)
{
    static struct keeper_request request;
    int came[LINE_DESCRIPTORS_MAX];
    ssize_t const got = line_receive(line, &request, sizeof(request), came);
    bool const is_whole = got == (ssize_t)sizeof(request) && keeper_request_is_valid(&request);
    if (is_whole)
        answer(line, &request, came[0]);
    for (size_t i = 0; got >= 0 && i < LINE_DESCRIPTORS_MAX; i++)
        if (came[i] >= 0)
            close(came[i]);
    return is_whole;
}

static void drop_line(nfds_t at)
{
    close(keeper.lines[at].fd);
    keeper.lines[at] = keeper.lines[--keeper.line_count];
}

/* The first word on the line of a keeper comes while the recorder still has its rights: the program
 * that is recorded, and whether that was started for it, and so keeps its number. */
static void meet_program(int line)
{
    uint32_t told[2] = {0};
    if (line_receive(line, told, sizeof(told), NULL) != (ssize_t)sizeof(told))
        _exit(0);
    if (!told[1]) {
        keeper_facts_learn(&keeper.facts, told[0]);
        return;
    }
    keeper.facts.program = told[0];
    keeper.program = (int)syscall(SYS_pidfd_open, told[0], 0);
}

/* Only the recorder ends it. */
static void ignore_signals(void)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        if (number != SIGCHLD)
            sigaction(number, &ignored, NULL);
    ignored.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &ignored, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A session of its own would be a scheduling group of its own (sched_autogroup): its priority would
 * count for nothing there, and on a busy machine the recorder would wait for it. */
void keeper_become(void)
{
    setpgid(0, 0);
    prctl(PR_SET_NAME, "memoir-keeper");
    ignore_signals();
}

/* The arena is left alone from here on: nothing of it is mapped. */
static void settle(const struct keeper_wish *wish, int line, pid_t recorder)
{
    int const nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int kept[] = {line, wish->arena_fd, wish->claim};
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    sandbox_keep_open(kept, sizeof(kept) / sizeof(kept[0]));
    munmap((void *)wish->arena, wish->arena_bytes);
    keeper.recorder = recorder;
    keeper_outputs_init(&keeper.outputs, wish->output, wish->folder, wish->claim);
    if (wish->claim >= 0)
        close(wish->claim);
    keeper.program = -1;
    keeper.lines[keeper.line_count++] = (struct pollfd){.fd = line, .events = POLLIN};
}

_Noreturn void keeper_run(const struct keeper_birth *birth, int line, bool is_prompt)
{
    uint32_t const number = (uint32_t)getpid();
    keeper_become();
    settle(birth->wish, line, birth->recorder);
    keeper.facts.mark = birth->mark;
    if (is_prompt)
        setpriority(PRIO_PROCESS, 0, NICE_OF_PROMPT);
    if (line_send(line, &number, sizeof(number), NULL, 0) < 0)
        _exit(0);
    meet_program(line);
    for (;;) {
        if (poll(keeper.lines, keeper.line_count, -1) < 0 && errno != EINTR)
            _exit(1);
        for (nfds_t i = keeper.line_count; i-- > 0;)
            if (keeper.lines[i].revents && !hear(keeper.lines[i].fd)) {
                if (i == 0)
                    _exit(0);
                drop_line(i);
            }
    }
}
