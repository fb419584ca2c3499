/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/process/luggage.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tracer/hooks/confine_hooks.h"
#include "tracer/process/process.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/rings/thread.h"
#include "wire/invariant.h"

#define TICKET_MOST 1000000 /* more files than this a process hardly has */

/* Set by the dynamic loader before anything else runs; argc, argv and the environment lie there. */
extern void *__libc_stack_end;

static char **initial_environment(void)
{
    long *stack = __libc_stack_end;
    return (char **)(stack + 1 + stack[0] + 1);
}

static char *environment_value(char **environment, const char *name)
{
    size_t size = strlen(name);
    for (; *environment; environment++) {
        if (strncmp(*environment, name, size) == 0 && (*environment)[size] == '=')
            return *environment + size + 1;
    }
    return NULL;
}

/* How many there were. */
static size_t remove_variable(char **environment, const char *name)
{
    size_t size = strlen(name);
    char **to = environment;
    for (; *environment; environment++) {
        if (strncmp(*environment, name, size) != 0 || (*environment)[size] != '=')
            *to++ = *environment;
    }
    INVARIANT(to <= environment);
    *to = NULL;
    return (size_t)(environment - to);
}

/* Behind the environment lies what the kernel tells a program, in pairs of words, and some look
 * for it there.  Places that became free in front of it become a pair that says nothing. */
static void close_gap(char **environment, size_t places)
{
    while (*environment)
        environment++;
    for (uint64_t *word = (uint64_t *)environment + 1; places >= 2; places -= 2) {
        *word++ = AT_IGNORE;
        *word++ = 0;
    }
}

static struct tracer_luggage luggage;
static bool luggage_is_packed, luggage_is_for_all;

static bool can_open(const char *path, int how)
{
    return raw_syscall6(SYS_faccessat2, AT_FDCWD, (long)path, how, AT_EACCESS, 0, 0) == 0;
}

/* Where they differ the loader heeds no variables. */
static bool is_one_user(void)
{
    return raw_syscall3(SYS_getuid, 0, 0, 0) == raw_syscall3(SYS_geteuid, 0, 0, 0) &&
           raw_syscall3(SYS_getgid, 0, 0, 0) == raw_syscall3(SYS_getegid, 0, 0, 0);
}

/* After exec, too, over which a user other than root keeps no capabilities: asked for the real
 * user, the kernel leaves those out. */
static bool can_read_on(const char *path)
{
    return raw_syscall6(SYS_faccessat2, AT_FDCWD, (long)path, R_OK, is_one_user() ? 0 : AT_EACCESS,
                        0, 0) == 0;
}

/* Whether the next image of this process is to be traced. */
static bool travels_on(void)
{
    if (!luggage_is_packed || !tracer_is_on())
        return false;
    uint32_t pid = (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0);
    return pid == tracer_process.local_pid || luggage_is_for_all;
}

/* Elsewhere (chroot, another user, another /proc) they would only make the loader complain;
 * where calls are forbidden that they make, they would end the program. */
static bool is_at_hand(void)
{
    return !tracer_is_confined() && can_read_on(luggage.library) &&
           can_open(luggage.arena + strlen("MEMOIR_ARENA="), R_OK | W_OK);
}

const struct tracer_luggage *tracer_luggage(bool for_child)
{
    return travels_on() && (luggage_is_for_all || !for_child) && is_at_hand() ? &luggage : NULL;
}

bool tracer_luggage_is_lost(void)
{
    return luggage.library[0] && !is_at_hand();
}

static bool is_in_environment(void)
{
    const char *arena = environ ? environment_value(environ, "MEMOIR_ARENA") : NULL;
    const char *preload = arena ? environment_value(environ, "LD_PRELOAD") : NULL;
    return preload && strcmp(arena, luggage.arena + strlen("MEMOIR_ARENA=")) == 0 &&
           strstr(preload, luggage.library);
}

bool tracer_luggage_misses_shell(void)
{
    return luggage_is_for_all && travels_on() && !(is_in_environment() && is_at_hand());
}

/* A user other than root keeps capabilities over exec only by what few know (ambient); root gets
 * those of the bounding set. */
