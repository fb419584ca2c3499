/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_writer_processes.c - writes processes, threads and mappings as records of a
 * perf.data. */
#include <sys/mman.h>

#include "formats/perf/perf_data_writer.h"

static void put_trailer(struct perf_writer *writer, uint32_t pid, uint32_t tid)
{
    uint64_t const trailer[] = {pid | (uint64_t)tid << 32, 0, PERF_EVENT_ID};
    perf_sink_put(&writer->sink, trailer, sizeof(trailer));
}

static void put_comm(struct perf_writer *writer, uint32_t pid, uint32_t tid, const char *name)
{
    uint32_t const ids[] = {pid, tid};
    perf_sink_begin(&writer->sink, PERF_RECORD_COMM, 0);
    perf_sink_put(&writer->sink, ids, sizeof(ids));
    perf_sink_text(&writer->sink, *name ? name : "unknown");
    put_trailer(writer, pid, tid);
    perf_sink_end(&writer->sink);
}

static uint8_t digit_of(char digit)
{
    return (uint8_t)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
}

size_t perf_writer_unhex(const char *hex, uint8_t bytes[PERF_BUILD_ID_BYTES])
{
    size_t count = 0;
    for (; count < PERF_BUILD_ID_BYTES && hex[0] && hex[1]; hex += 2)
        bytes[count++] = (uint8_t)(digit_of(hex[0]) << 4 | digit_of(hex[1]));
    return count;
}

static void put_mapping(struct perf_writer *writer, uint32_t pid, struct layout_segment segment,
                        const char *path, const char *build_id)
{
    uint32_t const ids[] = {pid, pid}, rights[] = {PROT_READ | PROT_EXEC, MAP_PRIVATE};
    uint8_t about[24] = {0}; /* build id, or device and inode */
    size_t const size = perf_writer_unhex(build_id, about + 4);
    about[0] = (uint8_t)size;
    perf_sink_begin(&writer->sink, PERF_RECORD_MMAP2,
                    (uint16_t)(PERF_RECORD_MISC_USER | (size ? PERF_MISC_BUILD_ID : 0)));
    perf_sink_put(&writer->sink, ids, sizeof(ids));
    perf_sink_put(&writer->sink, &segment, sizeof(segment));
    perf_sink_put(&writer->sink, about, sizeof(about));
    perf_sink_put(&writer->sink, rights, sizeof(rights));
    perf_sink_text(&writer->sink, path);
    put_trailer(writer, pid, pid);
    perf_sink_end(&writer->sink);
}

static void put_mappings(struct perf_writer *writer, size_t process)
{
    const struct recording *recording = writer->job->recording;
    uint32_t const pid = writer->layout.processes.items[process].pid;
    for (size_t i = 0; i < writer->layout.modules.count; i++) {
        const struct layout_module *module = &writer->layout.modules.items[i];
        const struct module *from = &recording->modules.items[i];
        bool const is_used = perf_writer_uses(writer, process, i);
        for (uint32_t k = 0; is_used && k < module->segment_count; k++)
            put_mapping(writer, pid, module->segments[k],
                        module->is_made ? "//anon" : recording_text(recording, from->path),
                        recording_text(recording, from->build_id));
    }
    struct layout_segment const names = {
        LAYOUT_NAMES_BASE, recording->frames.count * LAYOUT_NAME_BYTES + LAYOUT_NAME_BYTES, 0};
    put_mapping(writer, pid, names, "//anon", "");
}

/* As perf names it: its first symbol, where that is. */
static void put_kernel(struct perf_writer *writer)
{
    uint64_t const start = writer->layout.kernel_start;
    uint32_t const ids[] = {PERF_KERNEL_PID, 0};
    struct layout_segment const segment = {start, writer->layout.kernel_end - start, start};
    if (start == 0)
        return;
    perf_sink_begin(&writer->sink, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
    perf_sink_put(&writer->sink, ids, sizeof(ids));
    perf_sink_put(&writer->sink, &segment, sizeof(segment));
    perf_sink_text(&writer->sink, PERF_KERNEL_NAME "_text");
    put_trailer(writer, PERF_KERNEL_PID, 0);
    perf_sink_end(&writer->sink);
}

void perf_writer_processes(struct perf_writer *writer)
{
    put_kernel(writer);
    const struct recording *recording = writer->job->recording;
    bool const has_roots = writer->layout.processes.count > 1;
    for (size_t i = has_roots ? 1 : 0; i < writer->layout.processes.count; i++) {
        const struct layout_process *process = &writer->layout.processes.items[i];
        const char *path = recording_text(recording, process->name), *slash = strrchr(path, '/');
        put_comm(writer, process->pid, process->pid, slash ? slash + 1 : path);
        put_mappings(writer, i);
    }
    for (size_t i = 0; i < recording->threads.count; i++) {
        const struct thread *thread = &recording->threads.items[i];
        uint32_t const pid = number_map_get(&writer->thread_pids, (uint64_t)i + 1);
        if (pid && thread->tid && (thread->tid != pid || !has_roots))
            put_comm(writer, pid, thread->tid, recording_text(recording, thread->name));
    }
}
