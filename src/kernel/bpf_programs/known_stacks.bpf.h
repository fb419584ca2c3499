/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* known_stacks.bpf.h - finds out whether the recorder knows a thread's stack; if not, copies the
 * stack to the ring.
 *
 * The kernel does not unwind.  A known stack is a list of places in it and a hash of the words that
 * were there, in the order in which a walk uses them.  Stacks that begin at the same instruction
 * with the same sp form a tree: the first word in which a stack differs from the one that it is
 * compared with decides which one is compared next. */
#pragma once

#include "programs.bpf.h"
#include "wire/time_units.h"

struct known {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, AGENT_KNOWN_MAX);
    __uint(key_size, sizeof(struct agent_place));
    __uint(value_size, sizeof(struct agent_stack));
};
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, AGENT_PEERS_MAX);
    __type(key, uint32_t);
    __array(values, struct known);
} known_stacks SEC(".maps");

/* Room to put a copy together, one per processor (a per-processor map holds 32 KiB at most).
 * Who finds it in use, in the middle of another program, goes without. */
struct copy_room {
    uint64_t in_use;
    uint8_t bytes[sizeof(struct agent_copy) + AGENT_PIECE_BYTES];
};
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1); /* set to the number of processors */
    __type(key, uint32_t);
    __type(value, struct copy_room);
} copy_rooms SEC(".maps");

/* What a place is said to be before its first stack is known. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, LANES);
    __type(key, uint32_t);
    __type(value, struct agent_stack);
} pending_rooms SEC(".maps");

/* Peers that asked for whole stacks. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, AGENT_PEERS_MAX);
    __type(key, uint32_t);
    __type(value, uint32_t);
} deep_peers SEC(".maps");

#define PENDING_NS   50000000ull   /* so long a recorder may take to answer */
#define BUDGET_BYTES (64ull << 20) /* of new stacks, at once and per second */
#define OUTER_RATE   8u /* so many times as much of outer pieces, which few stacks have */
#define PAGE         4096ull

struct comparing {
    const struct agent_stack *stack;
    uint64_t sp, bp;
    uint64_t hash; /* of the words up to the first that differs, and that one */
    uint64_t from; /* the words in the window begin here */
    uint64_t *window;
    bool differs;
};

/* Brings the word `at` into the window.  Where in it, or WINDOW_WORDS when it cannot be read. */
always uint64_t read_window(struct comparing *now, uint64_t at)
{
    const void *where = (const void *)(now->sp + at * 8);
    now->from = at;
    if (bpf_probe_read_user(now->window, WINDOW_WORDS * 8, where) == 0)
        return 0;
    /* The end of the stack may be nearer than that. */
    now->from = at - (WINDOW_WORDS - 1);
    if (bpf_probe_read_user(&now->window[WINDOW_WORDS - 1], 8, where) == 0)
        return WINDOW_WORDS - 1;
    now->differs = 1;
    return WINDOW_WORDS;
}

always bool compare_word(struct comparing *now, uint32_t i)
{
    if (i >= AGENT_WORDS_MAX || i >= now->stack->count)
        return 0;
    uint64_t at = now->stack->words[i].at, rel, word = now->bp;
    if (at != AGENT_AT_FP) {
        if (at >= AGENT_AT_BELOW)
            at -= AGENT_AT_FP;
        rel = at - now->from;
        if (rel >= WINDOW_WORDS)
            rel = read_window(now, at);
        if (rel >= WINDOW_WORDS)
            return 0;
        word = now->window[rel];
    }
    now->hash = agent_hash_step(now->hash, word);
    if ((uint16_t)now->hash == now->stack->words[i].check)
        return 1;
    now->differs = 1;
    return 0;
}

/* Several at once: a call costs as much as comparing. */
#define AT_ONCE 8u

static long compare_words(uint32_t i, struct comparing *now)
{
#pragma clang loop unroll(full)
    for (uint32_t k = 0; k < AT_ONCE; k++)
        if (!compare_word(now, i * AT_ONCE + k))
            return 1;
    return 0;
}

/* 0: the same; otherwise the branch that leads to those that differ in the same way.  Not
 * static: so it is checked once, by itself. */
