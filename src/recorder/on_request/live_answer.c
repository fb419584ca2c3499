/* SPDX-License-Identifier: Apache-2.0 */
#include "on_request/live_answer.h"

#include <errno.h>

#include "formats/pprof/pprof_samples.h"
#include "on_request/dump_text.h"
#include "on_request/thread_dump.h"
#include "on_request/time_profile.h"

static int write_pprof(struct pprof_samples *samples, FILE *file, struct fault *fault)
{
    struct output *out = output_create(file, COMPRESS_GZIP);
    if (!out)
        return fault_set(fault, -ENOMEM, "out of memory");
    int const err = pprof_samples_write(samples, out, fault);
    int const end = output_finish(out, err ? NULL : fault);
    return err ? err : end;
}

/* Columns as Go has them for goroutines, so that whoever reads those reads this. */
static int write_threads(const struct live_request *question, struct thread_dump *dump, FILE *out,
                         struct fault *fault)
{
    struct pprof_samples samples = {.recording = dump->recording,
                                    .columns = {{"goroutine", "count"}},
                                    .column_count = 1,
                                    .period_type = {"goroutine", "count"},
                                    .period = 1,
                                    .hides_addresses = question->hides_addresses};
    int err = 0;
    recording_note(dump->recording,
                   "stacks of %zu threads, one after the other; the longest stop "
                   "of one was %.3f ms",
                   dump->threads.count, (double)dump->longest_ns / 1e6);
    for (size_t i = 0; i < dump->threads.count && !err; i++) {
        struct pprof_row const sample = {dump->threads.items[i].stack, (uint32_t)i, {1}};
        if (!vec_push(&samples.samples, sample))
            err = fault_set(fault, -ENOMEM, "out of memory");
    }
    if (!err)
        err = write_pprof(&samples, out, fault);
    vec_free(&samples.samples);
    return err;
}

static int answer_threads(const struct live_request *question, FILE *out, struct fault *fault)
{
    struct thread_dump dump;
    int err = thread_dump_collect(&dump, question->pid, fault);
    if (err)
        return err;
    thread_dump_name(&dump);
    if (question->number == 0)
        err = write_threads(question, &dump, out, fault);
    else if (question->number == 1)
        err = dump_write_grouped(&dump, question->hides_addresses, out);
    else
        dump_write_threads(&dump, question->hides_addresses, out);
    thread_dump_fini(&dump);
    return err;
}

static int answer_time(const struct live_request *question, FILE *out, struct fault *fault)
{
    struct time_profile profile;
    int err = time_profile_collect(&profile, question->pid, question->number,
                                   question->kind == LIVE_IS_WALL, fault);
    if (err)
        return err;
    profile.samples.hides_addresses = question->hides_addresses;
    if (question->is_folded)
        err = time_profile_write_folded(&profile, out, fault);
    else
        err = write_pprof(&profile.samples, out, fault);
    time_profile_fini(&profile);
    return err;
}

int live_answer(const struct live_request *question, FILE *out, struct fault *fault)
{
    return question->kind == LIVE_IS_THREADS ? answer_threads(question, out, fault)
                                             : answer_time(question, out, fault);
}
