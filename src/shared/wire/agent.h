/* agent.h - the protocol between memoir-agent (the privileged program) and a recorder.
 *
 * There are two channels: a ring of records that BPF programs write and the recorder reads (its
 * descriptor comes with the answer to AGENT_WATCH), and a SOCK_SEQPACKET socket for requests and
 * answers. All fields have a fixed width and are little-endian. There is one version.
 *
 * Stacks: the kernel only checks whether the recorder knows a stack already. An unknown stack is
 * copied to the ring. The recorder walks the copy and answers (AGENT_KNOW) with the words of the
 * stack that the walk depended on. As long as those words are unchanged, the stack is the same. */
#pragma once

#ifndef MEMOIR_BPF
#include <stdint.h>
#endif

#include "machine/registers.h"

#define AGENT_VERSION     5u
#define AGENT_SOCKET_PATH "/run/memoir/agent.sock"
#define AGENT_USER        "memoir-agent" /* whoever has this name is there for the agent alone */

/* Values of `stack`: a number that the recorder gave to a stack, below AGENT_STACKS_MAX; or one of
 * the values below. */
#define AGENT_STACKS_MAX 0x40000000u
/* The stack was not recorded: too many new stacks at once, or the stack was not readable. */
#define AGENT_STACK_NONE 0x7fffffffu
/* There is no user stack: the thread is a kernel thread, or has not run yet. */
#define AGENT_STACK_KERNEL 0x7ffffffeu
/* AGENT_STACK_COPY | number: the stack is in the AGENT_COPY record of this number. */
#define AGENT_STACK_COPY 0x80000000u

enum agent_record_kind {
    AGENT_COPY = 1, /* A copy of an unknown stack: struct agent_copy. */
    AGENT_FAULT,    /* Page fault: the page is missing, or is not writable yet. */
    /* A page fault that was answered with a page of `size` bytes, aligned to `size`: struct
     * agent_range. */
    AGENT_LARGE,
    /* The address range got a new mapping: its old content is gone. struct agent_range. */
    AGENT_RANGE,
    AGENT_MOVE, /* As AGENT_RANGE; the content came from `from` (mremap). */
    AGENT_EXEC, /* The process executes another program (exec). */
    AGENT_FORK, /* The process forked; `address` is the child's PID. */
    /* Where time is watched: a thread ended; with AGENT_IS_LAST the whole process ended, and
     * `address` is the CPU time in ns that the process used. Where memory is watched: the process
     * ended, and `address` is its resident bytes at that time (before Linux 6.16: an upper
     * bound). */
    AGENT_EXIT,
    AGENT_CACHE_ADD,  /* Pages of a file entered the page cache: struct agent_cache. */
    AGENT_CACHE_DROP, /* Pages of a file left the page cache: struct agent_cache. */
    /* The kernel allocated `address` bytes for itself on behalf of the process. */
    AGENT_KERNEL_ADD,
    AGENT_KERNEL_DROP, /* The kernel freed `address` such bytes. */
    AGENT_OOM,         /* The process will be killed by the OOM killer. */
    AGENT_SAMPLE, /* CPU sample: the thread ran when the sampling timer fired. struct agent_time. */
    /* A wait ended and the thread runs again: struct agent_time. The stacks are those at the start
     * of the wait. */
    AGENT_WAIT,
    AGENT_NAME, /* A thread started, or changed its name: struct agent_name. */
    /* A process became a program that was awaited (AGENT_AWAIT), and is watched from now on: struct
     * agent_name. `address`: ns that the process ran before. */
    AGENT_STARTED,
    /* One more piece of the stack whose AGENT_COPY comes next from this processor: struct
     * agent_copy; `address` is the address of its first byte. */
    AGENT_PIECE
};

enum agent_record_flag {
    /* The stack was not compared: a copy of a stack from the same place is on its way. */
    AGENT_ASSUMED = 1 << 0,
    AGENT_WRITE = 1 << 1,     /* The page fault was a write. */
    AGENT_IN_KERNEL = 1 << 2, /* The page fault happened in the kernel, in a system call. */
    AGENT_OF_FILE = 1 << 3,   /* The address belongs to a file mapping, perhaps code. */
    AGENT_GOES_ON = 1 << 4,   /* The wait is still going on; `address` is its length so far. */
    AGENT_IS_LAST = 1 << 5    /* The whole process ends, not only the thread. */
};

