/* proc_asked.h - what the kernel shows of a process, asked of another process: for a process that
 * is confined and opens nothing itself.  What proc_open.h promises holds as it is. */
#pragma once

#include <stdbool.h>

#include "procfs/process/proc_open.h"

/* Each as the function of proc_open.h that is called like it; any thread may call them. */
struct proc_asked {
    int (*open)(uint32_t pid, uint32_t tid, enum proc_file file);
    ssize_t (*read)(uint32_t pid, uint32_t tid, enum proc_file file, char *text, size_t size);
    ssize_t (*link)(uint32_t pid, enum proc_file file, char *text, size_t size);
    int (*stat)(uint32_t pid, uint32_t tid, enum proc_file file, struct stat *about);
    int (*stat_below)(uint32_t pid, const char *path, struct stat *about);
    int (*mapped_system)(uint32_t pid, uint64_t start, uint64_t end, struct statfs *about);
};

/* From now on; NULL: no more.  Before the second thread. */
void proc_ask_by(const struct proc_asked *asked);
bool proc_is_asked(void);
