/* SPDX-License-Identifier: Apache-2.0 */
#include "attach_scribe.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "subject.h"
#include "wire/arena.h"
#include "wire/event.h"

void die(const char *what, long why)
{
    say("not ok: %s (%ld)\n", what, why);
    _exit(1);
}

static void *answer(void *arena)
{
    struct arena_bell *bell = arena_bell_of(arena);
    struct timespec step = {0, 5000000};
    for (uint32_t state; (state = atomic_load(&bell->state)) != PLAN_LATE;) {
        if (state == PLAN_ASKED) {
            atomic_compare_exchange_strong(&bell->state, &state, PLAN_READY);
            syscall(SYS_futex, &bell->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        } else if (state == PLAN_TAKEN) {
            atomic_compare_exchange_strong(&bell->state, &state, PLAN_NONE);
            atomic_store(&bell->holder, 0);
        } else {
            syscall(SYS_futex, &bell->state, FUTEX_WAIT, state, &step, NULL, 0);
        }
    }
    return NULL;
}

void scribe_open(struct scribe *scribe, bool follow_children)
{
    pthread_mutexattr_t attributes;
    scribe->fd = memfd_create("scribe", MFD_CLOEXEC);
    if (scribe->fd < 0 || ftruncate(scribe->fd, (off_t)ARENA_BYTES) < 0)
        die("no arena", errno);
    scribe->arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, scribe->fd, 0);
    if (scribe->arena == MAP_FAILED)
        die("no room for an arena", errno);
    struct arena_header *header = scribe->arena;
    header->version = ARENA_VERSION;
    header->size = ARENA_BYTES;
    header->follow_children = follow_children;
    header->recorder_pid = (uint32_t)getpid();
    header->lock_offset = (uint32_t)ARENA_LOCK_AT;
    atomic_store(&header->node_count, TRIE_FIRST_NODE);
    pthread_mutex_t *lock = (pthread_mutex_t *)((char *)scribe->arena + ARENA_LOCK_AT);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    if (pthread_mutex_init(lock, &attributes) != 0 || pthread_mutex_lock(lock) != 0)
        die("no lock", errno);
    header->magic = ARENA_MAGIC;
    if (pthread_create(&scribe->answerer, NULL, answer, scribe->arena) != 0)
        die("no thread", errno);
}

void scribe_close(struct scribe *scribe)
{
    struct arena_bell *bell = arena_bell_of(scribe->arena);
    atomic_store(&bell->state, PLAN_LATE);
    syscall(SYS_futex, &bell->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    pthread_join(scribe->answerer, NULL);
    pthread_mutex_unlock((pthread_mutex_t *)((char *)scribe->arena + ARENA_LOCK_AT));
    munmap(scribe->arena, ARENA_BYTES);
    close(scribe->fd);
}

void scribe_leads_to(struct scribe *scribe, const char *library)
{
    struct arena_header *header = scribe->arena;
    snprintf(header->follow_library, sizeof(header->follow_library), "%s", library);
    snprintf(header->follow_arena, sizeof(header->follow_arena), "/proc/%d/fd/%d", (int)getpid(),
             scribe->fd);
}

/* The first word of a record; an ALLOC that may still become a PAIR is claimed before its read. */
static uint64_t claim_first(uint64_t *place)
{
    uint64_t word = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (event_type_of(word) == EVENT_ALLOC)
        __atomic_compare_exchange_n(place, &word, word | EVENT_TAKEN, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
    return word;
}

static void count_record(struct counts *counts, const uint64_t *ring, uint64_t at, uint64_t first)
{
    uint64_t second = ring[(at + 1) % RING_WORDS];
    switch (event_type_of(first)) {
    case EVENT_PAIR:
        counts->frees++;
        /* fall through */
    case EVENT_ALLOC:
        counts->allocs++;
        counts->bytes += second & (EVENT_SIZE_LIMIT - 1);
        break;
    case EVENT_ALLOC_BIG:
        counts->allocs++;
        counts->bytes += ring[(at + 2) % RING_WORDS];
        break;
    case EVENT_FREE:
        counts->frees++;
        break;
    case EVENT_MOVE:
        counts->moves++;
        break;
    case EVENT_GAP:
        counts->lost += second;
        break;
    case EVENT_THREAD:
        counts->threads++;
        break;
    default:
        break;
    }
}

static void count_ring(struct arena_slot *slot, struct counts *counts)
{
    uint64_t *ring = arena_slot_ring(slot);
    uint64_t at = atomic_load(&slot->tail), head = atomic_load(&slot->head);
    while (at < head) {
        uint64_t first = claim_first(&ring[at % RING_WORDS]);
        unsigned words = event_words(event_type_of(first));
        if (words == 0 || words > head - at) {
            counts->odd++;
            break;
        }
        count_record(counts, ring, at, first);
        at += words;
    }
    atomic_store(&slot->tail, head);
}

void scribe_count(struct scribe *scribe, struct counts *counts)
{
    struct arena_header *header = scribe->arena;
    memset(counts, 0, sizeof(*counts));
    for (uint32_t i = 0; i < atomic_load(&header->slot_high); i++)
        count_ring(arena_slot_at(scribe->arena, i), counts);
    counts->processes = atomic_load(&header->serials);
}

void tracer_load(const char *path, struct tracer *tracer)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        say("not ok: %s\n", dlerror());
        _exit(1);
    }
    *(void **)&tracer->attach = dlsym(library, "memoir_tracer_attach");
    *(void **)&tracer->detach = dlsym(library, "memoir_tracer_detach");
    if (!tracer->attach || !tracer->detach)
        die("no attach in the library", 0);
}
