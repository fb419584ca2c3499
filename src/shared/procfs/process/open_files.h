/* open_files.h - the files that memoir's own programs have open for writing, as far as we may
 * see. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

struct open_file {
    uint32_t pid;
    int fd;        /* Opened for reading; -1: the caller has taken it. */
    char path[48]; /* "/proc/PID/fd/N", for its name. */
};
struct open_files {
    VEC(struct open_file) files;
    /* Number of processes with such a name that are not trusted: none of their files are opened. */
    uint32_t strangers;
};

/* Finds the regular files, owned by our user or root, that are open for writing in processes which
 * run `program` and are trusted (own_program.h).  Leaves out files that may not be looked at.
 * Returns 0 or -errno. */
int open_files_find(const char *program, struct open_files *files);
void open_files_fini(struct open_files *files);

/* Returns the PID of process `pid` in the PID namespace of process `other`, where it may differ; 0
 * if it is not visible there, or either process is gone. */
uint32_t process_number_for(uint32_t pid, uint32_t other);
