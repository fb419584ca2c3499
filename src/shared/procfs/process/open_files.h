/* open_files.h - the files that memoir's own programs have open for writing, as far as we may
 * look. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

struct open_file {
    uint32_t pid;
    int fd;        /* the same file, to be read; -1: somebody has taken it */
    char path[48]; /* "/proc/PID/fd/N", for its name */
};
struct open_files {
    VEC(struct open_file) files;
    uint32_t strangers; /* processes called so that are not believed: nothing of them is opened */
};

/* The regular files of ours and of root's that processes have open for writing which run `program`
 * and are believed (own_program.h).  Those that may not be looked at are left out.  0 or -errno. */
int open_files_find(const char *program, struct open_files *files);
void open_files_fini(struct open_files *files);

/* The number of process `pid` in the pid namespace of process `other`, in which it may be
 * another one: 0 when it is not seen from there, or either is gone. */
uint32_t process_number_for(uint32_t pid, uint32_t other);
