/* agent.h - what memoir-agent, the privileged side, and a recorder say to each other.
 *
 * Two ways: a ring of records that BPF programs write and the recorder reads (its descriptor comes with the answer to
 * AGENT_WATCH), and a SOCK_SEQPACKET socket for requests and answers.  Fixed width, little-endian, one version.
 *
 * Stacks: the kernel only checks whether a stack is one that the recorder knows.  One that is not is copied out, walked
 * by the recorder, and told back (AGENT_KNOW) as the words of the stack that the walk depended on; as long as those are
 * the same, so is the stack. */
#pragma once

#ifndef MEMOIR_BPF
#include <stdint.h>
#endif

#define AGENT_VERSION     4u
#define AGENT_SOCKET_PATH "/run/memoir/agent.sock"

/* A number that the recorder gave to a stack, below AGENT_STACKS_MAX; or one of these. */
#define AGENT_STACKS_MAX 0x40000000u
#define AGENT_STACK_NONE 0x7fffffffu /* not taken: too many new ones at once, or not readable */
#define AGENT_STACK_KERNEL                                                                         \
    0x7ffffffeu /* there is none: the thread is the kernel's own, or has not run yet */
#define AGENT_STACK_COPY 0x80000000u /* | number: the record AGENT_COPY of this number has it */

enum agent_record_kind {
    AGENT_COPY = 1, /* a stack that is not known */
    AGENT_FAULT,    /* a page is touched that is not there, or may not be written yet */
    AGENT_LARGE,    /* ... and was given as one of `size` bytes, aligned to its size */
    AGENT_RANGE,    /* addresses are used anew: what was there is gone */
    AGENT_MOVE,     /* ... by moving what was at `from` */
    AGENT_EXEC,     /* begins to be another program */
    AGENT_FORK,     /* `address` is the child's number */
    AGENT_EXIT, /* of whose time is watched, each thread; AGENT_IS_LAST: the process, `address` ns that it used.  Of whose memory is
                 * watched: the process, `address` bytes resident then; before Linux 6.16: at most */
    AGENT_CACHE_ADD,  /* a file's page came into the page cache: struct agent_cache */
    AGENT_CACHE_DROP, /* and left it */
    AGENT_KERNEL_ADD, /* the kernel took memory for itself in the process's name: `address` bytes */
    AGENT_KERNEL_DROP, /* and gave it back */
    AGENT_OOM,         /* will be killed for lack of memory */
    AGENT_SAMPLE,      /* was on a processor when the clock ticked: struct agent_time */
    AGENT_WAIT, /* runs again after a wait: struct agent_time, the stacks those that it went to wait with */
    AGENT_NAME,    /* a thread is new, or has another name: struct agent_name */
    AGENT_STARTED, /* a process has become what was awaited, and is watched from now on: struct agent_name; `address` ns it has run before */
    AGENT_PIECE /* more of the stack whose AGENT_COPY comes next from this processor: struct agent_copy, `address` its first byte */
};

enum agent_record_flag {
    AGENT_ASSUMED = 1 << 0,   /* same place as a stack whose copy is on its way: not compared */
    AGENT_WRITE = 1 << 1,     /* the fault was a write */
    AGENT_IN_KERNEL = 1 << 2, /* ... by the kernel, for a system call */
    AGENT_OF_FILE = 1 << 3,   /* a file is mapped there: perhaps code */
    AGENT_GOES_ON = 1 << 4,   /* the wait is not over: what it took up to now */
    AGENT_IS_LAST = 1 << 5    /* the whole process ends, not only the thread */
};

struct agent_record {
    uint8_t kind, flags;
    uint16_t reserved;
    uint32_t pid, tid;
    uint32_t stack;
    uint64_t time_ns; /* CLOCK_MONOTONIC; 0 of faults: a clock costs too much */
    uint64_t address;
};

struct agent_range {
    struct agent_record record;
    uint64_t size, from, from_size;
};

struct agent_cache {
    struct agent_record record; /* `address`: the first page's number in the file */
    uint64_t inode;
    uint32_t device; /* as the kernel has it: major << 20 | minor */
    uint32_t pages;
};