__attribute__((noinline)) uint64_t compare_stack(const struct agent_stack *stack,
                                                 struct scratch *scratch, uint64_t sp, uint64_t bp)
{
    if (!stack || !scratch)
        return 1;
    struct comparing now = {.stack = stack,
                            .sp = sp,
                            .bp = bp,
                            .from = 1u << 20, /* none */
                            .window = scratch->window};
    bpf_loop(AGENT_WORDS_MAX / AT_ONCE, compare_words, &now, 0);
    if (!now.differs && now.hash == stack->hash)
        return 0;
    return (now.hash | 1) & ~AGENT_BY_HINT; /* 0 is the first */
}

struct stack_limit {
    uint64_t end;
};

static long find_end(struct task_struct *task, struct vm_area_struct *vma,
                     struct stack_limit *limit)
{
    limit->end = vma->vm_end;
    return 0;
}

struct copying {
    struct copy_room *room;
    uint64_t sp, end, size;
    uint64_t is_readable; /* some of it */
};

/* One page of the stack: the first is what is left of the page that it begins in.  Pages that
 * were never touched are zeros: the stack may be growing just now, or have large arrays. */
static long copy_page(uint32_t i, struct copying *now)
{
    uint64_t from = now->sp + now->size;
    uint64_t size = PAGE - from % PAGE;
    uint64_t at = now->size;
    if (from >= now->end || at > AGENT_PIECE_BYTES - PAGE)
        return 1;
    if (size == 0 || size > PAGE)
        return 1;
    long err = bpf_probe_read_user(now->room->bytes + sizeof(struct agent_copy) + at,
                                   (uint32_t)size, (const void *)from);
    /* Without a branch, which the check of this program would follow both ways each time. */
    now->is_readable |= ~(uint64_t)err >> 63;
    now->size = at + size;
    return 0;
}

/* Go's stacks lie side by side in large mappings.  Its r14 points to what it knows of the
 * running goroutine, which begins with the ends of its stack, a power of two apart.  Not static:
 * so it is checked once, by itself. */
__attribute__((noinline)) uint64_t end_of_stack(uint64_t go, uint64_t sp, uint64_t mapping_end)
{
    uint64_t ends[2];
    if (bpf_probe_read_user(ends, sizeof(ends), (const void *)go) < 0)
        return mapping_end;
    uint64_t size = ends[1] - ends[0];
    if (ends[0] > sp || ends[1] <= sp || ends[1] > mapping_end || size & (size - 1))
        return mapping_end;
    return ends[1];
}

/* Whether there is room for one more stack in what a target may send. */
always bool spend(struct agent_target *target, uint64_t bytes)
{
    uint64_t now = bpf_ktime_get_ns();
    uint64_t gone = now - target->budget_ns;
    if (gone > 10000000) {
        uint64_t sum = target->budget + (gone > NS_PER_SECOND ? BUDGET_BYTES : gone / 15);
        target->budget_ns = now;
        target->budget = sum > BUDGET_BYTES ? BUDGET_BYTES : sum;
    }
    if (target->budget < bytes)
        return 0;
    target->budget -= bytes;
    return 1;
}

/* The number by which records of a copy go, with that of the processor in its lowest
 * AGENT_COPY_CPU_BITS.  Unique among the copies on their way: so many are never unanswered. */
always uint32_t number_copy(struct agent_counters *count)
{
    uint64_t const copies = __sync_fetch_and_add(&count->copies, 1);
    uint32_t const cpu = bpf_get_smp_processor_id() & ((1u << AGENT_COPY_CPU_BITS) - 1);
    return AGENT_STACK_COPY |
           ((uint32_t)(copies << AGENT_COPY_CPU_BITS | cpu) & (AGENT_STACK_COPY - 1));
}

always void fill_copy(struct agent_copy *head, const struct pt_regs *regs,
                      const struct agent_place *place, uint32_t number)
{
    fill_record(&head->record, AGENT_COPY, 0, number, 0);
    copy_registers(head->registers, regs);
    head->generation = place->generation;
    head->branch = place->branch;
    head->below = RED_ZONE_BYTES;
}

/* A stack on its way into a ring. */
struct sending {
    struct copying copying;
    void *ring;
    uint32_t number;
    uint64_t sent; /* bytes above the first piece */
};

