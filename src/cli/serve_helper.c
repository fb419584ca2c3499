/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/serve_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/helper_program.h"

static struct {
    const char *address, *token_file, *go_pprof;
    pid_t pid; /* 0: there is none */
    int lifeline;
} helper;

void serve_helper_listen(const char *address)
{
    helper.address = address;
}

void serve_helper_token_file(const char *path)
{
    helper.token_file = path;
}

void serve_helper_go_pprof(const char *url)
{
    helper.go_pprof = url;
}

/* In a group of its own: a Ctrl-C is meant for the program, which may not end by it. */
static int spawn(const char *path, char *const *words, int input)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int err = posix_spawn_file_actions_init(&actions);
    if (err)
        return err;
    err = posix_spawnattr_init(&attributes);
    if (!err) {
        err = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
        if (!err)
            err = posix_spawn(&helper.pid, path, &actions, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return err;
}

void serve_helper_begin(bool quiet, uint32_t pid)
{
    char path[PATH_MAX], number[16];
    const char *words[16] = {"memoir-serve", "serve", "--pid", number, "--until-stdin-ends"};
    size_t count = 5;
    int ends[2];
    snprintf(number, sizeof(number), "%u", pid);
    if (helper.address) {
        words[count++] = "--listen";
        words[count++] = helper.address;
    }
    if (helper.token_file) {
        words[count++] = "--token-file";
        words[count++] = helper.token_file;
    }
    if (helper.go_pprof) {
        words[count++] = "--go-pprof";
        words[count++] = helper.go_pprof;
    }
    if (quiet)
        words[count++] = "--quiet";
    int err = -helper_program_path("memoir-serve", path);
    if (!err && pipe2(ends, O_CLOEXEC) < 0)
        err = errno;
    else if (!err) {
        err = spawn(path, (char *const *)words, ends[0]);
        close(ends[0]);
        if (err)
            close(ends[1]);
        helper.lifeline = ends[1];
    }
    if (err) {
        helper.pid = 0;
        fprintf(stderr, "memoir: cannot serve: %s: %s\n", path, strerror(err));
    }
}

void serve_helper_end(void)
{
    if (!helper.pid)
        return;
    close(helper.lifeline);
    while (waitpid(helper.pid, NULL, 0) < 0 && errno == EINTR)
        ;
    helper.pid = 0;
}
