/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/look_outside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/pages/page_look.h"
#include "foreign/foreign_file.h"
#include "procfs/process/executable_facts.h"
#include "procfs/process/invoked_path.h"
#include "procfs/process/process_facts.h"

static bool is_static(uint32_t pid)
{
    struct foreign_limits const limits = {.bytes_max = FOREIGN_PROGRAM_MAX};
    int const fd = foreign_program_open(pid, &limits, NULL);
    if (fd < 0)
        return false;
    struct executable_facts const facts = executable_facts_read(fd);
    close(fd);
    return facts.bits == 64 && !facts.interpreter[0];
}

static void describe(struct recording *recording, uint32_t pid)
{
    char path[4096];
    process_invoked_path(pid, path, sizeof(path));
    recording->program = recording_intern(recording, path);
    recording->source = recording_intern(recording, LOOK_OUTSIDE_SOURCE);
    recording->pid = pid;
    recording->exit_status = -1;
    recording->start_unix_ns = recording->written_unix_ns = unix_ns();
    recording->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    recording_note(
        recording,
        is_static(pid)
            ? "process %u is not being recorded, and memoir cannot hook a static program, such as "
              "most Go programs: its heap is one part. memoir pages %u shows which code touches "
              "memory from now on, memoir map %u shows the numbers of the runtime"
            : "process %u is not being recorded, so blocks and call stacks are not known, and its "
              "heap is one part: memoir attach %u shows which code allocates from now on; memoir "
              "pages %u shows which code touches memory, whatever allocates it",
        pid, pid, pid);
}

/* One bucket, of a nanosecond. */
static int fill(struct recording *recording, const struct page_look_result *result)
{
    struct bucket bucket = {.begin_ns = 0, .end_ns = 1};
    bucket.cells = calloc(result->owners.count + 1, sizeof(struct cell));
    if (!bucket.cells || !vec_push(&recording->buckets, bucket)) {
        free(bucket.cells);
        return -ENOMEM;
    }
    struct bucket *into = &recording->buckets.items[0];
    vec_each (owner, &result->owners) {
        stack_id stack;
        int const err =
            recording_name_stack(recording, recording_intern(recording, owner->name), &stack);
        if (err < 0)
            return err;
        into->cells[into->cell_count++] = (struct cell){
            stack, (uint16_t)(COL_RESIDENT_0 + 2 * owner->owned.kind), (int64_t)owner->owned.bytes};
    }
    recording->duration_ns = 1;
    recording->residency = result->residency;
    recording->residency.looks = 1;
    recording->residency.time_ns = 1;
    return 0;
}

struct recording *look_outside(uint32_t pid, const struct known_areas *known, int *err,
                               struct fault *fault)
{
    struct heap_book *heap = heap_book_create();
    struct map_book *maps = map_book_create();
    struct recording *recording = recording_create();
    struct page_look look = {0};
    struct page_look_result result = {0};
    *err = heap && maps && recording ? 0 : -ENOMEM;
    if (*err == 0)
        *err =
            page_look_begin(&look, &(struct page_look_question){.pid = pid,
                                                                .heap = heap,
                                                                .maps = maps,
                                                                .known = known->items.items,
                                                                .known_count = known->items.count,
                                                                .is_attached = true});
    if (*err == 0)
        *err = page_look_wait(&look, &result);
    if (*err == 0) {
        describe(recording, pid);
        *err = fill(recording, &result);
    }
    page_look_result_fini(&result);
    map_book_destroy(maps);
    heap_book_destroy(heap);
    if (*err == 0)
        return recording;
    recording_destroy(recording);
    fault_set(fault, *err, "the pages of process %u cannot be read: %s", pid, strerror(-*err));
    return NULL;
}