/* One of the outer pieces. */
static long send_piece(uint32_t i, struct sending *now)
{
    struct copying *piece = &now->copying;
    struct agent_copy *head = (void *)piece->room->bytes;
    uint64_t size;
    if (piece->sp >= piece->end)
        return 1;
    piece->size = 0;
    bpf_loop(AGENT_PIECE_BYTES / PAGE, copy_page, piece, 0);
    size = piece->size;
    if (size == 0 || size > AGENT_PIECE_BYTES)
        return 1;
    fill_record(&head->record, AGENT_PIECE, 0, now->number, piece->sp);
    head->size = (uint32_t)size;
    if (bpf_ringbuf_output(now->ring, head, sizeof(*head) + (size & 0x1ffff), BPF_RB_NO_WAKEUP) < 0)
        return 1;
    piece->sp += size;
    now->sent += size;
    return 0;
}

/* Where the piece that begins at `sp` ends: at the end of a page, or of the stack. */
always uint64_t end_of_piece(uint64_t sp, uint64_t end)
{
    uint64_t const whole = (sp & ~(PAGE - 1)) + AGENT_PIECE_BYTES;
    return whole < end ? whole : end;
}

/* How much of a stack of `size` bytes is sent. */
always uint64_t affordable(struct agent_target *target, uint64_t size)
{
    uint64_t const piece = size > AGENT_PIECE_BYTES ? AGENT_PIECE_BYTES : size;
    uint64_t const most = (uint64_t)AGENT_PIECE_BYTES * AGENT_PIECES_MAX;
    uint64_t const all = size > most ? most : size;
    uint32_t *is_deep = bpf_map_lookup_elem(&deep_peers, &target->peer);
    if (is_deep && *is_deep && all > piece && spend(target, piece + (all - piece) / OUTER_RATE))
        return all;
    return spend(target, piece) ? piece : 0;
}

/* Who waits for memory is told at once; samples are read often enough, and whoever is woken by
 * them takes the place of the thread that they are of, just after each. */
always uint64_t wakes(void *ring, const struct agent_target *target)
{
    if (!(target->watch & AGENT_WATCH_TIME) ||
        bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) > bpf_ringbuf_query(ring, BPF_RB_RING_SIZE) / 4)
        return BPF_RB_FORCE_WAKEUP;
    return BPF_RB_NO_WAKEUP;
}

/* Puts a stack together in `room` and sends it, the innermost piece last: what came before is
 * whole then. */
always uint32_t copy_through(struct copy_room *room, void *ring, struct agent_target *target,
                             const struct pt_regs *regs, const struct agent_place *place,
                             struct agent_counters *count)
{
    struct stack_limit limit = {.end = REGS_SP(regs) + AGENT_PIECE_BYTES};
    struct agent_copy *head = (void *)room->bytes;
    uint64_t const start = REGS_SP(regs) - RED_ZONE_BYTES;
    bpf_find_vma(bpf_get_current_task_btf(), REGS_SP(regs), find_end, &limit, 0);
    limit.end = end_of_stack(REGS_GO(regs), REGS_SP(regs), limit.end);
    uint64_t taken = 0;
    /* Copies leave a quarter of the ring to records, which are more important. */
    if (bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) <=
        bpf_ringbuf_query(ring, BPF_RB_RING_SIZE) / 4 * 3)
        taken = affordable(target, limit.end - start);
    if (taken == 0) {
        COUNT(count->not_taken);
        return AGENT_STACK_NONE;
    }
    uint32_t const number = number_copy(count);
    uint64_t const first_end = end_of_piece(start, limit.end);
    struct sending now = {.copying = {.room = room, .sp = first_end, .end = start + taken},
                          .ring = ring,
                          .number = number};
    bpf_loop(AGENT_PIECES_MAX, send_piece, &now, 0);
    now.copying = (struct copying){.room = room, .sp = start, .end = first_end};
    bpf_loop(AGENT_PIECE_BYTES / PAGE, copy_page, &now.copying, 0);
    uint64_t size = now.copying.size;
    if (!now.copying.is_readable || size == 0 || size > AGENT_PIECE_BYTES) {
        COUNT(count->unreadable);
        return AGENT_STACK_NONE;
    }
    fill_copy(head, regs, place, number);
    head->size = (uint32_t)size;
    uint64_t const end = start + size + now.sent;
    head->beyond = limit.end > end ? (uint32_t)(limit.end - end) : 0;
    if (bpf_ringbuf_output(ring, head, sizeof(*head) + (size & 0x1ffff), wakes(ring, target)) < 0) {
        COUNT(count->lost);
        return AGENT_STACK_NONE;
    }
    COUNT(count->records);
    return number;
}

