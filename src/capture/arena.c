/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/arena.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The kernel marks a robust lock when its owner dies, however it dies. */
static int take_lock(struct arena *arena)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)((char *)arena->memory + ARENA_LOCK_AT);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    int err = pthread_mutex_init(lock, &attributes);
    if (err == 0)
        err = pthread_mutex_lock(lock);
    pthread_mutexattr_destroy(&attributes);
    arena->header->lock_offset = (uint32_t)ARENA_LOCK_AT; /* its first word is the owner */
    return -err;
}

/* Once it is unmapped the kernel cannot mark it any more, and whoever still has the arena would take us for alive. */
static void give_up_lock(struct arena *arena)
{
    if (arena->memory && arena->header && arena->header->lock_offset == ARENA_LOCK_AT)
        pthread_mutex_unlock((pthread_mutex_t *)((char *)arena->memory + ARENA_LOCK_AT));
}

int arena_open(struct arena *arena, bool follow_children, struct fault *fault)
{
    memset(arena, 0, sizeof(*arena));
    arena->fd = memfd_create("memoir", MFD_CLOEXEC);
    if (arena->fd < 0 || ftruncate(arena->fd, (off_t)ARENA_BYTES) < 0) {
        int err = -errno;
        arena_close(arena);
        return fault_set(fault, err,
                         "cannot make the shared memory for recording: %s; see `ulimit -f`",
                         strerror(-err));
    }
    arena->memory = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, arena->fd, 0);
    if (arena->memory == MAP_FAILED) {
        int err = -errno;
        arena->memory = NULL;
        arena_close(arena);
        return fault_set(
            fault, err, "cannot map %llu MiB of address space for recording: %s; raise `ulimit -v`",
            (unsigned long long)(ARENA_BYTES >> 20), strerror(-err));
    }
    struct arena_header *header = arena->header = arena->memory;
    header->version = ARENA_VERSION;
    header->size = ARENA_BYTES;
    header->follow_children = follow_children;
    header->recorder_pid = (uint32_t)getpid();
    atomic_store(&header->node_count, TRIE_FIRST_NODE);
    int err = take_lock(arena);
    if (err < 0) {
        arena_close(arena);
        return fault_set(fault, err, "cannot take the recorder's lock: %s", strerror(-err));
    }
    header->magic = ARENA_MAGIC;
    return 0;
}

void arena_close(struct arena *arena)
{
    if (arena->header)
        atomic_store(&arena->header->off, 1);
    give_up_lock(arena);
    if (arena->memory)
        munmap(arena->memory, ARENA_BYTES);
    if (arena->fd >= 0)
        close(arena->fd);
    *arena = (struct arena){.fd = -1};
}

void arena_path(const struct arena *arena, char *path, size_t size)
{
    snprintf(path, size, "/proc/%d/fd/%d", (int)getpid(), arena->fd);
}
