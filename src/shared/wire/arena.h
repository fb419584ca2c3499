/* arena.h - the memory that a watched program and its recorder share.
 *
 * The recorder creates it (a memfd); the tracer in each watched process maps it.  All fields have
 * fixed widths and nothing ever moves, so either side may die at any instruction and the other side
 * still reads valid data; only the memory of free slots is given back.  One arena serves a whole
 * process tree.
 *
 *   header | processes | tags of slots | modules | plan (wire/inside.h) | trie nodes | trie
 *   index | slots
 *
 * A slot belongs to one thread at a time: it has the thread's counters, the tracer's memory of the
 * thread's last stack, and a ring of event words (wire/event.h).  The ring has one writer, the
 * thread, and one reader.  Only the tracer uses the trie's index and that memory of the last stack
 * (tracer/stacks/trie_index.h, slot_memory.h); this file only says where they are.
 *
 * Every process of the tree can write to the whole arena, also a process with fewer rights than
 * others.  So neither side trusts it: an index, a count or an address is compared with what the
 * reader itself knows. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "wire/inside.h"
#include "wire/invariant.h"

#define ARENA_MAGIC   0x314152494f4d454dull /* The bytes "MEMOIRA1". */
#define ARENA_VERSION 15u

#define ARENA_PROCESSES 1024u
#define ARENA_MODULES   8192u
#define ARENA_NODES     (1u << 22)
#define ARENA_SLOTS     4096u

#define RING_BYTES  (512u * 1024u)
#define RING_WORDS  (RING_BYTES / 8)
#define SLOT_STRIDE (1408u * 1024u)
#define SLOT_OWN_AT 4096u /* Memory of the tracer alone, between a slot's head and its ring. */

/* Each stack ends in one of these nodes, at its outermost end; nodes from TRIE_FIRST_NODE on are
 * frames. */
enum trie_root {
    TRIE_NONE = 0,
    TRIE_COMPLETE = 1,
    TRIE_NO_RULE = 2,
    TRIE_BAD_FRAME = 3,
    TRIE_TOO_DEEP = 4,
    TRIE_FULL = 5, /* No room for new nodes: the stack is not kept. */
    TRIE_FIRST_NODE = 8
};

struct trie_node {
    uint64_t ip;     /* Return address as seen on the stack. */
    uint32_t parent; /* The next outer frame, or a trie_root. */
    uint32_t module; /* Index into modules; MODULE_UNKNOWN for code in none. */
    uint32_t target; /* This node, or the node to which a fold of deep recursion leads. */
    uint32_t depth;  /* Number of outer frames; the top bit: recursion was folded on the way. */
};
#define TRIE_FOLDED    0x80000000u
#define MODULE_UNKNOWN 0u /* modules[0] is never a real module. */

/* The recorder frees the modules of processes that have ended.  It sets LEAVING, checks whether the
 * module was used again meanwhile, and only then sets FREE. */
enum module_state { MODULE_FREE, MODULE_READY, MODULE_TAKING, MODULE_LEAVING };
struct arena_module {
    _Atomic uint32_t state; /* MODULE_READY once the rest is written. */
    uint32_t family;        /* Of the processes that have it. */
    uint64_t start, end;    /* Mapped range. */
    uint64_t bias;
    uint8_t build_id[32];
    uint32_t build_id_size;
    char path[428];
};

/* The recorder frees the entry of a process that has ended, once it has read the events. */
enum process_state { PROCESS_FREE, PROCESS_RUNNING, PROCESS_TAKING };
struct arena_process {
    _Atomic uint32_t state;
    uint32_t pid;       /* As the recorder sees it; 0: unknown. */
    uint32_t local_pid; /* As the process sees it, in its own PID namespace. */
    uint32_t parent_pid;
    uint32_t forked; /* 1: began by fork, without exec. */
    /* Counts up: of two entries with one PID, the higher serial is the later program. */
    uint32_t serial;
    /* Serial of the first process of this image; processes forked from it share it. */
    uint32_t family;
    /* For a process that began by fork: its parent's entry and serial, and the ID of the FORK
     * record that its parent wrote; 0: none. */
    uint32_t parent, parent_serial, fork_id;
    uint64_t start_tsc;
    uint64_t data_start, data_end; /* Of the tracer's own variables, which nobody shares. */
    _Atomic uint64_t confined_tsc; /* When it forbade itself what tracing needs; 0: it did not. */
    /* Of threads that gave their slot back, or got none. */
    _Atomic uint64_t calls, bytes, frees, lost;
    _Atomic uint64_t pool_calls, pool_bytes;
    _Atomic uint64_t thinned_calls, thinned_bytes;
    _Atomic uint64_t waits, wait_ticks;
    _Atomic uint64_t
        peak_kib;   /* Of resident memory, told at the process's end; 0: it is unknown. */
    char path[408]; /* Of the executable, as the kernel was given it. */
};

/* The head of a thread's slot.  Three groups of cache lines: the thread writes the first, the
 * reader the second, the tracer alone uses the third.  Members that only the thread reads are in
 * the first, too, so that a cache line has what is used together. */
