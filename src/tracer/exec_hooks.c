/* SPDX-License-Identifier: Apache-2.0 */
/* exec_hooks.c - a program that becomes another one (a wrapper script, env, a launcher) takes the
 * tracer with it.  Our variables are not in its environment, so they go into the one it hands on.
 *
 * All of exec is async-signal-safe and so are these: the new environment lies on the stack. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/raw_syscall.h"
#include "tracer/real.h"
#include "tracer/thread.h"

#define HOOK        __attribute__((visibility("default"), noinline))
#define ENTRIES_MAX 1000 /* a longer environment, or list of arguments, is handed on as it is */
#define PRELOAD     "LD_PRELOAD="
#define ARENA       "MEMOIR_ARENA="

struct carried_environment {
    char *entries[ENTRIES_MAX + 3];
    char preload[4096];
};

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The caller's environment with our two variables; the caller's own when there is nothing to carry.
 */
static char **carry(char *const *environment, struct carried_environment *carried)
{
    const struct tracer_luggage *luggage = tracer_luggage();
    const char *preload = NULL;
    size_t count = 0, place = ENTRIES_MAX;
    if (!luggage || !environment)
        return (char **)environment;
    for (char *const *entry = environment; *entry; entry++) {
        if (starts_with(*entry, ARENA))
            return (char **)environment; /* it is on its way already */
        if (count == ENTRIES_MAX)
            return (char **)environment;
        if (starts_with(*entry, PRELOAD)) {
            preload = *entry + strlen(PRELOAD);
            place = count;
        }
        carried->entries[count++] = *entry;
    }
    size_t kept = preload ? strlen(preload) + 1 : 0, library = strlen(luggage->library);
    size_t prefix = strlen(PRELOAD);
    if (prefix + library + kept + 1 > sizeof(carried->preload))
        return (char **)environment;
    memcpy(carried->preload, PRELOAD, prefix);
    memcpy(carried->preload + prefix, luggage->library, library + 1);
    if (preload) {
        carried->preload[prefix + library] = ':';
        memcpy(carried->preload + prefix + library + 1, preload, kept);
    }
    if (!preload)
        place = count++;
    carried->entries[place] =
        carried->preload; /* where it was: the next image takes only ours out */
    carried->entries[count++] = (char *)luggage->arena;
    carried->entries[count] = NULL;
    return carried->entries;
}

HOOK int execve(const char *path, char *const *arguments, char *const *environment)
{
    struct carried_environment carried;
    return real.execve(path, arguments, carry(environment, &carried));
}

HOOK int execvpe(const char *file, char *const *arguments, char *const *environment)
{
    struct carried_environment carried;
    return real.execvpe(file, arguments, carry(environment, &carried));
}

HOOK int fexecve(int fd, char *const *arguments, char *const *environment)
{
    struct carried_environment carried;
    return real.fexecve(fd, arguments, carry(environment, &carried));
}

HOOK int execv(const char *path, char *const *arguments)
{
    return execve(path, arguments, environ);
}

HOOK int execvp(const char *file, char *const *arguments)
{
    return execvpe(file, arguments, environ);
}

/* The arguments of an execl as an array.  false when there are too many. */
static bool collect(const char *first, va_list *list, char **arguments)
{
    size_t count = 0;
    for (const char *argument = first; argument; argument = va_arg(*list, const char *)) {
        if (count == ENTRIES_MAX) {
            errno = E2BIG;
            return false;
        }
        arguments[count++] = (char *)argument;
    }
    arguments[count] = NULL;
    return true;
}

HOOK int execl(const char *path, const char *first, ...)
{
    char *arguments[ENTRIES_MAX + 1];
    va_list list;
    va_start(list, first);
    bool fits = collect(first, &list, arguments);
    va_end(list);
    return fits ? execv(path, arguments) : -1;
}

HOOK int execlp(const char *file, const char *first, ...)
{
    char *arguments[ENTRIES_MAX + 1];
    va_list list;
    va_start(list, first);
    bool fits = collect(first, &list, arguments);
    va_end(list);
    return fits ? execvp(file, arguments) : -1;
}

HOOK int execle(const char *path, const char *first, ...)
{
    char *arguments[ENTRIES_MAX + 1];
    va_list list;
    va_start(list, first);
    bool fits = collect(first, &list, arguments);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return fits ? execve(path, arguments, environment) : -1;
}
