/* keeper_message.h - what a confined recorder asks of its keeper, and what it gets.
 *
 * A request has one size, numbers in fixed places, and texts that end: it is copied once and judged
 * here as a whole before anything is done for it.  What a request may be about at that moment
 * (which process, which file) is judged where it is served. */
#pragma once

#include <stddef.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "foreign/foreign_request.h"

#define KEEPER_TEXT_MAX 4096 /* of an answer */

enum keeper_what {
    KEEPER_OPEN,       /* row `number` of proc_open.h, of `pid` and `tid`: a descriptor */
    KEEPER_READ,       /* its first bytes, as text: what the kernel shows to whoever reads */
    KEEPER_LINK,       /* where it leads, as text */
    KEEPER_STAT,       /* about it */
    KEEPER_STAT_BELOW, /* about file.path as `pid` sees it */
    KEEPER_SYSTEM,     /* about the file system of what `pid` has mapped at start to end */
    KEEPER_USES_ARENA, /* enum arena_finding of `pid`, and whether it is old */
    KEEPER_FILE,       /* a file that `file` asks for; its root may come as a descriptor */
    KEEPER_TAKE,       /* make the recording file.path; an earlier claim comes along */
    KEEPER_BESIDE,     /* ... a copy of it, which will take its place: a descriptor */
    KEEPER_REPLACE,    /* it does */
    KEEPER_DISCARD,    /* it does not */
    KEEPER_REMOVE,     /* the recording goes */
    KEEPER_EXISTS,     /* whether there is such a file */
    KEEPER_ASIDE,      /* an older recording of that name gets another */
    KEEPER_SIGNAL,     /* `number` with `value` to the program that was started */
    KEEPER_RAISE,      /* the priority of the recorder's thread `tid`: nice `number`, and `value` */
    KEEPER_LISTEN,     /* the socket of requests about `pid` */
    KEEPER_NAMER_START,
    KEEPER_NAMER_END, /* number 1: at once; its wait status */
    KEEPER_NAMER_NICE,
    KEEPER_LINE,      /* a line of its own, for a child */
    KEEPER_FIND_USER, /* one besides `pid` that has the arena: twice its number, 1 more if proved */
    KEEPER_WHATS
};

struct keeper_request {
    uint32_t what, pid, tid, number;
    uint64_t value;
    struct foreign_request file;
};

struct keeper_reply {
    int32_t err;        /* 0 or -errno */
    uint32_t text_size; /* of `text`, which has no NUL: only so much of it is sent */
    int64_t value;
    struct stat about;
    struct statfs system;
    char text[KEEPER_TEXT_MAX];
};
#define KEEPER_REPLY_HEAD offsetof(struct keeper_reply, text)

/* Whether a request that came from elsewhere makes sense by itself: every field is within what its
 * kind can have, and what its kind does not use is 0. */
bool keeper_request_is_valid(const struct keeper_request *request);

/* Whether a reply of `size` bytes is whole. */
bool keeper_reply_is_valid(const struct keeper_reply *reply, size_t size);
