/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/page_watch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kernel_events/agent_link.h"
#include "pages/page_record.h"
#include "pages/perf_faults.h"
#include "procfs/process/process_facts.h"

/* Pages that a processor counts locally before it updates the process: at least so many, or two per
 * processor if that is more. */
#define COUNTER_BATCH 32u

static void add_news(struct page_watch *watch, uint32_t stack, enum page_kind kind, int64_t bytes)
{
    unsigned const column = COL_PAGES_0 + 2 * kind + (bytes < 0);
    if (!watch->is_wanted)
        return;
    struct cell const cell = {stack, (uint16_t)column, bytes < 0 ? -bytes : bytes};
    (void)vec_push(&watch->news, cell);
}

int page_watch_init(struct page_watch *watch, struct code_store *codes, uint32_t pid,
                    uint32_t known_as, bool is_whole)
{
    *watch = (struct page_watch){.pid = pid, .known_as = known_as};
    int err = process_code_open(codes, pid, &watch->own.code);
    if (err < 0)
        return err;
    page_book_init(&watch->book, 0, is_whole);
    cache_book_init(&watch->cache, 0);
    return 0;
}

int page_watch_init_child(struct page_watch *watch, struct code_store *codes, uint32_t pid,
                          uint32_t known_as, struct page_watch *parent)
{
    *watch = (struct page_watch){.pid = pid, .known_as = known_as, .parent = parent->pid};
    int err = process_code_open(codes, pid, &watch->own.code);
    if (err == 0)
        err = page_book_copy(&parent->book, &watch->book);
    if (err < 0)
        process_code_close(watch->own.code);
    else
        cache_book_init(&watch->cache, 0);
    return err;
}

bool page_watch_was_missed(const struct page_watch *watch)
{
    return watch->sums.looks == 0 && watch->cache.all_pages == 0 && !process_runs(watch->pid);
}

void page_watch_fini(struct page_watch *watch)
{
    process_code_close(watch->own.code);
    page_book_fini(&watch->book);
    cache_book_fini(&watch->cache);
    perf_faults_close(watch->perf);
    resident_look_fini(&watch->look);
    vec_free(&watch->news);
    page_carry_fini(&watch->carry);
}

/* Memory of the kernel itself has no pages in the book: each event is a change. */
static void book_kernel(struct page_watch *watch, const struct agent_record *record, uint32_t stack)
{
    int64_t const bytes = (int64_t)record->address;
    add_news(watch, stack, PAGE_KERNEL, record->kind == AGENT_KERNEL_ADD ? bytes : -bytes);
}

static void count_fault(struct page_watch *watch, const struct agent_record *record, uint32_t stack,
                        enum stack_end end)
{
    struct page_watch_sums *sums = &watch->sums;
    sums->faults++;
    sums->assumed += record->flags & AGENT_ASSUMED ? 1 : 0;
    sums->stack_ends[stack == PAGES_NO_STACK ? STACK_END_NOT_TAKEN : end]++;
}

/* The kind of a touched page that no look has found.  A page that was written is a private page. */
static enum page_kind touched_kind(const struct page_leaf *leaf, uint64_t page)
{
    bool const is_read = leaf->keys[page].rule == RULE_FAULT && !(leaf->written >> page & 1);
    return is_read ? PAGE_FILE : PAGE_ANON;
}

/* Touched pages of a leaf that no look has found, without those that the last look should have
 * found. */
static uint64_t touched_pages(const struct page_watch *watch, const struct page_leaf *leaf)
{
    uint64_t gone = leaf->missed;
    for (uint64_t left = gone; left; left &= left - 1) {
        uint16_t const since = leaf->keys[__builtin_ctzll(left)].epoch - watch->book.look_epoch;
        if ((int16_t)since >= 0)
            gone &= ~(left & -left); /* touched after the look began: the look may have missed it */
    }
    return (leaf->huge != BOOK_NO_HUGE ? ~0ull : leaf->used & ~gone) & ~leaf->settled;
}

static uint64_t sum_touched(const struct page_watch *watch)
{
    uint64_t pages = 0;
    vec_each (place, &watch->book.leaves)
        pages += (uint64_t)__builtin_popcountll(touched_pages(watch, place->leaf));
    return pages * BOOK_PAGE;
}

