/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's random life: it allocates, resizes, frees, gives blocks to other threads and takes
 * theirs, and checks that no block was damaged. */
#include "generator.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAIL_ROOM    256
#define SMALL_ENOUGH 8192 /* bytes of a block that may travel: bounds what lies in the mail */

struct mailbox {
    pthread_mutex_t lock;
    size_t count;
    struct block blocks[MAIL_ROOM];
    size_t siblings; /* how many boxes there are, this one's index */
    size_t index;
};

void die(const char *why)
{
    static const char intro[] = "generator: ";
    if (write(2, intro, sizeof(intro) - 1) < 0 || write(2, why, strlen(why)) < 0 ||
        write(2, "\n", 1) < 0)
        _exit(4);
    _exit(3);
}

void *pages(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        die("no memory for the books");
    return at;
}

uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1du >> 16;
}

static size_t random_below(struct worker *w, size_t limit)
{
    return random_next(&w->random) % limit;
}

struct mailbox *mailboxes_create(size_t count)
{
    struct mailbox *boxes = pages(count * sizeof(*boxes));
    for (size_t i = 0; i < count; i++) {
        pthread_mutex_init(&boxes[i].lock, NULL);
        boxes[i].siblings = count;
        boxes[i].index = i;
    }
    return boxes;
}

struct mailbox *mailbox_at(struct mailbox *boxes, size_t index)
{
    return &boxes[index];
}

void worker_init(struct worker *worker, uint64_t seed, struct mailbox *mail)
{
    worker->random = seed * 0x9e3779b97f4a7c15u + 0x1234567;
    worker_like(worker, &(struct taste){0});
    worker->paths = PROGRAM_PATHS;
    worker->mail = mail;
}

void worker_like(struct worker *worker, const struct taste *taste)
{
    worker->taste = *taste;
    worker->live_cap = taste_live_cap(taste);
}

/* Both ends of a block carry a mark that depends on what the books say about it. */
static unsigned char mark_of(const struct block *block)
{
    return (unsigned char)(block->path * 31 + block->size);
}

static void block_mark(const struct block *block)
{
    if (block->size == 0)
        return;
    block->at[0] = mark_of(block);
    block->at[block->size - 1] = mark_of(block);
}

static void block_check(const struct block *block)
{
    if (block->size == 0)
        return;
    if (block->at[0] != mark_of(block) || block->at[block->size - 1] != mark_of(block))
        die("a block was damaged");
}

static void release(struct worker *w, const struct block *block)
{
    block_check(block);
    books_free(&w->books, block);
    free(block->at);
}

static void keep(struct worker *w, struct block block)
{
    if (w->slot_count == SLOTS) { /* full: the newcomer takes the place of one of the old */
        size_t at = random_below(w, SLOTS);
        release(w, &w->slots[at]);
        w->slots[at] = block;
        return;
    }
    w->slots[w->slot_count++] = block;
}

void worker_add(struct worker *w, void *at, size_t size, uint32_t path)
{
    struct block block = {at, size, path, false};
    books_alloc(&w->books, &block);
    block_mark(&block);
    keep(w, block);
}

void worker_drop_newest(struct worker *w)
{
    release(w, &w->slots[--w->slot_count]);
}

static struct block pick(struct worker *w)
{
    size_t at = random_below(w, w->slot_count);
    /* The newest block often: short lives are the common case in real programs. */
    if (random_below(w, 3) == 0)
        at = w->slot_count - 1;
    if (w->taste.queue)
        at = 0;
    struct block block = w->slots[at];
    if (w->taste.queue)
        memmove(w->slots, w->slots + 1, --w->slot_count * sizeof(block));
    else
        w->slots[at] = w->slots[--w->slot_count];
    return block;
}

static enum route random_route(struct worker *w)
{
    size_t dice = random_below(w, 4096);
    if (w->deep && dice == 0)
        return ROUTE_DEEP;
    if (w->coroutines && dice < 200)
        return ROUTE_COROUTINE;
    if (w->longjmp && dice < 400)
        return ROUTE_LONGJMP;
    if (w->signals && dice < 450)
        return ROUTE_SIGNAL;
    return ROUTE_PLAIN;
}

