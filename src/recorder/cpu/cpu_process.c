/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/cpu_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "procfs/process/process_facts.h"

#define SETTLE_MOST 10.0 /* one sample is not made more of: the next ones have their share of it */

/* What all threads have used, also those that ended.  0 when it is gone. */
static uint64_t used_ns(uint32_t pid)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid((pid_t)pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return timespec_ns(&used);
}

struct cpu_process *cpu_process_create(uint32_t pid, uint32_t parent, struct cpu_lane *lane)
{
    struct cpu_process *process = calloc(1, sizeof(*process));
    if (process && !lane) {
        lane = calloc(1, sizeof(*lane));
        process->owns_lane = true;
    }
    if (!process || !lane) {
        free(process);
        return NULL;
    }
    process->pid = pid;
    process->parent = parent;
    process->root = pid;
    process->lane = lane;
    process->cpu_began_ns = parent ? 0 : used_ns(pid); /* a child's time is all ours */
    process_thread_name(pid, pid, process->name, sizeof(process->name));
    return process;
}

static void drop_code(struct cpu_process *process)
{
    if (!process->lender && process->own.code != process->listed)
        process_code_close(process->own.code);
    process_code_close(process->listed);
    process->own.code = process->listed = NULL;
    process->lender = NULL;
    process->has_tried_code = false;
}

void cpu_process_destroy(struct cpu_process *process)
{
    drop_code(process);
    if (process->owns_lane) {
        cpu_lane_fini(process->lane);
        free(process->lane);
    }
    free(process);
}

/* As it has it, if it still has it: one that ends has no mappings any more. */
static void open_code(struct cpu_process *process, struct code_store *codes, uint64_t address)
{
    int const err = process_code_open(codes, process->pid, &process->own.code);
    process->is_unreadable = err == -EACCES || err == -EPERM;
    if (err < 0)
        process->own.code = NULL;
    if (err < 0 || process_code_find(process->own.code, address))
        return;
    if (process->first_has_ended || process->listed || !process_runs(process->pid)) {
        process_code_close(process->own.code);
        process->own.code = NULL;
    }
}

bool cpu_process_find_code(struct cpu_process *process, struct code_store *codes,
                           struct cpu_process *parent, uint64_t address)
{
    if (process->own.code || process->has_tried_code)
        return process->own.code != NULL;
    process->has_tried_code = true;
    open_code(process, codes, address);
    if (!process->own.code && process->is_own_program) {
        process->own.code = process->listed;
    } else if (!process->own.code && parent && parent->own.code) {
        process->own.code = parent->own.code;
        process->lender = parent->lender ? parent->lender : parent;
    }
    return process->own.code != NULL;
}

void cpu_process_map(struct cpu_process *process, struct code_store *codes,
                     const struct code_mapping *mapping)
{
    if (!process->is_own_program || (process->own.code && process->own.code != process->listed))
        return; /* it is read where the process has it */
    if (process->listed || process_code_create(codes, NULL, &process->listed) == 0)
        (void)process_code_map(process->listed, mapping);
}

void cpu_process_give_back(struct cpu_process *process)
{
    drop_code(process);
}

void cpu_process_exec(struct cpu_process *process)
{
    drop_code(process);
    process->own.is_old = true; /* the loader is at work */
    process->has_execed = process->is_own_program = process->is_name_due = true;
    process->waits_for_exec = false;
}

/* Our own programs: memoir, memoir-record, memoir-agent. */
static bool is_own(const char *name)
{
    static const char own[] = "memoir";
    size_t const length = sizeof(own) - 1;
    return strncmp(name, own, length) == 0 && (name[length] == '\0' || name[length] == '-');
}

int cpu_process_put_name(struct cpu_process *process, struct time_stacks *stacks, bool is_single)
{
    const char *name = process->name[0] ? process->name : "process";
    char text[48];
    process->is_name_due = false;
    if (is_single)
        snprintf(text, sizeof(text), "%s %u", name, process->pid);
    else
        snprintf(text, sizeof(text), "%s (others)", name);
    return is_own(name) ? time_stacks_own(stacks, text, &process->own.below)
                        : time_stacks_name(stacks, STACK_EMPTY, text, &process->own.below);
}

void cpu_process_measure(struct cpu_process *process)
{
    uint64_t const used = process->has_ended ? 0 : used_ns(process->pid);
    process->is_measured |= used > 0;
    if (used > process->cpu_began_ns && used - process->cpu_began_ns > process->cpu_ns)
        process->cpu_ns = used - process->cpu_began_ns;
    if (process->told_cpu_ns > process->cpu_ns) /* it ended before it was looked at again */
        process->cpu_ns = process->told_cpu_ns;
}

void cpu_process_check_end(struct cpu_process *process)
{
    if (process->has_ended || process_runs(process->pid))
        return;
    process->is_measured = process->told_cpu_ns > 0;
    cpu_process_measure(process); /* as long as nobody has waited for it */
    process->has_ended = true;
    process->ended_ns = monotonic_ns();
}

void cpu_process_settle(struct cpu_process *process, bool as_it_is)
{
    uint64_t const sampled = cpu_lane_unsettled_ns(process->lane, process->pid);
    cpu_process_measure(process);
    uint64_t const used =
        process->cpu_ns > process->settled_ns ? process->cpu_ns - process->settled_ns : 0;
    double const ratio = sampled ? (double)used / (double)sampled : 1;
    bool const is_sound = !as_it_is && process->is_measured && ratio <= SETTLE_MOST;
    cpu_lane_settle(process->lane, process->pid, is_sound ? ratio : 1);
    if (sampled)
        process->settled_ns += is_sound ? used : sampled;
    if (as_it_is)
        process->settled_ns = process->cpu_ns;
}
