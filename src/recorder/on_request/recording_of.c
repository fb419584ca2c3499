/* SPDX-License-Identifier: Apache-2.0 */
#include "on_request/recording_of.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/sessions/symbol_queue.h"
#include "procfs/process/invoked_path.h"
#include "procfs/process/process_facts.h"

struct recording *recording_of_process(uint32_t pid)
{
    char text[PATH_MAX];
    struct recording *recording = recording_create();
    if (!recording)
        return NULL;
    process_invoked_path(pid, text, sizeof(text));
    recording->program = recording_intern(recording, text);
    process_command_line(pid, text, sizeof(text));
    recording->command_line = recording_intern(recording, text);
    recording->pid = pid;
    recording->exit_status = -1;
    recording->start_unix_ns = unix_ns();
    return recording;
}

void recording_name_all(struct recording *recording)
{
    char root[32];
    struct symbol_queue *queue = symbol_queue_create(NULL);
    if (!queue)
        return;
    snprintf(root, sizeof(root), "/proc/%u/root", recording->pid);
    if (access(root, F_OK) < 0) /* it has ended; build ids keep us from naming by other files */
        root[0] = '\0';
    symbol_queue_ask(queue, recording, root, 0);
    symbol_queue_finish(queue, recording);
    symbol_queue_destroy(queue);
}
