/* perf_file.h - a perf.data made by hand for tests: records one after the other, then the header
 * around them. */
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct perf_file {
    unsigned char bytes[1 << 16];
    size_t size;   /* of the records, which begin at PERF_FILE_DATA */
    uint64_t type; /* sample_type of its events */
    /* of the event that the next sample is of, where type has PERF_SAMPLE_IDENTIFIER */
    uint64_t id;
    uint64_t counters[2]
                     [2]; /* with their ids: of a group of two, where type has PERF_SAMPLE_READ */
};
#define PERF_FILE_DATA 256u
#define PERF_FILE_ID   10u /* of the clock in the header, where type has PERF_SAMPLE_IDENTIFIER */
#define PERF_FILE_TYPE                                                                             \
    (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |                 \
     PERF_SAMPLE_PERIOD)

void perf_file_begin(struct perf_file *file);
void perf_file_record(struct perf_file *file, uint32_t type, uint16_t misc, const void *body,
                      size_t size);
/* With the block at the end that tells when it was. */
void perf_file_comm(struct perf_file *file, uint32_t pid, uint32_t tid, const char *name,
                    uint64_t time);
void perf_file_map(struct perf_file *file, uint32_t pid, uint64_t start, uint64_t size,
                   const char *path, uint64_t time);
/* A sample of 1 ms with the chain of user addresses, innermost first, ended by 0. */
void perf_file_sample(struct perf_file *file, uint32_t pid, uint32_t tid, uint64_t time,
                      const uint64_t *chain);
/* A further event, of the kernel's software events. */
void perf_file_event(struct perf_file *file, uint64_t config, uint64_t id);
void perf_file_round(struct perf_file *file);
/* Puts header and event before the records; the size of the whole file, which begins at
 * file->bytes. */
size_t perf_file_end(struct perf_file *file);
