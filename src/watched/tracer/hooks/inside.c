/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/hooks/inside.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "tracer/hooks/inside_cell.h"
#include "tracer/process/own_code.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/rings/ring.h"
#include "tracer/rings/thread.h"
#include "wire/time_units.h"
#include "wire/invariant.h"

#define WAIT_NS NS_PER_SECOND
#define STEP_NS 5000000l

/* The entries have the same order as memoir_tracer_jumps. */
static struct inside_entry entries[INSIDE_PATCHES];
static enum inside_outcome outcomes[INSIDE_PATCHES]; /* of the plan's patches */
__attribute__((visibility("default"))) struct inside_jumps memoir_tracer_jumps;
__attribute__((visibility("default"))) struct inside_plan memoir_tracer_plan;

/* glibc's, since 2.32: no second thread was ever made. */
#pragma weak __libc_single_threaded
extern char __libc_single_threaded;

static bool is_alone(void)
{
    return !&__libc_single_threaded || __libc_single_threaded;
}

static void wake(_Atomic uint32_t *word)
{
    raw_syscall3(SYS_futex, (long)word, FUTEX_WAKE, INT32_MAX);
}

/* Waits while *word is `value`, until the deadline or the recorder's end.  What it is then. */
static uint32_t wait_while(_Atomic uint32_t *word, uint32_t value, uint64_t deadline)
{
    struct timespec step = {0, STEP_NS};
    uint32_t now;
    while ((now = atomic_load(word)) == value && ring_clock_ns() < deadline &&
           !tracer_recorder_is_dead() && !atomic_load(&tracer_process.header->off))
        raw_syscall6(SYS_futex, (long)word, FUTEX_WAIT, value, (long)&step, 0, 0);
    return now;
}

/* Rings for the recorder, and waits for what it does.  Whether it says that it has done
 * something. */
static bool ring(struct arena_bell *bell)
{
    uint64_t deadline = ring_clock_ns() + WAIT_NS;
    uint32_t nobody = 0, asked = PLAN_ASKED;
    atomic_store(&memoir_tracer_plan.wanted, PLAN_WANTED);
    while (!atomic_compare_exchange_strong(&bell->holder, &nobody, tracer_process.process + 1)) {
        if (wait_while(&bell->holder, nobody, deadline) == nobody)
            return false;
        nobody = 0;
    }
    atomic_store(&bell->state, PLAN_ASKED);
    wake(&bell->state);
    if (wait_while(&bell->state, PLAN_ASKED, deadline) == PLAN_READY)
        return true;
    if (!atomic_compare_exchange_strong(&bell->state, &asked, PLAN_LATE))
        return asked == PLAN_READY;
    wake(&bell->state);
    return false;
}

/* Whatever the bell says, the plan itself says whether it is here. */
static bool is_delivered(void)
{
    const struct inside_plan *plan = &memoir_tracer_plan;
    return atomic_load(&plan->wanted) == PLAN_DELIVERED && plan->patch_count <= INSIDE_PATCHES &&
           plan->region_count <= INSIDE_REGIONS;
}

static bool failed(long result)
{
    return result < 0 && result > -4096;
}

