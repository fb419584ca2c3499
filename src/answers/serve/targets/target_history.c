/* SPDX-License-Identifier: Apache-2.0 */
/* target_history.c - sums over weeks (store/history/history.h), which have no recording. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "serve/targets/target_parts.h"

static int open_history(struct target *target, struct fault *fault)
{
    return target_copy_path(target, target->options.path, fault);
}

static struct recording *refuse_recording(struct target *target, struct fault *fault)
{
    fault_set(fault, -ENOENT,
              "%s is a history: it has sums over days, but no call stacks and no events; "
              "/api/history shows the sums",
              target_file(target));
    return NULL;
}

/* When the file or what SQLite keeps beside it was written last tells whether there may be more. */
static void describe(struct target *target, struct json_out *json)
{
    char beside[4096];
    struct stat file;
    int64_t changed_ms = 0;
    snprintf(beside, sizeof(beside), "%s-wal", target->options.path);
    const char *const paths[] = {target->options.path, beside};
    for (size_t i = 0; i < 2; i++)
        if (stat(paths[i], &file) == 0) {
            int64_t const ms = file.st_mtim.tv_sec * 1000 + file.st_mtim.tv_nsec / 1000000;
            changed_ms = ms > changed_ms ? ms : changed_ms;
        }
    target_recording_describe(target, json);
    json_text_field(json, "file", target_file(target));
    json_int_field(json, "version", changed_ms);
}

const struct target_operations target_history_operations = {
    .name = "history",
    .is_told = true,
    .open = open_history,
    .recording = refuse_recording,
    .memory = target_file_memory,
    .known_pid = target_file_known_pid,
    .known_memory = target_file_known_memory,
    .describe = describe,
    .look = target_recording_look,
    .write_nodes = target_recording_write_nodes,
};

const char *target_history(const struct target *target)
{
    return target->does == &target_history_operations ? target->options.path : NULL;
}