struct agent_record {
    uint8_t kind, flags;
    uint16_t reserved;
    uint32_t pid, tid;
    uint32_t stack;
    /* CLOCK_MONOTONIC; 0 for page faults: reading a clock costs too much there. */
    uint64_t time_ns;
    uint64_t address;
};

struct agent_range {
    struct agent_record record;
    uint64_t size, from, from_size;
};

struct agent_cache {
    struct agent_record record; /* `address`: number of the first page in the file. */
    uint64_t inode;
    uint32_t device; /* Device number as the kernel encodes it: major << 20 | minor. */
    uint32_t pages;
};

#define AGENT_KERNEL_FRAMES 64u
/* A CPU sample or a wait. Waits that are too short for a record of their own are reported as a sum:
 * in the thread's next wait record, or in a record without a wait (`address` 0), a few times a
 * second. So no time is lost. */
struct agent_time {
    /* `time_ns`: time of the sample, or end of the wait; `address`: ns that this record stands
     * for. */
    struct agent_record record;
    uint32_t processor;
    uint8_t state; /* For a wait: enum agent_wait_state; 0: unknown. */
    /* Number of addresses in `kernel`; 0: the thread was not in the kernel, or this recorder may
     * not see kernel addresses. */
    uint8_t kernel_count;
    uint16_t reserved;
    /* For a wait: number of short waits of this thread since its last such record. */
    uint32_t short_count;
    uint32_t reserved_too;
    uint64_t short_ns; /* Total length of these short waits. */
    uint64_t kernel[]; /* Return addresses in the kernel, innermost first. */
};
enum agent_wait_state {
    AGENT_WAIT_SLEEPS = 1, /* Sleeps until an event happens. */
    AGENT_WAIT_DISK,       /* Uninterruptible sleep, mostly for a disk. */
    AGENT_WAIT_PROCESSOR,  /* Runnable, but other threads had the processor. */
    AGENT_WAIT_STOPPED     /* Stopped by a signal or a debugger. */
};

#define AGENT_NAME_BYTES 16u
struct agent_name {
    struct agent_record record;
    char name[AGENT_NAME_BYTES]; /* NUL-terminated */
};

struct agent_copy {
    struct agent_record record;    /* `stack`: AGENT_STACK_COPY | number of this copy. */
    uint64_t registers[REG_COUNT]; /* as in unwind tables (machine/registers.h) */
    uint64_t branch; /* `branch` and `generation` are sent back unchanged in AGENT_KNOW. */
    uint32_t generation;
    /* Size of `bytes`: the stack, from `below` bytes below the stack pointer upwards. */
    uint32_t size;
    uint32_t beyond; /* Bytes of the stack's mapping that neither fitted nor came as pieces. */
    uint32_t below;  /* Bytes in `bytes` that lie below the stack pointer: RED_ZONE_BYTES or 0. */
    uint8_t bytes[];
};

/* A stack is copied in pieces of at most AGENT_PIECE_BYTES, the innermost piece last. There are
 * several pieces only after AGENT_DEEPEN. */
#define AGENT_PIECE_BYTES   65536u
#define AGENT_PIECES_MAX    32u
#define AGENT_COPY_CPU_BITS 10u /* Low bits of a copy's number: the processor that made the copy. */

/* The minimum size of a record of this kind; 0 if the kind is unknown. */
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

/* The words that a walk depended on, in the order in which the walk used them. So if two stacks
 * begin at the same place, the first word in which they differ is used by both walks. */
