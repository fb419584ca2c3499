/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/perf/perf_data_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "formats/shared/readers.h"

#define TABLES_BYTES_MAX  ((size_t)384 << 20) /* of unwind tables */
#define EVENT_UPDATE_NAME 2u

bool perf_data_recognise(struct slice head)
{
    static const char *const magics[] = {PERF_FILE_MAGIC, PERF_FILE_MAGIC_OTHER,
                                         PERF_FILE_MAGIC_OLD};
    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
        if (head.size >= PERF_FILE_MAGIC_BYTES &&
            memcmp(head.data, magics[i], PERF_FILE_MAGIC_BYTES) == 0)
            return true;
    return false;
}

static int book_waiting(struct perf_reader *reader)
{
    struct perf_data_waiting waiting;
    int err = 0;
    while (err == 0 && perf_order_pop(&reader->order, &waiting)) {
        err = perf_reader_book(reader, &waiting.record);
        free(waiting.bytes);
    }
    return err;
}

/* HEADER_ATTR: the attribute, whose own size tells where the ids begin. */
static int handle_attr(struct perf_reader *reader, const struct perf_record *record)
{
    const char *body = (const char *)record->body;
    if (record->size < PERF_ATTR_SIZE_VER0)
        return -EINVAL;
    uint32_t size = perf_half(record->body + 4);
    if (size < PERF_ATTR_SIZE_VER0)
        size = PERF_ATTR_SIZE_VER0;
    if (size > record->size)
        return -EINVAL;
    return perf_events_add(&reader->events, (struct slice){body, size},
                           (struct slice){body + size, record->size - size});
}

/* Records that perf itself wrote: they have no time, and hold from here on. */
static int handle_own(struct perf_reader *reader, const struct perf_record *record)
{
    struct slice const body = {(const char *)record->body, record->size};
    int err = 0;
    switch (record->type) {
    case PERF_USER_ATTR:
        err = handle_attr(reader, record);
        break;
    case PERF_USER_BUILD_ID:
        err = perf_facts_build_id(&reader->facts, record->misc, body);
        break;
    case PERF_USER_FEATURE:
        if (body.size > 8)
            err = perf_facts_parse(&reader->facts, &reader->events, perf_word(record->body),
                                   (struct slice){body.data + 8, body.size - 8});
        break;
    case PERF_USER_EVENT_UPDATE:
        if (body.size > 16 && perf_word(record->body) == EVENT_UPDATE_NAME)
            perf_events_name(
                &reader->events, perf_word(record->body + 8),
                (struct slice){body.data + 16, strnlen(body.data + 16, body.size - 16)});
        break;
    case PERF_USER_FINISHED_ROUND:
        perf_order_end_round(&reader->order);
        return book_waiting(reader);
    default:
        break;
    }
    reader->damaged += err < 0 && err != -ENOMEM;
    return err == -ENOMEM ? err : 0;
}

/* When it was, to bring it into order; 0 when that is not told. */
static uint64_t time_of(struct perf_reader *reader, const struct perf_record *record)
{
    struct perf_sample sample;
    struct perf_trailer trailer;
    const struct perf_event *event = perf_events_find(&reader->events, record);
    if (!event)
        return 0;
    if (record->type == PERF_RECORD_SAMPLE)
        return perf_sample_parse(&event->attr, record, &sample) == 0 ? sample.time : 0;
    if (perf_trailer_parse(&event->attr, record, &trailer) == 0 && record->size >= 24 &&
        (record->type == PERF_RECORD_FORK || record->type == PERF_RECORD_EXIT))
        return perf_word(record->body + 16);
    return trailer.time;
}

static int handle_record(struct perf_reader *reader, const struct perf_record *record)
{
    if (record->type >= PERF_USER_ATTR)
        return handle_own(reader, record);
    uint64_t const time = time_of(reader, record);
    if (time == 0) /* perf made it up when it began */
        return perf_reader_book(reader, record);
    int const err = perf_order_put(&reader->order, time, record);
    return err < 0 ? err : book_waiting(reader);
}

