/* run_writer.h - the folder that `memoir watch` writes (docs/run-format.md): captures, lines
 * about them, the log.
 *
 * A capture is made as .NAME.part and renamed when it is whole; one that is there is never
 * written over.  Lines wait in memory until run_writer_flush, and while the disk is full:
 * RUN_LINES_MAX bytes of each file; more are lost, and counted.  Everything is for its owner
 * alone (0600).  One writer per folder. */
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

/* Makes the folder if there is none.  Takes away what a writer that died left half-written.
 * NULL with a sentence: also -EBUSY, another process writes there. */
struct run_writer *run_writer_open(const char *path, struct fault *fault);
void run_writer_close(struct run_writer *writer); /* flushes; NULL is allowed */

int64_t
run_writer_last_stamp(const struct run_writer *writer); /* of captures found at opening; 0: none */
const char *run_writer_path(const struct run_writer *writer);
int run_writer_folder(const struct run_writer *writer); /* its descriptor */

struct run_capture {
    char name[NAME_MAX + 1]; /* "": none is begun */
    int fd;
    uint64_t bytes;
};
/* Each 0 or -errno.  After a failure nothing is left of the capture. */
int run_capture_begin(struct run_writer *writer, struct run_capture *capture, const char *nick,
                      const char *stamp, enum run_kind kind);
int run_capture_write(struct run_writer *writer, struct run_capture *capture, struct slice piece);
/* -EEXIST: there is one of that name. */
int run_capture_keep(struct run_writer *writer, struct run_capture *capture);
void run_capture_drop(struct run_writer *writer, struct run_capture *capture);

/* One line of fetches.jsonl. */
struct run_fetch {
    const char *stamp, *nick;
    const char *kind;
    uint64_t begin_us, end_us;
    long status;
    uint64_t bytes;
    const char *why; /* "": it is whole */
};
void run_writer_add_fetch(struct run_writer *writer, const struct run_fetch *fetch);
/* A line of watch.log, with the time before it. */
void run_writer_log(struct run_writer *writer, const char *sentence);
/* A whole line (with its newline) of any file of the folder, at once.  Returns 0 or -errno: nothing
 * of it was written then. */
int run_writer_append(struct run_writer *writer, const char *name, struct slice line);
/* Writes what waits.  0, or the -errno for which some still does. */
int run_writer_flush(struct run_writer *writer);
uint64_t run_writer_lost_lines(const struct run_writer *writer);

/* A whole file, by `write`, renamed over the old one when it is on disk.  Returns 0 or -errno: the
 * old one is as it was. */
typedef void (*run_write_fn)(FILE *file, void *context);
int run_writer_replace(struct run_writer *writer, const char *name, run_write_fn write,
                       void *context);
/* A copy of a file beside the captures, unless there is one of that name.  Returns 0 or -errno. */
int run_writer_copy(struct run_writer *writer, const char *from, const char *name);
