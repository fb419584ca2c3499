/* keeper_message.h - the requests of a confined recorder to its keeper, and the replies.
 *
 * A request has a fixed size, numbers in fixed places, and texts that end.  It is copied once and
 * checked here as a whole before it is served.  Whether a request is allowed at that moment (for
 * which process, which file) is checked where it is served. */
#pragma once

#include <stddef.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "foreign/foreign_request.h"

#define KEEPER_TEXT_MAX 4096 /* Of a reply. */

enum keeper_what {
    KEEPER_OPEN,       /* Row `number` of proc_open.h, of `pid` and `tid`: a descriptor. */
    KEEPER_READ,       /* Its first bytes, as text: what the kernel shows to this reader. */
    KEEPER_LINK,       /* Where it leads, as text. */
    KEEPER_STAT,       /* What stat says about it. */
    KEEPER_STAT_BELOW, /* What stat says about file.path as `pid` sees it. */
    KEEPER_SYSTEM,     /* The file system of what `pid` has mapped at start to end. */
    KEEPER_USES_ARENA, /* enum arena_finding of `pid`, and whether it is old. */
    KEEPER_FILE,       /* A file that `file` asks for; its root may come as a descriptor. */
    KEEPER_TAKE,       /* Make the recording file.path; an earlier claim comes along. */
    KEEPER_BESIDE,     /* Make a copy of the recording, which will replace it: a descriptor. */
    KEEPER_REPLACE,    /* The copy replaces the recording. */
    KEEPER_DISCARD,    /* The copy is discarded. */
    KEEPER_REMOVE,     /* Remove the recording. */
    KEEPER_EXISTS,     /* Whether there is such a file. */
    KEEPER_ASIDE,      /* Rename an older recording of that name. */
    KEEPER_SIGNAL,     /* Send `number` with `value` to the program that was started. */
    KEEPER_RAISE, /* Set the priority of the recorder's thread `tid`: nice `number`, and `value`. */
    KEEPER_LISTEN, /* The socket of requests about `pid`. */
    KEEPER_NAMER_START,
    KEEPER_NAMER_END, /* `number` 1: at once.  Replies with its wait status. */
    KEEPER_NAMER_NICE,
    KEEPER_LINE, /* A line of its own, for a child. */
    /* A process besides `pid` that has the arena: twice its PID, plus 1 if proved. */
    KEEPER_FIND_USER,
    KEEPER_KNOWN_START, /* A process that answers from known names (known_names.h). */
    KEEPER_KNOWN_END,
    KEEPER_WHATS
};

struct keeper_request {
    uint32_t what, pid, tid, number;
    uint64_t value;
    struct foreign_request file;
};

struct keeper_reply {
    int32_t err;        /* 0 or -errno. */
    uint32_t text_size; /* Of `text`, which has no NUL: only this much of it is sent. */
    int64_t value;
    struct stat about;
    struct statfs system;
    char text[KEEPER_TEXT_MAX];
};
#define KEEPER_REPLY_HEAD offsetof(struct keeper_reply, text)

/* Returns whether a received request is valid by itself: every field is within the limits of its
 * kind, and fields that its kind does not use are 0. */
bool keeper_request_is_valid(const struct keeper_request *request);

/* Returns whether a reply of `size` bytes is whole. */
bool keeper_reply_is_valid(const struct keeper_reply *reply, size_t size);