static void go(struct worker *w, struct order *order)
{
    order->path = (uint32_t)random_below(w, w->paths);
    order->pause_at = -1;
    route_run(random_route(w), w->coroutines, order);
}

void worker_allocate(struct worker *w)
{
    static const char text[301] = {[0 ... 299] = 'x'};
    static const enum operation choices[16] = {
        OP_MALLOC, OP_MALLOC,        OP_MALLOC,         OP_MALLOC,       OP_MALLOC, OP_MALLOC,
        OP_CALLOC, OP_CALLOC,        OP_REALLOC,        OP_REALLOCARRAY, OP_STRDUP, OP_STRDUP,
        OP_VALLOC, OP_ALIGNED_ALLOC, OP_POSIX_MEMALIGN, OP_MEMALIGN};
    struct order order = {.op = choices[random_below(w, 16)], .count = 1};
    order.size = taste_size(&w->taste, &w->random);
    size_t bytes = order.size;

    order.align = taste_align(&w->taste, &w->random);
    if (order.op == OP_CALLOC || order.op == OP_REALLOCARRAY)
        order.count = taste_count(&w->taste, &w->random, 5);
    if (order.op == OP_CALLOC || order.op == OP_REALLOCARRAY)
        bytes = order.count * order.size;
    if (order.op == OP_STRDUP) {
        order.text = text + random_below(w, 300);
        bytes = strlen(order.text) + 1;
    }
    if (order.op == OP_VALLOC && random_below(w, 2))
        order.op = OP_PVALLOC;
    go(w, &order);
    if (!order.result)
        die("an allocation failed");
    worker_add(w, order.result, bytes, order.path);
}

/* A successful realloc is a free of the old block and an allocation of the new one. */
static void resize_to(struct worker *w, struct block old, struct order *order)
{
    size_t bytes = order->count * order->size;
    order->old = old.at;
    block_check(&old);
    go(w, order);
    books_free(&w->books, &old);
    if (bytes == 0) { /* glibc: frees and returns NULL */
        if (order->result)
            die("realloc(p, 0) gave a block");
        return;
    }
    if (!order->result)
        die("a realloc failed");
    worker_add(w, order->result, bytes, order->path);
}

static void resize(struct worker *w)
{
    struct block old = pick(w);
    struct order order = {.op = OP_REALLOC, .count = 1};
    order.size = taste_size(&w->taste, &w->random);
    if (random_below(w, 4) == 0) {
        order.op = OP_REALLOCARRAY;
        order.count = taste_count(&w->taste, &w->random, 4);
    }
    resize_to(w, old, &order);
}

/* As a vector that is pushed to: the block that this made is the newest, and grows again. */
static void grow_by_steps(struct worker *w)
{
    if (w->slot_count == SLOTS)
        return resize(w); /* the newest would not be the last */
    struct order first = {.op = OP_REALLOC, .count = 1, .size = 1 + random_below(w, 64)};
    resize_to(w, pick(w), &first);
    for (size_t steps = random_below(w, 12); steps > 0; steps--) {
        struct block old = w->slots[--w->slot_count];
        struct order order = {.op = OP_REALLOC, .count = 1};
        order.size = old.size + old.size / 2 + random_below(w, 2);
        resize_to(w, old, &order);
    }
}

/* Calls that fail change nothing, in the program and in the books. */
static void fail(struct worker *w)
{
    struct block old = pick(w);
    struct order order = {.op = (enum operation)random_below(w, OP_STRDUP), .count = 1};

    order.size = PTRDIFF_MAX - random_below(w, 1000) * 64;
    order.align = (size_t)16 << random_below(w, 6);
    if (order.op == OP_CALLOC || order.op == OP_REALLOCARRAY)
        order.count = 3 + random_below(w, 1000); /* count * size overflows */
    if (order.op == OP_REALLOC || order.op == OP_REALLOCARRAY)
        order.old = old.at;
    if (order.op == OP_POSIX_MEMALIGN && random_below(w, 2)) {
        order.size = 100;
        order.align = 24; /* no power of two: EINVAL */
    }
    go(w, &order);
    if (order.result)
        die("an impossible allocation succeeded");
    block_check(&old);
    keep(w, old);
}

