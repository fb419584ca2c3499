/* SPDX-License-Identifier: Apache-2.0 */
#include "process_map/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/memory/breakdown.h"
#include "process_map/refusal.h"
#include "process_map/split_regions.h"
#include "base/clock.h"
#include "base/human.h"
#include "procfs/cgroup/cgroup_memory.h"
#include "procfs/memory/memory_status.h"
#include "procfs/memory/pagemap.h"
#include "procfs/process/proc_open.h"
#include "procfs/process/thread_stacks.h"
#include "runtimes/runtimes.h"

/* ---- which mappings are stacks of threads ---- */

#define GUARD_MAX                                                                                  \
    ((uint64_t)1 << 20) /* a larger mapping without rights is what a heap has reserved */

static size_t find_region(const struct breakdown *breakdown, uint64_t address)
{
    return vec_lower_bound(&breakdown->regions, region, region->end <= address);
}

/* Goroutines and other threads of a runtime's own have their stacks in its heap: that is no
 * stack's mapping. */
static bool may_be_stack(const struct breakdown *breakdown, size_t number)
{
    const struct memory_region *region = &breakdown->regions.items[number];
    if (region->name[0] || strncmp(region->rights, "rw", 2) != 0 || region->rights[3] != 'p' ||
        number == 0)
        return false;
    const struct memory_region *below = region - 1;
    return below->end == region->start && below->bytes.size <= GUARD_MAX &&
           below->name[0] == '\0' && memcmp(below->rights, "---p", 4) == 0;
}

static bool claim_region(struct breakdown *breakdown, size_t number, const char *item,
                         enum breakdown_evidence evidence)
{
    const struct memory_region *region = &breakdown->regions.items[number];
    return breakdown_claim(breakdown,
                           (struct memory_claim){region->start, region->end, SECTION_STACKS,
                                                 "Threads", item, evidence});
}

static bool claim_looks(struct breakdown *breakdown)
{
    for (size_t i = 0; i < breakdown->regions.count; i++) {
        const struct memory_region *region = &breakdown->regions.items[i];
        if (region->flags & REGION_NO_HUGE && may_be_stack(breakdown, i) &&
            region[-1].flags & REGION_NO_HUGE &&
            !claim_region(breakdown, i, "running, or kept of ended threads", EVIDENCE_SHAPE))
            return false;
    }
    return true;
}

/* Claims the mappings that a thread's stack pointer is in, and those that look like a stack: a
 * guard below, and the kernel's mark of MAP_STACK (Linux 6.7).  Returns 0 or -errno. */
static int claim_stacks(struct breakdown *breakdown)
{
    struct thread_stacks stacks;
    bool fits = true, folded = false;
    int const err = thread_stacks_read(breakdown->pid, &stacks);
    if (err < 0)
        return err;
    vec_each (thread, &stacks.threads) {
        size_t const number = find_region(breakdown, thread->pointer);
        char name[64];
        if (breakdown_has_folded(breakdown, thread->pointer, thread->pointer + 1))
            folded = true;
        if (!fits || thread->pointer == 0 || number == breakdown->regions.count ||
            breakdown->regions.items[number].start > thread->pointer ||
            !may_be_stack(breakdown, number))
            continue;
        name_without_number(thread->name, strlen(thread->name), name, sizeof(name));
        fits =
            claim_region(breakdown, number, breakdown_text(breakdown, "%s", name), EVIDENCE_THREAD);
    }
    thread_stacks_fini(&stacks);
    if (folded)
        return -EAGAIN;
    return fits && claim_looks(breakdown) ? 0 : -ENOMEM;
}

/* ---- what the kernel says of the process ---- */

#define NEAR        ((uint64_t)16 << 20)
#define KERNEL_HALF ((uint64_t)1 << 63) /* [vsyscall] is no memory of the process */

static void read_program(struct breakdown *breakdown)
{
    (void)proc_read_link(breakdown->pid, PROC_EXE, breakdown->program, sizeof(breakdown->program));
    char *deleted = strstr(breakdown->program, " (deleted)");
    if (deleted)
        *deleted = '\0';
}

