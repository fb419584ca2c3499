/* SPDX-License-Identifier: Apache-2.0 */
/* A library that somebody else preloads: its functions are called first, and pass everything on to
 * the next of that name. */
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

static void *(*next_malloc)(size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);
static int (*next_execve)(const char *, char *const *, char *const *);

void *malloc(size_t size)
{
    if (!next_malloc)
        *(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
    return next_malloc(size);
}

void *realloc(void *block, size_t size)
{
    if (!next_realloc)
        *(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
    return next_realloc(block, size);
}

void free(void *block)
{
    if (!next_free)
        *(void **)&next_free = dlsym(RTLD_NEXT, "free");
    next_free(block);
}

int execve(const char *path, char *const arguments[], char *const environment[])
{
    if (!next_execve)
        *(void **)&next_execve = dlsym(RTLD_NEXT, "execve");
    return next_execve(path, arguments, environment);
}
