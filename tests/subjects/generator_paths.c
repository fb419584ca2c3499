/* SPDX-License-Identifier: Apache-2.0 */
/* The call paths: 128 leaf functions, sixteen functions to reach them through. */
#include "generator.h"

#include <alloca.h>
#include <malloc.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE     __attribute__((noinline, noclone))
#define KEEP_FRAME() __asm__ volatile("" ::: "memory") /* no tail call, no reuse of the frame */

static char chains[PATHS][CHAIN_ROOM];

/* The one place where blocks are made; inlined, so that the caller of malloc is site_NNN. */
static inline __attribute__((always_inline)) void perform(struct order *o)
{
    void *at = NULL;
    switch (o->op) {
    case OP_MALLOC:
        at = malloc(o->size);
        break;
    case OP_CALLOC:
        at = calloc(o->count, o->size);
        break;
    case OP_REALLOC:
        at = realloc(o->old, o->size);
        break;
    case OP_REALLOCARRAY:
        at = reallocarray(o->old, o->count, o->size);
        break;
    case OP_ALIGNED_ALLOC:
        at = aligned_alloc(o->align, o->size);
        break;
    case OP_POSIX_MEMALIGN:
        if (posix_memalign(&at, o->align, o->size) != 0)
            at = NULL;
        break;
    case OP_MEMALIGN:
        at = memalign(o->align, o->size);
        break;
    case OP_VALLOC:
        at = valloc(o->size);
        break;
    case OP_PVALLOC:
        at = pvalloc(o->size);
        break;
    case OP_STRDUP:
        at = strdup(o->text);
        break;
    default:
        abort();
    }
    o->result = at;
    if (o->leave)
        longjmp(*o->leave, 1);
    KEEP_FRAME();
}

#define DEFINE_SITE(n)                                                                             \
    static NOINLINE void site_##n(struct order *o)                                                 \
    {                                                                                              \
        perform(o);                                                                                \
    }
#define NAME_SITE(n) site_##n,
#define EIGHT(f, n)  f(n##0) f(n##1) f(n##2) f(n##3) f(n##4) f(n##5) f(n##6) f(n##7)
#define SIXTY_FOUR(f, n)                                                                           \
    EIGHT(f, n##0)                                                                                 \
    EIGHT(f, n##1)                                                                                 \
    EIGHT(f, n##2) EIGHT(f, n##3) EIGHT(f, n##4) EIGHT(f, n##5) EIGHT(f, n##6) EIGHT(f, n##7)

SIXTY_FOUR(DEFINE_SITE, 0)
SIXTY_FOUR(DEFINE_SITE, 1)
static void (*const sites[SITES])(struct order *) = {SIXTY_FOUR(NAME_SITE, 0)
                                                         SIXTY_FOUR(NAME_SITE, 1)};

typedef void hop_function(struct order *);
static hop_function *const hops[HOPS];

static inline __attribute__((always_inline)) void next(struct order *o)
{
    if (o->step == o->pause_at)
        coroutine_yield();
    if (o->step == 0)
        sites[o->path / CHAINS_PER_SITE](o);
    else
        hops[chains[o->path][--o->step] - 'a'](o);
    KEEP_FRAME();
}

static inline __attribute__((always_inline)) void use(void *memory)
{
    __asm__ volatile("" ::"r"(memory) : "memory");
}

/* Frames of every kind a compiler makes: fixed sizes, alloca, over-aligned locals. */
#define HOP_FIXED(letter, bytes)                                                                   \
    static NOINLINE void hop_##letter(struct order *o)                                             \
    {                                                                                              \
        char room[bytes];                                                                          \
        use(room);                                                                                 \
        next(o);                                                                                   \
    }
#define HOP_ALLOCA(letter, modulus)                                                                \
    static NOINLINE void hop_##letter(struct order *o)                                             \
    {                                                                                              \
        use(alloca(16 + o->size % (modulus)));                                                     \
        next(o);                                                                                   \
    }
#define HOP_ALIGNED(letter, boundary)                                                              \
    static NOINLINE void hop_##letter(struct order *o)                                             \
    {                                                                                              \
        alignas(boundary) char room[boundary];                                                     \
        use(room);                                                                                 \
        next(o);                                                                                   \
    }
#define HOP_REGISTERS(letter, salt)                                                                \
    static NOINLINE void hop_##letter(struct order *o)                                             \
    {                                                                                              \
        size_t a = o->size * salt, b = o->count + salt, c = o->align ^ salt, d = o->path + salt;   \
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));                                 \
        next(o);                                                                                   \
        __asm__ volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d));                                     \
    }

HOP_FIXED(a, 8)
HOP_FIXED(b, 40)
HOP_FIXED(c, 200)
HOP_FIXED(d, 1000)
HOP_FIXED(e, 6000)
HOP_ALLOCA(f, 64)
HOP_ALLOCA(g, 512)
HOP_ALLOCA(h, 4096)
HOP_ALIGNED(i, 32)
HOP_ALIGNED(j, 64)
HOP_ALIGNED(k, 256)
HOP_REGISTERS(l, 3)
HOP_REGISTERS(m, 5)
HOP_REGISTERS(n, 7)
HOP_FIXED(o, 24)
HOP_FIXED(p, 72)

static hop_function *const hops[HOPS] = {hop_a, hop_b, hop_c, hop_d, hop_e, hop_f, hop_g, hop_h,
                                         hop_i, hop_j, hop_k, hop_l, hop_m, hop_n, hop_o, hop_p};

/* No letter twice in a chain: a recording may fold recursion, and then a chain would not be the
 * one in the books. */
static void make_chain(uint32_t path)
{
    uint64_t random = 0x9e3779b97f4a7c15u * (path + 1);
    char letters[HOPS];
    for (int i = 0; i < HOPS; i++)
        letters[i] = (char)('a' + i);
    /* The first chain of a site is empty for some sites; chains of one site differ in length. */
    size_t length = path % CHAINS_PER_SITE * 4 + random_next(&random) % 4;
    for (size_t i = 0; i < length && i < CHAIN_ROOM - 1; i++) {
        size_t other = i + random_next(&random) % (HOPS - i);
        char letter = letters[other];
        letters[other] = letters[i];
        letters[i] = letter;
        chains[path][i] = letter;
    }
}

void paths_init(void)
{
    for (uint32_t path = 0; path < PROGRAM_PATHS; path++)
        make_chain(path);
}

const char *path_chain(uint32_t path)
{
    return chains[path];
}

void path_name(uint32_t path, char text[static 48])
{
    uint32_t site = path / CHAINS_PER_SITE, own = path - PROGRAM_PATHS;
    if (path < PROGRAM_PATHS)
        snprintf(text, 48, "site_%03o/%s", site, chains[path]);
    else
        snprintf(text, 48, "site_%s_%u/", own < LIBRARY_SITES ? "alpha" : "beta",
                 own % LIBRARY_SITES);
}

NOINLINE void path_run(struct order *order)
{
    order->step = (int)strlen(chains[order->path]);
    next(order);
}
