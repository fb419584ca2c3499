/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/open_input.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "cli/shared/answer_file.h"
#include "cli/shared/helper_program.h"
#include "cluster/runs/run_recording.h"
#include "formats/open/input_file.h"
#include "formats/open/name_frames.h"
#include "formats/open/name_lines.h"

static struct recording *open_run(const char *path, const struct selection *selection,
                                  const char *helper, struct fault *fault)
{
    struct recording *recording = run_recording_read(path, selection ? selection->node : NULL,
                                                     selection ? selection->kind : NULL, fault);
    if (recording)
        name_frames(recording, path, helper);
    return recording;
}

struct recording *open_selected_input(const char *path, const struct selection *selection,
                                      struct fault *fault)
{
    struct stat status;
    char room[PATH_MAX];
    const char *helper = helper_program_path(NAME_PROGRAM, room) == 0 ? room : NULL;
    answer_protect(path);
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return open_run(path, selection, helper, fault);
    if (!selection || (!selection->node && !selection->kind))
        return input_file_read(path, helper, fault);
    fault_set(fault, -EINVAL,
              "--node and --kind choose from the folder of memoir watch, and %s is not a "
              "folder",
              path);
    return NULL;
}

struct recording *open_input(const char *path, struct fault *fault)
{
    return open_selected_input(path, NULL, fault);
}