static bool loses_rights(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (raw_syscall3(SYS_capget, (long)&head, (long)has, 0) < 0)
        return false;
    bool const is_root = raw_syscall3(SYS_geteuid, 0, 0, 0) == 0;
    for (unsigned i = 0; i <= CAP_LAST_CAP; i++)
        if (has[CAP_TO_INDEX(i)].permitted & CAP_TO_MASK(i) &&
            (!is_root || raw_syscall3(SYS_prctl, PR_CAPBSET_READ, i, 0) == 0))
            return true;
    return false;
}

int tracer_luggage_ticket(void)
{
    if (tracer_is_confined() || !loses_rights() || !is_one_user())
        return -1;
    long const fd =
        raw_syscall6(SYS_openat, AT_FDCWD, (long)luggage.arena + strlen("MEMOIR_ARENA="),
                     O_RDWR | O_NONBLOCK | O_NOCTTY, 0, 0, 0);
    return fd < 0 ? -1 : (int)fd;
}

void tracer_luggage_return(int ticket)
{
    if (ticket >= 0)
        raw_syscall3(SYS_close, ticket, 0, 0);
}

const char *tracer_luggage_library(void)
{
    return luggage.library;
}

/* The file name, cut to fit. */
static void name_left(struct arena_header *header, const char *program)
{
    const char *slash = strrchr(program, '/');
    size_t const size = strlen(slash ? slash + 1 : program) + 1;
    size_t const most = sizeof(header->left_program);
    memcpy(header->left_program, slash ? slash + 1 : program, size < most ? size : most);
    header->left_program[most - 1] = '\0';
}

void tracer_left_behind(int by, const char *program)
{
    if (travels_on() && arena_enter()) {
        struct arena_header *header = tracer_process.header;
        uint32_t const before = atomic_fetch_add(&header->left_behind, (uint32_t)by);
        if (before == 0 && by > 0)
            name_left(header, program ? program : "");
        arena_leave();
    }
}

void luggage_pack(const char *library, const char *arena, bool for_all)
{
    size_t length = library ? strcspn(library, ":") : 0, size = strlen(arena);
    luggage_is_packed = false;
    luggage_is_for_all = for_all;
    if (length == 0 || length >= sizeof(luggage.library) ||
        strlen("MEMOIR_ARENA=") + size >= sizeof(luggage.arena))
        return;
    memcpy(luggage.arena, "MEMOIR_ARENA=", strlen("MEMOIR_ARENA="));
    memcpy(luggage.arena + strlen("MEMOIR_ARENA="), arena, size + 1);
    memcpy(luggage.library, library, length);
    luggage.library[length] = '\0';
    INVARIANT(strlen(luggage.library) == length && strchr(luggage.arena, '='));
    luggage_is_packed = true;
}

void luggage_drop(void)
{
    luggage_is_packed = false;
}

/* Takes our entry, the first, off LD_PRELOAD; what the user had there stays.  How many variables
 * that removes. */
static size_t restore_preload(char **environment)
{
    char *preload = environment_value(environment, "LD_PRELOAD");
    char *rest = preload ? strchr(preload, ':') : NULL;
    if (!rest)
        return remove_variable(environment, "LD_PRELOAD");
    memmove(preload, rest + 1, strlen(rest + 1) + 1);
    return 0;
}

const char *luggage_arena(void)
{
    return environment_value(initial_environment(), "MEMOIR_ARENA");
}

const char *luggage_preload(void)
{
    return environment_value(initial_environment(), "LD_PRELOAD");
}

int luggage_ticket(void)
{
    const char *text = environment_value(initial_environment(), "MEMOIR_ROOM");
    int number = 0;
    if (!text || !*text)
        return -1;
    for (; *text >= '0' && *text <= '9' && number < TICKET_MOST; text++)
        number = number * 10 + (*text - '0');
    return *text ? -1 : number;
}

void luggage_hide(void)
{
    char **environment = initial_environment();
    if (!environment_value(environment, "MEMOIR_ARENA"))
        return;
    size_t places = remove_variable(environment, "MEMOIR_ARENA");
    places += remove_variable(environment, "MEMOIR_ROOM");
    places += restore_preload(environment);
    close_gap(environment, places);
}
