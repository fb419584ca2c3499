/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/open/input_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/open/input_path.h"
#include "formats/open/name_frames.h"
#include "formats/open/unknown_file.h"
#include "formats/shared/input.h"
#include "formats/shared/input_registry.h"
#include "formats/shared/value_bound.h"

#define HEAD_BYTES 4096u
#define HEAD_MOST  (4u << 20) /* where a line in it is longer, as command lines can be */

/* How a file begins. */
struct file_head {
    char *bytes; /* the first ones, unpacked */
    size_t size;
    enum compression packed;
    const struct input_format *format;
};

/* A folder or a device is not read at all.  False with a sentence; the caller frees head->bytes
 * either way. */
static bool read_head(const char *path, size_t room, struct file_head *head, struct fault *fault)
{
    *head = (struct file_head){.format = &input_formats[0]};
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
        head->format = input_format_find((struct slice){head->bytes, head->size});
    return head->bytes && !is_lost;
}

/* The same, looking further where the first bytes do not tell. */
static bool look_at_head(const char *path, struct file_head *head, struct fault *fault)
{
    if (!read_head(path, HEAD_BYTES, head, fault))
        return false;
    if (head->format->name || head->size < HEAD_BYTES)
        return true;
    free(head->bytes);
    return read_head(path, HEAD_MOST, head, fault);
}

static int kind_of(const char *path, struct fault *fault)
{
    static const char sqlite[] = "SQLite format 3";
    struct stat status;
    struct file_head head;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return INPUT_RUN;
    if (!look_at_head(path, &head, fault)) {
        free(head.bytes);
        return -EIO;
    }
    bool const is_history =
        head.size >= sizeof(sqlite) && memcmp(head.bytes, sqlite, sizeof(sqlite)) == 0;
    bool const is_ours = (head.format->name && head.format->is_own) || head.size == 0;
    free(head.bytes);
    if (is_history)
        return INPUT_HISTORY;
    return is_ours && head.packed == COMPRESS_NONE ? INPUT_RECORDING : INPUT_FOREIGN;
}

int input_file_kind(const char *path, struct fault *fault)
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

static struct recording *read_plain(const struct input_format *format, const char *path,
                                    const char *helper, struct fault *fault)
{
    struct recording *recording = format->read(path, fault);
    if (recording && !format->is_own && !value_bound_holds(recording)) {
        recording_destroy(recording);
        fault_set(fault, -EINVAL, "cannot read %s: " VALUE_BOUND_SENTENCE, path);
        return NULL;
    }
    if (recording && (format->may_lack_names || recording_was_cut(recording) ||
                      recording->quality.unwritten_from_ns))
        name_frames(recording, path, helper);
    return recording;
}

static struct recording *read_unpacked(const struct input_format *format, const char *path,
                                       const char *helper, struct fault *fault)
{
    char room[INPUT_PATH_MAX];
    int const fd = input_unpack(path, room, fault);
    if (fd < 0)
        return NULL;
    struct recording *recording = read_plain(format, room, helper, fault);
    if (!recording)
        input_path_rename(fault, room, path);
    close(fd);
    return recording;
}

/* `path` is where it is read from, `name` what it is called. */
static struct recording *read_file(const char *path, const char *name, const char *helper,
                                   struct fault *fault)
{
    struct file_head head;
    struct recording *recording = NULL;
    if (!look_at_head(path, &head, fault)) {
        free(head.bytes);
        return NULL;
    }
    const struct input_format *format = head.format;
    if (head.packed == COMPRESS_NONE || !format->needs_plain)
        recording = read_plain(format, path, helper, fault);
    else if (format->name)
        recording = read_unpacked(format, path, helper, fault);
    if (!recording && !format->name && head.size > 0)
        unknown_file(name, (struct slice){head.bytes, head.size}, head.packed, fault);
    free(head.bytes);
    return recording;
}

/* A file that does not say which program it is of has the name of the file, but not that of
 * where it is kept. */
static void rename_program(struct recording *recording, const char *found, const char *name)
{
    const char *kept = strrchr(found, '/');
    if (kept && strcmp(recording_text(recording, recording->program), kept + 1) == 0)
        recording->program = recording_intern(recording, name);
}

struct recording *input_file_read(const char *path, const char *helper, struct fault *fault)
{
    char room[INPUT_PATH_MAX];
    const char *found = input_path(path, room, fault);
    struct recording *recording = found ? read_file(found, input_name(path), helper, fault) : NULL;
    if (recording && found != path)
        rename_program(recording, found, input_name(path));
    if (!recording && found)
        input_path_rename(fault, found, path);
    return recording;
}
