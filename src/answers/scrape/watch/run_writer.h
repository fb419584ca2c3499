/* run_writer.h - writes the folder of `memoir watch` (docs/run-format.md): captures, lines about
 * them, the log.
 *
 * A capture is created as .NAME.part, and renamed when it is complete; an existing capture is never
 * overwritten.  Lines wait in memory until run_writer_flush, and while the disk is full: up to
 * RUN_LINES_MAX bytes per file.  Further lines are lost, and counted.  Only the owner may read the
 * files (0600).  A folder has one writer at a time. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"
#include "base/slice.h"
#include "cluster/runs/run.h"

#define RUN_LINES_MAX ((size_t)4 << 20)

struct run_writer;

/* Creates the folder if there is none.  Removes unfinished captures of a writer that died.  Returns
 * NULL with a sentence; -EBUSY in its code if another process writes to the folder. */
struct run_writer *run_writer_open(const char *path, struct fault *fault);
void run_writer_close(struct run_writer *writer); /* flushes; NULL is allowed */

int64_t
/* newest stamp of the captures found when the folder was opened; 0: none */
run_writer_last_stamp(const struct run_writer *writer);
const char *run_writer_path(const struct run_writer *writer);
int run_writer_folder(const struct run_writer *writer); /* its descriptor */

struct run_capture {
    char name[NAME_MAX + 1]; /* "": no capture has begun */
    int fd;
    uint64_t bytes;
};
/* Each returns 0 or -errno.  After a failure nothing is left of the capture. */
int run_capture_begin(struct run_writer *writer, struct run_capture *capture, const char *nick,
                      const char *stamp, enum run_kind kind);
int run_capture_write(struct run_writer *writer, struct run_capture *capture, struct slice piece);
/* Returns -EEXIST if a capture with this name exists. */
int run_capture_keep(struct run_writer *writer, struct run_capture *capture);
void run_capture_drop(struct run_writer *writer, struct run_capture *capture);

/* One line of fetches.jsonl. */
struct run_fetch {
    const char *stamp, *nick;
    const char *kind;
    uint64_t begin_us, end_us;
    long status;
    uint64_t bytes;
    const char *why; /* "": the capture is complete */
};
void run_writer_add_fetch(struct run_writer *writer, const struct run_fetch *fetch);
/* Adds a line to watch.log, after the time. */
void run_writer_log(struct run_writer *writer, const char *sentence);
/* Appends a complete line, with its newline, to any file of the folder, at once.  Returns 0; or
 * -errno, and nothing of the line was written. */
int run_writer_append(struct run_writer *writer, const char *name, struct slice line);
/* Writes the lines that wait.  Returns 0; or the -errno because of which some still wait. */
int run_writer_flush(struct run_writer *writer);
uint64_t run_writer_lost_lines(const struct run_writer *writer);

/* Replaces a file by what `write` writes, when the new file is on disk.  Returns 0; or -errno, and
 * the old file is unchanged. */
typedef void (*run_write_fn)(FILE *file, void *context);
int run_writer_replace(struct run_writer *writer, const char *name, run_write_fn write,
                       void *context);
/* Copies a file into the folder, unless there is a file with this name.  Returns 0 or -errno. */
int run_writer_copy(struct run_writer *writer, const char *from, const char *name);
