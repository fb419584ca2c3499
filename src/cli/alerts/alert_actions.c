/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alerts/alert_actions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/spawn_program.h"
#include "base/vec.h"
#include "cli/shared/helper_program.h"

#define NOTIFY        "memoir-notify"
#define LONGEST_NS    UINT64_C(30000000000)
#define VARIABLES     7
#define WORDS         6
#define LOOK_EVERY_NS 20000000l

struct action {
    bool is_webhook;
    char *words[WORDS];         /* of the program; NULL at the end */
    char *variables[VARIABLES]; /* added to its environment; NULL at the end */
    char *json;
};

struct alert_actions {
    const char *exec, *webhook;
    char notify[PATH_MAX];
    struct action queue[ALERT_QUEUE_MAX]; /* a ring */
    size_t first, count;
    pid_t running; /* 0: none */
    bool runs_webhook;
    uint64_t started_ns;
    uint32_t left_out, failed_execs, failed_posts;
};

struct alert_actions *alert_actions_create(const char *exec, const char *webhook)
{
    struct alert_actions *actions = calloc(1, sizeof(*actions));
    if (!actions)
        return NULL;
    actions->exec = exec;
    actions->webhook = webhook;
    if (webhook && helper_program_path(NOTIFY, actions->notify) < 0)
        fprintf(stderr, "memoir: %s is missing, so alerts are not posted: install memoir again\n",
                actions->notify);
    return actions;
}

static void action_fini(struct action *action)
{
    for (size_t i = 0; i < WORDS; i++)
        free(action->words[i]);
    for (size_t i = 0; i < VARIABLES; i++)
        free(action->variables[i]);
    free(action->json);
    memset(action, 0, sizeof(*action));
}

static char *variable(const char *name, const char *value)
{
    char *text;
    return asprintf(&text, "MEMOIR_ALERT%s=%s", name, value) < 0 ? NULL : text;
}

static void describe_exec(struct action *action, const char *exec, const struct alert_action *news)
{
    char pid[16];
    snprintf(pid, sizeof(pid), "%u", news->pid);
    const char *const words[] = {exec, news->rule, news->value, pid, news->recording};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        action->words[i] = strdup(words[i]);
    action->variables[0] = variable("", news->rule);
    action->variables[1] = variable("_VALUE", news->value);
    action->variables[2] = variable("_THRESHOLD", news->threshold);
    action->variables[3] = variable("_PID", pid);
    action->variables[4] = variable("_PROGRAM", news->program);
    action->variables[5] = variable("_RECORDING", news->recording);
}

static struct action *add_action(struct alert_actions *actions)
{
    if (actions->count == ALERT_QUEUE_MAX) {
        actions->left_out++;
        return NULL;
    }
    return &actions->queue[(actions->first + actions->count++) % ALERT_QUEUE_MAX];
}

bool alert_actions_are_left(const struct alert_actions *actions)
{
    return actions->running != 0 || actions->count > 0;
}

void alert_actions_add(struct alert_actions *actions, const struct alert_action *news)
{
    struct action *action;
    if (actions->webhook && (action = add_action(actions))) {
        action->is_webhook = true;
        action->words[0] = strdup(actions->notify);
        action->variables[0] = variable("_WEBHOOK", actions->webhook); /* ps shows words to all */
        action->json = strdup(news->json);
    }
    if (actions->exec && (action = add_action(actions)))
        describe_exec(action, actions->exec, news);
    alert_actions_look(actions);
}

/* The caller's environment and the action's own variables; the caller frees the list alone. */
static char **make_environment(const struct action *action)
{
    size_t count = 0, added = 0;
    while (environ[count])
        count++;
    char **list = calloc(count + VARIABLES + 1, sizeof(*list));
    if (!list)
        return NULL;
    memcpy(list, environ, count * sizeof(*list));
    for (; added < VARIABLES && action->variables[added]; added++)
        list[count + added] = action->variables[added];
    return list;
}

