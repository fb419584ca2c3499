/* growing_file.h - a file that only grows, by whole pieces: a piece is written completely or not at
 * all.  growing_asked.h has another process make and name it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct late_file;
struct write_behind;

struct growing_file {
    int fd;
    uint64_t size;          /* Bytes of whole pieces. */
    struct late_file *late; /* Writes in another thread; NULL: written at once. */
    uint64_t reserved;      /* See whole_write.h. */
    bool speaks_last;
    /* Temporary name until the file replaces another; NULL: the file has its final name, or no name
     * yet, so that nothing is left after a kill. */
    char *temporary;
    uint64_t shown; /* Of a file that was asked for: its name, as the kernel has it. */
};

/* Where a file of that name is: a symbolic link of the user's own stays, and what it points to is
 * replaced.  One of somebody else's leads nowhere.  The caller's to free; NULL when out of
 * memory. */
char *growing_file_place(const char *path);

/* Creates a file, mode 0600, and replaces a regular file of that name; a process that reads the old
 * file can go on reading.  Refuses anything but a regular file.  While the file is open, a lock
 * shows that it is being written: see growing_file_is_open.  Returns 0; -EBUSY if another process
 * writes the file (of several at once, exactly one succeeds); or another -errno. */
int growing_file_create(struct growing_file *file, const char *path);

/* Returns whether a living process of this machine, in any container, has the file open as a
 * growing_file.  False if the file system has no locks. */
bool growing_file_is_open(int fd);

/* From now on, `behind` writes pieces a while after they were appended; NULL changes nothing.  If
 * out of memory, pieces are written at once. */
void growing_file_write_behind(struct growing_file *file, struct write_behind *behind);
/* Returns whether all pieces are in the file. */
bool growing_file_is_settled(const struct growing_file *file);
/* Waits until all pieces are in the file.  Returns 0; or -errno, with the pieces that could be
 * written. */
int growing_file_settle(struct growing_file *file);

/* From now on, appending waits for a slow disk; before, it returns -EBUSY if too much waits. */
void growing_file_be_patient(struct growing_file *file);

/* Returns 0, or -errno with the file unchanged. */
int growing_file_append(struct growing_file *file, const void *data, size_t size);
/* From now on, a little more can be appended even if the disk is full.  Pieces that still wait are
 * tried once more, then dropped. */
void growing_file_speak_last(struct growing_file *file);
/* Returns 0 if `path` is this file; -ESTALE if the file was removed or moved, or another was put in
 * its place. */
int growing_file_look(const struct growing_file *file, const char *path);
void growing_file_close(struct growing_file *file);

/* Creates a file that is to replace `path`: without a name if the file system supports that, else
 * with a temporary name.  Returns 0 or -errno. */
int growing_file_create_beside(struct growing_file *file, const char *path);
/* Syncs the file to disk, then replaces `old`, whose name is `path`; processes that have the old
 * file open keep it.  Returns 0; -EEXIST if `path` is another file by now, which is kept; or
 * another -errno. */
int growing_file_replace(struct growing_file *file, const char *path,
                         const struct growing_file *old);
/* The last step of that alone: in place of whatever `path` is, on disk or not.  0 or -errno. */
int growing_file_put_in_place(struct growing_file *file, const char *path);
/* Closes the file and removes its temporary name, if any. */
void growing_file_discard(struct growing_file *file);

/* Claims `path`: no other process can write it until the descriptor is closed.  Creates an empty
 * file if there is none.  Returns a descriptor, -EBUSY, or another -errno.  The claim also keeps
 * the holder from growing_file_create; use growing_file_take instead. */
int growing_file_claim(const char *path);
/* Like growing_file_create, with the descriptor of a claim, so that no other process can come
 * between.  Takes ownership of the descriptor, also on failure; -1: there is no claim. */
int growing_file_take(struct growing_file *file, const char *path, int claim);
