/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_writer_samples.c - writes the samples of a recording as records of a perf.data. */
#include "analyze/sums/bucket_walk.h"
#include "formats/perf/perf_data_writer.h"

#define CHAIN_MAX 4096u /* a record has 64 KiB */

struct sample {
    uint64_t time_ns;
    stack_id stack;
    uint32_t tid; /* 0: the process's own */
    int64_t value;
    uint32_t thread; /* index, or UINT32_MAX */
};

static uint64_t use_key(size_t process, size_t module)
{
    return ((uint64_t)process << 32 | module) + 1;
}

/* What a process is to have mapped: nothing but what it uses, because processes have other
 * things at the same addresses. */
static void note_uses(struct perf_writer *writer, stack_id stack, uint32_t process)
{
    const struct recording *recording = writer->job->recording;
    while (stack != STACK_EMPTY) {
        struct stack_link const link = stack_table_innermost(recording->stacks, stack);
        uint32_t const module = recording->frames.items[link.frame].module;
        uint32_t *known =
            module != MODULE_NONE ? number_map_at(&writer->uses, use_key(process, module)) : NULL;
        if (known)
            *known = 1;
        stack = link.caller;
    }
}

/* The chain of a stack, innermost first, with the marks of who was at work; the process that its
 * outermost frame names. */
static size_t make_chain(const struct perf_writer *writer, stack_id stack, uint64_t *chain,
                         uint32_t *process)
{
    const struct recording *recording = writer->job->recording;
    size_t count = 0;
    int mode = -1;
    *process = 0;
    while (stack != STACK_EMPTY && count + 2 < CHAIN_MAX) {
        struct stack_link const link = stack_table_innermost(recording->stacks, stack);
        uint32_t const root =
            link.caller == STACK_EMPTY ? perf_layout_root(&writer->layout, link.frame) : 0;
        stack = link.caller;
        if (root) {
            *process = root - 1;
            break;
        }
        bool const is_kernel = perf_layout_is_kernel(&writer->layout, link.frame);
        uint64_t address = perf_layout_address(&writer->layout, link.frame);
        if (mode != is_kernel)
            chain[count++] = (uint64_t)(is_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
        else
            address++; /* where the call returns to */
        mode = is_kernel;
        chain[count++] = address;
    }
    return count;
}

static void put_sample(struct perf_writer *writer, const struct sample *sample)
{
    uint64_t chain[CHAIN_MAX];
    uint32_t process;
    size_t const count = make_chain(writer, sample->stack, chain, &process);
    if (!writer->sink.out)
        note_uses(writer, sample->stack, process);
    uint32_t const pid = writer->layout.processes.items[process].pid;
    uint32_t const tid = sample->tid ? sample->tid : pid;
    uint64_t const head[] = {PERF_EVENT_ID,
                             count > 1 ? chain[1] : 0,
                             pid | (uint64_t)tid << 32,
                             PERF_TIME_BASE + sample->time_ns,
                             (uint64_t)sample->value,
                             count};
    bool const is_kernel = count > 0 && chain[0] == (uint64_t)PERF_CONTEXT_KERNEL;
    perf_sink_begin(&writer->sink, PERF_RECORD_SAMPLE,
                    is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
    perf_sink_put(&writer->sink, head, sizeof(head));
    perf_sink_put(&writer->sink, chain, 8 * count);
    perf_sink_end(&writer->sink);
    uint32_t *known = sample->thread != UINT32_MAX
                          ? number_map_at(&writer->thread_pids, (uint64_t)sample->thread + 1)
                          : NULL;
    if (known)
        *known = pid;
    if (writer->samples++ == 0 || sample->time_ns < writer->first_ns)
        writer->first_ns = sample->time_ns;
    if (sample->time_ns > writer->last_ns)
        writer->last_ns = sample->time_ns;
}

static bool is_kept(const struct perf_writer *writer, stack_id stack)
{
    return number_map_get(&writer->kept, (uint64_t)stack + 1) != 0;
}

static void put_moments(struct perf_writer *writer, const struct bucket *bucket)
{
    const struct recording *recording = writer->job->recording;
    struct time_range const range = writer->job->range;
    uint64_t const width = bucket->end_ns - bucket->begin_ns;
    for (size_t i = 0; i < bucket->moment_count; i++) {
        const struct moment *moment = &bucket->moments[i];
        bool const timeless = moment->after_ns == MOMENT_TIMELESS;
        uint64_t const time =
            bucket->begin_ns + (timeless ? width * i / bucket->moment_count : moment->after_ns);
        if (moment->column != writer->column || !is_kept(writer, moment->stack) ||
            (!timeless && (time < range.from_ns || time >= range.to_ns)))
            continue;
        uint32_t const count = moment->count ? moment->count : 1;
        for (uint32_t k = 0; k < count; k++) {
            int64_t const share = moment->value / count;
            put_sample(writer, &(struct sample){time, moment->stack,
                                                recording->threads.items[moment->thread].tid,
                                                k ? share : moment->value - share * (count - 1),
                                                moment->thread});
        }
    }
}

/* Without moments: as many samples as were counted, evenly over their bucket. */
static void put_cells(struct perf_writer *writer, const struct bucket *bucket)
{
    uint64_t const width = bucket->end_ns - bucket->begin_ns;
    struct number_map counts = {0};
    for (size_t i = 0; i < bucket->cell_count; i++) {
        const struct cell *cell = &bucket->cells[i];
        uint32_t *known = cell->column == writer->count && cell->value > 0
                              ? number_map_at(&counts, (uint64_t)cell->key + 1)
                              : NULL;
        if (known)
            *known = cell->value < UINT16_MAX ? (uint32_t)cell->value : UINT16_MAX;
    }
    for (size_t i = 0; i < bucket->cell_count; i++) {
        const struct cell *cell = &bucket->cells[i];
        if (cell->column != writer->column || !is_kept(writer, cell->key) || cell->value <= 0)
            continue;
        uint32_t const told = number_map_get(&counts, (uint64_t)cell->key + 1);
        uint32_t const count = told ? told : 1;
        int64_t const share = cell->value / count;
        for (uint32_t k = 0; k < count; k++)
            put_sample(writer,
                       &(struct sample){bucket->begin_ns + width * k / count, cell->key, 0,
                                        k ? share : cell->value - share * (count - 1), UINT32_MAX});
    }
    number_map_fini(&counts);
}

static void put_bucket(void *into, const struct bucket *bucket)
{
    struct perf_writer *writer = into;
    if (bucket->moment_count > 0)
        put_moments(writer, bucket);
    else
        put_cells(writer, bucket);
}

/* Of a metric that is no time: each stack once, at the end. */
static void put_weights(struct perf_writer *writer)
{
    vec_each (row, &writer->weights.rows)
        if (row->value > 0)
            put_sample(writer, &(struct sample){writer->job->recording->duration_ns, row->key, 0,
                                                row->value, UINT32_MAX});
}

int perf_writer_samples(struct perf_writer *writer, struct fault *fault)
{
    struct time_range range = writer->job->range;
    struct bucket_visitor const visitor = {put_bucket, writer};
    if (writer->has_buckets)
        return bucket_walk(writer->job->recording, &range, visitor, fault);
    put_weights(writer);
    return 0;
}

bool perf_writer_uses(const struct perf_writer *writer, size_t process, size_t module)
{
    return number_map_get(&writer->uses, use_key(process, module)) != 0;
}