/* Sends the stack itself.  The number by which records of it go, or AGENT_STACK_NONE. */
always uint32_t copy_out(struct agent_target *target, const struct pt_regs *regs,
                         const struct agent_place *place, struct agent_counters *count)
{
    uint32_t cpu = bpf_get_smp_processor_id();
    struct copy_room *room = bpf_map_lookup_elem(&copy_rooms, &cpu);
    void *ring = bpf_map_lookup_elem(&rings, &target->peer);
    if (!room || !ring)
        return AGENT_STACK_NONE;
    if (__sync_lock_test_and_set(&room->in_use, 1)) {
        COUNT(count->not_taken);
        return AGENT_STACK_NONE;
    }
    uint32_t number = copy_through(room, ring, target, regs, place, count);
    room->in_use = 0;
    return number;
}

/* Words that tell stacks apart before they are walked: those near sp that are no addresses of
 * the stack itself, which return addresses never are. */
#define HINT_WORDS 32u

struct hinting {
    const uint64_t *words;
    uint64_t sp, hash;
};

static long hint_word(uint32_t i, struct hinting *now)
{
    uint64_t word = now->words[i & (HINT_WORDS - 1)];
    if (word > 0x400000 && word < USER_END && (word ^ now->sp) >> 23)
        now->hash = agent_hash_step(now->hash, word);
    return 0;
}

always uint64_t hint_of(const struct pt_regs *regs, struct scratch *scratch)
{
    struct hinting now = {.words = scratch->window, .sp = REGS_SP(regs)};
    uint32_t size = HINT_WORDS * 8;
    long err = bpf_probe_read_user(scratch->window, size, (const void *)REGS_SP(regs));
    if (err < 0) { /* the next page may be one that was never touched */
        size = (uint32_t)(PAGE - REGS_SP(regs) % PAGE) & (HINT_WORDS * 8 - 1);
        err = bpf_probe_read_user(scratch->window, size, (const void *)REGS_SP(regs));
    }
    if (err == 0)
        bpf_loop(size / 8, hint_word, &now, 0);
    return now.hash;
}

struct found_stack {
    uint32_t stack, flags;
};

/* The number of the stack of the thread that is running, with the registers of its user side;
 * `scratch` is that of `lane`. */
always struct found_stack find_stack(struct agent_target *target, const struct pt_regs *regs,
                                     struct scratch *scratch, uint32_t pid, uint32_t lane)
{
    struct found_stack none = {AGENT_STACK_NONE, 0};
    struct agent_counters *count = count_for(target->peer);
    void *known = bpf_map_lookup_elem(&known_stacks, &target->peer);
    struct agent_place place = {
        .pid = pid, .generation = target->generation, .ip = REGS_IP(regs), .sp = REGS_SP(regs)};
    struct agent_stack *stack = 0, *pending;
    uint64_t hint = 0;
    if (!count || !known)
        return none;
#pragma clang loop unroll(full)
    for (uint32_t i = 0; i < AGENT_BRANCHES; i++) {
        stack = bpf_map_lookup_elem(known, &place);
        if (!stack)
            break;
        if (stack->is_pending) {
            /* Its copy is on its way: if it looks the same, it most likely is. */
            if (bpf_ktime_get_ns() - stack->hash > PENDING_NS)
                break;
            hint = hint ? hint : hint_of(regs, scratch);
            if (stack->hint == hint) {
                COUNT(count->assumed);
                return (struct found_stack){stack->stack, AGENT_ASSUMED};
            }
            if (place.branch & AGENT_BY_HINT)
                break; /* the newer one takes its place; so after the last branch */
            place.branch = hint | AGENT_BY_HINT;
        } else {
            place.branch = compare_stack(stack, scratch, REGS_SP(regs), REGS_FP(regs));
            if (place.branch == 0)
                return (struct found_stack){stack->stack, 0};
        }
    }
    uint32_t number = copy_out(target, regs, &place, count);
    pending = bpf_map_lookup_elem(&pending_rooms, &lane);
    if (!pending || number == AGENT_STACK_NONE)
        return (struct found_stack){number, 0};
    pending->hash = bpf_ktime_get_ns(); /* says another thing while it is pending */
    pending->hint = hint ? hint : hint_of(regs, scratch);
    pending->stack = number;
    pending->is_pending = 1;
    bpf_map_update_elem(known, &place, pending, BPF_ANY);
    return (struct found_stack){number, 0};
}