/* What the process reads: the message, or nothing. */
static int open_input(const struct action *action)
{
    if (!action->json)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    int const fd = memfd_create("memoir alert", MFD_CLOEXEC);
    size_t const size = strlen(action->json);
    if (fd >= 0 && pwrite(fd, action->json, size, 0) != (ssize_t)size) {
        close(fd);
        errno = ENOMEM;
        return -1;
    }
    return fd;
}

static int spawn(const struct action *action, int input, pid_t *pid)
{
    char **environment = make_environment(action);
    if (!environment || !action->words[0]) {
        free(environment);
        return ENOMEM;
    }
    int const err = -spawn_program(
        &(struct spawn){.program = action->words[0],
                        .words = action->words,
                        .environment = environment,
                        /* Standard output is the program's. */
                        .files = (const int[]){input, STDERR_FILENO, SPAWN_OURS},
                        /* Ctrl-C is for the program, not for this message. */
                        .how = SPAWN_BY_NAME | SPAWN_OWN_GROUP | SPAWN_UNBLOCKED | SPAWN_SIGNALS},
        pid);
    free(environment);
    return err;
}

static void note_failure(struct alert_actions *actions, bool is_webhook)
{
    if (is_webhook)
        actions->failed_posts++;
    else
        actions->failed_execs++;
}

static void start_next(struct alert_actions *actions)
{
    struct action *action = &actions->queue[actions->first];
    int const input = open_input(action);
    int err = input < 0 ? errno : spawn(action, input, &actions->running);
    if (input >= 0)
        close(input);
    actions->runs_webhook = action->is_webhook;
    actions->started_ns = monotonic_ns();
    if (err) {
        actions->running = 0;
        fprintf(stderr, "memoir: cannot start %s for an alert: %s\n", action->words[0],
                strerror(err));
        note_failure(actions, action->is_webhook);
    } else {
        setpriority(PRIO_PROCESS, (id_t)actions->running, 0); /* the recorder's own may be higher */
    }
    action_fini(action);
    actions->first = (actions->first + 1) % ALERT_QUEUE_MAX;
    actions->count--;
}

/* Looks whether the process that runs has ended; one that takes too long is. */
static void reap(struct alert_actions *actions)
{
    int status;
    if (actions->running == 0)
        return;
    pid_t const ended = waitpid(actions->running, &status, WNOHANG);
    if (ended == 0) {
        if (monotonic_ns() - actions->started_ns > LONGEST_NS)
            kill(-actions->running, SIGKILL);
        return;
    }
    if (ended < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        note_failure(actions, actions->runs_webhook);
    actions->running = 0;
}

void alert_actions_look(struct alert_actions *actions)
{
    reap(actions);
    if (actions->running == 0 && actions->count > 0)
        start_next(actions);
}

static void tell(uint32_t count, const char *what)
{
    if (count > 0)
        fprintf(stderr, "memoir: %u %s\n", count, what);
}

void alert_actions_finish(struct alert_actions *actions, unsigned wait_ms)
{
    uint64_t const end = monotonic_ns() + wait_ms * UINT64_C(1000000);
    while (alert_actions_are_left(actions) && monotonic_ns() < end) {
        nanosleep(&(struct timespec){0, LOOK_EVERY_NS}, NULL);
        alert_actions_look(actions);
    }
    actions->left_out += (uint32_t)actions->count + (actions->running != 0);
    if (actions->running)
        kill(-actions->running, SIGKILL);
    tell(actions->failed_posts, "alerts could not be posted; see the sentences above");
    tell(actions->failed_execs, "programs started for alerts failed");
    tell(actions->left_out, "messages about alerts were left out: those before them took too long");
    for (size_t i = 0; i < ALERT_QUEUE_MAX; i++)
        action_fini(&actions->queue[i]);
    free(actions);
}