static int read_records(struct perf_reader *reader, struct fault *fault)
{
    struct perf_record record;
    struct perf_stream *stream =
        perf_stream_open(&reader->bytes, reader->data_offset,
                         reader->data_offset + reader->data_size, reader->is_unfinished);
    int err = stream ? 0 : -ENOMEM;
    reader->stacks.cannot_walk =
        reader->facts.arch != STRING_EMPTY &&
        strcmp(recording_text(reader->recording, reader->facts.arch), "x86_64") != 0;
    while (err == 0 && perf_stream_next(stream, &record))
        err = handle_record(reader, &record);
    perf_order_end(&reader->order);
    if (err == 0)
        err = book_waiting(reader);
    if (err == 0)
        err = moment_series_finish(&reader->series);
    if (err == 0)
        perf_reader_tell(reader, stream);
    perf_stream_close(stream);
    return err < 0 ? fault_set(fault, -ENOMEM, "there is not enough memory for its stacks") : 0;
}

static int reader_init(struct perf_reader *reader)
{
    struct recording *recording = recording_create();
    reader->recording = recording;
    if (!recording || !(reader->processes.store = code_store_create(TABLES_BYTES_MAX)) ||
        !(reader->stacks.intern = stack_intern_create(recording)))
        return -ENOMEM;
    code_store_keep_unused(reader->processes.store);
    stack_intern_share_modules(reader->stacks.intern);
    reader->chosen = -1;
    reader->facts.recording = reader->kernel.recording = reader->stacks.recording = recording;
    reader->processes.recording = reader->series.recording = recording;
    reader->processes.facts = reader->kernel.facts = &reader->facts;
    reader->stacks.kernel = &reader->kernel;
    return 0;
}

static void reader_fini(struct perf_reader *reader)
{
    perf_order_fini(&reader->order);
    perf_processes_fini(&reader->processes);
    perf_kernel_fini(&reader->kernel);
    perf_facts_fini(&reader->facts);
    perf_events_fini(&reader->events);
    moment_series_fini(&reader->series);
    stack_intern_destroy(reader->stacks.intern);
    code_store_destroy(reader->processes.store);
}

static struct recording *read_bytes(struct perf_bytes bytes, struct fault *fault)
{
    struct perf_reader *reader = calloc(1, sizeof(*reader));
    struct recording *recording = NULL;
    int err = reader ? reader_init(reader) : -ENOMEM;
    if (err < 0)
        fault_set(fault, err, "out of memory");
    if (err == 0) {
        reader->bytes = bytes;
        err = perf_reader_open(reader, fault);
    }
    if (err == 0)
        err = read_records(reader, fault);
    if (reader) {
        reader_fini(reader);
        recording = reader->recording;
    }
    free(reader);
    if (err == 0)
        return recording;
    recording_destroy(recording);
    return NULL;
}

struct recording *perf_data_read(const char *path, struct fault *fault)
{
    struct fault inner = {0};
    struct stat status;
    int const fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        fault_set(fault, fd < 0 ? -errno : -EINVAL, "cannot open %s: %s", path,
                  fd < 0 ? strerror(errno) : "it is not an ordinary file");
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    struct perf_bytes const bytes = {.fd = fd, .size = (uint64_t)status.st_size};
    struct recording *recording = read_bytes(bytes, &inner);
    close(fd);
    if (!recording)
        fault_set(fault, inner.code, "cannot read %s: %s", path, inner.text);
    else if (recording->start_unix_ns == 0) /* perf.data was written last when it ended */
        recording->start_unix_ns = timespec_ns(&status.st_mtim) - recording->duration_ns;
    return recording;
}

struct recording *perf_data_read_bytes(const void *data, size_t size, struct fault *fault)
{
    return read_bytes((struct perf_bytes){.fd = -1, .memory = data, .size = size}, fault);
}