/* Memory where the plan wants it, and nowhere else. */
static bool map_region(const struct inside_region *region)
{
    long at =
        raw_syscall6(SYS_mmap, (long)region->start, (long)region->bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (failed(at))
        return false;
    if ((uint64_t)at == region->start) {
        memcpy((void *)region->start, INSIDE_SIGN, INSIDE_SIGNED);
        return true;
    }
    raw_syscall3(SYS_munmap, at, (long)region->bytes, 0); /* a kernel that does not know the flag */
    return false;
}

/* From now on it may run, and no longer change.  false where that is forbidden; then it is gone. */
static bool seal_region(const struct inside_region *region)
{
    if (raw_syscall3(SYS_mprotect, (long)region->start, (long)region->bytes,
                     PROT_READ | PROT_EXEC) == 0)
        return true;
    raw_syscall3(SYS_munmap, (long)region->start, (long)region->bytes, 0);
    return false;
}

static bool lies_in(const struct inside_region *region, uint64_t cell)
{
    return cell >= region->start && cell - region->start + INSIDE_CELL <= region->bytes;
}

/* Of an earlier plan: the cell and the way through it are still there. */
static const struct inside_jump *find_jump(const struct inside_patch *patch)
{
    for (uint32_t i = 0; i < memoir_tracer_jumps.count; i++) {
        if (memoir_tracer_jumps.jumps[i].address == patch->address)
            return &memoir_tracer_jumps.jumps[i];
    }
    return NULL;
}

static void fill_cell(const struct inside_entry *entry, const struct inside_patch *patch)
{
    INVARIANT(patch->code_size <= sizeof(patch->code) && entry->cell == patch->cell);
    uint8_t way[INSIDE_CODE_AT];
    inside_way_make(way, entry);
    memcpy((void *)entry->cell, way, sizeof(way));
    memcpy((void *)(entry->cell + INSIDE_CODE_AT), patch->code, patch->code_size);
}

/* false when the cell is too far away. */
static bool aim(struct inside_jump *jump, const struct inside_patch *patch)
{
    *jump = (struct inside_jump){.address = patch->address, .stolen = patch->stolen};
    memcpy(jump->before, patch->before, sizeof(jump->before));
    return inside_jump_make(jump->jump, patch->address, patch->cell);
}

static bool make_entry(const struct inside_patch *patch)
{
    if (memoir_tracer_jumps.count == INSIDE_PATCHES || patch->code_size > sizeof(patch->code))
        return false;
    struct inside_entry *entry = &entries[memoir_tracer_jumps.count];
    *entry = (struct inside_entry){.shape = patch->shape,
                                   .usable_rule = patch->usable_rule,
                                   .address = patch->address,
                                   .cell = patch->cell};
    uint64_t original = patch->cell + INSIDE_CODE_AT;
    memcpy(&entry->original, &original, sizeof(original));
    memcpy(&entry->usable, &patch->usable, sizeof(patch->usable));
    inside_choose_hook(entry);
    if (!entry->hook || !aim(&memoir_tracer_jumps.jumps[memoir_tracer_jumps.count], patch))
        return false;
    fill_cell(entry, patch);
    memoir_tracer_jumps.count++;
    return true;
}

static bool is_as_planned(const struct inside_patch *patch)
{
    return patch->stolen >= INSIDE_JUMP && patch->stolen <= sizeof(patch->before) &&
           raw_is_readable(patch->address) && raw_is_readable(patch->address + patch->stolen - 1) &&
           memcmp((const void *)patch->address, patch->before, patch->stolen) == 0;
}

/* Left there by a recorder that died. */
static bool has_our_jump(const struct inside_patch *patch)
{
    const struct inside_jump *jump = find_jump(patch);
    return jump && raw_is_readable(patch->address) &&
           memcmp((const void *)patch->address, jump->jump, INSIDE_JUMP) == 0;
}

/* Makes ready what the jump leads to.  `mapped`: there is room for new cells. */
static enum inside_outcome prepare(const struct inside_patch *patch, bool mapped)
{
    if (is_own_code((const void *)patch->address))
        return INSIDE_OURSELVES;
    if (!is_as_planned(patch) && !has_our_jump(patch))
        return INSIDE_CHANGED_CODE;
    if (patch->pushes && inside_has_shadow_stack())
        return INSIDE_SHADOW_STACK;
    return find_jump(patch) || (mapped && make_entry(patch)) ? INSIDE_HOOKED : INSIDE_NO_MEMORY;
}

/* The patches of one region, all at once: half of them would record nonsense. */
static void prepare_region(const struct inside_region *region)
{
    const struct inside_plan *plan = &memoir_tracer_plan;
    uint32_t first = memoir_tracer_jumps.count;
    bool is_new = false;
    for (uint32_t i = 0; i < plan->patch_count; i++)
        is_new |= lies_in(region, plan->patches[i].cell) && !find_jump(&plan->patches[i]);
    bool mapped = is_new && map_region(region);
    for (uint32_t i = 0; i < plan->patch_count; i++) {
        const struct inside_patch *patch = &plan->patches[i];
        if (lies_in(region, patch->cell))
            outcomes[i] = prepare(patch, mapped);
    }
    if (!mapped || seal_region(region))
        return;
    INVARIANT(first <= memoir_tracer_jumps.count); /* the last ones are of this region */
    memoir_tracer_jumps.count = first;
    for (uint32_t i = 0; i < plan->patch_count; i++) {
        if (lies_in(region, plan->patches[i].cell))
            outcomes[i] = INSIDE_NO_MEMORY;
    }
}

/* Makes the jump.  Writable and executable at once for a moment: where that is forbidden it is
 * so before anything was changed. */
static enum inside_outcome make_jump(const struct inside_patch *patch)
{
    uint64_t first = patch->address & ~4095ull,
             last = (patch->address + INSIDE_JUMP - 1) & ~4095ull;
    long bytes = (long)(last - first + 4096);
    const struct inside_jump *jump = find_jump(patch);
    if (!jump)
        return INSIDE_NO_MEMORY;
    if (!is_alone())
        return INSIDE_THREADS;
    if (raw_syscall3(SYS_mprotect, (long)first, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
        return INSIDE_PROTECTED;
    INVARIANT(jump->address == patch->address);
    memcpy((void *)patch->address, jump->jump, INSIDE_JUMP);
    raw_syscall3(SYS_mprotect, (long)first, bytes, PROT_READ | PROT_EXEC);
    return INSIDE_HOOKED;
}

void inside_start(bool jump)
{
    const struct inside_plan *plan = &memoir_tracer_plan;
    struct arena_bell *bell = arena_bell_of(tracer_process.arena);
    if (!ring(bell)) {
        atomic_store(&memoir_tracer_plan.wanted, PLAN_UNWANTED);
        return;
    }
    uint32_t const patches = is_delivered() ? plan->patch_count : 0;
    memset(outcomes, 0, sizeof(outcomes));
    for (uint32_t i = 0; patches && i < plan->region_count; i++)
        prepare_region(&plan->regions[i]);
    for (uint32_t i = 0; i < patches; i++) {
        if (jump && outcomes[i] == INSIDE_HOOKED)
            outcomes[i] = make_jump(&plan->patches[i]);
        atomic_store(&bell->outcomes[i], outcomes[i]);
    }
    atomic_store(&bell->state, PLAN_TAKEN);
    wake(&bell->state);
}