struct arena_slot {
    /* Written by the thread; the reader looks at the first line only. */
    _Alignas(64) _Atomic uint64_t head; /* Words ever written; word i is at ring[i % RING_WORDS]. */
    _Alignas(64) uint64_t next;         /* The head, for the thread itself. */
    uint64_t look_at;                   /* Head at which to look at the reader's tail again. */
    uint64_t calls, bytes, frees;       /* Exact, also for events that found the ring full. */
    uint64_t last_clock;                /* The clock word as last seen. */
    uint64_t quiet_events;              /* Since the clock word last changed. */
    uint64_t last_block; /* This thread's newest block if nothing was allocated since. */
    /* The gap that is counted while the ring is full. */
    _Alignas(64) uint64_t gap_events;
    uint64_t gap_calls, gap_bytes, gap_frees, gap_start;
    uint64_t waits, wait_ticks;
    uint64_t thin_quota; /* While `thin`: bytes until the next allocation is recorded. */
    /* Of allocations that were not recorded because of that. */
    uint64_t thinned_calls, thinned_bytes;
    uint64_t lost;        /* Events that found the ring full. */
    uint64_t last_alloc;  /* Where this thread's last ALLOC record is, in words ever written. */
    uint64_t last_time;   /* Newest time written to the ring. */
    uint64_t last_before; /* What last_block was before the realloc under way. */
    uint64_t cost_ticks, cost_events; /* The tracer's own time, measured on a few events. */
    /* Of blocks told through memoir.h; exact, like the numbers above. */
    uint64_t pool_calls, pool_bytes;

    /* Written by the reader. */
    _Alignas(64) _Atomic uint64_t tail;
    _Atomic uint32_t waiting; /* Futex: the thread sleeps here until there is room. */

    /* For the tracer alone. */
    _Alignas(64) uint64_t stack_high; /* The end of the thread's own stack, for the recorder. */
    /* 1: the ring is nearly full, so allocations are sampled: tracer/rings/thin.h. */
    uint32_t thin;
    uint64_t rate;        /* As this thread's ring knows it. */
    uint64_t thread_word; /* First word of the THREAD record ... */
    uint32_t announce;    /* ... that must still be written. */
    uint32_t nested;      /* Events inside our own code, from signal handlers; not recorded. */
};

/* The owner of a slot.  Apart from the slot, so that a thread that looks for a free one need not
 * map them all. */
struct arena_tag {
    _Atomic uint32_t owner; /* TID; 0: free; SLOT_TAKING in between. */
    uint32_t process;       /* PROCESS_NONE once the process has ended. */
    uint32_t tid; /* As the recorder sees it; `owner` is the TID that the thread itself sees. */
    /* The thread is past its destructors; the slot is free once the thread is gone. */
    uint32_t dying;
};
#define SLOT_TAKING  0xffffffffu
#define PROCESS_NONE 0xffffffffu

/* Flags of memoir_tracer_attach and memoir_tracer_detach. */
#define ATTACH_MAY_BARRIER 1ul /* No filter of the thread that they run on forbids membarrier(2). */

/* What to trace: all allocations, none, or samples. */
#define RATE_FULL 0ull
#define RATE_OFF  UINT64_MAX

/* Events of a thread without a time of their own allocate and free less than this, together: for
 * each of several threads, the live bytes may be off by this much.  A block that is freed before
 * anything else happens in its thread may be one record with its free, and must not be larger than
 * ORDER_PAIR_BYTES. */
#define ORDER_UNSURE_BYTES 4096u
#define ORDER_PAIR_BYTES   1024u

/* If the clock word is 0, the threads must read the time themselves. */
struct arena_header {
    uint64_t magic;
    uint32_t version;
    uint32_t follow_children;
    uint64_t size;
    uint32_t target_pid;  /* The process that was started. */
    uint32_t lock_offset; /* Of a robust lock word that the recorder holds while it lives. */
    uint32_t recorder_pid;
    /* Set to 1 by another memoir: the recorder must leave the program. */
    _Atomic uint32_t end_asked;
    _Alignas(64) _Atomic uint64_t clock; /* TSC, as of the recorder's last round. */
    _Alignas(64) _Atomic uint64_t rate;  /* RATE_FULL, RATE_OFF, or bytes per sample on average. */
    _Atomic uint64_t samples_dropped;    /* Samples that found no room in the tracer's table. */
    /* Counts up whenever something was read from a ring. */
    _Alignas(64) _Atomic uint64_t progress;
    /* Longest time that a thread waits for room in its ring; 0: as long as there is progress. */
    _Atomic uint64_t longest_wait_ns;
    _Alignas(64) _Atomic uint32_t off; /* 1: stop tracing, for ever. */
    _Atomic uint32_t sleeping; /* Futex: the recorder sleeps here; a thread sets 0 and wakes it. */
    /* Numbers above all entries ever used; modules[0] is none. */
    _Alignas(64) _Atomic uint32_t process_high, module_high;
    _Atomic uint32_t slot_high;
    uint32_t slot_limit;                 /* Number of slots that the recorder can read; 0: all. */
    _Atomic uint32_t serials;            /* Given to processes so far. */
    _Atomic uint32_t unlisted_processes; /* Ran untraced because the list was full. */
    _Atomic uint32_t unlisted_modules;
    /* Number of programs that were executed where the arena cannot be reached. */
    _Atomic uint32_t left_behind;
    /* Number of processes that were started and not recorded, because children are not. */
    _Atomic uint32_t children_let_go;
    /* The program waits before its end while the recorder sets holds_end; before, it sets that it
     * is leaving, and with which status. */
    _Atomic uint32_t holds_end, leaving, leave_status;
    _Alignas(64) _Atomic uint32_t node_count;
    /* For an attached program whose children are followed: what the children need in their
     * environment, in their view of the file system; empty: they are not followed. */
    char follow_library[1024], follow_arena[100];
    /* The path of an attached program's executable, if it has no /proc to ask. */
    char attached_path[428];
    /* The file name of the first program that was left behind; "" if unknown. */
    _Alignas(8) char left_program[64];
};