static void tell_touched(struct page_watch *watch)
{
    vec_each (place, &watch->book.leaves) {
        const struct page_leaf *leaf = place->leaf;
        for (uint64_t left = touched_pages(watch, leaf); left; left &= left - 1) {
            uint64_t const page = (uint64_t)__builtin_ctzll(left);
            bool const is_own = leaf->used >> page & 1;
            enum page_kind const kind = is_own ? touched_kind(leaf, page) : PAGE_ANON;
            add_news(watch, is_own ? leaf->keys[page].stack : leaf->huge, kind, BOOK_PAGE);
            watch->sums.bytes[kind] += BOOK_PAGE;
            watch->sums.touched += BOOK_PAGE;
        }
    }
}

/* Largest error of the kernel's resident counters: each processor keeps up to a batch of pages
 * locally, for each kind of page. */
static uint64_t count_error(void)
{
    long const known = sysconf(_SC_NPROCESSORS_CONF);
    uint64_t const processors = known > 0 ? (uint64_t)known : 1;
    uint64_t const batch = 2 * processors > COUNTER_BATCH ? 2 * processors : COUNTER_BATCH;
    return PAGE_KINDS_RESIDENT * processors * batch * BOOK_PAGE;
}

void page_watch_end(struct page_watch *watch)
{
    uint64_t known = 0;
    for (unsigned kind = 0; kind < PAGE_KINDS_RESIDENT; kind++)
        known += watch->sums.bytes[kind];
    bool const is_complete = watch->book.is_whole || watch->book.has_looked;
    uint64_t const touched = sum_touched(watch);
    if (is_complete && watch->exit_bytes > 0 &&
        known + touched <= watch->exit_bytes + count_error())
        tell_touched(watch);
    else
        watch->sums.untold = touched;
    watch->sums.exit_bytes = watch->exit_bytes;
}

void page_watch_record(struct page_watch *watch, const struct agent_record *record, uint32_t stack,
                       enum stack_end end)
{
    switch (record->kind) {
    case AGENT_FAULT:
        count_fault(watch, record, stack, end);
        break;
    case AGENT_RANGE:
        watch->own.is_old |= (record->flags & AGENT_OF_FILE) != 0;
        break;
    case AGENT_KERNEL_ADD:
    case AGENT_KERNEL_DROP:
        book_kernel(watch, record, stack);
        break;
    case AGENT_EXIT:
        watch->exit_bytes = record->address;
        watch->has_ended = true;
        break;
    case AGENT_OOM:
        watch->next_look_ns = 0; /* look while the process still has pages */
        break;
    default:
        break;
    }
    (void)page_record_book(&watch->book, &watch->cache, record, agent_record_least(record->kind),
                           stack);
}

/* Adds changes of a look, or of the end of a process, to `news`. */
static void add_changes(struct page_watch *watch, const struct page_parts *changes)
{
    vec_each (part, &changes->list)
        add_news(watch, part->stack, part->kind, part->bytes);
}

static void empty(struct page_watch *watch)
{
    struct page_parts changes = {0};
    if (resident_look_clear(&watch->look, &changes) == 0)
        add_changes(watch, &changes);
    page_parts_fini(&changes);
}

void page_watch_exec(struct page_watch *watch, struct code_store *codes)
{
    struct process_code *code;
    empty(watch);
    page_book_exec(&watch->book);
    watch->has_execed = true;
    watch->next_look_ns = 0;
    if (process_code_open(codes, watch->pid, &code) < 0)
        return;
    process_code_close(watch->own.code);
    watch->own.code = code;
    watch->own.is_old = true; /* the loader is at work */
}

int page_watch_look(struct page_watch *watch, catch_up_fn catch_up, void *context,
                    struct resident_result *result)
{
    return resident_look_run(&watch->look, watch->pid, &watch->book, catch_up, context, result);
}

void page_watch_add_cache(struct page_watch *watch)
{
    struct page_parts cached = {0};
    if (watch->is_wanted && cache_book_changes(&watch->cache, &cached) == 0)
        add_changes(watch, &cached);
    page_parts_fini(&cached);
}

void page_watch_apply(struct page_watch *watch, const struct resident_result *result)
{
    struct page_watch_sums *sums = &watch->sums;
    page_watch_add_cache(watch);
    add_changes(watch, watch->begins_anew ? &result->parts : &result->changes);
    watch->begins_anew = false;
    memcpy(sums->bytes, result->bytes, sizeof(sums->bytes));
    memcpy(sums->rule_bytes, result->rule_bytes, sizeof(sums->rule_bytes));
    sums->before = result->before;
    sums->after = result->after;
    sums->looks++;
    sums->look_ns += result->took_ns;
    sums->took_ns = result->took_ns;
}
