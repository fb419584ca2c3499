/* proc_open.h - the one way to what the kernel shows of a process, the files of /proc/PID.
 *
 * What memoir looks at of a process is a row of one table, and nothing else of /proc/PID is ever
 * opened (scripts/check-foreign-files): a request is numbers alone, so whoever answers it for
 * somebody else has nothing to parse.  Which process may be looked at, the kernel decides.  Files
 * that the process names, its program among them, are opened by foreign/foreign_file.h.
 *
 * proc_asked.h has another process do all this.
 *
 * All functions may be called by several threads.  `tid` 0: the process; else one of its threads,
 * in the same table. */
#pragma once

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statfs.h>

enum proc_file {
    PROC_CGROUP,
    PROC_CMDLINE,
    PROC_COMM,
    PROC_CWD, /* a link to read, and no more */
    PROC_ENVIRON,
    PROC_EXE, /* likewise: foreign/foreign_file.h opens the program */
    PROC_FDS, /* a folder */
    PROC_LIMITS,
    PROC_MAPS,
    PROC_MEM, /* to read */
    PROC_MEM_WRITE,
    PROC_MOUNTINFO,
    PROC_NS_MNT,
    PROC_NS_NET,
    PROC_NS_PID,
    PROC_NS_UTS,
    PROC_PAGEMAP,
    PROC_ROOT, /* a folder that others are opened below */
    PROC_SMAPS,
    PROC_SMAPS_ROLLUP,
    PROC_STAT,
    PROC_STATM,
    PROC_STATUS,
    PROC_SYSCALL,
    PROC_TASKS,  /* a folder */
    PROC_ITSELF, /* whether it is there */
    PROC_FILES   /* how many there are */
};

/* A descriptor that no other program gets, or -errno: -ENOENT there is no such process, -EACCES
 * it must not be looked at. */
int proc_open(uint32_t pid, uint32_t tid, enum proc_file file);
/* The same as a stream or a folder to list; NULL with errno. */
FILE *proc_open_stream(uint32_t pid, enum proc_file file);
DIR *proc_open_folder(uint32_t pid, enum proc_file file);
/* About the file system of the file that is mapped at start..end, a line of PROC_MAPS.  0 or
 * -errno. */
int proc_mapped_system(uint32_t pid, uint64_t start, uint64_t end, struct statfs *about);

/* Where a link leads, NUL-terminated.  Its length, cut off at size - 1; or -errno and "". */
ssize_t proc_read_link(uint32_t pid, enum proc_file file, char *text, size_t size);
/* About what it leads to.  0 or -errno. */
int proc_stat(uint32_t pid, uint32_t tid, enum proc_file file, struct stat *about);

/* About `path` as the process sees it: links in it stay inside its root.  0 or -errno. */
int proc_stat_below(uint32_t pid, const char *path, struct stat *about);

/* The whole text, NUL-terminated, at most `max` bytes of it.  0 with *text the caller's to free,
 * or -errno. */
int proc_read_text(uint32_t pid, uint32_t tid, enum proc_file file, size_t max, char **text);
/* The first bytes of the text, at most size - 1, NUL-terminated.  How many, or -errno and "". */
ssize_t proc_read_start(uint32_t pid, uint32_t tid, enum proc_file file, char *text, size_t size);
