/* foreign_request.h - opening a file that somebody else names, asked of another process: for a
 * process that is confined and opens nothing itself.
 *
 * A request has a fixed size and no pointers, so it crosses a socket as it is.  Whoever serves one
 * copies it, and checks it here before the use. */
#pragma once

#include <limits.h>

#include "foreign/foreign_file.h"

#define FOREIGN_ROOT_MAX 64

enum foreign_kind {
    FOREIGN_BELOW,   /* `path` below `root` */
    FOREIGN_PROGRAM, /* of `pid` */
    FOREIGN_MAPPING, /* of `pid`, at start to end */
    FOREIGN_MAPPED,  /* the file that was mapped as `path` by the process of `root` */
    FOREIGN_DEBUG,   /* the debug file of the build-id that `path` is, from a debuginfod server */
};

struct foreign_request {
    uint32_t kind, pid, refuses_link;
    uint32_t zero;
    uint64_t start, end, bytes_max;
    char root[FOREIGN_ROOT_MAX]; /* these two end with a NUL */
    char path[PATH_MAX];
};

/* Asks: a descriptor, or -errno. */
typedef int (*foreign_asker)(const struct foreign_request *request);

/* From now on foreign_file_open_below and what is like it ask `asker`, from any thread; NULL: no
 * more.  Before the second thread. */
void foreign_ask_by(foreign_asker asker);
bool foreign_is_asked(void);

/* A request that is made of these; -ENAMETOOLONG. */
int foreign_ask_path(enum foreign_kind kind, const char *root, const char *path,
                     const struct foreign_limits *limits);

/* The same of a process: FOREIGN_PROGRAM, or FOREIGN_MAPPING with its range. */
int foreign_ask_process(enum foreign_kind kind, uint32_t pid, uint64_t start, uint64_t end,
                        const struct foreign_limits *limits);

/* Whether a request that came from elsewhere can be served: its kind is known, its texts end. */
bool foreign_request_is_valid(const struct foreign_request *request);

/* Serves a valid one, of any kind before FOREIGN_MAPPED: a descriptor or -errno. */
int foreign_request_serve(const struct foreign_request *request);

/* Whether an open file begins as an ELF file does. */
bool foreign_is_elf(int fd);
