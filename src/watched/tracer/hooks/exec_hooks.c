/* SPDX-License-Identifier: Apache-2.0 */
/* exec_hooks.c - a program that executes another one (a wrapper script, env, a launcher) takes the
 * tracer with it.  Our variables are not in its own environment, so they are added to the one that
 * it passes on; or removed from that, if the next program cannot have our library.
 *
 * All exec functions are async-signal-safe, and so are these: the new environment is on the
 * stack. */
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "tracer/hooks/fork_hooks.h"
#include "tracer/hooks/resident_peak.h"
#include "tracer/process/luggage.h"
#include "tracer/process/next_image.h"
#include "tracer/process/real.h"
#include "tracer/rings/thread.h"

#define HOOK    __attribute__((visibility("default"), noinline))
#define PRELOAD "LD_PRELOAD="
#define ARENA   "MEMOIR_ARENA="
/* Beside a LD_PRELOAD of the user's; with the number of a ticket in one of them. */
#define ROOM     "MEMOIR_ROOM="
#define ROOM_MAX 32

enum exec_kind { EXEC_PATH, EXEC_SEARCH, EXEC_FD };

/* How to start a child instead of becoming it. */
struct spawning {
    pid_t *pid;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
};

/* What to become, in one piece. */
struct exec_call {
    enum exec_kind kind;
    const char *file;
    int fd;
    char *const *arguments;
    const struct spawning *spawning; /* or NULL */
};

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static int call_real(const struct exec_call *call, char *const *environment)
{
    const struct spawning *child = call->spawning;
    if (!real.execve)
        tracer_revive(); /* before our constructor */
    if (child)
        return (call->kind == EXEC_SEARCH ? real.posix_spawnp : real.posix_spawn)(
            child->pid, call->file, child->actions, child->attributes, call->arguments,
            environment);
    if (call->kind == EXEC_SEARCH)
        return real.execvpe(call->file, call->arguments, environment);
    if (call->kind == EXEC_FD)
        return real.fexecve(call->fd, call->arguments, environment);
    return real.execve(call->file, call->arguments, environment);
}

/* What the environment holds that matters here. */
struct survey {
    size_t count, preload_at, preload_size;
    bool carried; /* our variables are on their way already */
};

static struct survey look_at(char *const *environment)
{
    struct survey survey = {.preload_at = SIZE_MAX};
    for (; environment[survey.count]; survey.count++) {
        const char *entry = environment[survey.count];
        if (starts_with(entry, ARENA))
            survey.carried = true;
        if (starts_with(entry, PRELOAD)) {
            survey.preload_at = survey.count;
            survey.preload_size = strlen(entry + strlen(PRELOAD)) + 1;
        }
    }
    return survey;
}

