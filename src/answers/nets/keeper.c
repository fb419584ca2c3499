/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "nets/net_data.h"
#include "nets/process.h"
#include "nets/ready.h"
#include "procfs/process/proc_text.h"
#include "scrape/http/http.h"

#define STAGES_MAX 70u

struct keeper {
    struct net net;
    struct http *http;
    int signals;
    struct ready_check *checks; /* by part */
    uint64_t *since_ns;         /* by part: started, or ended */
    unsigned rank;              /* how far it has come: all parts of lower ranks are ready */
    bool stop;
    bool changed; /* since net.json was written */
    say_fn say;
};

/* Recorders first, which have all nodes held, then setup, groups of nodes and load in the order
 * of their stage, then the watch. */
static unsigned rank_of(const struct net_part *part)
{
    switch (part->kind) {
    case PART_RECORD:
        return 0;
    case PART_SETUP:
    case PART_NODE:
    case PART_LOAD:
        return 1 + part->stage;
    case PART_WATCH:
        return STAGES_MAX;
    default:
        return STAGES_MAX + 1 + part->stage;
    }
}

static size_t index_of(const struct keeper *keeper, const struct net_part *part)
{
    return (size_t)(part - keeper->net.parts.items);
}

static void save(struct keeper *keeper)
{
    struct fault fault = {0};
    if (net_write(&keeper->net, &fault) != 0)
        say_text(keeper->say, "%s", fault.text);
    keeper->changed = false;
}

static void fail(struct keeper *keeper, const char *why)
{
    say_text(keeper->say, "%s", why);
    if (!keeper->net.why)
        text_set(&keeper->net.why, why);
    keeper->stop = true;
}

/* Whoever wants to know the process now: memoir watch, scripts. */
static void write_pid(const struct keeper *keeper, struct net_part *part)
{
    char *path = net_path(&keeper->net, "%s.pid", part->name);
    part->program = part_program(part);
    FILE *file = path && part->program ? fopen(path, "we") : NULL;
    if (file) {
        fprintf(file, "%u\n", part->program);
        fclose(file);
    }
    free(path);
}

static void start(struct keeper *keeper, struct net_part *part)
{
    struct fault fault = {0};
    size_t const i = index_of(keeper, part);
    keeper->changed = true;
    keeper->since_ns[i] = monotonic_ns();
    keeper->checks[i] = (struct ready_check){.part = part};
    part->state = PART_STARTED;
    if (part->is_held) {
        part->is_held = false;
        part_signal(part, SIGCONT); /* if it is gone, that is seen as any end */
        write_pid(keeper, part);
        return;
    }
    part->pid = 0;
    if (part->pid_file && part->argv.count == 0)
        return;
    if (part_start(&keeper->net, part, &fault) != 0) {
        part->state = PART_CRASHED;
        text_set(&part->why, fault.text);
        fail(keeper, fault.text);
    } else
        write_pid(keeper, part);
}

static void tell_end(struct keeper *keeper, struct net_part *part, int status, char *text,
                     size_t size)
{
    char words[200], how[64];
    part_last_words(&keeper->net, part, words, sizeof(words));
    if (WIFSIGNALED(status))
        snprintf(how, sizeof(how), "was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof(how), "ended with status %d", WEXITSTATUS(status));
    snprintf(text, size, "%s %s%s%s%s%s", part->name, how, words[0] ? "; its log " : "",
             words[0] ? part->name : "", words[0] ? ".log ends: " : "", words);
}

/* A process of ours is gone. */
static void ended(struct keeper *keeper, struct net_part *part, int status)
{
    char text[600];
    bool const good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    bool const once = part->kind == PART_SETUP || part->kind == PART_TEARDOWN;
    bool const may_end = part->kind != PART_NODE; /* a watch or a load that has done its time */
    bool const was_ready = part->state == PART_READY;
    keeper->changed = true;
    keeper->since_ns[index_of(keeper, part)] = monotonic_ns();
    if (keeper->stop || (may_end && good)) {
        part->state = PART_ENDED;
        return;
    }
    part->state = PART_CRASHED;
    tell_end(keeper, part, status, text, sizeof(text));
    text_set(&part->why, text);
    if (was_ready && !once)
        say_text(keeper->say, "%s", text);
    else
        fail(keeper, text);
}

/* Recorders see programs from their first instruction: all nodes are there, and wait, before a
 * recorder begins. */
static void hold_nodes(struct keeper *keeper)
{
    struct fault fault = {0};
    bool recorded = false;
    vec_each (part, &keeper->net.parts)
        recorded |= part->kind == PART_RECORD;
    if (!recorded)
        return;
    vec_each (node, &keeper->net.parts) {
        char pid[16];
        if (node->kind != PART_NODE || node->argv.count == 0 || keeper->stop)
            continue;
        if (part_start_held(&keeper->net, node, &fault) != 0) {
            fail(keeper, fault.text);
            continue;
        }
        snprintf(pid, sizeof(pid), "%u", node->pid);
        vec_each (recorder, &keeper->net.parts)
            if (recorder->kind == PART_RECORD && !text_list_add(&recorder->argv, pid))
                fail(keeper, "out of memory");
    }
    save(keeper);
}

/* What never began minds no SIGTERM. */
static void end_held(struct keeper *keeper)
{
    vec_each (part, &keeper->net.parts)
        if (part->is_held && part->state == PART_PLANNED) {
            part_signal(part, SIGKILL);
            part->is_held = false;
        }
}

static void reap(struct keeper *keeper)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        vec_each (part, &keeper->net.parts)
            if (part->pid == (uint32_t)pid &&
                (part->state == PART_STARTED || part->state == PART_READY))
                ended(keeper, part, status);
}

