/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/code_jumps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "inject/threads/all_threads.h"
#include "inject/threads/thread_registers.h"
#include "inject/threads/tracing_thread.h"
#include "wire/inside.h"

#define TRIES        100u
#define TRIES_NS     5000000000ull
#define NAP_NS       10000000l
#define STOP_WAIT_NS 20000000ull
#define STACK_LOOK   262144u /* above the stack pointer: more than handlers upon handlers take */

struct jumping {
    pid_t pid;
    const struct remote_memory *memory;
    struct map_list maps;
    struct inside_jumps table; /* those to change, by address */
    bool on;
    struct code_jumps_report *report;
    uint8_t stack[STACK_LOOK];
};

static int by_address(const void *left, const void *right)
{
    const struct inside_jump *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

/* Those that are not yet as they should be.  Nothing is believed that is not there. */
static int read_table(struct jumping *jumping, uint64_t at)
{
    struct inside_jumps *table = &jumping->table;
    uint32_t kept = 0;
    if (!remote_read(jumping->memory, at, table, sizeof(*table)) || table->count > INSIDE_PATCHES)
        return -EIO;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct inside_jump *jump = &table->jumps[i];
        const uint8_t *expected = jumping->on ? jump->before : jump->jump;
        uint8_t now[INSIDE_JUMP];
        if (remote_read(jumping->memory, jump->address, now, sizeof(now)) &&
            memcmp(now, expected, sizeof(now)) == 0)
            table->jumps[kept++] = *jump;
    }
    table->count = kept;
    qsort(table->jumps, kept, sizeof(table->jumps[0]), by_address);
    return 0;
}

/* Whether a thread that goes on at `place` would be in the middle of what changes. */
static bool is_between(const struct inside_jumps *table, uint64_t place)
{
    uint32_t low = 0, high = table->count;
    while (low < high) { /* the last that begins before */
        uint32_t middle = (low + high) / 2;
        if (table->jumps[middle].address < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && place - table->jumps[low - 1].address < table->jumps[low - 1].stolen;
}

/* Any word on the stack may be where a handler returns to. */
static bool stack_leads_between(struct jumping *jumping, uint64_t stack_pointer)
{
    const struct inside_jumps *table = &jumping->table;
    const struct map_region *region = map_list_find(&jumping->maps, stack_pointer);
    uint64_t from = (stack_pointer - RED_ZONE_BYTES) & ~7ull;
    if (!region)
        return true; /* made since we looked */
    from = from < region->start ? region->start : from;
    uint64_t size = region->end - from < STACK_LOOK ? region->end - from : STACK_LOOK;
    if (!remote_read(jumping->memory, from, jumping->stack, size))
        return true;
    uint64_t first = table->jumps[0].address,
             last = table->jumps[table->count - 1].address + UINT8_MAX;
    for (uint64_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, jumping->stack + i, sizeof(word));
        if (word > first && word < last && is_between(table, word))
            return true;
    }
    return false;
}

/* Lets a thread go on until it is outside. */
static bool leads_out(struct jumping *jumping, struct all_threads *all, pid_t tid)
{
    struct user_regs_struct registers;
    for (unsigned i = 0; i <= UINT8_MAX; i++) {
        if (!thread_registers(tid, &registers))
            return false;
        if (!is_between(&jumping->table, registers_ip(&registers)))
            return !stack_leads_between(jumping, registers_sp(&registers));
        int err = thread_step(tid, STOP_WAIT_NS);
        if (err == -ETIMEDOUT)
            all->stepping = tid;
        if (err < 0)
            return false;
    }
    return false;
}

static bool all_are_outside(struct jumping *jumping, struct all_threads *all)
{
    for (size_t i = 0; jumping->on && i < all->threads.count; i++) { /* behind a jump nobody is */
        if (!leads_out(jumping, all, all->threads.items[i].tid))
            return false;
    }
    return true;
}

static int write_all(struct jumping *jumping)
{
    for (uint32_t i = 0; i < jumping->table.count; i++) {
        const struct inside_jump *jump = &jumping->table.jumps[i];
        if (!remote_write(jumping->memory, jump->address, jumping->on ? jump->jump : jump->before,
                          INSIDE_JUMP))
            return -EIO;
        jumping->report->changed++;
    }
    return 0;
}

/* One moment.  -EAGAIN: not a good one. */
static int try_once(void *context)
{
    struct jumping *jumping = context;
    struct all_threads all;
    map_list_fini(&jumping->maps);
    int err = map_list_read((uint32_t)jumping->pid, &jumping->maps);
    if (err < 0)
        return err;
    jumping->report->tries++;
    err = all_threads_stop(&all, jumping->pid, STOP_WAIT_NS);
    if (err == 0)
        err = all_are_outside(jumping, &all) ? write_all(jumping) : -EAGAIN;
    uint64_t stopped_ns = all_threads_release(&all);
    if (stopped_ns > jumping->report->stopped_ns)
        jumping->report->stopped_ns = stopped_ns;
    return err;
}

int code_jumps_set_table(const struct code_jumps_table *table, bool on,
                         struct code_jumps_report *report, struct fault *fault)
{
    struct jumping *jumping = calloc(1, sizeof(*jumping));
    *report = (struct code_jumps_report){0};
    if (!jumping)
        return fault_set(fault, -ENOMEM, "out of memory while hooking the program's allocator");
    jumping->pid = table->pid;
    jumping->memory = table->memory;
    jumping->on = on;
    jumping->report = report;
    int err = read_table(jumping, table->address);
    uint64_t const until_ns = monotonic_ns() + TRIES_NS;
    if (err == 0 && jumping->table.count > 0) {
        do {
            if (report->tries > 0)
                nanosleep(&(struct timespec){0, NAP_NS}, NULL);
            err = tracing_thread_run(try_once, jumping);
        } while (err == -EAGAIN && report->tries < TRIES && monotonic_ns() < until_ns);
    }
    map_list_fini(&jumping->maps);
    free(jumping);
    if (err == -EAGAIN)
        err = -EBUSY;
    if (err < 0)
        fault_set(fault, err, "the allocator inside process %d could not be %s: %s",
                  (int)table->pid, on ? "hooked" : "unhooked",
                  err == -EBUSY ? "there was always a thread inside the allocator"
                                : strerror(-err));
    return err;
}

int code_jumps_set(struct module_client *modules, bool on, struct code_jumps_report *report,
                   struct fault *fault)
{
    struct code_jumps_table const table = {modules->pid, modules->memory,
                                           module_client_object(modules, "memoir_tracer_jumps")};
    *report = (struct code_jumps_report){0};
    if (modules->is_broken)
        return module_client_judge(modules, -EPROTO, fault);
    return table.address ? code_jumps_set_table(&table, on, report, fault) : 0;
}
