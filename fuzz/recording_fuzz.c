/* SPDX-License-Identifier: Apache-2.0 */
/* recording_fuzz.c - any bytes as a recording file.
 *
 * Checksums would turn nearly every mutation away at the door, so each input is read twice: as it
 * is, and with the checksums of its chunks put right, which lets the mutations reach the decoders.
 * The latter also comes in two halves, as a file that grows.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/chunks/checksum.h"
#include "store/chunks/chunk.h"
#include "store/read/recording_follow.h"
#include "store/read/recording_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink; /* whatever was read must have been readable */

static void touch_cells(const struct recording *recording, const struct bucket *bucket)
{
    for (size_t i = 0; i < bucket->cell_count; i++) {
        if (bucket->cells[i].key > stack_table_count(recording->stacks))
            abort();
        sink += (uint64_t)bucket->cells[i].value;
    }
    for (size_t i = 0; i < bucket->thread_cell_count; i++) {
        if (bucket->thread_cells[i].key >= recording->threads.count)
            abort();
        sink += (uint64_t)bucket->thread_cells[i].value;
    }
}

static void touch_tables(const struct recording *recording)
{
    for (stack_id id = 1; id <= stack_table_count(recording->stacks); id++) {
        struct stack_link link = stack_table_innermost(recording->stacks, id);
        if (link.caller >= id || link.frame >= recording->frames.count)
            abort();
    }
    for (size_t i = 0; i < recording->frames.count; i++) {
        const struct frame *frame = &recording->frames.items[i];
        if (frame->module != MODULE_NONE && frame->module >= recording->modules.count)
            abort();
        for (uint32_t k = 0; k < frame->location_count; k++) {
            struct location location = recording->locations.items[frame->first_location + k];
            sink += strlen(recording_text(recording, location.function)) + location.line;
        }
    }
    for (size_t i = 0; i < recording->notes.count; i++)
        sink += strlen(recording_text(recording, recording->notes.items[i]));
}

static void touch_all(struct recording *recording)
{
    struct fault fault = {0};
    touch_tables(recording);
    uint64_t end = 0;
    vec_each (bucket, &recording->buckets) {
        if (bucket->begin_ns < end)
            abort();
        end = bucket->end_ns;
        if (recording_load_bucket(recording, bucket, &fault) == 0)
            touch_cells(recording, bucket);
        recording_unload_bucket(recording, bucket);
    }
    vec_each (pin, &recording->pins) {
        struct bucket cells = {.cells = pin->cells,
                               .cell_count = pin->cell_count,
                               .thread_cells = pin->thread_cells,
                               .thread_cell_count = pin->thread_cell_count};
        touch_cells(recording, &cells);
    }
}

static void read_all(const uint8_t *data, size_t size)
{
    struct fault fault = {0};
    struct recording *recording = recording_read_bytes(data, size, &fault);
    if (recording)
        touch_all(recording);
    else if (fault.text[0] == '\0')
        abort(); /* refused without a sentence */
    recording_destroy(recording);
}

/* The same bytes as a file that grows while somebody follows it. */
static void follow_all(const uint8_t *data, size_t size)
{
    char path[64];
    size_t const half = size / 2;
    int const fd = memfd_create("followed", MFD_CLOEXEC);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, data, half) != (ssize_t)half)
        abort();
    struct recording_follower *follower = recording_follow(path, NULL);
    if (follower && write(fd, data + half, size - half) == (ssize_t)(size - half)) {
        recording_intern(recording_followed(follower), "made up meanwhile");
        if (recording_follower_refresh(follower, NULL) >= 0)
            touch_all(recording_followed(follower));
    }
    recording_follower_close(follower);
    close(fd);
}

static void repair_checksums(uint8_t *data, size_t size)
{
    if (size >= FILE_HEADER_BYTES)
        file_header_put(data);
    for (size_t at = 0; at + CHUNK_HEADER_BYTES <= size; at++) {
        uint8_t *header = data + at;
        if (memcmp(header, CHUNK_MAGIC, CHUNK_MAGIC_BYTES) != 0)
            continue;
        size_t left = size - at - CHUNK_HEADER_BYTES;
        size_t stored = get_le(header + 8, 4) < left ? (size_t)get_le(header + 8, 4) : left;
        put_le(header + 8, stored, 4);
        if (!(header[4] & CHUNK_ZSTD) && get_le(header + 6, 2) <= stored)
            put_le(header + 12, stored - get_le(header + 6, 2), 4);
        put_le(header + 32, checksum64(header + CHUNK_HEADER_BYTES, stored), 8);
        put_le(header + 40, checksum64(header, 40), 8);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_all(data, size);
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    repair_checksums(copy, size);
    read_all(copy, size);
    follow_all(copy, size);
    free(copy);
    return 0;
}
