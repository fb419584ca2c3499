/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_fuzz.c - any bytes as a perf.data.
 *
 * Whatever is read must hold together: no row points outside its table, buckets follow each
 * other, and of each event the samples by stack, by thread and by both are the same number.
 *
 * The mutator changes one record and leaves the others where they can be found: it puts sizes and
 * offsets right.  One input of eight is changed without regard to anything.  Files that an input
 * names are not there: they would take most of the time, and have targets of their own. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "formats/shared/readers.h"
#include "recording_holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
/* Of libFuzzer; a replay has none, and changes nothing. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));

/* ---- Files that are not there ---- */

static bool is_reading;

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);

int __wrap_open64(const char *path, int flags, ...)
{
    if (!is_reading)
        return __real_open64(path, flags, 0600);
    errno = ENOENT;
    return -1;
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
    if (!is_reading)
        return __real_fopen64(path, mode);
    errno = ENOENT;
    return NULL;
}

/* ---- What is read ---- */

static void check_moments(const struct recording *recording)
{
    uint64_t const stacks = (uint64_t)stack_table_count(recording->stacks) + 1;
    unsigned const own = COL_OWN_0 + recording->own_metric_count;
    uint64_t samples = 0, of_time = 0;
    vec_each (bucket, &recording->buckets)
        for (size_t i = 0; i < bucket->moment_count; i++) {
            const struct moment *moment = &bucket->moments[i];
            bool const is_time = moment->column == COL_CPU_NS;
            check(moment->thread < recording->threads.count && moment->stack < stacks);
            check(moment->after_ns < bucket->end_ns - bucket->begin_ns ||
                  moment->after_ns == MOMENT_TIMELESS);
            check(is_time || (moment->column >= COL_OWN_0 && moment->column < own));
            samples += moment->count;
            of_time += is_time ? moment->count : 0;
        }
    check(samples == recording->quality.events && of_time == recording->timing.samples);
}

/* Of one metric the sums by stack, by thread and by both. */
static void check_sums(const struct recording *recording, enum column column)
{
    uint64_t by_stack = 0, by_thread = 0, by_both = 0;
    vec_each (bucket, &recording->buckets) {
        by_stack += sum_cells(recording, bucket->cells, bucket->cell_count, column);
        by_thread += sum_below(bucket->thread_cells, bucket->thread_cell_count,
                               recording->threads.count, column);
        for (size_t i = 0; i < bucket->moment_count; i++)
            if (bucket->moments[i].column == column)
                by_both += (uint64_t)bucket->moments[i].value;
    }
    check(by_thread == by_stack && by_both == by_stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fault fault = {0};
    is_reading = true;
    struct recording *recording = perf_data_read_bytes(data, size, &fault);
    is_reading = false;
    if (!recording) {
        check(fault.text[0] != '\0');
        return 0;
    }
    check_tables(recording);
    check_buckets(recording);
    check_moments(recording);
    check_sums(recording, COL_CPU_NS);
    for (unsigned i = 0; i < recording->own_metric_count; i++)
        check_sums(recording, recording->own_metrics[i].plus);
    recording_destroy(recording);
    return 0;
}

/* ---- The mutator ---- */

/* Of the header of a file: struct perf_file_header. */
#define DATA_OFFSET_AT 40
#define DATA_SIZE_AT   48
#define FEATURES_AT    72
#define FILE_HEADER    104
#define RECORD_HEADER  8 /* u32 type, u16 misc, u16 size */
#define RECORD_MAX     4096

static uint64_t get(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes);
    return value;
}

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
    memcpy(at, &value, bytes);
}

/* Sections of features lie behind the records; a table with their offsets lies between. */
static void move_features(uint8_t *data, size_t size, uint64_t table, int64_t by)
{
    for (unsigned bit = 0; bit < 256; bit++) {
        if (!(data[FEATURES_AT + bit / 8] >> bit % 8 & 1))
            continue;
        if (table + 16 > size)
            return;
        put(data + table, get(data + table, 8) + (uint64_t)by, 8);
        table += 16;
    }
}

/* The record that `seed` chooses; its size, 0 when there is none. */
static size_t choose_record(const uint8_t *data, size_t size, unsigned seed, size_t *at)
{
    uint64_t const begin = get(data + DATA_OFFSET_AT, 8), length = get(data + DATA_SIZE_AT, 8);
    size_t count = 0, chosen = 0;
    if (begin > size || length > size - begin)
        return 0;
    for (size_t here = begin; here + RECORD_HEADER <= begin + length; count++) {
        size_t const record = get(data + here + 6, 2);
        if (record < RECORD_HEADER || record > begin + length - here)
            break;
        if (seed % (count + 1) == 0) {
            *at = here;
            chosen = record;
        }
        here += record;
    }
    return chosen;
}

/* Puts other bytes in place of a record; the size of all, 0 when that does not fit. */
static size_t replace_record(uint8_t *data, size_t size, size_t max, struct slice old,
                             const uint8_t *made, size_t made_size)
{
    size_t const at = (size_t)((const uint8_t *)old.data - data);
    int64_t const by = (int64_t)made_size - (int64_t)old.size;
    size_t const all = size - old.size + made_size;
    if (all > max)
        return 0;
    memmove(data + at + made_size, data + at + old.size, size - at - old.size);
    memcpy(data + at, made, made_size);
    put(data + DATA_SIZE_AT, get(data + DATA_SIZE_AT, 8) + (uint64_t)by, 8);
    move_features(data, all, get(data + DATA_OFFSET_AT, 8) + get(data + DATA_SIZE_AT, 8), by);
    return all;
}

static size_t change_record(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    uint8_t made[2 * RECORD_MAX + 8];
    size_t at = 0;
    size_t const old = choose_record(data, size, seed / 64, &at);
    if (old == 0 || old > RECORD_MAX)
        return 0;
    size_t made_size;
    memcpy(made, data + at, old);
    if (seed / 8 % 8 == 0) { /* twice */
        memcpy(made + old, data + at, old);
        made_size = 2 * old;
    } else if (seed / 8 % 8 == 1) { /* not at all */
        made_size = 0;
    } else {
        size_t const body =
            LLVMFuzzerMutate(made + RECORD_HEADER, old - RECORD_HEADER,
                             seed & 512 ? old - RECORD_HEADER : RECORD_MAX - RECORD_HEADER);
        made_size = RECORD_HEADER + (body + 7) / 8 * 8;
        memset(made + RECORD_HEADER + body, 0, made_size - RECORD_HEADER - body);
        if (seed / 8 % 8 == 2) /* as another kind of record */
            put(made, seed / 1024 % 24, 4);
        put(made + 6, made_size, 2);
    }
    return replace_record(data, size, max, (struct slice){(const char *)data + at, old}, made,
                          made_size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    bool const is_file = size >= FILE_HEADER && memcmp(data, "PERFILE2", 8) == 0;
    size_t const changed = is_file && seed % 8 ? change_record(data, size, max, seed) : 0;
    return changed ? changed : LLVMFuzzerMutate(data, size, max);
}
