/* proc_asked.h - has another process read what the kernel shows of a process: for a process that is
 * confined and opens nothing itself.  The promises of proc_open.h hold unchanged. */
#pragma once

#include <stdbool.h>

#include "procfs/process/proc_open.h"

/* Each works like the function of proc_open.h with the same name.  Any thread may call them. */
struct proc_asked {
    int (*open)(uint32_t pid, uint32_t tid, enum proc_file file);
    ssize_t (*read)(uint32_t pid, uint32_t tid, enum proc_file file, char *text, size_t size);
    ssize_t (*link)(uint32_t pid, enum proc_file file, char *text, size_t size);
    int (*stat)(uint32_t pid, uint32_t tid, enum proc_file file, struct stat *about);
    int (*stat_below)(uint32_t pid, const char *path, struct stat *about);
    int (*mapped_system)(uint32_t pid, uint64_t start, uint64_t end, struct statfs *about);
};

/* Uses `asked` from now on; NULL: no longer.  To be called before there is a second thread. */
void proc_ask_by(const struct proc_asked *asked);
bool proc_is_asked(void);
