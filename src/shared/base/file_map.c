/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file_map.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Most files mapped at once; further files are read instead of mapped. */
#define PLACES 4096u
#define PAGE   4096u
#define TAKING 1u /* As `start`: a thread is filling the place. */

/* The signal handler reads this table, so it needs no allocation and no lock. */
static struct file_place {
    _Atomic uintptr_t start; /* 0: free */
    _Atomic size_t size;
    _Atomic size_t intact; /* Bytes at the front that still map the file. */
} places[PLACES];
static _Atomic uint32_t places_high; /* All places that were ever used are below. */

static struct sigaction before; /* The handler that was installed before ours. */
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;

static struct file_place *find(uintptr_t address)
{
    uint32_t const high = atomic_load(&places_high);
    for (uint32_t i = 0; i < high && i < PLACES; i++) {
        uintptr_t const start = atomic_load(&places[i].start);
        if (start > TAKING && address >= start && address - start < atomic_load(&places[i].size))
            return &places[i];
    }
    return NULL;
}

/* Replaces the mapping from `address` on by zeroes: pages behind the new end of a truncated file
 * are lost, even private copies that were written to. */
static bool put_zeroes(struct file_place *place, uintptr_t address)
{
    uintptr_t const start = atomic_load(&place->start), page = address & ~(uintptr_t)(PAGE - 1),
                    end = start + atomic_load(&place->intact);
    if (page >= end)
        return true; /* another thread was first */
    atomic_store(&place->intact, page - start);
    return mmap((void *)page, end - page, PROT_READ | PROT_WRITE, /* NOLINT: an address as number */
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    int const error = errno;
    if (info->si_code <= 0 && (before.sa_flags & SA_SIGINFO)) { /* somebody sent it */
        before.sa_sigaction(number, info, context);
        return;
    }
    uintptr_t const address = (uintptr_t)info->si_addr;
    struct file_place *place = info->si_code > 0 ? find(address) : NULL;
    if (!place || !put_zeroes(place, address))
        sigaction(number, &before, NULL); /* the access faults again, for that handler */
    if (info->si_code <= 0)
        raise(number);
    errno = error;
}

/* Installs the handler each time, because other code may have replaced it. */
static void install(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK},
                     now;
    sigemptyset(&action.sa_mask);
    pthread_mutex_lock(&installing);
    if (sigaction(SIGBUS, NULL, &now) == 0 && now.sa_sigaction != on_bus_error) {
        before = now;
        sigaction(SIGBUS, &action, NULL);
    }
    pthread_mutex_unlock(&installing);
}

/* Unblocks SIGBUS: some threads block all signals, but the faulting thread must handle this one. */
static void let_in(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static struct file_place *claim_place(void)
{
    for (uint32_t i = 0; i < PLACES; i++) {
        uintptr_t nobody = 0;
        if (!atomic_compare_exchange_strong(&places[i].start, &nobody, TAKING))
            continue;
        uint32_t high = atomic_load(&places_high);
        while (high <= i && !atomic_compare_exchange_weak(&places_high, &high, i + 1))
            ;
        return &places[i];
    }
    return NULL;
}

static void *map(int fd, size_t size)
{
    int const source = fd < 0 ? MAP_ANONYMOUS : 0;
    void *at =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | source, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void *read_all(int fd, size_t size)
{
    char *bytes = map(-1, size);
    for (size_t at = 0; bytes && at < size;) {
        ssize_t const got = pread(fd, bytes + at, size - at, (off_t)at);
        if (got <= 0)
            break; /* zeroes */
        at += (size_t)got;
    }
    return bytes;
}

void *file_map(int fd, size_t size)
{
    install();
    let_in();
    struct file_place *place = claim_place();
    if (!place)
        return read_all(fd, size);
    void *at = map(fd, size);
    size_t const pages = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    atomic_store(&place->size, pages);
    atomic_store(&place->intact, pages);
    atomic_store(&place->start, (uintptr_t)at);
    return at;
}

void file_unmap(void *map, size_t size)
{
    struct file_place *place = find((uintptr_t)map);
    if (place)
        atomic_store(&place->start, 0);
    munmap(map, size);
}

bool file_map_was_cut(const void *map)
{
    const struct file_place *place = find((uintptr_t)map);
    return place && atomic_load(&place->intact) < atomic_load(&place->size);
}
