/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/watch/run_writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_out.h"
#include "base/text_file.h"
#include "base/vec.h"

#define COPY_MAX ((size_t)16 << 20)

/* A file that lines are added to. */
struct lines {
    const char *name;
    int fd;
    VEC(char) waiting;
};

struct run_writer {
    char *path;
    int folder;
    struct lines fetches, log;
    uint64_t lost_lines;
    int64_t last_stamp;
};

static int open_lines(struct run_writer *writer, struct lines *lines, const char *name,
                      struct fault *fault)
{
    lines->name = name;
    lines->fd =
        openat(writer->folder, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lines->fd < 0)
        return fault_set(fault, -errno, "%s/%s cannot be written: %s", writer->path, name,
                         strerror(errno));
    return 0;
}

static bool is_part(const char *name)
{
    size_t const size = strlen(name);
    return name[0] == '.' && size > 6 && strcmp(name + size - 5, ".part") == 0;
}

static int look_around(struct run_writer *writer, struct fault *fault)
{
    int const fd = dup(writer->folder);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    struct run_name name;

    if (!folder)
        return fault_set(fault, -errno, "%s cannot be read: %s", writer->path, strerror(errno));
    while ((entry = readdir(folder))) {
        if (is_part(entry->d_name))
            unlinkat(writer->folder, entry->d_name, 0);
        else if (run_name_parse(entry->d_name, &name) == 0 && name.stamp_us > writer->last_stamp)
            writer->last_stamp = name.stamp_us;
    }
    closedir(folder);
    return 0;
}

