/* proc_open.h - the only way to what the kernel shows of a process, the files of /proc/PID.
 *
 * Each file that memoir reads is a row of one table, and no other file of /proc/PID is ever opened
 * (scripts/check-foreign-files).  So a request consists of numbers only, and a process that serves
 * requests of another process has nothing to parse.  The kernel decides which processes may be
 * looked at.  Files that the process names, its program among them, are opened by
 * foreign/foreign_file.h.
 *
 * proc_asked.h has another process do all this.
 *
 * Any thread may call these functions.  `tid` 0: the process; else one of its threads, in the same
 * table. */
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
    PROC_CWD, /* A link, only to be read. */
    PROC_ENVIRON,
    PROC_EXE, /* A link, only to be read: foreign/foreign_file.h opens the program. */
    PROC_FDS, /* A folder. */
    PROC_LIMITS,
    PROC_MAPS,
    PROC_MEM, /* For reading. */
    PROC_MEM_WRITE,
    PROC_MOUNTINFO,
    PROC_NS_MNT,
    PROC_NS_NET,
    PROC_NS_PID,
    PROC_NS_UTS,
    PROC_PAGEMAP,
    PROC_ROOT, /* A folder below which other files are opened. */
    PROC_SMAPS,
    PROC_SMAPS_ROLLUP,
    PROC_STAT,
    PROC_STATM,
    PROC_STATUS,
    PROC_SYSCALL,
    PROC_TASKS,  /* A folder. */
    PROC_ITSELF, /* Tells whether the process exists. */
    PROC_FILES   /* Tells how many there are. */
};

/* Returns a close-on-exec descriptor, or -errno: -ENOENT no such process, -EACCES not allowed. */
int proc_open(uint32_t pid, uint32_t tid, enum proc_file file);
/* Like proc_open, as a stream, or a folder to list; NULL with errno on failure. */
FILE *proc_open_stream(uint32_t pid, enum proc_file file);
DIR *proc_open_folder(uint32_t pid, enum proc_file file);
/* Describes the file system of the file that is mapped at start..end, a line of PROC_MAPS.  Returns
 * 0 or -errno. */
int proc_mapped_system(uint32_t pid, uint64_t start, uint64_t end, struct statfs *about);

/* Reads where a link leads, NUL-terminated.  Returns the length, cut to size - 1; or -errno, with
 * "". */
ssize_t proc_read_link(uint32_t pid, enum proc_file file, char *text, size_t size);
/* Describes the file or folder to which the link leads.  Returns 0 or -errno. */
int proc_stat(uint32_t pid, uint32_t tid, enum proc_file file, struct stat *about);

/* Describes `path` as the process sees it: links in it stay inside its root.  Returns 0 or
 * -errno. */
int proc_stat_below(uint32_t pid, const char *path, struct stat *about);

/* Reads the whole text, at most `max` bytes, NUL-terminated.  Returns 0 with *text the caller's to
 * free, or -errno. */
int proc_read_text(uint32_t pid, uint32_t tid, enum proc_file file, size_t max, char **text);
/* Reads the first bytes of the text, at most size - 1, NUL-terminated.  Returns their number; or
 * -errno, with "". */
ssize_t proc_read_start(uint32_t pid, uint32_t tid, enum proc_file file, char *text, size_t size);
