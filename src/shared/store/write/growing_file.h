/* growing_file.h - a file that only grows, by whole pieces: a piece that does not fit leaves
 * nothing.  growing_asked.h has another process make and name it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct late_file;
struct write_behind;

struct growing_file {
    int fd;
    uint64_t size;          /* of the whole pieces */
    struct late_file *late; /* how it is written behind; NULL: at once */
    uint64_t reserved;      /* see whole_write.h */
    bool speaks_last;
    /* the name it has until it takes its place; NULL: it has its own, or none yet, so that a
     * kill leaves nothing behind */
    char *temporary;
};

/* Where a file of that name is: a symbolic link of the user's own stays, and what it points to is
 * replaced.  One of somebody else's leads nowhere.  The caller's to free; NULL when out of
 * memory. */
char *growing_file_place(const char *path);

/* While it is open, a lock on it says that it is being written: see growing_file_is_open.
 *
 * Makes a new file, 0600, in place of any regular file of that name; a process that
 * reads the old one goes on reading it.  Anything but a regular file is left alone and refused.  0,
 * -EBUSY when another process writes it (of several at once, exactly one succeeds), or
 * another -errno. */
int growing_file_create(struct growing_file *file, const char *path);

/* Whether the file behind a descriptor is a growing_file of a process that lives, here or in any
 * container of this machine.  False where the file system knows no locks. */
bool growing_file_is_open(int fd);

/* From now on pieces are written by `behind`, a while after they were appended; NULL leaves it
 * as it is.  Without memory they are written at once. */
void growing_file_write_behind(struct growing_file *file, struct write_behind *behind);
/* Whether all that was appended can be read back. */
bool growing_file_is_settled(const struct growing_file *file);
/* Waits until that is so.  0, or -errno with the file as long as what could be written. */
int growing_file_settle(struct growing_file *file);

/* From now on a slow disk is waited for; before, too much that waits already is -EBUSY. */
void growing_file_be_patient(struct growing_file *file);

/* 0, or -errno with the file as it was. */
int growing_file_append(struct growing_file *file, const void *data, size_t size);
/* From now on a little more can be appended although the disk is full.  What still waits to be
 * written is tried once more, and dropped. */
void growing_file_speak_last(struct growing_file *file);
void growing_file_close(struct growing_file *file);

/* A file that will take the place of `path`: without a name where the file system can do that, else
 * with a free name.  0 or -errno. */
int growing_file_create_beside(struct growing_file *file, const char *path);
/* On disk for good, then in place of `old`, which is `path`; a process that has the old one open
 * keeps it.  0; -EEXIST when `path` leads to another file by now, which stays; else -errno. */
int growing_file_replace(struct growing_file *file, const char *path,
                         const struct growing_file *old);
/* The last step alone: in place of whatever `path` is, on disk or not.  0 or -errno. */
int growing_file_put_in_place(struct growing_file *file, const char *path);
/* Closes it and removes its name, if it has one for the time being. */
void growing_file_discard(struct growing_file *file);

/* Keeps others from writing `path` until the descriptor is closed: makes an empty file if there
 * is none.  A descriptor, -EBUSY, or another -errno.  The holder cannot growing_file_create
 * it either, but ... */
int growing_file_claim(const char *path);
/* ... do the same with it, so that no other process comes between: the descriptor is taken, also
 * after a failure.  -1: there is none. */
int growing_file_take(struct growing_file *file, const char *path, int claim);
