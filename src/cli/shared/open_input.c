/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/open_input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/helper_program.h"
#include "cluster/runs/run_recording.h"
#include "formats/open/input_path.h"
#include "formats/open/name_frames.h"
#include "formats/open/name_lines.h"
#include "formats/open/unknown_file.h"
#include "formats/shared/input.h"
#include "formats/shared/readers.h"
#include "store/read/recording_reader.h"

#define HEAD_BYTES 4096u
#define HEAD_MOST  (4u << 20) /* where a line in it is longer, as command lines can be */

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

/* How a file begins. */
struct beginning {
    char *bytes; /* the first ones, unpacked */
    size_t size;
    enum compression packed;
    const struct reader *reader;
};

/* A folder or a device is not read at all.  False with a sentence; the caller frees head->bytes either way. */
static bool read_head(const char *path, size_t room, struct beginning *head, struct fault *fault)
{
    *head = (struct beginning){.reader = &readers[0]};
    struct input *input = input_open(path, fault);
    if (!input) {
        if (access(path, F_OK) < 0 && errno == ENOENT)
            fault_set(fault, -ENOENT,
                      "cannot open %s: No such file or directory; memoir run -- PROGRAM makes a "
                      "recording",
                      path);
        return false;
    }
    head->bytes = malloc(room);
    head->size = head->bytes ? input_read(input, head->bytes, room) : 0;
    head->packed = input_compression(input);
    input_close(input);
    bool const is_lost = head->packed != COMPRESS_NONE && head->size == 0;
    if (!head->bytes)
        fault_set(fault, -ENOMEM, "out of memory while opening %s", path);
    else if (is_lost)
        fault_set(fault, -EINVAL,
                  "cannot unpack %s: it is cut short or damaged, and nothing of it is left", path);
    else
        head->reader = find_reader((struct slice){head->bytes, head->size});
    return head->bytes && !is_lost;
}

/* The same, looking further where the first bytes do not tell. */
static bool look_at_head(const char *path, struct beginning *head, struct fault *fault)
{
    if (!read_head(path, HEAD_BYTES, head, fault))
        return false;
    if (head->reader->knows || head->size < HEAD_BYTES)
        return true;
    free(head->bytes);
    return read_head(path, HEAD_MOST, head, fault);
}

static int kind_of(const char *path, struct fault *fault)
{
    static const char sqlite[] = "SQLite format 3";
    struct stat status;
    struct beginning head;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return INPUT_RUN;
    if (!look_at_head(path, &head, fault)) {
        free(head.bytes);
        return -EIO;
    }
    bool const is_history =
        head.size >= sizeof(sqlite) && memcmp(head.bytes, sqlite, sizeof(sqlite)) == 0;
    bool const is_ours = head.reader->knows == knows_ours || head.size == 0;
    free(head.bytes);
    if (is_history)
        return INPUT_HISTORY;
    return is_ours && head.packed == COMPRESS_NONE ? INPUT_RECORDING : INPUT_FOREIGN;
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

static void look_up_names(struct recording *recording, const char *path)
{
    char helper[PATH_MAX];
    bool const is_there = helper_program_path(NAME_PROGRAM, helper) == 0;
    name_frames(recording, path, is_there ? helper : NULL);
}

static struct recording *read_plain(const struct reader *reader, const char *path,
                                    struct fault *fault)
{
    struct recording *recording = reader->read(path, fault);
    if (recording && (reader->may_lack_names || recording_was_cut(recording)))
        look_up_names(recording, path);
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
    struct beginning head;
    struct recording *recording = NULL;
    if (!look_at_head(path, &head, fault)) {
        free(head.bytes);
        return NULL;
    }
    const struct reader *reader = head.reader;
    if (head.packed == COMPRESS_NONE || !reader->needs_plain)
        recording = read_plain(reader, path, fault);
    else if (reader->knows)
        recording = read_unpacked(reader, path, fault);
    if (!recording && !reader->knows && head.size > 0)
        unknown_file(name, (struct slice){head.bytes, head.size}, head.packed, fault);
    free(head.bytes);
    return recording;
}

/* A file that does not say which program it is of has the name of the file, but not that of where it is kept. */
static void rename_program(struct recording *recording, const char *found, const char *name)
{
    const char *kept = strrchr(found, '/');
    if (kept && strcmp(recording_text(recording, recording->program), kept + 1) == 0)
        recording->program = recording_intern(recording, name);
}

static struct recording *open_file(const char *path, struct fault *fault)
{
    char room[INPUT_PATH_MAX];
    const char *found = input_path(path, room, fault);
    struct recording *recording = found ? read_file(found, input_name(path), fault) : NULL;
    if (recording && found != path)
        rename_program(recording, found, input_name(path));
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
            look_up_names(recording, path);
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