/* "MEMOIR_ROOM=", with the number of a ticket if there is one. */
static void write_room(char room[ROOM_MAX], int ticket)
{
    char digits[16];
    size_t size = strlen(ROOM), count = 0;
    memcpy(room, ROOM, size + 1);
    for (int rest = ticket; ticket >= 0 && (rest > 0 || count == 0); rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    while (count > 0)
        room[size++] = digits[--count];
    room[size] = '\0';
}

/* With our two variables in the environment, which is built on the stack as large as it must be. */
static __attribute__((noinline)) int
call_with_luggage(const struct exec_call *call, char *const *environment,
                  const struct survey *survey, const struct tracer_luggage *luggage, int ticket)
{
    size_t prefix = strlen(PRELOAD), library = strlen(luggage->library), count = survey->count;
    size_t place = survey->preload_at == SIZE_MAX ? count++ : survey->preload_at;
    char **entries = __builtin_alloca((count + 4) * sizeof(char *));
    char *preload = __builtin_alloca(prefix + library + survey->preload_size + 2);
    char room[ROOM_MAX];

    memcpy(entries, environment, survey->count * sizeof(char *));
    /* More follows: NOLINTNEXTLINE(bugprone-not-null-terminated-result) */
    memcpy(preload, PRELOAD, prefix);
    memcpy(preload + prefix, luggage->library, library + 1);
    if (survey->preload_at != SIZE_MAX) {
        preload[prefix + library] = ':';
        memcpy(preload + prefix + library + 1, environment[place] + prefix, survey->preload_size);
    }
    write_room(room, ticket);
    entries[place] = preload; /* where it was: the next image takes only ours out */
    entries[count++] = (char *)luggage->arena;
    if (survey->preload_at != SIZE_MAX || ticket >= 0)
        entries[count++] = room;
    if (survey->preload_at == SIZE_MAX && ticket >= 0) /* an even number: see luggage_hide */
        entries[count++] = (char *)ROOM;
    entries[count] = NULL;
    return call_real(call, entries);
}

/* Our variables are there already, and stay. */
static __attribute__((noinline)) int call_with_ticket(const struct exec_call *call,
                                                      char *const *environment,
                                                      const struct survey *survey, int ticket)
{
    char **entries = __builtin_alloca((survey->count + 3) * sizeof(char *));
    char room[ROOM_MAX];
    size_t kept = 0;
    bool const is_shared =
        survey->preload_at != SIZE_MAX && strchr(environment[survey->preload_at], ':');
    if (ticket < 0)
        return call_real(call, environment);
    for (size_t i = 0; i < survey->count; i++)
        if (!starts_with(environment[i], ROOM))
            entries[kept++] = environment[i];
    write_room(room, ticket);
    entries[kept++] = room;
    if (!is_shared)
        entries[kept++] = (char *)ROOM;
    entries[kept] = NULL;
    return call_real(call, entries);
}

static enum next_image look_at_image(const struct exec_call *call)
{
    if (call->kind == EXEC_SEARCH)
        return next_image_look_named(call->file);
    return next_image_look(call->kind == EXEC_PATH ? call->file : NULL, call->fd);
}

/* What is started may be a child where children are not recorded: that is counted before, because
 * exec does not come back. */
static int call_let_go(const struct exec_call *call, char *const *environment)
{
    bool const is_child = call->spawning || children_share_memory();
    if (is_child)
        children_let_go(1);
    int const result = call_real(call, environment);
    if (is_child && result != 0)
        children_let_go(-1);
    return result;
}

static int call_left_behind(const struct exec_call *call, char *const *environment)
{
    tracer_left_behind(1, call->file);
    int result = call_let_go(call, environment);
    if (result != 0)
        tracer_left_behind(-1, NULL);
    return result;
}

/* LD_PRELOAD without our library, wherever it stands in the list.  Whether anything is left. */
static bool copy_preload(char *to, const char *entry, const char *library)
{
    const char *list = entry + strlen(PRELOAD);
    size_t size = strlen(PRELOAD), own = strlen(library);
    memcpy(to, PRELOAD, size);
    while (*list) {
        size_t const length = strcspn(list, ": ");
        bool const is_ours = length == own && memcmp(list, library, own) == 0;
        if (length > 0 && !is_ours) {
            if (to[size - 1] != '=')
                to[size++] = ':';
            memcpy(to + size, list, length);
            size += length;
        }
        list += length + (list[length] != '\0');
    }
    to[size] = '\0';
    return size > strlen(PRELOAD);
}

/* Without our two variables, which are in the environment; the user's LD_PRELOAD stays. */
static __attribute__((noinline)) int call_without_luggage(const struct exec_call *call,
                                                          char *const *environment,
                                                          const struct survey *survey)
{
    char **entries = __builtin_alloca((survey->count + 1) * sizeof(char *));
    char *preload = __builtin_alloca(strlen(PRELOAD) + survey->preload_size + 1);
    size_t kept = 0;
    for (size_t i = 0; i < survey->count; i++) {
        if (i == survey->preload_at) {
            if (copy_preload(preload, environment[i], tracer_luggage_library()))
                entries[kept++] = preload;
        } else if (!starts_with(environment[i], ARENA) && !starts_with(environment[i], ROOM)) {
            entries[kept++] = environment[i];
        }
    }
    entries[kept] = NULL;
    return call_left_behind(call, entries);
}

static int become(const struct exec_call *call, char *const *environment)
{
    const struct tracer_luggage *luggage =
        environment ? tracer_luggage(call->spawning != NULL) : NULL;
    struct survey const survey = environment ? look_at(environment) : (struct survey){0};
    if (!call->spawning)
        tell_resident_peak();
    enum next_image const image = luggage ? look_at_image(call) : IMAGE_UNKNOWN;
    bool const is_useless = luggage ? image == IMAGE_FOREIGN : tracer_luggage_is_lost();
    if (survey.carried && is_useless) /* from where it was of use */
        return call_without_luggage(call, environment, &survey);
    if (!luggage && call->spawning)
        return call_let_go(call, environment);
    if (!luggage || is_useless)
        return call_left_behind(call, environment);
    int const ticket = image == IMAGE_FITS ? tracer_luggage_ticket() : -1;
    int const result = survey.carried
                           ? call_with_ticket(call, environment, &survey, ticket)
                           : call_with_luggage(call, environment, &survey, luggage, ticket);
    tracer_luggage_return(ticket);
    return result;
}

HOOK int execve(const char *path, char *const *arguments, char *const *environment)
{
    return become(&(struct exec_call){EXEC_PATH, path, -1, arguments, NULL}, environment);
}

HOOK int execvpe(const char *file, char *const *arguments, char *const *environment)
{
    return become(&(struct exec_call){EXEC_SEARCH, file, -1, arguments, NULL}, environment);
}

HOOK int fexecve(int fd, char *const *arguments, char *const *environment)
{
    return become(&(struct exec_call){EXEC_FD, NULL, fd, arguments, NULL}, environment);
}

HOOK int execv(const char *path, char *const *arguments)
{
    return execve(path, arguments, environ);
}

HOOK int execvp(const char *file, char *const *arguments)
{
    return execvpe(file, arguments, environ);
}

/* exec with its arguments, and perhaps an environment behind them, in a list. */
static int become_listed(struct exec_call call, const char *first, va_list list,
                         bool has_environment)
{
    size_t count = 1;
    va_list counting;
    va_copy(counting, list);
    for (const char *argument = first; argument; argument = va_arg(counting, const char *))
        count++;
    va_end(counting);
    char **arguments = __builtin_alloca(count * sizeof(char *));
    arguments[0] = (char *)first;
    for (size_t i = 1; i < count; i++)
        arguments[i] = va_arg(list, char *);
    call.arguments = arguments;
    return become(&call, has_environment ? va_arg(list, char *const *) : environ);
}

HOOK int execl(const char *path, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    int result =
        become_listed((struct exec_call){EXEC_PATH, path, -1, NULL, NULL}, first, list, false);
    va_end(list);
    return result;
}

HOOK int execlp(const char *file, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    int result =
        become_listed((struct exec_call){EXEC_SEARCH, file, -1, NULL, NULL}, first, list, false);
    va_end(list);
    return result;
}

HOOK int execle(const char *path, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    int result =
        become_listed((struct exec_call){EXEC_PATH, path, -1, NULL, NULL}, first, list, true);
    va_end(list);
    return result;
}

HOOK int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attributes, char *const *arguments,
                     char *const *environment)
{
    struct spawning child = {pid, actions, attributes};
    return become(&(struct exec_call){EXEC_PATH, path, -1, arguments, &child}, environment);
}

HOOK int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attributes, char *const *arguments,
                      char *const *environment)
{
    struct spawning child = {pid, actions, attributes};
    return become(&(struct exec_call){EXEC_SEARCH, file, -1, arguments, &child}, environment);
}
