/* SPDX-License-Identifier: Apache-2.0 */
/* measure --target PROGRAM [--result FILE] -- COMMAND ARGS…
 *
 * Runs COMMAND, which starts PROGRAM somewhere below it, and says what it cost, one "NAME VALUE"
 * per line: wall time of the command and of PROGRAM itself, CPU time of PROGRAM and of everything
 * else below COMMAND (the recorder), the largest resident size of each.  Exits as COMMAND did.
 *
 * The CPU time of the whole tree comes from wait4 and is exact.  That of the recorder's processes
 * is read from /proc every 20 ms and at the ends, so up to 20 ms of it may count as PROGRAM's. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_PROCESSES 256

struct process {
    pid_t pid;
    bool is_target;
    uint64_t cpu_ns;
    uint64_t rss_kb; /* the largest, as the kernel remembers it */
};

struct measurement {
    struct process processes[MAX_PROCESSES];
    size_t count;
    struct stat target;
    int target_fd; /* pidfd of the program; -1: not seen yet, -2: it has ended */
    double program_start, program_end, start, end;
    double cpu; /* of the whole tree, by wait4 */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what)
{
    fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
    exit(125);
}

/* ns on a CPU of the threads that live. */
static uint64_t read_cpu(pid_t pid)
{
    char path[64];
    uint64_t sum = 0;
    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    struct dirent *entry;
    while (tasks && (entry = readdir(tasks))) {
        char name[400];
        unsigned long long ns = 0;
        snprintf(name, sizeof(name), "/proc/%d/task/%s/schedstat", pid, entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(name, "re") : NULL;
        if (!file)
            continue;
        if (fscanf(file, "%llu", &ns) == 1)
            sum += ns;
        fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return sum;
}

static uint64_t read_rss_kb(pid_t pid)
{
    char path[64], line[256];
    unsigned long long kb = 0;
    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file)) {
        if (sscanf(line, "VmHWM: %llu", &kb) == 1)
            break;
    }
    if (file)
        fclose(file);
    return kb;
}

static struct process *remember(struct measurement *m, pid_t pid)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->processes[i].pid == pid)
            return &m->processes[i];
    }
    if (m->count == MAX_PROCESSES)
        return NULL;
    m->processes[m->count] = (struct process){.pid = pid};
    return &m->processes[m->count++];
}

static void look_at(struct measurement *m, pid_t pid)
{
    char path[64];
    struct stat exe;
    struct process *process = remember(m, pid);
    if (!process)
        return;
    snprintf(path, sizeof(path), "/proc/%d/exe", pid);
    if (!process->is_target && stat(path, &exe) == 0 && exe.st_ino == m->target.st_ino &&
        exe.st_dev == m->target.st_dev) {
        process->is_target = true;
        process->rss_kb = 0;
        if (m->target_fd == -1) { /* the first one is the program; others are its children */
            m->program_start = now();
            m->target_fd = (int)syscall(SYS_pidfd_open, pid, 0);
        }
    }
    uint64_t cpu_ns = read_cpu(pid), rss_kb = read_rss_kb(pid);
    if (process->cpu_ns < cpu_ns)
        process->cpu_ns = cpu_ns;
    if (process->rss_kb < rss_kb)
        process->rss_kb = rss_kb;
}

static void look_at_tree(struct measurement *m, pid_t pid)
{
    char path[64];
    look_at(m, pid);
    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    struct dirent *entry;
    while (tasks && (entry = readdir(tasks))) {
        char name[400];
        int child;
        snprintf(name, sizeof(name), "/proc/%d/task/%s/children", pid, entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(name, "re") : NULL;
        while (file && fscanf(file, "%d", &child) == 1)
            look_at_tree(m, child);
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
}

static void add_usage(struct measurement *m, const struct rusage *usage)
{
    m->cpu += (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
              (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

/* Waits until something ends or it is time to look again. */
static void rest(struct measurement *m, int command_fd)
{
    struct pollfd fds[2] = {{command_fd, POLLIN, 0}, {m->target_fd, POLLIN, 0}};
    bool seen = m->target_fd != -1;
    poll(fds, m->target_fd >= 0 ? 2 : 1, seen ? 20 : 1);
    if (m->target_fd >= 0 && fds[1].revents) {
        m->program_end = now();
        close(m->target_fd);
        m->target_fd = -2;
    }
}

/* Status of the command, as wait gives it. */
static int watch(struct measurement *m, pid_t command)
{
    int command_fd = (int)syscall(SYS_pidfd_open, command, 0), status = 0;
    bool ended = false;
    if (command_fd < 0)
        fail("pidfd_open");
    while (!ended) {
        struct pollfd fd = {command_fd, POLLIN, 0};
        ended = poll(&fd, 1, 0) == 1;
        if (ended)
            m->end = now();
        look_at_tree(m, ended ? getpid() : command);
        if (!ended)
            rest(m, command_fd);
    }
    close(command_fd);
    /* The command and what it left behind; what it had waited for is in its own numbers. */
    for (;;) {
        struct rusage usage;
        int one = 0;
        pid_t pid = wait4(-1, &one, WNOHANG, &usage);
        if (pid < 0)
            break;
        if (pid == 0) {
            look_at_tree(m, getpid());
            usleep(5000);
            continue;
        }
        add_usage(m, &usage);
        if (pid == command)
            status = one;
    }
    if (m->target_fd >= 0 || m->program_end == 0)
        m->program_end = m->end;
    return status;
}

static void print_result(const struct measurement *m, FILE *out, int status)
{
    double recorder_cpu = 0;
    uint64_t target_rss = 0, recorder_rss = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct process *p = &m->processes[i];
        if (p->pid == getpid())
            continue;
        if (p->is_target) {
            target_rss = p->rss_kb > target_rss ? p->rss_kb : target_rss;
        } else {
            recorder_cpu += (double)p->cpu_ns / 1e9;
            recorder_rss += p->rss_kb; /* all of them live at once */
        }
    }
    if (recorder_cpu > m->cpu)
        recorder_cpu = m->cpu;
    fprintf(out, "wall %.6f\nprogram_wall %.6f\ntarget_cpu %.6f\nrecorder_cpu %.6f\n",
            m->end - m->start, m->program_end - m->program_start, m->cpu - recorder_cpu,
            recorder_cpu);
    fprintf(out, "target_rss_kb %llu\nrecorder_rss_kb %llu\nstatus %d\n",
            (unsigned long long)target_rss, (unsigned long long)recorder_rss,
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int main(int argc, char **argv)
{
    static struct measurement m = {.target_fd = -1};
    const char *target = NULL, *result = NULL;
    int at = 1;
    for (; at + 1 < argc && strcmp(argv[at], "--") != 0; at += 2) {
        if (strcmp(argv[at], "--target") == 0)
            target = argv[at + 1];
        else if (strcmp(argv[at], "--result") == 0)
            result = argv[at + 1];
    }
    if (!target || at + 1 >= argc) {
        fprintf(stderr, "usage: measure --target PROGRAM [--result FILE] -- COMMAND ARGS...\n");
        return 2;
    }
    if (stat(target, &m.target) != 0)
        fail(target);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    m.start = m.program_start = now();
    pid_t command = fork();
    if (command < 0)
        fail("fork");
    if (command == 0) {
        execvp(argv[at + 1], &argv[at + 1]);
        fail(argv[at + 1]);
    }
    int status = watch(&m, command);
    FILE *out = result ? fopen(result, "w") : stderr;
    if (!out)
        fail(result);
    print_result(&m, out, status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
