/* real.h - the real functions behind our hooks, and a small heap for the time before they are
 * known. */
#pragma once

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct real_functions {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    size_t (*malloc_usable_size)(void *); /* NULL: the object that has malloc has none. */
    int (*brk)(void *);
    void *(*sbrk)(intptr_t);
    int (*dlclose)(void *);
    pid_t (*_Fork)(void); /* NULL before glibc 2.34. */
    int (*execve)(const char *, char *const *, char *const *);
    int (*execvpe)(const char *, char *const *, char *const *);
    int (*fexecve)(int, char *const *, char *const *);
    int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                       const posix_spawnattr_t *, char *const *, char *const *);
    int (*posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                        const posix_spawnattr_t *, char *const *, char *const *);
    int (*system)(const char *);
    FILE *(*popen)(const char *, const char *);
    /* What the program's own calls reach if it comes before us, in the program or in a library
     * that was preloaded before ours; else NULL.  It may be an allocator of its own, or call us. */
    void *(*first_realloc)(void *, size_t);
    void (*first_free)(void *);
};
extern struct real_functions real __attribute__((visibility("hidden")));

/* Finds all real functions: those that come behind ours.  Until it returns, real.malloc and
 * real.calloc return blocks of the early heap. */
void real_resolve(void);
/* Like real_resolve, in a program that already ran: finds the functions that its own calls
 * reach. */
void real_resolve_in_program(void);

/* Blocks of the early heap are never freed. */
#define REAL_EARLY_BYTES 65536
extern char real_early_heap[REAL_EARLY_BYTES] __attribute__((visibility("hidden")));
static inline bool real_is_early(const void *block)
{
    return (const char *)block >= real_early_heap &&
           (const char *)block < real_early_heap + REAL_EARLY_BYTES;
}
void *real_early_alloc(size_t size);
size_t real_early_size(const void *block);