#define ARENA_PAGE(x)      (((x) + 4095ull) & ~4095ull)
#define ARENA_LOCK_AT      4096ull /* The lock has a page of its own. */
#define ARENA_PROCESSES_AT 8192ull
#define ARENA_TAGS_AT                                                                              \
    ARENA_PAGE(ARENA_PROCESSES_AT + ARENA_PROCESSES * sizeof(struct arena_process))
#define ARENA_MODULES_AT  ARENA_PAGE(ARENA_TAGS_AT + ARENA_SLOTS * sizeof(struct arena_tag))
#define ARENA_BELL_AT     ARENA_PAGE(ARENA_MODULES_AT + ARENA_MODULES * sizeof(struct arena_module))
#define ARENA_NODES_AT    ARENA_PAGE(ARENA_BELL_AT + sizeof(struct arena_bell))
#define ARENA_INDEX_AT    ARENA_PAGE(ARENA_NODES_AT + ARENA_NODES * sizeof(struct trie_node))
#define ARENA_INDEX_BYTES (24ull << 20)
#define ARENA_SLOTS_AT                                                                             \
    ((ARENA_INDEX_AT + ARENA_INDEX_BYTES + SLOT_STRIDE - 1) / SLOT_STRIDE * SLOT_STRIDE)
#define ARENA_BYTES (ARENA_SLOTS_AT + (uint64_t)ARENA_SLOTS * SLOT_STRIDE)

static inline struct arena_process *arena_process_at(struct arena_header *arena, uint32_t index)
{
    INVARIANT(index < ARENA_PROCESSES);
    return (struct arena_process *)((char *)arena + ARENA_PROCESSES_AT) + index;
}

static inline struct arena_tag *arena_tag_at(struct arena_header *arena, uint32_t slot)
{
    INVARIANT(slot < ARENA_SLOTS);
    return (struct arena_tag *)((char *)arena + ARENA_TAGS_AT) + slot;
}

static inline struct arena_module *arena_module_at(struct arena_header *arena, uint32_t index)
{
    INVARIANT(index < ARENA_MODULES);
    return (struct arena_module *)((char *)arena + ARENA_MODULES_AT) + index;
}

static inline struct arena_bell *arena_bell_of(struct arena_header *arena)
{
    return (struct arena_bell *)((char *)arena + ARENA_BELL_AT);
}

static inline struct trie_node *arena_node_at(struct arena_header *arena, uint32_t id)
{
    INVARIANT(id < ARENA_NODES);
    return (struct trie_node *)((char *)arena + ARENA_NODES_AT) + id;
}

static inline struct arena_slot *arena_slot_at(struct arena_header *arena, uint32_t index)
{
    INVARIANT(index < ARENA_SLOTS);
    return (struct arena_slot *)((char *)arena + ARENA_SLOTS_AT + (uint64_t)index * SLOT_STRIDE);
}

/* What a thread counts, and its process for threads that are gone. */
#define ARENA_COUNTERS(each)                                                                       \
    each(calls) each(bytes) each(frees) each(pool_calls) each(pool_bytes) each(thinned_calls)      \
        each(thinned_bytes) each(waits) each(wait_ticks)

/* Adds the counters of a thread that is gone to those of its process. */
static inline void arena_slot_hand_over(struct arena_slot *slot, struct arena_process *process)
{
#define HAND_OVER(counter)                                                                         \
    atomic_fetch_add(&process->counter, slot->counter);                                            \
    slot->counter = 0;
    ARENA_COUNTERS(HAND_OVER)
#undef HAND_OVER
    atomic_fetch_add(&process->lost, slot->lost + slot->nested);
    slot->lost = 0;
    slot->nested = 0;
}

static inline uint64_t *arena_slot_ring(struct arena_slot *slot)
{
    return (uint64_t *)((char *)slot + SLOT_STRIDE - RING_BYTES);
}

_Static_assert(sizeof(struct trie_node) == 24, "shared layout");
_Static_assert(sizeof(struct arena_header) <= 4096, "the header is one page");
_Static_assert(sizeof(struct arena_slot) <= SLOT_OWN_AT, "a slot's head is one page");
