/* SPDX-License-Identifier: Apache-2.0 */
#include "store/read/recording_reader.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/human.h"
#include "store/read/open_source.h"
#include "store/read/reader.h"

#define REPLACED_TRIES 8

static void add_note(struct recording *recording, const char *text)
{
    string_id id = recording_intern(recording, text);
    if (id != STRING_EMPTY && !vec_push(&recording->notes, id))
        return; /* a note less is no reason to refuse the recording */
}

static void tell_quality(struct reader *reader)
{
    struct recording *recording = reader->recording;
    struct quality *quality = &recording->quality;
    uint64_t damaged = reader_damage(reader), torn = reader_torn_bytes(reader);
    char text[256];
    quality->damaged_chunks += damaged;
    quality->truncated_bytes += torn;
    if (damaged > 0) {
        snprintf(
            text, sizeof(text), "%llu damaged part%s of the file %s skipped: their data is missing",
            (unsigned long long)damaged, damaged == 1 ? "" : "s", damaged == 1 ? "was" : "were");
        add_note(recording, text);
    }
    if (torn > 0) {
        snprintf(
            text, sizeof(text),
            "the last %llu bytes of the file are incomplete, as after a crash, and were left out",
            (unsigned long long)torn);
        add_note(recording, text);
    }
    if (recording_was_cut(recording)) {
        char end[HUMAN_MAX];
        snprintf(text, sizeof(text),
                 "all numbers go until %s: the recorder was killed, or the file was cut off there",
                 human_duration(recording->duration_ns, end));
        add_note(recording, text);
    }
    const struct pin *peak = recording_pin(recording, PIN_PEAK);
    if (!quality->complete && peak && peak->time_ns < recording->heap.peak_time_ns) {
        snprintf(text, sizeof(text),
                 "the stacks of the peak are those at %.3f s; the peak itself was at %.3f s",
                 (double)peak->time_ns / 1e9, (double)recording->heap.peak_time_ns / 1e9);
        add_note(recording, text);
    }
}

/* A first state is written before there is anything to tell: zeros that nobody counted. */
static bool has_nothing(const struct reader *reader)
{
    const struct recording *recording = reader->recording;
    return recording->buckets.count == 0 && !recording->being_written &&
           !recording->quality.complete &&
           (recording->heap.calls == 0 || recording->quality.unwritten_from_ns != 0);
}

static int read_into(struct reader *reader, struct fault *fault)
{
    int err = reader_check_header(reader, fault);
    if (err < 0)
        return err;
    err = reader_read(reader);
    if (err == 0)
        err = reader_place(reader);
    if (err < 0)
        return fault_set(fault, err, FAULT_NO_MEMORY);
    if (has_nothing(reader))
        return fault_set(fault, -ENODATA, "the file has only the beginning of a recording: %s",
                         reader->recording->quality.unwritten_from_ns
                             ? "the disk was full before more could be written"
                             : "the file was cut off there, or the recorder ended before it wrote "
                               "more");
    tell_quality(reader);
    return 0;
}

/* Takes the source in every case. */
static struct recording *read_source(struct source source, struct fault *fault)
{
    struct reader reader;
    if (reader_init(&reader, source) < 0) {
        fault_set(fault, -ENOMEM, FAULT_NO_MEMORY);
        return NULL;
    }
    int err = read_into(&reader, fault);
    reader_fini(&reader);
    if (err < 0) {
        recording_destroy(reader.recording);
        return NULL;
    }
    return reader.recording;
}

static struct recording *read_file(const char *path, struct stat *opened, struct fault *fault)
{
    struct source source;
    struct fault inner = {0};
    if (open_source(path, &source, fault) < 0)
        return NULL;
    *opened = (struct stat){0};
    fstat(source.fd, opened);
    struct recording *recording = read_source(source, &inner);
    if (!recording)
        fault_at(fault, inner.code, inner.offset, "cannot read '%s': %s", path, inner.text);
    return recording;
}

/* Whether `path` names another file than the one that was opened. */
static bool is_replaced(const char *path, const struct stat *opened)
{
    struct stat now;
    return stat(path, &now) == 0 && (now.st_ino != opened->st_ino || now.st_dev != opened->st_dev);
}

struct recording *recording_read(const char *path, struct fault *fault)
{
    struct stat opened;
    struct recording *recording = read_file(path, &opened, fault);
    /* A file that gave way to a coarser copy of itself meanwhile seems cut off: the copy goes
     * on. */
    for (int i = 0; i < REPLACED_TRIES && recording && !recording->quality.complete &&
                    !recording->being_written && is_replaced(path, &opened);
         i++) {
        recording_destroy(recording);
        recording = read_file(path, &opened, fault);
    }
    return recording;
}

struct recording *recording_read_bytes(const void *data, size_t size, struct fault *fault)
{
    struct source source = {.fd = -1, .size = size};
    put_bytes(&source.window, data, size);
    if (source.window.failed) {
        fault_set(fault, -ENOMEM, FAULT_NO_MEMORY);
        return NULL;
    }
    return read_source(source, fault);
}

bool recording_recognise(const void *head, size_t size)
{
    return size >= FILE_HEADER_BYTES && file_header_check(head) != -EINVAL;
}