static int open_folder(struct run_writer *writer, struct fault *fault)
{
    if (mkdir(writer->path, 0777) && errno != EEXIST)
        return fault_set(fault, -errno, "the folder %s cannot be made: %s", writer->path,
                         strerror(errno));
    writer->folder = open(writer->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (writer->folder < 0)
        return fault_set(fault, -errno, "%s is no folder to write into: %s", writer->path,
                         strerror(errno));
    if (flock(writer->folder, LOCK_EX | LOCK_NB))
        return fault_set(fault, -EBUSY,
                         "another memoir watch writes into %s; end it, or give another folder",
                         writer->path);
    return 0;
}

struct run_writer *run_writer_open(const char *path, struct fault *fault)
{
    struct run_writer *writer = calloc(1, sizeof(*writer));

    if (!writer || !(writer->path = strdup(path))) {
        fault_set(fault, -ENOMEM, "out of memory");
        free(writer);
        return NULL;
    }
    writer->folder = writer->fetches.fd = writer->log.fd = -1;
    if (open_folder(writer, fault) || look_around(writer, fault) ||
        open_lines(writer, &writer->fetches, "fetches.jsonl", fault) ||
        open_lines(writer, &writer->log, "watch.log", fault)) {
        run_writer_close(writer);
        return NULL;
    }
    return writer;
}

static void close_lines(struct lines *lines)
{
    if (lines->fd >= 0)
        close(lines->fd);
    vec_free(&lines->waiting);
}

void run_writer_close(struct run_writer *writer)
{
    if (!writer)
        return;
    run_writer_flush(writer);
    close_lines(&writer->fetches);
    close_lines(&writer->log);
    if (writer->folder >= 0)
        close(writer->folder);
    free(writer->path);
    free(writer);
}

int64_t run_writer_last_stamp(const struct run_writer *writer)
{
    return writer->last_stamp;
}

const char *run_writer_path(const struct run_writer *writer)
{
    return writer->path;
}

int run_writer_folder(const struct run_writer *writer)
{
    return writer->folder;
}

static int part_name(const char *name, char out[NAME_MAX + 1])
{
    int const size = snprintf(out, NAME_MAX + 1, ".%s.part", name);
    return size < 0 || size > NAME_MAX ? -ENAMETOOLONG : 0;
}

int run_capture_begin(struct run_writer *writer, struct run_capture *capture, const char *nick,
                      const char *stamp, enum run_kind kind)
{
    char part[NAME_MAX + 1];
    int const size = snprintf(capture->name, sizeof(capture->name), "%s.%s.%s", nick, stamp,
                              run_kind_suffix(kind));
    int err = size < 0 || size > NAME_MAX ? -ENAMETOOLONG : part_name(capture->name, part);

    capture->fd = -1;
    capture->bytes = 0;
    if (!err) {
        capture->fd = openat(writer->folder, part,
                             O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
        err = capture->fd < 0 ? -errno : 0;
    }
    if (err)
        capture->name[0] = '\0';
    return err;
}

static int write_all(int fd, struct slice piece)
{
    while (piece.size) {
        ssize_t const written = write(fd, piece.data, piece.size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? -errno : -EIO;
        piece.data += written;
        piece.size -= (size_t)written;
    }
    return 0;
}

int run_capture_write(struct run_writer *writer, struct run_capture *capture, struct slice piece)
{
    int const err = write_all(capture->fd, piece);
    if (err)
        run_capture_drop(writer, capture);
    else
        capture->bytes += piece.size;
    return err;
}

int run_capture_keep(struct run_writer *writer, struct run_capture *capture)
{
    char part[NAME_MAX + 1];
    int err = close(capture->fd) ? -errno : 0; /* some file systems tell only now */

    capture->fd = -1;
    if (!err)
        err = part_name(capture->name, part);
    if (!err && renameat2(writer->folder, part, writer->folder, capture->name, RENAME_NOREPLACE))
        err = -errno;
    if (err == -EINVAL) { /* a file system that cannot do that at once; the folder is locked */
        err = faccessat(writer->folder, capture->name, F_OK, 0) == 0 ? -EEXIST : 0;
        if (!err && renameat(writer->folder, part, writer->folder, capture->name))
            err = -errno;
    }
    if (err)
        run_capture_drop(writer, capture);
    capture->name[0] = '\0';
    return err;
}

void run_capture_drop(struct run_writer *writer, struct run_capture *capture)
{
    char part[NAME_MAX + 1];

    if (!capture->name[0])
        return;
    if (capture->fd >= 0)
        close(capture->fd);
    if (part_name(capture->name, part) == 0)
        unlinkat(writer->folder, part, 0);
    capture->fd = -1;
    capture->name[0] = '\0';
}

static void add_line(struct run_writer *writer, struct lines *lines, struct slice line)
{
    if (lines->waiting.count + line.size > RUN_LINES_MAX ||
        !vec_reserve(&lines->waiting, line.size)) {
        writer->lost_lines++;
        return;
    }
    memcpy(lines->waiting.items + lines->waiting.count, line.data, line.size);
    lines->waiting.count += line.size;
}

static void write_fetch(struct json_out *json, const struct run_fetch *fetch)
{
    json_object_begin(json);
    json_text_field(json, "stamp", fetch->stamp);
    json_text_field(json, "node", fetch->nick);
    json_text_field(json, "kind", fetch->kind);
    json_uint_field(json, "begin_us", fetch->begin_us);
    json_uint_field(json, "end_us", fetch->end_us);
    json_int_field(json, "status", fetch->status);
    json_uint_field(json, "bytes", fetch->bytes);
    json_text_field(json, "why", fetch->why);
    json_object_end(json);
}

void run_writer_add_fetch(struct run_writer *writer, const struct run_fetch *fetch)
{
    char line[2048];
    struct json_out json;
    FILE *file = fmemopen(line, sizeof(line), "w");

    if (!file) {
        writer->lost_lines++;
        return;
    }
    json_init(&json, file, false);
    write_fetch(&json, fetch);
    int const err = json_finish(&json);
    long const size = ftell(file);
    fclose(file);
    if (err || size <= 0 || (size_t)size >= sizeof(line))
        writer->lost_lines++;
    else
        add_line(writer, &writer->fetches, (struct slice){line, (size_t)size});
}

void run_writer_log(struct run_writer *writer, const char *sentence)
{
    char line[1024];
    time_t const now = (time_t)(unix_ns() / NS_PER_SECOND);
    struct tm parts;
    size_t size = strftime(line, sizeof(line), "%Y-%m-%d %H:%M:%S ", gmtime_r(&now, &parts));
    int const more = snprintf(line + size, sizeof(line) - size - 1, "%s", sentence);

    size += more < 0                                 ? 0
            : (size_t)more < sizeof(line) - size - 1 ? (size_t)more
                                                     : sizeof(line) - size - 2;
    line[size++] = '\n';
    add_line(writer, &writer->log, (struct slice){line, size});
}

/* All or nothing: half a line would spoil the next one. */
static int append_whole(int fd, struct slice text)
{
    off_t const end = lseek(fd, 0, SEEK_END);
    int const err = write_all(fd, text);
    if (err && end >= 0 && ftruncate(fd, end))
        return err;
    return err;
}

int run_writer_append(struct run_writer *writer, const char *name, struct slice line)
{
    int const fd =
        openat(writer->folder, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int const err = append_whole(fd, line);
    return close(fd) && !err ? -errno : err;
}

static int flush_lines(struct lines *lines)
{
    if (lines->fd < 0 || lines->waiting.count == 0)
        return 0;
    int const err =
        append_whole(lines->fd, (struct slice){lines->waiting.items, lines->waiting.count});
    if (!err)
        lines->waiting.count = 0;
    return err;
}

int run_writer_flush(struct run_writer *writer)
{
    int const err = flush_lines(&writer->fetches);
    int const log_err = flush_lines(&writer->log);
    return err ? err : log_err;
}

uint64_t run_writer_lost_lines(const struct run_writer *writer)
{
    return writer->lost_lines;
}

int run_writer_replace(struct run_writer *writer, const char *name, run_write_fn write,
                       void *context)
{
    char part[NAME_MAX + 1];
    int err = part_name(name, part);
    int const fd = err ? -1
                       : openat(writer->folder, part,
                                O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (!file)
        return err ? err : -errno;
    write(file, context);
    if (fflush(file) || ferror(file) || fdatasync(fd))
        err = errno ? -errno : -EIO;
    if (fclose(file) && !err)
        err = -errno;
    if (!err && renameat(writer->folder, part, writer->folder, name))
        err = -errno;
    if (err)
        unlinkat(writer->folder, part, 0);
    return err;
}

static void write_text(FILE *file, void *context)
{
    const struct slice *text = context;
    fwrite(text->data, 1, text->size, file);
}

int run_writer_copy(struct run_writer *writer, const char *from, const char *name)
{
    struct slice text;
    if (faccessat(writer->folder, name, F_OK, 0) == 0)
        return 0;
    int err = text_file_read(from, COPY_MAX, &text, NULL);
    if (err)
        return err;
    err = run_writer_replace(writer, name, write_text, &text);
    text_file_free(text);
    return err;
}