#define AGENT_KERNEL_FRAMES 64u
/* Waits that were too short to be told one by one come as a sum, with the next record of a wait of the thread, or in one
 * that is about no wait (`address` 0), a few times a second: nothing of the time is missing. */
struct agent_time {
    struct agent_record
        record; /* `time_ns`: when it was taken, or the wait ended; `address`: ns that it stands for */
    uint32_t processor;
    uint8_t state; /* of a wait: enum agent_wait_state, 0 not known */
    uint8_t
        kernel_count; /* of what follows; 0: not in the kernel, or the peer may not know its addresses */
    uint16_t reserved;
    uint32_t short_count; /* of a wait: shorter ones of the thread since the last such record */
    uint32_t reserved_too;
    uint64_t short_ns; /* that they took together */
    uint64_t kernel[]; /* addresses inside the kernel, innermost first */
};
enum agent_wait_state {
    AGENT_WAIT_SLEEPS = 1, /* for an event */
    AGENT_WAIT_DISK,       /* not to be disturbed: for a disk, mostly */
    AGENT_WAIT_PROCESSOR,  /* it could run: others did */
    AGENT_WAIT_STOPPED     /* by a signal or a debugger */
};

#define AGENT_NAME_BYTES 16u
struct agent_name {
    struct agent_record record;
    char name[AGENT_NAME_BYTES]; /* NUL-terminated */
};

/* By DWARF number: rax rdx rcx rbx rsi rdi rbp rsp r8 ... r15 rip. */
enum { AGENT_RBP = 6, AGENT_RSP = 7, AGENT_RIP = 16, AGENT_REGISTERS = 17 };
struct agent_copy {
    struct agent_record record; /* `stack` has its number */
    uint64_t registers[AGENT_REGISTERS];
    uint64_t branch;     /* this and */
    uint32_t generation; /* ... this to be told back */
    uint32_t size;       /* of what follows: the stack, from `below` bytes below rsp on */
    uint32_t beyond;     /* bytes of the mapping that did not fit, nor came as pieces */
    uint32_t below;      /* AGENT_RED_ZONE, or 0 */
    uint8_t bytes[];
};

/* So many bytes below rsp are still a function's own if it calls nobody; some (of OpenSSL) keep there where their caller's frame is. */
#define AGENT_RED_ZONE 128u

/* A stack comes as pieces of so many bytes at most, the innermost one last; several only where AGENT_DEEPEN was asked. */
#define AGENT_PIECE_BYTES   65536u
#define AGENT_PIECES_MAX    32u
#define AGENT_COPY_CPU_BITS 10u /* of the number of a copy: the processor's */

/* How large a record of a kind is at least; 0: there is no such kind. */
static inline uint32_t agent_record_least(uint8_t kind)
{
    switch (kind) {
    case AGENT_COPY:
    case AGENT_PIECE:
        return sizeof(struct agent_copy);
    case AGENT_LARGE:
    case AGENT_RANGE:
    case AGENT_MOVE:
        return sizeof(struct agent_range);
    case AGENT_CACHE_ADD:
    case AGENT_CACHE_DROP:
        return sizeof(struct agent_cache);
    case AGENT_SAMPLE:
    case AGENT_WAIT:
        return sizeof(struct agent_time);
    case AGENT_NAME:
    case AGENT_STARTED:
        return sizeof(struct agent_name);
    case AGENT_FAULT:
    case AGENT_EXEC:
    case AGENT_FORK:
    case AGENT_EXIT:
    case AGENT_KERNEL_ADD:
    case AGENT_KERNEL_DROP:
    case AGENT_OOM:
        return sizeof(struct agent_record);
    default:
        return 0;
    }
}

/* The words that a walk depended on, in the order in which it used them.  So where two stacks that begin at the same place first differ,
 * the word that differs is one that both walks use. */
