/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_file.h"

#include <string.h>

#define ATTR_AT 104u

void perf_file_begin(struct perf_file *file)
{
    memset(file, 0, sizeof(*file));
    file->type = PERF_FILE_TYPE;
}

void perf_file_record(struct perf_file *file, uint32_t type, uint16_t misc, const void *body,
                      size_t size)
{
    struct perf_event_header const header = {type, misc, (uint16_t)(sizeof(header) + size)};
    unsigned char *at = file->bytes + PERF_FILE_DATA + file->size;
    memcpy(at, &header, sizeof(header));
    if (size)
        memcpy(at + sizeof(header), body, size);
    file->size += header.size;
}

struct trailer {
    uint32_t pid, tid;
    uint64_t time;
};

void perf_file_comm(struct perf_file *file, uint32_t pid, uint32_t tid, const char *name,
                    uint64_t time)
{
    struct {
        uint32_t pid, tid;
        char name[16];
        struct trailer trailer;
    } body = {pid, tid, "", {pid, tid, time}};
    strncpy(body.name, name, sizeof(body.name) - 1);
    perf_file_record(file, PERF_RECORD_COMM, 0, &body, sizeof(body));
}

void perf_file_map(struct perf_file *file, uint32_t pid, uint64_t start, uint64_t size,
                   const char *path, uint64_t time)
{
    struct {
        uint32_t pid, tid;
        uint64_t start, size, offset;
        char path[64];
        struct trailer trailer;
    } body = {pid, pid, start, size, 0, "", {pid, pid, time}};
    strncpy(body.path, path, sizeof(body.path) - 1);
    perf_file_record(file, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, &body, sizeof(body));
}

void perf_file_sample(struct perf_file *file, uint32_t pid, uint32_t tid, uint64_t time,
                      const uint64_t *chain)
{
    uint64_t body[64] = {file->id, chain[0], pid | (uint64_t)tid << 32, time, 1000000};
    size_t const first = file->type & PERF_SAMPLE_IDENTIFIER ? 0 : 1;
    size_t words = 5;
    if (file->type & PERF_SAMPLE_READ) {
        body[words++] = 2;
        memcpy(body + words, file->counters, sizeof(file->counters));
        words += 4;
    }
    uint64_t *length = &body[words++];
    body[words++] = (uint64_t)PERF_CONTEXT_USER;
    for (*length = 1; *chain; chain++, ++*length)
        body[words++] = *chain;
    perf_file_record(file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body + first,
                     8 * (words - first));
}

void perf_file_event(struct perf_file *file, uint64_t config, uint64_t id)
{
    struct perf_event_attr const attr = {.type = PERF_TYPE_SOFTWARE,
                                         .size = PERF_ATTR_SIZE_VER0,
                                         .config = config,
                                         .sample_period = 1,
                                         .sample_type = file->type,
                                         .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
                                         .sample_id_all = 1};
    unsigned char body[PERF_ATTR_SIZE_VER0 + sizeof(id)];
    memcpy(body, &attr, PERF_ATTR_SIZE_VER0);
    memcpy(body + PERF_ATTR_SIZE_VER0, &id, sizeof(id));
    perf_file_record(file, 64, 0, body, sizeof(body));
}

void perf_file_round(struct perf_file *file)
{
    perf_file_record(file, 68, 0, NULL, 0);
}

size_t perf_file_end(struct perf_file *file)
{
    struct perf_event_attr const attr = {.type = PERF_TYPE_SOFTWARE,
                                         .size = PERF_ATTR_SIZE_VER0,
                                         .config = PERF_COUNT_SW_CPU_CLOCK,
                                         .sample_freq = 1000,
                                         .freq = 1,
                                         .sample_type = file->type,
                                         .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
                                         .sample_id_all = 1};
    uint64_t const head[] = {
        104,       PERF_ATTR_SIZE_VER0 + 16, ATTR_AT, PERF_ATTR_SIZE_VER0 + 16, PERF_FILE_DATA,
        file->size};
    memcpy(file->bytes, "PERFILE2", 8);
    memcpy(file->bytes + 8, head, sizeof(head));
    memcpy(file->bytes + ATTR_AT, &attr, PERF_ATTR_SIZE_VER0);
    if (file->type & PERF_SAMPLE_IDENTIFIER) { /* where its one id is, and the id */
        uint64_t const ids[] = {ATTR_AT + PERF_ATTR_SIZE_VER0 + 16, 8, PERF_FILE_ID};
        memcpy(file->bytes + ATTR_AT + PERF_ATTR_SIZE_VER0, ids, sizeof(ids));
    }
    return PERF_FILE_DATA + file->size;
}
