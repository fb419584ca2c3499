/* generator.h - a program that allocates at random and keeps exact books of what it did.
 *
 * Every allocation goes through a *path*: a leaf function site_NNN reached through a chain of
 * functions hop_X.  The books count per path.  All bookkeeping lives in memory from mmap, so that
 * the only blocks of the heap are those in the books (and those libc makes for itself, which have
 * no site_ frame on their stack). */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SITES           128
#define CHAINS_PER_SITE 4
#define HOPS            16 /* hop_a .. hop_p */
#define LIBRARY_SITES   4  /* in each of the two libraries of --dlopen */
#define LIBRARIES       2
#define PROGRAM_PATHS   (SITES * CHAINS_PER_SITE)
#define PATHS           (PROGRAM_PATHS + LIBRARIES * LIBRARY_SITES)
#define CHAIN_ROOM      16

enum operation {
    OP_MALLOC,
    OP_CALLOC,
    OP_REALLOC, /* old NULL: as malloc; size 0 with old: a free */
    OP_REALLOCARRAY,
    OP_ALIGNED_ALLOC,
    OP_POSIX_MEMALIGN,
    OP_MEMALIGN,
    OP_VALLOC,
    OP_PVALLOC,
    OP_STRDUP,
    OPERATIONS
};

struct block {
    unsigned char *at;
    size_t size; /* asked for */
    uint32_t path;
    bool before; /* made before somebody attached: in nobody's books */
};

/* One allocation on its way down a path. */
struct order {
    enum operation op;
    size_t count, size; /* count is used by calloc and reallocarray alone */
    size_t align;
    void *old;
    const char *text; /* for strdup */
    uint32_t path;
    int step;       /* hops still to go */
    int pause_at;   /* the step at which a coroutine yields; -1: none */
    jmp_buf *leave; /* when set, the innermost frame leaves by longjmp instead of returning */
    void *result;
};

/* Paths (generator_paths.c). */
void paths_init(void);
const char *path_chain(uint32_t path);               /* hop letters, innermost first */
void path_name(uint32_t path, char text[static 48]); /* "site_017/cafe" */
void path_run(struct order *order);                  /* down the chain, to the allocation */
void coroutine_yield(void);                          /* generator_routes.c; called by a hop */

/* Routes: ways to get to a path that are hard on a stack walker (generator_routes.c). */
enum route { ROUTE_PLAIN, ROUTE_LONGJMP, ROUTE_COROUTINE, ROUTE_DEEP, ROUTE_SIGNAL };
struct coroutines;
struct coroutines *coroutines_create(void);
void route_run(enum route route, struct coroutines *own, struct order *order);

/* Books (generator_books.c). */
struct tally {
    uint64_t calls, bytes, frees, freed, temporary;
};
struct books {
    struct tally paths[PATHS];
    void *last;           /* the newest block of this thread, if nothing was allocated since */
    int64_t net, net_max; /* allocated minus freed by this thread */
    bool at_peak;         /* sharp: net == net_max and the picture is not yet taken */
    struct books *sharp;  /* where to keep the picture of the peak; NULL: not kept here */
};
void books_alloc(struct books *books, const struct block *block);
void books_free(struct books *books, const struct block *block);
void books_add(struct books *sum, const struct books *part);
/* The table for people and for exact.sh: one line per path and a total. */
void books_print(int fd, const struct books *end, const struct books *peak);

/* What blocks a worker likes (generator_taste.c). */
enum sizes {
    SIZES_SMALL,  /* as most programs have them */
    SIZES_WIDE,   /* every order of magnitude from 1 B to 1 GiB, or to 4 MiB beside other threads */
    SIZES_PAGES,  /* multiples of a page, and a byte beside them */
    SIZES_POWERS, /* powers of two: blocks at strides that are the same in their low bits */
};
struct taste {
    enum sizes sizes;
    bool aligned; /* to as much as 2 MiB */
    bool chains;  /* blocks that grow again and again by realloc */
    bool queue; /* the oldest block goes first: lives are long, and freed in the order of making */
    bool alone; /* no other threads: nothing bounds the sizes */
};
bool taste_read_sizes(const char *name, enum sizes *sizes);
size_t taste_size(const struct taste *taste, uint64_t *random);
size_t taste_align(const struct taste *taste, uint64_t *random);
int64_t taste_live_cap(
    const struct taste *taste); /* bytes a worker has before it frees more than it makes */
size_t taste_count(const struct taste *taste, uint64_t *random,
                   size_t limit); /* elements of an array, below limit */

/* Workers (generator_worker.c): a thread's random allocations. */
#define SLOTS 4096
struct mailbox;
struct worker {
    struct books books;
    struct block slots[SLOTS];
    struct block grown[1024]; /* blocks of the peak phase */
    size_t slot_count, grown_count;
    uint64_t random;
    uint32_t paths; /* how many of them it uses */
    int64_t live_cap;
    int64_t noise_max; /* the most this thread had outside the peak phase */
    struct mailbox *mail;
    struct coroutines *coroutines;
    bool deep, longjmp, signals;
    struct taste taste;
};
void *pages(size_t bytes); /* zeroed memory from mmap; ends the program when there is none */
void die(const char *why) __attribute__((noreturn));
uint64_t random_next(uint64_t *state);

void worker_init(struct worker *worker, uint64_t seed, struct mailbox *mail);
void worker_like(struct worker *worker, const struct taste *taste);
void worker_allocate(struct worker *worker);
void worker_step(struct worker *worker); /* one random operation */
void worker_grow(struct worker *worker, size_t blocks);
void worker_shrink(struct worker *worker);
void worker_retire(struct worker *worker, unsigned keep_one_in); /* 0: keep none */
/* Puts an allocation of `path` into the books, and the block into the worker's hands. */
void worker_add(struct worker *worker, void *at, size_t size, uint32_t path);

void worker_drop_newest(struct worker *worker);

void worker_begin_books(struct worker *worker); /* from here on */

struct mailbox *mailboxes_create(size_t count);
struct mailbox *mailbox_at(struct mailbox *boxes, size_t index);

/* Meets whoever attaches and detaches (generator_meeting.c): says so through one pipe that has a
 * name, and waits at another.  Both are files of the test. */
struct meeting {
    const char *ready, *go; /* NULL: nobody comes */
};
void meeting_wait(const struct meeting *meeting);

/* Hazards beside the workers (generator_hazards.c), run by the main thread. */
struct hazards {
    bool fork, signals, dlopen, churn;
    unsigned churn_threads, children, reloads;
    uint32_t paths; /* of the short threads */
};
void hazards_start(const struct hazards *hazards);
void hazards_round(const struct hazards *hazards, struct worker *own);
void hazards_stop(void);
void hazards_thread_start(const struct hazards *hazards); /* in each thread that takes signals */
void run_in_signal(struct order *order);                  /* the path is run by a signal handler */
void hazards_books(struct books *sum);                    /* adds the books of the short threads */
int64_t hazards_noise(void);                              /* the most they had */