/* A process that somebody else starts: its number, once it is written and alive. */
static void look_for_pid(struct keeper *keeper, struct net_part *part)
{
    char *text;
    if (proc_text_read(part->pid_file, 64, &text) != 0)
        return;
    uint32_t const pid = (uint32_t)strtoul(text, NULL, 10);
    uint64_t const born = process_born(pid);
    free(text);
    if (!process_is(pid, born))
        return;
    part->pid = pid;
    part->born = born;
    keeper->changed = true;
}

static void look_at_started(struct keeper *keeper, struct net_part *part)
{
    size_t const i = index_of(keeper, part);
    uint64_t const now = monotonic_ns();
    if (part->pid_file && !part->pid)
        look_for_pid(keeper, part);
    bool const waits = part->kind == PART_SETUP || part->kind == PART_TEARDOWN || !part->pid;
    if (!waits && ready_look(&keeper->checks[i], keeper->http, now)) {
        part->state = PART_READY;
        keeper->changed = true;
        if (part->is_wrapped)
            write_pid(keeper, part);
        return;
    }
    if ((part->kind != PART_NODE && part->kind != PART_RECORD) || !part->ready.seconds ||
        now - keeper->since_ns[i] < part->ready.seconds * NS_PER_SECOND || keeper->stop)
        return;
    char text[600], what[300];
    ready_tell(&keeper->checks[i], what, sizeof(what));
    snprintf(text, sizeof(text), "%s was not ready within %u s: %s (see %s.log)", part->name,
             part->ready.seconds, part->pid ? what : "its PID file contains no PID", part->name);
    text_set(&part->why, text);
    fail(keeper, text);
}

/* What is not our child tells nothing when it ends. */
static void look_at_ready(struct keeper *keeper, struct net_part *part)
{
    if (!part->pid_file || process_is(part->pid, part->born))
        return;
    part->state = PART_CRASHED;
    keeper->changed = true;
    char text[200];
    snprintf(text, sizeof(text), "%s has ended unexpectedly", part->name);
    text_set(&part->why, text);
    say_text(keeper->say, "%s", text);
}

static void look_at_crashed(struct keeper *keeper, struct net_part *part)
{
    uint64_t const delay = NS_PER_SECOND << (part->restarts < 5 ? part->restarts : 5);
    if (!keeper->net.restart || keeper->stop || part->kind != PART_NODE || part->argv.count == 0 ||
        monotonic_ns() - keeper->since_ns[index_of(keeper, part)] < delay)
        return;
    part->restarts++;
    start(keeper, part);
}

static void look(struct keeper *keeper)
{
    reap(keeper);
    vec_each (part, &keeper->net.parts)
        if (part->state == PART_STARTED)
            look_at_started(keeper, part);
        else if (part->state == PART_READY)
            look_at_ready(keeper, part);
        else if (part->state == PART_CRASHED)
            look_at_crashed(keeper, part);
}

/* Starts what comes next when all before it is ready. */
static void advance(struct keeper *keeper)
{
    while (!keeper->stop && keeper->rank <= STAGES_MAX) {
        bool started = false;
        vec_each (part, &keeper->net.parts) {
            if (rank_of(part) != keeper->rank)
                continue;
            if (part->state == PART_PLANNED && !keeper->stop)
                start(keeper, part);
            started |= part->state == PART_STARTED;
        }
        if (started || keeper->stop)
            return;
        keeper->rank++;
    }
    if (!keeper->stop && keeper->net.state == NET_STARTING) {
        keeper->net.state = NET_UP;
        keeper->changed = true;
    }
}

/* Until something happens, or it is time to look again. */
static void wait_a_little(struct keeper *keeper)
{
    struct pollfd poll = {.fd = keeper->signals, .events = POLLIN};
    struct signalfd_siginfo info;
    bool busy = keeper->net.state != NET_UP;
    vec_each (part, &keeper->net.parts)
        busy |= part->state == PART_STARTED;
    if (http_wait(keeper->http, &poll, 1, busy ? 50 : 1000) != 0)
        usleep(10000);
    while (poll.revents && read(keeper->signals, &info, sizeof(info)) == sizeof(info))
        if (info.ssi_signo != SIGCHLD)
            keeper->stop = true;
}

