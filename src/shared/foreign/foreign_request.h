/* foreign_request.h - asks another process to open a file that is named by others: for a process
 * that is confined and opens nothing itself.
 *
 * A request has a fixed size and no pointers, so it is sent over a socket as it is.  The serving
 * side copies it, and checks the copy here before the use. */
#pragma once

#include <limits.h>

#include "foreign/foreign_file.h"

#define FOREIGN_ROOT_MAX 64

enum foreign_kind {
    FOREIGN_BELOW,   /* `path` below `root`. */
    FOREIGN_PROGRAM, /* Program of `pid`. */
    FOREIGN_MAPPING, /* Mapping of `pid` from start to end. */
    FOREIGN_MAPPED,  /* The file that the process of `root` mapped as `path`. */
    FOREIGN_DEBUG,   /* The debug file of build-id `path`, from a debuginfod server. */
};

struct foreign_request {
    uint32_t kind, pid, refuses_link;
    uint32_t zero;
    uint64_t start, end, bytes_max;
    char root[FOREIGN_ROOT_MAX]; /* `root` and `path` end with a NUL. */
    char path[PATH_MAX];
};

/* Sends a request.  Returns a descriptor or -errno. */
typedef int (*foreign_asker)(const struct foreign_request *request);

/* From now on, the other functions of foreign_file.h that take no root descriptor ask `asker`, from
 * any thread; NULL: no longer.  To be called before there is a second thread. */
void foreign_ask_by(foreign_asker asker);
bool foreign_is_asked(void);

/* Makes and sends a request.  Returns a descriptor or -errno; -ENAMETOOLONG if a text does not
 * fit. */
int foreign_ask_path(enum foreign_kind kind, const char *root, const char *path,
                     const struct foreign_limits *limits);

/* Like foreign_ask_path, about a process: FOREIGN_PROGRAM, or FOREIGN_MAPPING with its range. */
int foreign_ask_process(enum foreign_kind kind, uint32_t pid, uint64_t start, uint64_t end,
                        const struct foreign_limits *limits);

/* Returns whether a received request can be served: its kind is known and its texts end. */
bool foreign_request_is_valid(const struct foreign_request *request);

/* Serves a valid request of a kind before FOREIGN_MAPPED.  Returns a descriptor or -errno. */
int foreign_request_serve(const struct foreign_request *request);

/* Returns whether an open file begins like an ELF file. */
bool foreign_is_elf(int fd);
