/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/invariant.h"
#include "capture/rings/arena_users.h"

#define DESCRIPTORS_LEAST 24 /* of which a recording that does little has a dozen open */
#define SLOTS_LEAST       16u
#define SEALS             (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* The list has one entry, and the distance from that to the word is the same for all entries of
 * a list. */
static int claim_lock(struct arena *arena)
{
    INVARIANT(!arena->will);
    struct arena_will *will = arena->will = calloc(1, sizeof(*will));
    if (!will)
        return -ENOMEM;
    if (syscall(SYS_get_robust_list, 0, &will->before, &will->before_size) < 0)
        return -errno;
    will->head.list.next = &will->entry;
    will->entry.next = &will->head.list;
    will->head.futex_offset = (long)(shared_lock_address(arena->memory) - (uintptr_t)&will->entry);
    shared_set_lock(arena->memory, (uint32_t)gettid());
    shared_set(arena->memory, lock_offset, ARENA_LOCK_AT);
    return syscall(SYS_set_robust_list, &will->head, sizeof(will->head)) < 0 ? -errno : 0;
}

/* Once it is unmapped the kernel cannot mark it any more, and whoever still has the arena would
 * take us for alive. */
static void give_up_lock(struct arena *arena)
{
    if (!arena->will)
        return;
    syscall(SYS_set_robust_list, arena->will->before, sizeof(struct robust_list_head));
    shared_set_lock(arena->memory, 0);
    free(arena->will);
}

static const char *hint_for(int err)
{
    if (err == -EFBIG)
        return "; raise `ulimit -f`";
    if (err == -EMFILE)
        return "; raise `ulimit -n`";
    return err == -ENFILE ? "; the whole machine has too many files open (fs.file-max)" : "";
}

/* What fails for want of descriptors later may look like anything. */
static int check_descriptors(struct fault *fault)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur >= DESCRIPTORS_LEAST)
        return 0;
    return fault_set(fault, -EMFILE,
                     "memoir may open only %llu files here, but recording needs %d: raise the "
                     "limit with `ulimit -n %d`",
                     (unsigned long long)files.rlim_cur, DESCRIPTORS_LEAST, DESCRIPTORS_LEAST);
}

static uint64_t bytes_of(uint32_t slots)
{
    INVARIANT(slots <= ARENA_SLOTS);
    return ARENA_SLOTS_AT + (uint64_t)slots * SLOT_STRIDE;
}

/* A limit on our address space that we could not lift leaves room for fewer threads: half of it
 * is for rings. */
static uint32_t slots_in_limit(void)
{
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) < 0 || space.rlim_cur == RLIM_INFINITY ||
        space.rlim_cur / 2 >= ARENA_BYTES)
        return ARENA_SLOTS;
    uint64_t const half = space.rlim_cur / 2;
    uint64_t const slots = half > ARENA_SLOTS_AT ? (half - ARENA_SLOTS_AT) / SLOT_STRIDE : 0;
    return slots > SLOTS_LEAST ? (uint32_t)slots : SLOTS_LEAST;
}

int arena_open(struct arena *arena, bool follow_children, struct fault *fault)
{
    memset(arena, 0, sizeof(*arena));
    arena->fd = -1;
    if (check_descriptors(fault) < 0)
        return -EMFILE;
    arena->fd = memfd_create("memoir", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (arena->fd < 0 || ftruncate(arena->fd, (off_t)ARENA_BYTES) < 0 ||
        fcntl(arena->fd, F_ADD_SEALS, SEALS) < 0) {
        int err = -errno;
        arena_close(arena);
        return fault_set(fault, err, "cannot make the shared memory for recording: %s%s",
                         strerror(-err), hint_for(err));
    }
    arena->slots = slots_in_limit();
    INVARIANT(arena->slots >= SLOTS_LEAST);
    void *const memory =
        mmap(NULL, bytes_of(arena->slots), PROT_READ | PROT_WRITE, MAP_SHARED, arena->fd, 0);
    if (memory == MAP_FAILED) {
        int err = -errno;
        arena_close(arena);
        return fault_set(
            fault, err, "cannot map %llu MiB of address space for recording: %s; raise `ulimit -v`",
            (unsigned long long)(bytes_of(SLOTS_LEAST) >> 20), strerror(-err));
    }
    arena->memory = memory;
    arena->follows_children = follow_children;
    shared_set(arena->memory, version, ARENA_VERSION);
    shared_set(arena->memory, size, ARENA_BYTES);
    shared_set(arena->memory, slot_limit, arena->slots);
    shared_set(arena->memory, follow_children, follow_children);
    shared_set(arena->memory, recorder_pid, getpid());
    shared_set(arena->memory, node_count, TRIE_FIRST_NODE);
    int err = claim_lock(arena);
    if (err < 0) {
        arena_close(arena);
        return fault_set(fault, err, "cannot take the recorder's lock: %s", strerror(-err));
    }
    arena->users = arena_users_create(arena);
    shared_set(arena->memory, magic, ARENA_MAGIC);
    return 0;
}

size_t arena_mapped_bytes(const struct arena *arena)
{
    return bytes_of(arena->slots);
}

void arena_limit_slots(struct arena *arena, uint32_t slots)
{
    arena->slots_tight = slots < arena->slots ? slots : 0;
    shared_set(arena->memory, slot_limit, slots < arena->slots ? slots : arena->slots);
}

void arena_close(struct arena *arena)
{
    if (arena->memory)
        shared_set(arena->memory, off, 1);
    give_up_lock(arena);
    arena_users_destroy(arena->users);
    if (arena->memory)
        munmap(arena->memory, bytes_of(arena->slots));
    if (arena->fd >= 0)
        close(arena->fd);
    *arena = (struct arena){.fd = -1};
}

void arena_path(const struct arena *arena, char *path, size_t size)
{
    if (arena->name[0])
        snprintf(path, size, "%s", arena->name);
    else
        snprintf(path, size, "/proc/%d/fd/%d", (int)getpid(), arena->fd);
}