static void read_status(struct breakdown *breakdown, struct memory_status *status)
{
    if (memory_status_read(breakdown->pid, status) < 0)
        *status = memory_status_parse((struct slice){"", 0});
    /* The kernel cuts names; the program's file has it whole, unless the process renamed itself. */
    const char *slash = strrchr(breakdown->program, '/');
    bool const is_cut = slash && strncmp(slash + 1, status->name, strlen(status->name)) == 0;
    if (status->name[0])
        snprintf(breakdown->name, sizeof(breakdown->name), "%.63s",
                 is_cut ? slash + 1 : status->name);
    if (status->threads > 0)
        breakdown->threads = (uint32_t)status->threads;
    breakdown->rss_anon = status->anon_bytes;
    breakdown->rss_file = status->file_bytes;
    breakdown->rss_shmem = status->shmem_bytes;
    breakdown->rss_peak = status->rss_peak_bytes;
    breakdown->page_tables = status->page_table_bytes;
}

/* ---- mappings from the list that costs nothing, pages in slices ---- */

struct counting {
    struct memory_region *next, *end;
};

/* A run of pages may reach over several mappings. */
static void count_run(void *context, const struct page_run *run)
{
    struct counting *counting = context;
    for (uint64_t at = run->start; at < run->end;) {
        while (counting->next < counting->end && counting->next->end <= at)
            counting->next++;
        struct memory_region *region = counting->next;
        if (region == counting->end || region->start >= run->end)
            return;
        uint64_t const from = at > region->start ? at : region->start;
        uint64_t const to = run->end < region->end ? run->end : region->end;
        region->bytes.rss += run->state & PAGE_PRESENT ? to - from : 0;
        region->bytes.huge += run->state & PAGE_PRESENT && run->state & PAGE_HUGE ? to - from : 0;
        region->bytes.swap += run->state & PAGE_SWAPPED ? to - from : 0;
        at = to;
    }
}

/* Pages of hugetlbfs and of the kernel are in nobody's RSS. */
static bool has_pages(const struct memory_region *region)
{
    return region->start < KERNEL_HALF && strncmp(region->name, "/anon_hugepage", 14) != 0;
}

/* Mappings close to each other are walked as one, for thousands of them are often side by side. */
static int walk_gently(struct process_snapshot *snapshot, struct pagemap *pagemap)
{
    int err = smaps_read_maps(snapshot->breakdown.pid, &snapshot->smaps);
    struct memory_region *regions = snapshot->smaps.regions.items;
    size_t const count = snapshot->smaps.regions.count;
    for (size_t first = 0, next; err == 0 && first < count; first = next) {
        next = first + 1;
        if (!has_pages(&regions[first]))
            continue;
        while (next < count && has_pages(&regions[next]) &&
               regions[next].start - regions[next - 1].end < NEAR)
            next++;
        struct counting counting = {&regions[first], &regions[next]};
        err = pagemap_walk(pagemap, regions[first].start, regions[next - 1].end, count_run,
                           &counting);
    }
    return err == -EFAULT
               ? 0
               /* the process changed its mappings, or ended: what is missing shows in the sum */
               : err;
}

/* What reading smaps will take, by the pages there are; huge ones take less. */
static uint64_t predict_ns(const struct breakdown *breakdown)
{
    double const gib = breakdown->rss_before > 0 ? (double)breakdown->rss_before / (1 << 30) : 0;
    return (uint64_t)(gib * (double)SNAPSHOT_NS_PER_GIB);
}

static int over_budget(const struct breakdown *breakdown, uint64_t budget_ns, struct fault *fault)
{
    char expected[HUMAN_MAX], allowed[HUMAN_MAX];
    return fault_set(fault, -EBUSY,
                     "reading smaps would make process %u wait about %s, more than the budget of "
                     "%s, and this kernel does not support --gentle; give a larger --budget, or "
                     "--exact",
                     breakdown->pid, human_duration(breakdown->predicted_ns, expected),
                     human_duration(budget_ns, allowed));
}

