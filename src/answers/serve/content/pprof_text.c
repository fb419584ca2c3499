/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/pprof_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_tree.h"
#include "analyze/sums/weigh.h"

#define FRAMES_MOST 512

struct record {
    stack_id stack;
    int64_t live_count, live_bytes, count, bytes;
};
struct records {
    VEC(struct record) rows;
};

static int compare(const void *left, const void *right, void *by_allocated)
{
    const struct record *a = left, *b = right;
    int64_t const x = *(bool *)by_allocated ? a->bytes : a->live_bytes;
    int64_t const y = *(bool *)by_allocated ? b->bytes : b->live_bytes;
    if (x != y)
        return x > y ? -1 : 1;
    return a->stack < b->stack ? -1 : a->stack > b->stack;
}

/* Both are by stack, and what is live was allocated. */
static int join(const struct weights *live, const struct weights *allocated,
                struct records *records)
{
    size_t at = 0;
    for (size_t i = 0; i < allocated->rows.count; i++) {
        const struct weight *all = &allocated->rows.items[i];
        struct record record = {.stack = all->key, .count = all->count, .bytes = all->value};
        while (at < live->rows.count && live->rows.items[at].key < all->key)
            at++;
        if (at < live->rows.count && live->rows.items[at].key == all->key) {
            record.live_count = live->rows.items[at].count;
            record.live_bytes = live->rows.items[at].value;
        }
        if (!vec_push(&records->rows, record))
            return -ENOMEM;
    }
    return 0;
}

static void write_addresses(const struct recording *recording, stack_id stack, bool hides,
                            FILE *out)
{
    size_t frames = 0;
    for (; stack != STACK_EMPTY && frames < FRAMES_MOST; frames++) {
        struct stack_link const link = stack_table_innermost(recording->stacks, stack);
        const struct frame *frame =
            link.frame < recording->frames.count ? &recording->frames.items[link.frame] : NULL;
        const struct module *module = frame && frame->module < recording->modules.count
                                          ? &recording->modules.items[frame->module]
                                          : NULL;
        uint64_t address = frame ? frame->address : 0;
        if (!hides && module)
            address += module->bias;
        fprintf(out, " 0x%" PRIx64, hides && !module ? 0 : address);
        stack = link.caller;
    }
}

static void write_functions(struct recording *recording, stack_id stack, bool hides, FILE *out)
{
    struct shown_frame frames[FRAMES_MOST];
    size_t const count = stack_show(recording, stack, frames, FRAMES_MOST);
    for (size_t i = 0; i < count && i < FRAMES_MOST; i++) {
        const char *function = recording_text(recording, frames[i].function);
        const char *file = recording_text(recording, frames[i].file);
        bool const is_address = !frames[i].module && strncmp(function, "0x", 2) == 0;
        fprintf(out, "#\t%s%s\t", hides && is_address ? "[code in no file]" : function,
                frames[i].inlined ? " (inlined)" : "");
        if (file[0])
            fprintf(out, "%s:%u\n", file, frames[i].line);
        else
            fprintf(out, "%s\n", recording_text(recording, frames[i].module));
    }
}

static void write_records(struct recording *recording, const struct records *records,
                          const struct pprof_text_view *view, FILE *out)
{
    for (size_t i = 0; i < records->rows.count && i < view->top; i++) {
        const struct record *row = &records->rows.items[i];
        fprintf(out, "%" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "] @", row->live_count,
                row->live_bytes, row->count, row->bytes);
        write_addresses(recording, row->stack, view->hides_addresses, out);
        fputc('\n', out);
        write_functions(recording, row->stack, view->hides_addresses, out);
        fputc('\n', out);
    }
    if (records->rows.count > view->top)
        fprintf(out, "# %zu smaller stacks are left out; ask for more with top=N\n",
                records->rows.count - view->top);
}

static int write_joined(struct recording *recording, const struct weights *live,
                        const struct weights *allocated, const struct pprof_text_view *view,
                        FILE *out)
{
    struct records records = {0};
    bool by_allocated = view->by_allocated;
    int const err = join(live, allocated, &records);
    if (!err) {
        if (records.rows.count)
            qsort_r(records.rows.items, records.rows.count, sizeof(struct record), compare,
                    &by_allocated);
        fprintf(out,
                "heap profile: %" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "] @ heapprofile\n",
                live->total_count, live->total_value, allocated->total_count,
                allocated->total_value);
        write_records(recording, &records, view, out);
    }
    vec_free(&records.rows);
    return err;
}

int pprof_text_write(struct recording *recording, const struct pprof_text_view *view, FILE *out,
                     struct fault *fault)
{
    struct weights live, allocated;
    int err = weigh_stacks(recording, metric_find("heap.live"), TIME_ALL, &live, fault);
    if (err)
        return err;
    err = weigh_stacks(recording, metric_find("heap.allocated"), TIME_ALL, &allocated, fault);
    if (!err) {
        if (write_joined(recording, &live, &allocated, view, out) < 0)
            err = fault_set(fault, -ENOMEM, "out of memory");
        weights_fini(&allocated);
    }
    weights_fini(&live);
    return err;
}
