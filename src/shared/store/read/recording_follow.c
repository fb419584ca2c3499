/* SPDX-License-Identifier: Apache-2.0 */
#include "store/read/recording_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/invariant.h"
#include "store/read/open_source.h"
#include "store/read/reader.h"
#include "store/write/growing_file.h"

/* A file may be opened between two chunks that its writer writes together. */
#define APPEND_TRIES  50
#define APPEND_NAP_NS 2000000l

/* A file is there, and locked by its writer, before anything is in it: the disk may be slow. */
#define BEGIN_TRIES 1500

struct recording_follower {
    char *path;
    struct reader reader;
    uint64_t damage; /* when it was last placed: skipped, or torn at its end */
};

static void nap(void)
{
    struct timespec little = {0, APPEND_NAP_NS};
    nanosleep(&little, NULL);
}

/* Reads on until the writer has no more to say for now. */
static int read_whole_appends(struct reader *reader)
{
    int err = reader_read(reader);
    for (int i = 0;
         i < APPEND_TRIES && err == 0 && reader->recording->being_written && !reader->ends_append;
         i++) {
        nap();
        if (reader_look_again(reader))
            err = reader_read(reader);
    }
    return err;
}

/* Opens the file, and waits for its beginning when a writer has just made it. */
static int open_begun(const char *path, struct source *source, struct fault *fault)
{
    int err = open_source(path, source, fault);
    for (int i = 0;
         i < BEGIN_TRIES && err == 0 && source->size == 0 && growing_file_is_open(source->fd);
         i++) {
        close(source->fd); /* the writer may put another file in its place */
        nap();
        err = open_source(path, source, fault);
    }
    return err;
}

static int read_all(struct recording_follower *follower, struct fault *fault)
{
    struct source source;
    struct fault inner = {0};
    int err = open_begun(follower->path, &source, fault);
    if (err < 0)
        return err;
    struct reader *reader = &follower->reader;
    if (reader_init(reader, source) < 0) {
        *reader = (struct reader){0};
        return fault_set(fault, -ENOMEM, FAULT_NO_MEMORY);
    }
    string_table_set_apart(reader->recording->strings);
    err = reader_check_header(reader, &inner);
    if (err == 0 && (err = read_whole_appends(reader)) == 0)
        err = reader_place(reader);
    follower->damage = reader_damage(reader) + reader_torn_bytes(reader);
    if (err < 0)
        return fault_set(fault, err, "cannot read '%s': %s", follower->path,
                         inner.text[0] ? inner.text : FAULT_NO_MEMORY);
    return 0;
}

static void forget(struct recording_follower *follower)
{
    reader_fini(&follower->reader);
    recording_destroy(follower->reader.recording);
    follower->reader = (struct reader){0};
}

struct recording_follower *recording_follow(const char *path, struct fault *fault)
{
    struct recording_follower *follower = calloc(1, sizeof(*follower));
    if (!follower || !(follower->path = strdup(path))) {
        free(follower);
        fault_set(fault, -ENOMEM, FAULT_NO_MEMORY);
        return NULL;
    }
    if (read_all(follower, fault) < 0) {
        recording_follower_close(follower);
        return NULL;
    }
    return follower;
}

void recording_follower_close(struct recording_follower *follower)
{
    if (!follower)
        return;
    forget(follower);
    free(follower->path);
    free(follower);
}

struct recording *recording_followed(const struct recording_follower *follower)
{
    return follower->reader.recording;
}

/* The name belongs to another file now: a coarser copy, or a new recording.  (A name that is gone
 * does not matter: the file is open.) */
static bool is_replaced(const struct recording_follower *follower)
{
    INVARIANT(follower->reader.backing);
    struct stat opened, named;
    return stat(follower->path, &named) == 0 &&
           fstat(follower->reader.backing->source.fd, &opened) == 0 &&
           (opened.st_ino != named.st_ino || opened.st_dev != named.st_dev);
}

static int read_again(struct recording_follower *follower, struct fault *fault)
{
    forget(follower);
    int err = read_all(follower, fault);
    return err < 0 ? err : FOLLOW_REPLACED;
}

/* What came has been read: makes it part of the recording, unless more of it is being written. */
static int place(struct recording_follower *follower, struct fault *fault)
{
    struct reader *reader = &follower->reader;
    if (reader->recording->being_written && !reader->ends_append)
        return FOLLOW_NOTHING;
    int err = reader_place(reader);
    follower->damage = reader_damage(reader) + reader_torn_bytes(reader);
    return err < 0 ? fault_set(fault, err, FAULT_NO_MEMORY) : FOLLOW_GROWN;
}

int recording_follower_refresh(struct recording_follower *follower, struct fault *fault)
{
    struct reader *reader = &follower->reader;
    bool const was_written = reader->recording->being_written;
    if (is_replaced(follower))
        return read_again(follower, fault);
    if (!reader_look_again(reader)) {
        reader_look_for_writer(reader);
        return was_written == reader->recording->being_written ? FOLLOW_NOTHING
                                                               : place(follower, fault);
    }
    if (follower->damage > 0)
        return read_again(follower, fault); /* rows were made up, and cannot be added to */
    if (reader_read(reader) < 0)
        return fault_set(fault, -ENOMEM, FAULT_NO_MEMORY);
    if (reader_damage(reader) > 0)
        return read_again(follower, fault);
    return place(follower, fault);
}
