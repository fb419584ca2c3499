/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "procfs/process/proc_text.h"
#include "procfs/process/process_age.h"
#include "procfs/process/process_facts.h"

#define MARK_PART "MEMOIR_NET_PART"

uint64_t process_born(uint32_t pid)
{
    uint64_t ticks = 0, unix_time;
    return pid && process_age_read(pid, &ticks, &unix_time) == 0 ? ticks : 0;
}

bool process_is(uint32_t pid, uint64_t born)
{
    return born && process_born(pid) == born && process_runs(pid);
}

/* NAME=value of the keeper's environment, with ours instead of those of the same name. */
static char **make_environment(const struct net *net, const struct net_part *part)
{
    text_list list = {0};
    char mark[128], name[300];
    snprintf(mark, sizeof(mark), NET_MARK "=%s", net->id);
    snprintf(name, sizeof(name), MARK_PART "=%s", part->name);
    bool good = vec_push(&list, mark) && vec_push(&list, name);
    vec_each (entry, &part->env)
        good = good && vec_push(&list, *entry);
    size_t const ours = list.count;
    for (char **entry = environ; good && *entry; entry++) {
        size_t const length = strcspn(*entry, "=") + 1;
        bool replaced = false;
        for (size_t i = 0; i < ours && !replaced; i++)
            replaced = strncmp(list.items[i], *entry, length) == 0;
        good = replaced || vec_push(&list, *entry);
    }
    good = good && vec_push(&list, NULL);
    for (size_t i = 0; good && i < 2; i++) /* the two that live on this stack */
        good = (list.items[i] = strdup(list.items[i])) != NULL;
    if (good)
        return list.items;
    vec_free(&list);
    return NULL;
}

/* In the child: becomes the program, or tells why not. */
static void become(const struct net *net, const struct net_part *part, char **words,
                   char **environment, int log, int tell)
{
    sigset_t none;
    sigemptyset(&none);
    setsid();
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    int const nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(log, STDOUT_FILENO) >= 0 &&
        dup2(log, STDERR_FILENO) >= 0 && chdir(part->folder ? part->folder : net->dir) == 0) {
        if (nothing > STDERR_FILENO)
            close(nothing);
        if (tell < 0)
            raise(SIGSTOP);
        execvpe(words[0], words, environment);
    }
    int const err = errno;
    if (tell < 0)
        dprintf(STDERR_FILENO, "cannot start %s: %s\n", words[0], strerror(err));
    else if (write(tell, &err, sizeof(err)) != sizeof(err))
        _exit(126);
    _exit(127);
}

/* The child tells on a pipe that closes when it has become the program. */
static int wait_for_exec(int pipes[2])
{
    int told = 0;
    close(pipes[1]);
    ssize_t const got = read(pipes[0], &told, sizeof(told));
    close(pipes[0]);
    return got == sizeof(told) ? -told : 0;
}

/* Until it has stopped itself: SIGCONT before that would be lost. */
static int wait_for_stop(pid_t pid)
{
    siginfo_t info;
    return waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOWAIT) == 0 ? 0 : -errno;
}

static int launch(const struct net *net, struct net_part *part, int log, bool held)
{
    int pipes[2] = {-1, -1}, err = 0;
    char **environment = make_environment(net, part);
    if (!environment)
        return -ENOMEM;
    if (!held && pipe2(pipes, O_CLOEXEC) != 0)
        err = -errno;
    pid_t const pid = err ? -1 : fork();
    if (pid == 0)
        become(net, part, part->argv.items, environment, log, pipes[1]);
    if (!err && pid < 0)
        err = -errno;
    if (!err) {
        part->born = process_born((uint32_t)pid);
        part->pid = (uint32_t)pid;
        err = held ? wait_for_stop(pid) : wait_for_exec(pipes);
    }
    free(environment[0]);
    free(environment[1]);
    free(environment);
    return err;
}

static int start(const struct net *net, struct net_part *part, bool held, struct fault *fault)
{
    char *path = net_path(net, "%s.log", part->name);
    int err = path && vec_push(&part->argv, NULL) ? 0 : -ENOMEM;
    if (!err)
        part->argv.count--;
    int const log = err ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (!err && log < 0)
        err = fault_set(fault, -errno, "cannot write %s: %s", path, strerror(errno));
    else if (!err && (err = launch(net, part, log, held)) != 0)
        fault_set(fault, err, "cannot start %s: %s: %s", part->name, part->argv.items[0],
                  strerror(-err));
    if (log >= 0)
        close(log);
    free(path);
    return err;
}

int part_start(const struct net *net, struct net_part *part, struct fault *fault)
{
    return start(net, part, false, fault);
}

int part_start_held(const struct net *net, struct net_part *part, struct fault *fault)
{
    int const err = start(net, part, true, fault);
    part->is_held = err == 0;
    return err;
}

uint32_t part_program(const struct net_part *part)
{
    char path[64], *text, *rest, program[PATH_MAX];
    uint32_t found = 0;
    if (!part->is_wrapped)
        return part->pid;
    snprintf(path, sizeof(path), "/proc/%u/task/%u/children", part->pid, part->pid);
    if (proc_text_read(path, 4096, &text) != 0)
        return 0;
    for (char *word = strtok_r(text, " ", &rest); word && !found;
         word = strtok_r(NULL, " ", &rest)) {
        uint32_t const pid = (uint32_t)strtoul(word, NULL, 10);
        process_program_path(pid, program, sizeof(program));
        const char *name = strrchr(program, '/');
        if (name && strncmp(name, "/memoir", 7) != 0)
            found = pid;
    }
    free(text);
    return found;
}

/* Sends it to exactly that process: a descriptor holds it, and it is looked at once more. */
static bool signal_process(uint32_t pid, uint64_t born, int number)
{
    int const fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return false;
    bool const alive = process_is(pid, born);
    if (alive && number)
        syscall(SYS_pidfd_send_signal, fd, number, NULL, 0);
    close(fd);
    return alive;
}

bool part_signal(const struct net_part *part, int number)
{
    return part->pid && signal_process(part->pid, part->born, number);
}

bool program_find(const char *name)
{
    char path[PATH_MAX];
    if (strchr(name, '/'))
        return access(name, X_OK) == 0;
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : "/usr/bin:/bin"; *at;) {
        size_t const length = strcspn(at, ":");
        snprintf(path, sizeof(path), "%.*s/%s", (int)length, at, name);
        if (access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}
