/* SPDX-License-Identifier: Apache-2.0 */
#include "base/own_path.h"
#include "cluster/blocks/block_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAIL_FIRST ((size_t)64 << 10)

struct block_log {
    char *path;
    int fd;
    uint64_t repaired, tail_read;
    _Atomic bool is_dirty; /* something is not on the disk yet */
    _Atomic int sync_error;
    struct msgpack_out line;
};

/* What to find at the end of a file, and whom to tell. */
struct tail_wish {
    size_t records;
    block_record_fn each;
    void *context;
    struct msgpack_out *scratch;
};

static int read_failed(const char *path, int error, struct fault *fault)
{
    return fault_set(fault, -error, "cannot read \"%s\": %s", path, strerror(error));
}

/* One line; what is odd is counted. */
static int handle_line(struct slice line, struct msgpack_out *scratch, block_record_fn each,
                       void *context, struct block_log_facts *facts)
{
    struct block_record record;
    struct fault why = {0};
    int const got = block_record_parse(line, scratch, &record, &why);
    if (got == -ENOMEM)
        return got;
    if (got < 0) {
        facts->odd_lines++;
        if (facts->odd_lines == 1)
            snprintf(facts->why_odd, sizeof(facts->why_odd), "%.150s", why.text);
        return 0;
    }
    if (got == 0)
        return 0;
    facts->records++;
    return each(context, &record);
}

int block_log_read(const char *path, block_record_fn each, void *context,
                   struct block_log_facts *facts, struct fault *fault)
{
    FILE *file = fopen(path, "re");
    struct msgpack_out scratch = {0};
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    int err = 0;
    *facts = (struct block_log_facts){0};
    if (!file)
        return read_failed(path, errno, fault);
    for (uint64_t number = 1; !err && (size = getline(&line, &room, file)) > 0; number++) {
        uint64_t const odd = facts->odd_lines;
        if (line[size - 1] == '\n')
            size--;
        err = handle_line((struct slice){line, (size_t)size}, &scratch, each, context, facts);
        if (odd == 0 && facts->odd_lines == 1)
            facts->first_odd_line = number;
    }
    if (!err && ferror(file))
        err = read_failed(path, errno ? errno : EIO, fault);
    else if (err == -ENOMEM)
        fault_set(fault, err, "out of memory while reading \"%s\"", path);
    free(line);
    msgpack_fini(&scratch);
    fclose(file);
    return err;
}

