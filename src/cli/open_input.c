/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/open_input.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"
#include "cli/answer_file.h"
#include "cli/input_path.h"
#include "cli/name_frames.h"
#include "cli/unknown_file.h"
#include "cluster/run_recording.h"
#include "formats/input.h"
#include "formats/readers.h"
#include "store/recording_reader.h"

#define HEAD_MAX 4096

struct reader {
    bool (*knows)(struct slice head); /* by the first bytes, unpacked */
    struct recording *(*read)(const char *path, struct fault *fault);
    bool may_lack_names; /* has addresses: their names are looked up on this machine */
    bool needs_plain;    /* does not unpack by itself */
};

static bool knows_ours(struct slice head)
{
    return recording_recognise(head.data, head.size);
}

static const struct reader readers[] = {
    {heaptrack_recognise, heaptrack_read, true, false},
    {perf_data_recognise, perf_data_read, true, true},
    {massif_recognise, massif_read, false, false},
    {callgrind_recognise, callgrind_read, false, false},
    {pprof_recognise, pprof_recording_read, true, false},
    {knows_ours, recording_read, false, true},
    {NULL, recording_read, false, true}, /* the last resort: one of ours with a damaged beginning */
};

static const struct reader *find_reader(struct slice head)
{
    const struct reader *reader = readers;
    while (reader->knows && !reader->knows(head))
        reader++;
    return reader;
}

/* The first bytes, unpacked, or -errno.  A folder or a device is not read at all. */
static int read_head(const char *path, char head[HEAD_MAX], enum compression *packed,
                     struct fault *fault)
{
    struct input *input = input_open(path, fault);
    if (!input)
        return -EIO;
    size_t const size = input_read(input, head, HEAD_MAX);
    *packed = input_compression(input);
    input_close(input);
    if (*packed != COMPRESS_NONE && size == 0)
        return fault_set(fault, -EINVAL,
                         "cannot unpack %s: it is cut short or damaged, and nothing of it is left",
                         path);
    return (int)size;
}

static int kind_of(const char *path, struct fault *fault)
{
    static const char sqlite[] = "SQLite format 3";
    struct stat status;
    char head[HEAD_MAX];
    enum compression packed;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return INPUT_RUN;
    int const size = read_head(path, head, &packed, fault);
    if (size < 0)
        return size;
    if ((size_t)size >= sizeof(sqlite) && memcmp(head, sqlite, sizeof(sqlite)) == 0)
        return INPUT_HISTORY;
    const struct reader *reader = find_reader((struct slice){head, (size_t)size});
    bool const is_ours = reader->knows == knows_ours || size == 0;
    return is_ours && packed == COMPRESS_NONE ? INPUT_RECORDING : INPUT_FOREIGN;
}

int input_kind_of(const char *path, struct fault *fault)
{
    char room[INPUT_PATH_MAX];
    const char *found = input_path(path, room, fault);
    if (!found)
        return -EIO;
    int const kind = kind_of(found, fault);
    if (kind < 0)
        input_path_rename(fault, found, path);
    return kind == INPUT_RECORDING && found != path ? INPUT_FOREIGN : kind; /* it will not grow */
}

static struct recording *read_plain(const struct reader *reader, const char *path,
                                    struct fault *fault)
{
    struct recording *recording = reader->read(path, fault);
    if (recording && reader->may_lack_names)
        name_frames(recording, path);
    return recording;
}

static struct recording *read_unpacked(const struct reader *reader, const char *path,
                                       struct fault *fault)
{
    char room[INPUT_PATH_MAX];
    int const fd = input_unpack(path, room, fault);
    if (fd < 0)
        return NULL;
    struct recording *recording = read_plain(reader, room, fault);
    if (!recording)
        input_path_rename(fault, room, path);
    close(fd);
    return recording;
}

/* `path` is where it is read from, `name` what it is called. */
static struct recording *read_file(const char *path, const char *name, struct fault *fault)
{
    char head[HEAD_MAX];
    enum compression packed;
    int const size = read_head(path, head, &packed, fault);
    if (size < 0)
        return NULL;
    struct slice const begin = {head, (size_t)size};
    const struct reader *reader = find_reader(begin);
    struct recording *recording = NULL;
    if (packed == COMPRESS_NONE || !reader->needs_plain)
        recording = read_plain(reader, path, fault);
    else if (reader->knows)
        recording = read_unpacked(reader, path, fault);
    if (!recording && !reader->knows && size > 0)
        unknown_file(name, begin, packed, fault);
    return recording;
}

static struct recording *open_file(const char *path, struct fault *fault)
{
    char room[INPUT_PATH_MAX];
    const char *found = input_path(path, room, fault);
    struct recording *recording = found ? read_file(found, input_name(path), fault) : NULL;
    if (!recording && found)
        input_path_rename(fault, found, path);
    return recording;
}

struct recording *open_selected_input(const char *path, const struct selection *selection,
                                      struct fault *fault)
{
    struct stat status;
    const char *node = selection ? selection->node : NULL,
               *kind = selection ? selection->kind : NULL;
    answer_protect(path);
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        struct recording *recording = run_recording_read(path, node, kind, fault);
        if (recording)
            name_frames(recording, path);
        return recording;
    }
    if (!node && !kind)
        return open_file(path, fault);
    fault_set(fault, -EINVAL,
              "--node and --kind choose from a run of memoir watch, and %s is no folder", path);
    return NULL;
}

struct recording *open_input(const char *path, struct fault *fault)
{
    return open_selected_input(path, NULL, fault);
}