static int read_regions(struct process_snapshot *snapshot,
                        const struct process_snapshot_options *options, struct fault *fault)
{
    struct breakdown *breakdown = &snapshot->breakdown;
    struct pagemap pagemap = {.fd = -1};
    enum snapshot_way const way = options->way;
    uint64_t const budget_ns = options->budget_ns ? options->budget_ns : SNAPSHOT_BUDGET_NS;
    bool gentle = way == SNAPSHOT_GENTLE;
    int err = 0;
    breakdown->predicted_ns = predict_ns(breakdown);
    if (gentle || (way == SNAPSHOT_AUTO && breakdown->predicted_ns > budget_ns))
        err = pagemap_open(&pagemap, breakdown->pid, true);
    if (err == 0 && gentle && !pagemap.scans)
        err = fault_set(
            fault, -EOPNOTSUPP,
            "--gentle needs PAGEMAP_SCAN (Linux 6.7), which this kernel does not have; leave out "
            "--gentle");
    else if (err < 0)
        err = refusal_after(breakdown->pid, breakdown->name, err, fault);
    if (err == 0 && way == SNAPSHOT_AUTO && pagemap.fd >= 0) {
        gentle = breakdown->gentle_by_size = pagemap.scans;
        if (!pagemap.scans && options->budget_ns)
            err = over_budget(breakdown, budget_ns, fault);
    }
    if (err == 0) {
        breakdown->source = gentle ? BREAKDOWN_PAGEMAP : BREAKDOWN_SMAPS;
        err = gentle ? walk_gently(snapshot, &pagemap)
                     : smaps_read_folded(breakdown->pid, options->top, &snapshot->smaps);
        if (err < 0 || snapshot->smaps.regions.count == 0)
            err = refusal_after(breakdown->pid, breakdown->name, err, fault);
    }
    pagemap_close(&pagemap);
    return err;
}

/* The list moves over; the names stay in `smaps`. */
static void move_regions(struct process_snapshot *snapshot)
{
    struct breakdown *breakdown = &snapshot->breakdown;
    breakdown->regions.items = snapshot->smaps.regions.items;
    breakdown->regions.count = snapshot->smaps.regions.count;
    breakdown->regions.room = snapshot->smaps.regions.room;
    snapshot->smaps.regions.items = NULL;
    snapshot->smaps.regions.count = snapshot->smaps.regions.room = 0;
    breakdown->folded.items = snapshot->smaps.folded.items;
    breakdown->folded.count = snapshot->smaps.folded.count;
    breakdown->folded.room = snapshot->smaps.folded.room;
    snapshot->smaps.folded.items = NULL;
    snapshot->smaps.folded.count = snapshot->smaps.folded.room = 0;
    breakdown->read_bytes = snapshot->smaps.text_bytes;
}

/* -EAGAIN: something that was folded matters. */
static int sort_out(struct breakdown *breakdown, const struct process_snapshot_options *options)
{
    if (!options->kernel_only)
        runtimes_look(breakdown);
    int err = claim_stacks(breakdown);
    if (err == -ENOMEM || err == -EAGAIN)
        return err;
    err = breakdown_claims_settle(breakdown);
    vec_each (claim, &breakdown->claims)
        if (breakdown_has_folded(breakdown, claim->start, claim->end))
            return -EAGAIN;
    if (err == 0 && split_regions(breakdown) < 0)
        breakdown_note(
            breakdown,
            "some named parts of mappings are not listed: their pages could not be counted");
    return err == 0 ? breakdown_sort(breakdown, options->rules) : err;
}

int snapshot_read(struct process_snapshot *snapshot, uint32_t pid,
                  const struct process_snapshot_options *options, struct fault *fault)
{
    struct breakdown *breakdown = &snapshot->breakdown;
    struct memory_status status;
    *snapshot = (struct process_snapshot){.breakdown = {.pid = pid, .deep = options->deep}};
    uint64_t const begin = clock_ns(CLOCK_MONOTONIC);
    int err = refusal_before(pid, fault);
    if (err < 0)
        return err;
    breakdown->time_unix_ns = clock_ns(CLOCK_REALTIME);
    read_program(breakdown);
    read_status(breakdown, &status);
    breakdown->rss_before = status.rss_bytes;
    err = read_regions(snapshot, options, fault);
    if (err == 0) {
        read_status(breakdown, &status);
        breakdown->rss_after = status.rss_bytes;
        move_regions(snapshot);
        cgroup_memory_read(pid, &breakdown->cgroup);
        if (breakdown->gentle_by_size)
            breakdown_note(breakdown,
                           "the pages were read in slices (--gentle), without PSS, because reading "
                           "smaps would make the process wait; --exact reads smaps");
        err = sort_out(breakdown, options);
        if (err == -EAGAIN) {
            struct process_snapshot_options whole = *options;
            whole.top = 0;
            snapshot_fini(snapshot);
            return snapshot_read(snapshot, pid, &whole, fault);
        }
        if (err < 0)
            fault_set(fault, err, "not enough memory to sort the mappings of process %u", pid);
    }
    breakdown->capture_ns = clock_ns(CLOCK_MONOTONIC) - begin;
    if (err < 0)
        snapshot_fini(snapshot);
    return err;
}

void snapshot_fini(struct process_snapshot *snapshot)
{
    breakdown_fini(&snapshot->breakdown);
    smaps_fini(&snapshot->smaps);
}