static int read_all(int fd, char *into, size_t size, off_t at)
{
    while (size > 0) {
        ssize_t const got = pread(fd, into, size, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EIO;
        into += got;
        size -= (size_t)got;
        at += got;
    }
    return 0;
}

/* The lines of `text`, from the last back, until there are `wanted` records: where they begin.
 * *found is how many there are. */
static size_t find_records(struct slice text, size_t wanted, struct msgpack_out *scratch,
                           size_t *found)
{
    size_t end = text.size, begin = text.size;
    struct block_record record;
    *found = 0;
    while (end > 0 && *found < wanted) {
        const char *newline = memrchr(text.data, '\n', end - 1);
        begin = newline ? (size_t)(newline - text.data) + 1 : 0;
        if (block_record_parse((struct slice){text.data + begin, end - 1 - begin}, scratch, &record,
                               NULL) == 1)
            ++*found;
        end = begin;
    }
    return begin;
}

static int tell_records(struct slice text, struct msgpack_out *scratch, block_record_fn each,
                        void *context)
{
    struct block_log_facts facts = {0};
    int err = 0;
    while (text.size > 0 && !err) {
        const char *newline = memchr(text.data, '\n', text.size);
        size_t const size = newline ? (size_t)(newline - text.data) : text.size;
        err = handle_line((struct slice){text.data, size}, scratch, each, context, &facts);
        text.data += newline ? size + 1 : size;
        text.size -= newline ? size + 1 : size;
    }
    return err;
}

/* The end of the file, whole lines only: what is torn off its last one is cut away. */
static int repair(struct block_log *log, const char *text, size_t size, uint64_t file_size,
                  struct fault *fault)
{
    const char *newline = size ? memrchr(text, '\n', size) : NULL;
    size_t const torn = newline ? (size_t)(text + size - newline) - 1 : size;
    if (torn == 0)
        return 0;
    if (ftruncate(log->fd, (off_t)(file_size - torn)) < 0)
        return fault_set(fault, -errno,
                         "cannot remove the incomplete last line of \"%s\": "
                         "%s",
                         log->path, strerror(errno));
    log->repaired = torn;
    return 0;
}

/* The whole lines in the last `taken` bytes of the file; `is_whole`: these are all. */
static struct slice whole_lines(const char *text, size_t taken, bool is_whole)
{
    const char *first = is_whole ? text : memchr(text, '\n', taken);
    const char *last = memrchr(text, '\n', taken);
    if (!first || !last)
        return (struct slice){text, 0};
    first += !is_whole;
    return (struct slice){first, last >= first ? (size_t)(last + 1 - first) : 0};
}

/* Tries with the last `taken` bytes.  1: there were records, or there are no more bytes; 0: more
 * must be read. */
static int try_tail(struct block_log *log, uint64_t file_size, size_t taken,
                    const struct tail_wish *wish, struct fault *fault)
{
    char *text = malloc(taken);
    int err = text ? read_all(log->fd, text, taken, (off_t)(file_size - taken)) : -ENOMEM;
    size_t found = 0;
    if (!err) {
        struct slice const lines = whole_lines(text, taken, taken == file_size);
        size_t const begin = find_records(lines, wish->records, wish->scratch, &found);
        bool const is_enough = found > 0 || taken == file_size;
        log->tail_read = taken;
        if (is_enough && found == 0 && lines.size > 0 && lines.data[0] != '#')
            err = fault_set(fault, -EINVAL, "\"%s\" is not a block history: choose another file",
                            log->path);
        if (is_enough && !err)
            err = repair(log, text, taken, file_size, fault);
        if (is_enough && !err)
            err = tell_records((struct slice){lines.data + begin, lines.size - begin},
                               wish->scratch, wish->each, wish->context);
        if (!err)
            err = is_enough;
    }
    free(text);
    return err;
}

/* From the end, more and more of it until there is a record. */
static int read_tail(struct block_log *log, const struct tail_wish *wish, struct fault *fault)
{
    struct stat facts;
    int done = 0;
    if (fstat(log->fd, &facts) < 0)
        return read_failed(log->path, errno, fault);
    if (!S_ISREG(facts.st_mode))
        return fault_set(fault, -EINVAL, "\"%s\" is not a regular file", log->path);
    uint64_t const file_size = (uint64_t)facts.st_size;
    for (size_t size = TAIL_FIRST; done == 0 && file_size > 0; size *= 4)
        done = try_tail(log, file_size, size < file_size ? size : (size_t)file_size, wish, fault);
    if (done < 0 && fault && !fault->text[0])
        return read_failed(log->path, -done, fault);
    return done < 0 ? done : 0;
}

struct block_log *block_log_open(const char *path, size_t tail_max, block_record_fn each,
                                 void *context, struct fault *fault)
{
    struct block_log *log = calloc(1, sizeof(*log));
    struct msgpack_out scratch = {0};
    struct tail_wish const wish = {tail_max, each, context, &scratch};
    if (!log || !(log->path = strdup(path))) {
        free(log);
        fault_set(fault, -ENOMEM, "out of memory");
        return NULL;
    }
    log->fd = -1;
    log->fd = own_path_open(path, O_RDWR | O_APPEND, NULL, fault);
    if (log->fd < 0)
        goto failed;
    if (flock(log->fd, LOCK_EX | LOCK_NB) < 0) {
        fault_set(fault, -errno,
                  errno == EWOULDBLOCK
                      ? "another `memoir blocks` writes \"%s\": end it, or choose another file"
                      : "cannot lock \"%s\"",
                  path);
        goto failed;
    }
    int const err = read_tail(log, &wish, fault);
    msgpack_fini(&scratch);
    if (err < 0)
        goto failed;
    return log;
failed:
    if (log->fd >= 0)
        close(log->fd);
    free(log->path);
    free(log);
    return NULL;
}

uint64_t block_log_repaired(const struct block_log *log)
{
    return log->repaired;
}

uint64_t block_log_tail_read(const struct block_log *log)
{
    return log->tail_read;
}

static int write_line(struct block_log *log, struct fault *fault)
{
    size_t done = 0;
    int const error = log->sync_error;
    if (error)
        return fault_set(fault, -error, "cannot sync \"%s\" to the disk: %s", log->path,
                         strerror(error));
    if (log->line.failed)
        return fault_set(fault, -ENOMEM, "out of memory");
    while (done < log->line.size) {
        ssize_t const wrote = write(log->fd, log->line.data + done, log->line.size - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return fault_set(fault, -errno, "cannot write to \"%s\": %s", log->path,
                             strerror(errno));
        done += (size_t)wrote;
    }
    log->is_dirty = true;
    return 0;
}

int block_log_append(struct block_log *log, const struct block_record *record, struct fault *fault)
{
    msgpack_reset(&log->line);
    block_record_write(&log->line, record);
    return write_line(log, fault);
}

int block_log_note(struct block_log *log, const char *text, struct fault *fault)
{
    msgpack_reset(&log->line);
    msgpack_put_raw(&log->line, slice_of("# "));
    for (; *text; text++)
        msgpack_put_raw(&log->line, (struct slice){*text == '\n' ? " " : text, 1});
    msgpack_put_raw(&log->line, slice_of("\n"));
    return write_line(log, fault);
}

void block_log_sync(struct block_log *log)
{
    if (atomic_exchange(&log->is_dirty, false) && fdatasync(log->fd) < 0)
        log->sync_error = errno;
}

int block_log_close(struct block_log *log, struct fault *fault)
{
    int err = 0;
    if (!log)
        return 0;
    block_log_sync(log);
    if (log->sync_error)
        err = fault_set(fault, -log->sync_error, "cannot sync \"%s\" to the disk: %s", log->path,
                        strerror(log->sync_error));
    close(log->fd);
    msgpack_fini(&log->line);
    free(log->path);
    free(log);
    return err;
}