#define AGENT_WORDS_MAX 480u
#define AGENT_AT_RBP    0xffffu /* the register */
#define AGENT_AT_BELOW  (AGENT_AT_RBP - AGENT_RED_ZONE / 8)
struct agent_word {
    uint16_t
        at; /* words above rsp; from AGENT_AT_BELOW on: AGENT_AT_RBP less those below it; or AGENT_AT_RBP itself */
    uint16_t check; /* of the hash up to and with this word, the lowest bits */
};
struct agent_stack {
    uint64_t hash; /* of all of them */
    uint64_t hint; /* the kernel's own */
    uint32_t stack;
    uint16_t count;
    uint8_t is_pending, reserved;
    struct agent_word words[AGENT_WORDS_MAX];
};

static inline uint64_t agent_hash_step(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

/* Requests, each answered by one struct agent_answer, in order, except AGENT_KNOW and AGENT_DEEPEN, which are not. */
enum agent_request_kind {
    AGENT_HELLO = 1, /* `version`; the first */
    AGENT_WATCH, /* a pidfd comes with it (SCM_RIGHTS), what of enum agent_watch; the answer has the number
                      * that records will call the process, and at the first time the ring's descriptor.  A process
                      * may be watched by one recorder for its memory and by one for its time; the latter may ask
                      * again, which changes `hz` and the rest */
    AGENT_UNWATCH,  /* `pid`, as in records; so in all others */
    AGENT_KNOW,     /* struct agent_know */
    AGENT_RENEW,    /* forgets the known stacks of `pid`: other code is where code was */
    AGENT_COUNTERS, /* how much was lost */
    AGENT_TELL_WAITS, /* those of `pid` (0: of all) that are not over are told as far as they are: AGENT_GOES_ON */
    AGENT_AWAIT, /* whoever becomes a program called `name` is watched from its first instruction on, as AGENT_WATCH would, and
                 * told by AGENT_STARTED; answered as AGENT_WATCH.  One recorder may await a name for memory and one for time */
    AGENT_DEEPEN /* some stack went on above its copy: from now on all of them is copied, in pieces */
};

enum agent_watch {
    AGENT_WATCH_FAULTS = 1 << 0,
    AGENT_WATCH_CACHE = 1 << 1,
    AGENT_WATCH_KERNEL = 1 << 2,
    AGENT_WATCH_CHILDREN = 1 << 3, /* forked processes too */
    AGENT_WATCH_NEXT = 1 << 4,     /* not itself, but the next process that it forks */
    AGENT_WATCH_CPU = 1 << 5,      /* samples, `hz` of the request a second */
    AGENT_WATCH_WAITS = 1 << 6,    /* of at least `wait_least_us` */
    AGENT_WATCH_ONCE = 1 << 7      /* of those who are awaited, the first alone */
};
#define AGENT_WATCH_MEMORY (AGENT_WATCH_FAULTS | AGENT_WATCH_CACHE | AGENT_WATCH_KERNEL)
#define AGENT_WATCH_TIME   (AGENT_WATCH_CPU | AGENT_WATCH_WAITS)
#define AGENT_HZ_MAX       997u
#define AGENT_WAIT_US_MAX  60000000u

struct agent_request {
    uint32_t kind, version;
    uint32_t pid, watch;
    uint32_t hz, wait_least_us;
    char name[AGENT_NAME_BYTES]; /* of AGENT_AWAIT: the kernel's short name, NUL-terminated */
};

struct agent_know {
    struct agent_request request;
    uint64_t branch;
    uint32_t generation, reserved;
    uint64_t ip, sp;
    struct agent_stack stack; /* cut after words[count] */
};

struct agent_counters {
    uint64_t records, lost;    /* written to the ring, and not for lack of room */
    uint64_t copies, assumed;  /* stacks */
    uint64_t not_taken;        /* stacks, too many at once */
    uint64_t unreadable;       /* stacks */
    uint64_t recursion_misses; /* events inside our own programs */
    uint64_t waits_missed;     /* of threads too many */
};

struct agent_answer {
    uint32_t kind;          /* of the request */
    int32_t error;          /* 0 or -errno */
    uint32_t version, ring; /* bytes of the ring, when a descriptor is with it */
    uint32_t pid;
    uint32_t sees_kernel; /* addresses inside the kernel are told: this peer may know them */
    struct agent_counters counters;
    char sentence[200]; /* what is wrong and what to do, NUL-terminated */
};
