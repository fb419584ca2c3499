/* open_files.h - which files the processes of a program have open, as far as we may look. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

struct open_file {
    uint32_t pid;
    char path[48]; /* "/proc/PID/fd/N", which opens the file wherever it is, also without a name */
};
struct open_files {
    VEC(struct open_file) files;
};

/* The regular files that processes running an executable called `program` have open for writing.
 * Those that may not be looked at are left out.  0 or -errno. */
int open_files_find(const char *program, struct open_files *files);
void open_files_fini(struct open_files *files);

/* The number of process `pid` in the pid namespace of process `other`, in which it may be
 * another one: 0 when it is not seen from there, or either is gone. */
uint32_t process_number_for(uint32_t pid, uint32_t other);
