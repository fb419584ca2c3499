/* SPDX-License-Identifier: Apache-2.0 */
#include "stopped.h"

#include <dirent.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "procfs/memory/maps.h"

static bool is_held(const struct stopped *stopped, pid_t thread)
{
    for (unsigned i = 0; i < stopped->thread_count; i++)
        if (stopped->threads[i] == thread)
            return true;
    return false;
}

void stopped_look_for_threads(struct stopped *stopped)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task", (int)stopped->pid);
    DIR *folder = opendir(path);
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder));) {
        pid_t const thread = atoi(entry->d_name);
        if (thread > 0 && !is_held(stopped, thread) && stopped->thread_count < 256 &&
            ptrace(PTRACE_SEIZE, thread, NULL, NULL) == 0)
            stopped->threads[stopped->thread_count++] = thread;
    }
    closedir(folder);
}

static unsigned worked_ms(pid_t pid)
{
    char path[64], text[1024] = "";
    unsigned long user = 0, kernel = 0;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file && fgets(text, sizeof(text), file)) {
        const char *after_name = strrchr(text, ')');
        if (!after_name ||
            sscanf(after_name, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                   &kernel) != 2)
            user = kernel = 0;
    }
    if (file)
        fclose(file);
    return (unsigned)((user + kernel) * 1000 / (unsigned long)sysconf(_SC_CLK_TCK));
}

/* On a busy machine a program may not have begun when its time is over. */
static void await_work(pid_t pid, unsigned ms)
{
    for (unsigned naps = 0; naps < 10 && (naps == 0 || worked_ms(pid) < ms); naps++)
        usleep(ms * 1000);
}

void stopped_start(struct stopped *stopped, const char *const *argv, unsigned warm_up_ms)
{
    *stopped = (struct stopped){.bytes = malloc(COPY_MAX)};
    stopped->pid = fork();
    CHECK(stopped->bytes && stopped->pid >= 0);
    if (stopped->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failing test leaves nobody behind */
        int const nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 0);
        dup2(nothing, 1);
        if (!getenv("SHOW"))
            dup2(nothing, 2);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    await_work(stopped->pid, warm_up_ms);
    stopped_look_for_threads(stopped);
    CHECK(stopped->thread_count > 0);
}

void stopped_end(struct stopped *stopped)
{
    int status;
    kill(stopped->pid, 9);
    for (unsigned i = 0; i < stopped->thread_count; i++) {
        /* A stop on the way to the end, perhaps. */
        while (stopped->threads[i] != stopped->pid &&
               waitpid(stopped->threads[i], &status, __WALL) > 0 && WIFSTOPPED(status))
            ;
    }
    while (waitpid(stopped->pid, &status, __WALL) > 0 && WIFSTOPPED(status))
        ;
    if (stopped->dwfl)
        dwfl_end(stopped->dwfl);
    free(stopped->bytes);
}

static bool copy_stack(struct stopped *stopped, size_t most)
{
    struct map_list maps;
    CHECK(map_list_read((uint32_t)stopped->pid, &maps) == 0);
    const struct map_region *region = map_list_find(&maps, stopped->start);
    stopped->size = region ? region->end - stopped->start : 0;
    map_list_fini(&maps);
    if (stopped->size > most)
        stopped->size = most;
    struct iovec const here = {stopped->bytes, stopped->size};
    struct iovec const there = {(void *)stopped->start, stopped->size};
    return stopped->size > 0 &&
           process_vm_readv(stopped->pid, &here, 1, &there, 1, 0) == (ssize_t)stopped->size;
}

/* Stops it; signals on the way are handed on. */
static bool stop(pid_t thread)
{
    if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) < 0)
        return false;
    for (;;) {
        int status;
        if (waitpid(thread, &status, __WALL) != thread || !WIFSTOPPED(status))
            return false;
        if (status >> 16 == PTRACE_EVENT_STOP)
            return true;
        ptrace(PTRACE_CONT, thread, NULL, (void *)(long)WSTOPSIG(status));
    }
}

bool stopped_hold(struct stopped *stopped, unsigned thread, size_t most)
{
    struct user_regs_struct from;
    stopped->thread = stopped->threads[thread];
    if (!stop(stopped->thread)) {
        stopped->thread = 0;
        stopped->threads[thread] = stopped->threads[--stopped->thread_count];
        return false;
    }
    CHECK(ptrace(PTRACE_GETREGS, stopped->thread, NULL, &from) == 0);
    uint64_t const in_order[REG_COUNT] = {
        from.rax, from.rdx, from.rcx, from.rbx, from.rsi, from.rdi, from.rbp, from.rsp, from.r8,
        from.r9,  from.r10, from.r11, from.r12, from.r13, from.r14, from.r15, from.rip};
    memcpy(stopped->registers, in_order, sizeof(in_order));
    stopped->start = from.rsp;
    if (copy_stack(stopped, most))
        return true;
    stopped_let_go(stopped);
    return false;
}

void stopped_let_go(struct stopped *stopped)
{
    if (stopped->thread)
        ptrace(PTRACE_CONT, stopped->thread, NULL, NULL);
    stopped->thread = 0;
}

static bool is_running(const struct stopped *stopped, pid_t thread)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)stopped->pid, (int)thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool const read = fgets(text, sizeof(text), file) != NULL;
    fclose(file);
    const char *after_name = read ? strrchr(text, ')') : NULL;
    return after_name && after_name[1] == ' ' && after_name[2] == 'R';
}

unsigned stopped_choose(const struct stopped *stopped)
{
    unsigned chosen = (unsigned)rand() % stopped->thread_count;
    for (unsigned tries = 0; tries < 2 * stopped->thread_count; tries++) {
        if (is_running(stopped, stopped->threads[chosen]))
            return chosen;
        chosen = (chosen + 1) % stopped->thread_count;
    }
    return chosen;
}

struct stack_copy stopped_copy(const struct stopped *stopped)
{
    return (struct stack_copy){stopped->registers, stopped->start, stopped->bytes, stopped->size};
}

struct collected {
    uint64_t *frames;
    unsigned count, room;
};

static int collect(Dwfl_Frame *frame, void *context)
{
    struct collected *collected = context;
    Dwarf_Addr address;
    bool exact;
    if (!dwfl_frame_pc(frame, &address, &exact) || collected->count == collected->room)
        return DWARF_CB_ABORT;
    collected->frames[collected->count++] = exact ? address : address - 1;
    return DWARF_CB_OK;
}

unsigned stopped_by_elfutils(struct stopped *stopped, uint64_t *frames, unsigned room)
{
    static char *no_debug_files = (char *)"";
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .debuginfo_path = &no_debug_files};
    struct collected collected = {frames, 0, room};
    if (!stopped->dwfl) {
        stopped->dwfl = dwfl_begin(&callbacks);
        dwfl_report_begin(stopped->dwfl);
        CHECK(dwfl_linux_proc_report(stopped->dwfl, stopped->pid) == 0);
        CHECK(dwfl_report_end(stopped->dwfl, NULL, NULL) == 0);
        CHECK(dwfl_linux_proc_attach(stopped->dwfl, stopped->pid, true) == 0);
    }
    dwfl_getthread_frames(stopped->dwfl, stopped->thread, collect, &collected);
    return collected.count;
}
