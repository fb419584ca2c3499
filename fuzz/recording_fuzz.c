/* SPDX-License-Identifier: Apache-2.0 */
/* recording_fuzz.c - any bytes as a recording file.
 *
 * Checksums would turn nearly every mutation away at the door, so the mutator unpacks a chunk,
 * changes what is in it, and seals it again; or it changes the order of chunks.  One input of eight
 * is changed without regard to anything.  An input with wrong checksums is read again with the
 * right ones.  The last form also comes in two halves, as a file that grows; nobody waits for its
 * writer, which took nearly all of the time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "store/chunks/checksum.h"
#include "store/chunks/chunk.h"
#include "store/read/recording_follow.h"
#include "store/read/recording_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
/* Of libFuzzer; a replay has none, and changes nothing. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));

int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    if (left)
        *left = (struct timespec){0};
    return 0;
}

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
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    repair_checksums(copy, size);
    read_all(data, size);
    if (memcmp(copy, data, size) != 0)
        read_all(copy, size);
    follow_all(copy, size);
    free(copy);
    return 0;
}

/* ---- The mutator ---- */

#define CHUNKS_MAX 64
#define PART_MAX   65536

struct place {
    size_t at, size; /* with its header */
};

/* The chunks that are whole. */
static size_t find_chunks(const uint8_t *data, size_t size, struct place chunks[CHUNKS_MAX])
{
    size_t count = 0;
    struct chunk_header header;
    for (size_t at = FILE_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= size && count < CHUNKS_MAX;) {
        if (chunk_header_parse(data + at, &header) &&
            header.stored_bytes <= size - at - CHUNK_HEADER_BYTES) {
            chunks[count++] = (struct place){at, CHUNK_HEADER_BYTES + header.stored_bytes};
            at += chunks[count - 1].size;
        } else {
            at++;
        }
    }
    return count;
}

/* Puts `size` new bytes in place of `old`; the size of all, 0 when they do not fit. */
static size_t splice(uint8_t *data, size_t all, size_t max, struct place old, const uint8_t *bytes,
                     size_t size)
{
    if (all - old.size + size > max)
        return 0;
    memmove(data + old.at + size, data + old.at + old.size, all - old.at - old.size);
    memcpy(data + old.at, bytes, size);
    return all - old.size + size;
}

/* One part of a chunk as it is unpacked, changed, in a chunk that is not packed. */
static size_t change_chunk(uint8_t *data, size_t all, size_t max, struct place chunk, unsigned seed)
{
    static uint8_t made[CHUNK_HEADER_BYTES + 2 * PART_MAX];
    static struct chunk_packer *packer;
    struct chunk_header header;
    struct byte_reader raw;
    const uint8_t *payload = data + chunk.at + CHUNK_HEADER_BYTES;
    if (!packer)
        packer = chunk_packer_create();
    if (!packer || !chunk_header_parse(data + chunk.at, &header) || header.raw_bytes > PART_MAX ||
        chunk_unpack(packer, &header, payload, &raw) != 0)
        return 0;
    size_t plain = header.plain_bytes, packed = (size_t)(raw.end - raw.at);
    if (plain > PART_MAX || packed > PART_MAX)
        return 0;
    uint8_t *parts = made + CHUNK_HEADER_BYTES;
    memcpy(parts, payload, plain);
    memcpy(parts + plain, raw.at, packed);
    if (seed % 4 == 0 || packed == 0) { /* what follows moves with the end of what is changed */
        uint8_t after[PART_MAX];
        memcpy(after, parts + plain, packed);
        plain = LLVMFuzzerMutate(parts, plain, plain + 64 < CHUNK_PLAIN_MAX ? plain + 64 : plain);
        memcpy(parts + plain, after, packed);
    } else {
        packed = LLVMFuzzerMutate(parts + plain, packed,
                                  packed + 256 < PART_MAX ? packed + 256 : packed);
    }
    header.flags &= (uint8_t)~CHUNK_ZSTD;
    header.plain_bytes = (uint16_t)plain;
    header.stored_bytes = (uint32_t)(plain + packed);
    header.raw_bytes = (uint32_t)packed;
    header.payload_checksum = checksum64(parts, plain + packed);
    chunk_header_put(made, &header);
    return splice(data, all, max, chunk, made, CHUNK_HEADER_BYTES + plain + packed);
}

/* Takes a chunk out, or puts a copy of it before another. */
static size_t move_chunk(uint8_t *data, size_t all, size_t max, const struct place *chunk,
                         const struct place *other, bool takes_out)
{
    static uint8_t copy[CHUNK_HEADER_BYTES + 2 * PART_MAX];
    if (takes_out)
        return splice(data, all, max, *chunk, copy, 0);
    if (chunk->size > sizeof(copy))
        return 0;
    memcpy(copy, data + chunk->at, chunk->size);
    return splice(data, all, max, (struct place){other->at, 0}, copy, chunk->size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct place chunks[CHUNKS_MAX];
    size_t const count = seed % 8 ? find_chunks(data, size, chunks) : 0;
    size_t changed = 0;
    if (count) {
        const struct place *chunk = &chunks[seed / 64 % count];
        if (seed / 8 % 8 == 0)
            changed = move_chunk(data, size, max, chunk, &chunks[seed / 4096 % count], seed & 4);
        else
            changed = change_chunk(data, size, max, *chunk, seed / 8);
    }
    return changed ? changed : LLVMFuzzerMutate(data, size, max);
}
