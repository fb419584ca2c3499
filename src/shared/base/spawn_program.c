/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spawn_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/invariant.h"

#define FILES 3

/* A descriptor that would be overwritten before it is moved to its place gets a higher number. */
static int lift(const int *wanted, int files[FILES])
{
    int err = 0;
    for (int i = 0; i < FILES; i++) {
        bool const is_below = wanted && wanted[i] >= 0 && wanted[i] < i;
        files[i] = wanted ? wanted[i] : SPAWN_OURS;
        if (is_below)
            files[i] = fcntl(wanted[i], F_DUPFD_CLOEXEC, FILES);
        if (is_below && files[i] < 0)
            err = errno;
    }
    return err;
}

static void close_lifted(const int *wanted, const int files[FILES])
{
    for (int i = 0; i < FILES && wanted; i++)
        if (files[i] >= 0 && files[i] != wanted[i])
            close(files[i]);
}

static int add_files(const int files[FILES], unsigned how, posix_spawn_file_actions_t *actions)
{
    int err = 0;
    if (how & SPAWN_INPUT_EMPTY)
        err = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (int i = 0; i < FILES && !err; i++)
        if (files[i] >= 0)
            err = posix_spawn_file_actions_adddup2(actions, files[i], i);
    if (!err && how & SPAWN_CLOSES_OTHERS)
        err = posix_spawn_file_actions_addclosefrom_np(actions, FILES);
    return err;
}

/* None of these can fail: the values are valid, and nothing is allocated. */
static void set_attributes(unsigned how, posix_spawnattr_t *attributes)
{
    sigset_t none, defaults;
    int flags = 0;
    sigemptyset(&none);
    sigemptyset(&defaults);
    if (how & SPAWN_SIGNALS)
        sigfillset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    if (how & SPAWN_UNBLOCKED)
        flags |= POSIX_SPAWN_SETSIGMASK;
    if (how & (SPAWN_SIGNALS | SPAWN_SIGPIPE))
        flags |= POSIX_SPAWN_SETSIGDEF;
    if (how & SPAWN_OWN_GROUP)
        flags |= POSIX_SPAWN_SETPGROUP;
    if (how & SPAWN_OWN_SESSION)
        flags |= POSIX_SPAWN_SETSID;
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &defaults);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setflags(attributes, (short)flags);
}

static int start(const struct spawn *spawn, const int files[FILES], pid_t *pid)
{
    char *const *const environment = spawn->environment ? spawn->environment : environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int err = posix_spawn_file_actions_init(&actions);
    if (err)
        return err;
    err = posix_spawnattr_init(&attributes);
    if (!err) {
        set_attributes(spawn->how, &attributes);
        err = add_files(files, spawn->how, &actions);
        if (!err)
            err = (spawn->how & SPAWN_BY_NAME ? posix_spawnp : posix_spawn)(
                pid, spawn->program, &actions, &attributes, spawn->words, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return err;
}

int spawn_program(const struct spawn *spawn, pid_t *pid)
{
    INVARIANT(spawn->program && spawn->words && spawn->words[0]);
    INVARIANT(!(spawn->how & SPAWN_INPUT_EMPTY) || !spawn->files || spawn->files[0] == SPAWN_OURS);
    int files[FILES];
    pid_t started = 0;
    int err = lift(spawn->files, files);
    if (!err)
        err = start(spawn, files, &started);
    close_lifted(spawn->files, files);
    if (!err)
        *pid = started;
    return -err;
}