static bool rank_is_alive(struct keeper *keeper, unsigned rank)
{
    bool alive = false;
    vec_each (part, &keeper->net.parts)
        if (rank_of(part) == rank && part->pid && part->state != PART_PLANNED)
            alive |= process_is(part->pid, part->born) || net_signal_all(&keeper->net, part, 0) > 0;
    return alive;
}

/* TERM to the process, then to what it left; KILL after a time. */
static void stop_rank(struct keeper *keeper, unsigned rank)
{
    uint64_t const begin = monotonic_ns();
    bool const has_work = rank == STAGES_MAX || rank == 0; /* pictures or a recording to finish */
    uint64_t const grace = (keeper->net.grace_seconds + (has_work ? 60 : 0)) * NS_PER_SECOND;
    bool told = false, told_rest = false;
    while (rank_is_alive(keeper, rank)) {
        bool const late = monotonic_ns() - begin > grace;
        vec_each (part, &keeper->net.parts) {
            if (rank_of(part) != rank || !part->pid || part->state == PART_PLANNED)
                continue;
            if (late)
                net_signal_all(&keeper->net, part, SIGKILL);
            else if (!told)
                part_signal(part, SIGTERM);
            else if (!told_rest && !process_is(part->pid, part->born))
                told_rest = net_signal_all(&keeper->net, part, SIGTERM) > 0;
        }
        told = true;
        wait_a_little(keeper);
        reap(keeper);
    }
    vec_each (part, &keeper->net.parts)
        if (rank_of(part) == rank && (part->state == PART_STARTED || part->state == PART_READY))
            part->state = PART_ENDED;
}

static void run_teardown(struct keeper *keeper)
{
    uint64_t const begin = monotonic_ns();
    vec_each (part, &keeper->net.parts) {
        if (part->kind != PART_TEARDOWN)
            continue;
        start(keeper, part);
        while (part->state == PART_STARTED && monotonic_ns() - begin < 60 * NS_PER_SECOND) {
            wait_a_little(keeper);
            reap(keeper);
        }
    }
}

static void stop_all(struct keeper *keeper)
{
    keeper->stop = true;
    keeper->net.state = NET_STOPPING;
    save(keeper);
    end_held(keeper);
    for (unsigned rank = STAGES_MAX + 1; rank-- > 0;)
        stop_rank(keeper, rank);
    run_teardown(keeper);
    for (unsigned i = 0; net_signal_all(&keeper->net, NULL, i < 20 ? SIGTERM : SIGKILL) && i < 100;
         i++) {
        wait_a_little(keeper);
        reap(keeper);
    }
    net_remove_pids(&keeper->net);
    if (keeper->net.fresh)
        net_remove_data(&keeper->net);
    keeper->net.state = keeper->net.why ? NET_FAILED : NET_DOWN;
    keeper->net.keeper = 0;
    save(keeper);
}

static int open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int keeper_init(struct keeper *keeper, const char *dir, struct fault *fault)
{
    int err = net_read(&keeper->net, dir, fault);
    if (err)
        return err;
    keeper->signals = open_signals();
    keeper->http = http_create(fault);
    keeper->checks = calloc(keeper->net.parts.count, sizeof(*keeper->checks));
    keeper->since_ns = calloc(keeper->net.parts.count, sizeof(*keeper->since_ns));
    if (keeper->signals < 0 || !keeper->http || !keeper->checks || !keeper->since_ns)
        return fault_set(fault, -ENOMEM, "out of memory or descriptors");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    keeper->net.keeper = (uint32_t)getpid();
    keeper->net.keeper_born = process_born((uint32_t)getpid());
    return 0;
}

static void keeper_fini(struct keeper *keeper)
{
    if (keeper->http)
        http_destroy(keeper->http);
    if (keeper->signals >= 0)
        close(keeper->signals);
    free(keeper->checks);
    free(keeper->since_ns);
    net_fini(&keeper->net);
}

int keeper_run(const char *dir, say_fn say)
{
    struct keeper keeper = {.signals = -1, .say = say};
    struct fault fault = {0};
    int err = keeper_init(&keeper, dir, &fault);
    keeper.net.state = NET_STARTING;
    if (!err)
        err = net_write(&keeper.net, &fault);
    if (err)
        say_text(say, "%s", fault.text);
    if (!err)
        hold_nodes(&keeper);
    while (!err && !keeper.stop) {
        look(&keeper);
        advance(&keeper);
        if (keeper.changed)
            save(&keeper);
        if (!keeper.stop)
            wait_a_little(&keeper);
    }
    if (!err)
        stop_all(&keeper);
    int const status = err || keeper.net.why ? 1 : 0;
    keeper_fini(&keeper);
    return status;
}

int keeper_end(const char *dir, say_fn say, struct fault *fault)
{
    struct keeper keeper = {.signals = -1, .say = say};
    int const err = keeper_init(&keeper, dir, fault);
    if (!err)
        stop_all(&keeper);
    keeper_fini(&keeper);
    return err;
}
