/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/open_input.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/slice.h"
#include "cli/answer_file.h"
#include "cli/name_frames.h"
#include "cluster/run_recording.h"
#include "formats/input.h"
#include "formats/readers.h"
#include "store/recording_reader.h"

#define HEAD_MAX 4096

struct reader {
    bool (*knows)(
        struct slice
            head); /* by the first bytes, unpacked; NULL: the last resort, gives the error */
    struct recording *(*read)(const char *path, struct fault *fault);
    bool may_lack_names; /* has addresses: their names are looked up on this machine */
};

/* Foreign formats go before the last line, which knows everything. */
static const struct reader readers[] = {
    {heaptrack_recognise, heaptrack_read, true},   {perf_data_recognise, perf_data_read, true},
    {massif_recognise, massif_read, false},        {callgrind_recognise, callgrind_read, false},
    {pprof_recognise, pprof_recording_read, true}, {NULL, recording_read, false},
};

/* The first bytes, unpacked, or -errno.  A folder or a device is not read at all. */
static int read_head(const char *path, char head[HEAD_MAX], bool *is_packed, struct fault *fault)
{
    struct input *input = input_open(path, fault);
    if (!input)
        return -EIO;
    size_t const size = input_read(input, head, HEAD_MAX);
    *is_packed = input_compression(input) != COMPRESS_NONE;
    input_close(input);
    if (*is_packed && size == 0)
        return fault_set(fault, -EINVAL,
                         "cannot unpack %s: it is cut short or damaged, and nothing of it is left",
                         path);
    return (int)size;
}

int input_kind_of(const char *path, struct fault *fault)
{
    static const char sqlite[] = "SQLite format 3";
    struct stat status;
    char head[HEAD_MAX];
    bool is_packed;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return INPUT_RUN;
    int const size = read_head(path, head, &is_packed, fault);
    if (size < 0)
        return size;
    if ((size_t)size >= sizeof(sqlite) && memcmp(head, sqlite, sizeof(sqlite)) == 0)
        return INPUT_HISTORY;
    for (const struct reader *reader = readers; reader->knows; reader++)
        if (reader->knows((struct slice){head, (size_t)size}))
            return INPUT_FOREIGN;
    return is_packed ? INPUT_FOREIGN : INPUT_RECORDING;
}

static struct recording *open_file(const char *path, struct fault *fault)
{
    char head[HEAD_MAX];
    bool is_packed;
    int const size = read_head(path, head, &is_packed, fault);
    if (size < 0)
        return NULL;
    const struct reader *reader = readers;
    while (reader->knows && !reader->knows((struct slice){head, (size_t)size}))
        reader++;
    if (!reader->knows && is_packed) { /* recordings are never packed as a whole */
        fault_set(fault, -EINVAL, "cannot read %s: what is packed in it is no file memoir knows",
                  path);
        return NULL;
    }
    struct recording *recording = reader->read(path, fault);
    if (recording && reader->may_lack_names)
        name_frames(recording, path);
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
