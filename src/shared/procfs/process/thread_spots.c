/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/thread_spots.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "procfs/process/proc_open.h"

#define LINE_MAX_BYTES 1024u

/* "NUMBER ARGUMENT... STACK COUNTER", or "running".  The last word but one; 0 when there is
 * none. */
static uint64_t stack_pointer_of(char *line)
{
    char *last = strrchr(line, ' ');
    if (!last)
        return 0;
    *last = '\0';
    const char *word = strrchr(line, ' ');
    return word ? strtoull(word, NULL, 16) : 0;
}

void thread_spots_visit(uint32_t pid,
                        void (*each)(void *context, uint32_t tid, uint64_t stack_pointer),
                        void *context)
{
    DIR *folder = proc_open_folder(pid, PROC_TASKS);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        uint32_t const tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        char *text;
        if (tid == 0 || proc_read_text(pid, tid, PROC_SYSCALL, LINE_MAX_BYTES, &text) < 0)
            continue;
        uint64_t const spot = stack_pointer_of(text);
        if (spot)
            each(context, tid, spot);
        free(text);
    }
    if (folder)
        closedir(folder);
}
