/* SPDX-License-Identifier: Apache-2.0 */
/* target_foreign.c - a file of another program, or a packed recording, which does not grow: read
 * once. */
#include "formats/open/input_file.h"
#include "serve/targets/target_parts.h"

static struct recording *read_foreign(struct target *target, struct fault *fault)
{
    return input_file_read(target->options.path, target->options.beside.live, fault);
}

static int open_foreign(struct target *target, struct fault *fault)
{
    return target_show_whole(target, target->options.path, fault);
}

static struct recording *current_recording(struct target *target, struct fault *fault)
{
    return target->whole || open_foreign(target, fault) == 0 ? target->whole : NULL;
}

const struct target_operations target_foreign_operations = {
    .name = "recording",
    .has_row = true,
    .is_told = true,
    .open = open_foreign,
    .read = read_foreign,
    .recording = current_recording,
    .memory = target_file_memory,
    .known_pid = target_file_known_pid,
    .known_memory = target_file_known_memory,
    .describe = target_recording_describe,
    .look = target_recording_look,
    .write_nodes = target_recording_write_nodes,
};