static void post(struct worker *w)
{
    struct block block = pick(w);
    size_t to = w->mail->siblings > 1 ? 1 + random_below(w, w->mail->siblings - 1) : 0;
    size_t at = (w->mail->index + to) % w->mail->siblings;
    struct mailbox *box = w->mail - w->mail->index + at;
    bool sent = false;

    pthread_mutex_lock(&box->lock);
    if (box->count < MAIL_ROOM && block.size < SMALL_ENOUGH) {
        if (w->books.last == block.at && box != w->mail)
            w->books.last = NULL; /* whoever frees it now is not its thread */
        box->blocks[box->count++] = block;
        sent = true;
    }
    pthread_mutex_unlock(&box->lock);
    if (!sent)
        release(w, &block);
}

static void read_mail(struct worker *w)
{
    struct block block;
    bool got = false;

    pthread_mutex_lock(&w->mail->lock);
    if (w->mail->count > 0) {
        block = w->mail->blocks[--w->mail->count];
        got = true;
    }
    pthread_mutex_unlock(&w->mail->lock);
    if (!got)
        return;
    if (random_below(w, 2))
        release(w, &block);
    else
        keep(w, block);
}

void worker_step(struct worker *w)
{
    size_t dice = random_below(w, 100);

    if (w->slot_count == 0 || (dice < 50 && w->books.net < w->live_cap)) {
        worker_allocate(w);
    } else if (dice < 85) {
        struct block block = pick(w);
        release(w, &block);
    } else if (dice < 94) {
        if (w->taste.chains)
            grow_by_steps(w);
        else
            resize(w);
    } else if (dice < 95) {
        fail(w);
    } else if (!w->mail) {
        worker_allocate(w);
    } else if (dice < 98) {
        post(w);
    } else {
        read_mail(w);
    }
}

/* Only allocations, so that the most bytes are live when the last thread is done. */
void worker_grow(struct worker *w, size_t blocks)
{
    static const enum operation choices[4] = {OP_MALLOC, OP_REALLOC, OP_MEMALIGN, OP_MALLOC};
    for (size_t i = 0; i < blocks && w->grown_count < 1024; i++) {
        struct order order = {.op = choices[random_below(w, 4)], .align = 64};
        order.size = 20000 + random_below(w, 40000);
        if (w->taste.sizes != SIZES_SMALL)
            order.size *= 4;
        go(w, &order);
        if (!order.result)
            die("an allocation failed");
        struct block block = {order.result, order.size, order.path, false};
        books_alloc(&w->books, &block);
        block_mark(&block);
        w->grown[w->grown_count++] = block;
    }
}

void worker_shrink(struct worker *w)
{
    while (w->grown_count > 0)
        release(w, &w->grown[--w->grown_count]);
}

void worker_retire(struct worker *w, unsigned keep_one_in)
{
    if (w->mail) {
        while (w->mail->count > 0) /* nobody writes any more */
            release(w, &w->mail->blocks[--w->mail->count]);
    }
    for (size_t i = 0; i < w->slot_count; i++) {
        if (keep_one_in == 0 || i % keep_one_in != 0)
            release(w, &w->slots[i]);
    }
    w->slot_count = 0;
}

void worker_begin_books(struct worker *w)
{
    struct books *sharp = w->books.sharp;
    memset(&w->books, 0, sizeof(w->books));
    w->books.sharp = sharp;
    w->noise_max = 0;
    for (size_t i = 0; i < w->slot_count; i++)
        w->slots[i].before = true;
    for (size_t i = 0; w->mail && i < w->mail->count; i++)
        w->mail->blocks[i].before = true;
}