#define AGENT_WORDS_MAX 480u
#define AGENT_AT_FP     0xffffu /* Not a word of the stack: the frame pointer register. */
#define AGENT_AT_BELOW  (AGENT_AT_FP - RED_ZONE_BYTES / 8)
struct agent_word {
    /* Position of the word: number of words above the stack pointer; or AGENT_AT_FP; or, from
     * AGENT_AT_BELOW on, AGENT_AT_FP - n for the n-th word below the stack pointer. */
    uint16_t at;
    uint16_t check; /* The lowest bits of the hash up to and including this word. */
};
struct agent_stack {
    uint64_t hash; /* Hash of all words. */
    uint64_t hint; /* Used by the BPF programs only. */
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

/* Requests. Each is answered by one struct agent_answer, in order; AGENT_KNOW, AGENT_DEEPEN and
 * AGENT_PROVE have no answer. */
enum agent_request_kind {
    AGENT_HELLO = 1, /* The first request; `version` is the recorder's version. */
    /* Watch a process. The message carries (SCM_RIGHTS) its pidfd and, from users other than root,
     * a proof of access: the open /proc/PID/mem of the process. `watch` says what to record (enum
     * agent_watch). The answer has the PID that records will use for the process; the first
     * answer also carries the ring's descriptor. A process may be watched by one recorder for its
     * memory and by one recorder for its time. The latter may repeat the request, which changes
     * `hz` and the rest. */
    AGENT_WATCH,
    /* Stop watching `pid`. Here and in the other requests `pid` is the PID that records use. */
    AGENT_UNWATCH,
    AGENT_KNOW,     /* Add a known stack: struct agent_know. */
    AGENT_RENEW,    /* Forget the known stacks of `pid`: its code has changed. */
    AGENT_COUNTERS, /* Ask for struct agent_counters. */
    /* Report the waits of `pid` (0: of all processes) that are still going on, with
     * AGENT_GOES_ON. */
    AGENT_TELL_WAITS,
    /* Watch each process that becomes a program called `name`, from its first instruction on, as
     * AGENT_WATCH would; AGENT_STARTED reports it. Answered as AGENT_WATCH. One recorder may await
     * a name for memory and one for time. */
    AGENT_AWAIT,
    AGENT_DEEPEN, /* A stack continued above its copy: from now on copy whole stacks, in pieces. */
    /* A proof of access, as in AGENT_WATCH, for a process that is being watched and has become
     * another program: after AGENT_EXEC and AGENT_STARTED nothing is told before it. */
    AGENT_PROVE
};

enum agent_watch {
    AGENT_WATCH_FAULTS = 1 << 0,
    AGENT_WATCH_CACHE = 1 << 1,
    AGENT_WATCH_KERNEL = 1 << 2,
    AGENT_WATCH_CHILDREN = 1 << 3, /* Also watch forked children. */
    AGENT_WATCH_NEXT = 1 << 4,     /* Watch not this process but the next one that it forks. */
    AGENT_WATCH_CPU = 1 << 5,      /* CPU samples, `hz` per second. */
    AGENT_WATCH_WAITS = 1 << 6,    /* Waits of at least `wait_least_us`. */
    AGENT_WATCH_ONCE = 1 << 7      /* For AGENT_AWAIT: watch the first such process only. */
};
#define AGENT_WATCH_MEMORY (AGENT_WATCH_FAULTS | AGENT_WATCH_CACHE | AGENT_WATCH_KERNEL)
#define AGENT_WATCH_TIME   (AGENT_WATCH_CPU | AGENT_WATCH_WAITS)
#define AGENT_HZ_MAX       997u
#define AGENT_WAIT_US_MAX  60000000u

struct agent_request {
    uint32_t kind, version;
    uint32_t pid, watch;
    uint32_t hz, wait_least_us;
    /* For AGENT_AWAIT: the kernel's short name of the program (comm), NUL-terminated. */
    char name[AGENT_NAME_BYTES];
};

struct agent_know {
    struct agent_request request;
    uint64_t branch;
    uint32_t generation, reserved;
    uint64_t ip, sp;
    struct agent_stack stack; /* Only the first `count` words are sent. */
};

struct agent_counters {
    /* Records written to the ring; records lost because the ring was full. */
    uint64_t records, lost;
    /* Stacks that were copied; stacks that were assumed (AGENT_ASSUMED). */
    uint64_t copies, assumed;
    uint64_t not_taken;  /* Stacks not recorded because there were too many new ones at once. */
    uint64_t unreadable; /* Stacks that were not readable. */
    uint64_t recursion_misses; /* Events that happened inside our own BPF programs. */
    uint64_t waits_missed;     /* Waits not recorded because there were too many threads. */
};

struct agent_answer {
    uint32_t kind; /* Kind of the request that this answers. */
    int32_t error; /* 0 or -errno */
    /* `ring`: size of the ring in bytes, if the answer carries its descriptor. */
    uint32_t version, ring;
    uint32_t pid;
    uint32_t sees_kernel; /* 1: this recorder may see kernel addresses, and records contain them. */
    uint32_t needs_proof; /* 1: this recorder must send AGENT_PROVE for each new program. */
    uint32_t reserved;
    struct agent_counters counters;
    char sentence[200]; /* For an error: what is wrong and what to do, NUL-terminated. */
};
