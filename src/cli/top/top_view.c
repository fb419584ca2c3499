/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_view.h"

#include "base/clock.h"

int top_view_of(const struct top_source *source, const struct top_choice *choice,
                struct top_view *view)
{
    *view = (struct top_view){.recording = recording_followed(source->follower),
                              .running = source->running,
                              .question = choice->question,
                              .filter_text = choice->filter[0] ? choice->filter : NULL,
                              .now_unix_ns = unix_ns()};
    return top_view_prepare(view);
}

struct top_process top_process_of(const struct top_source *source)
{
    const struct memory_status *memory = &source->memory;
    return (struct top_process){
        .pid = source->pid,
        .name = memory->name,
        .rss_bytes = memory->rss_bytes,
        .anon_bytes = memory->anon_bytes,
        .file_bytes = memory->file_bytes,
        .shmem_bytes = memory->shmem_bytes,
        .swap_bytes = memory->swap_bytes,
        .rss_peak_bytes = memory->rss_peak_bytes,
        .threads = memory->threads,
        .advice = source->is_gone
                      ? "The process has ended."
                      : "To see which code holds the memory: start the program with memoir run, or "
                        "use memoir attach."};
}

bool top_source_has(const void *source, const struct metric *metric)
{
    const struct running *running = ((const struct top_source *)source)->running;
    return running && running_has(running, metric);
}
