/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/serve_helper.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn_program.h"
#include "cli/shared/helper_program.h"
#include "sandbox/sandbox.h"

#define PROGRAM   "memoir-serve"
#define WORDS_MAX 16

void serve_helper_option(struct serve_helper *helper, const char *name, const char *value)
{
    size_t at = 0;
    while (at < helper->option_count && strcmp(helper->names[at], name) != 0)
        at++;
    assert(at < SERVE_HELPER_OPTIONS_MAX);
    helper->names[at] = name;
    helper->values[at] = value;
    helper->option_count += at == helper->option_count;
}

/* `option` is NULL when what is served stands alone. */
static void put_words(const struct serve_helper *helper, bool quiet, const char *option,
                      const char *what, const char *words[WORDS_MAX])
{
    size_t count = 0;
    words[count++] = PROGRAM;
    words[count++] = "serve";
    words[count++] = "--until-stdin-ends";
    if (option)
        words[count++] = option;
    words[count++] = what;
    for (size_t i = 0; i < helper->option_count; i++) {
        words[count++] = helper->names[i];
        words[count++] = helper->values[i];
    }
    if (quiet)
        words[count++] = "--quiet";
    words[count] = NULL;
}

/* Starts the helper, in a group of its own: a Ctrl-C is meant for the program, which may not end by
 * it.  Returns 0 or an errno. */
typedef int start_fn(pid_t *pid, const char *path, char *const *words, const int pipe_ends[2]);

static int spawn(pid_t *pid, const char *path, char *const *words, const int pipe_ends[2])
{
    int const files[] = {pipe_ends[0], SPAWN_OURS, SPAWN_OURS};
    return -spawn_program(
        &(struct spawn){.program = path, .words = words, .files = files, .how = SPAWN_OWN_GROUP},
        pid);
}

/* The one byte that comes says that it is time; its end, that there is nothing to serve. */
static _Noreturn void wait_and_become(const char *path, char *const *words, int input)
{
    char letter;
    ssize_t got;
    setpgid(0, 0);
    dup2(input, STDIN_FILENO);
    sandbox_close_others(-1);
    do
        got = read(STDIN_FILENO, &letter, 1);
    while (got < 0 && errno == EINTR);
    if (got == 1) {
        execv(path, words);
        fprintf(stderr, "memoir: cannot serve: %s: %s\n", path, strerror(errno));
    }
    _exit(got == 1);
}

static int hold(pid_t *pid, const char *path, char *const *words, const int pipe_ends[2])
{
    *pid = fork();
    if (*pid == 0) {
        close(pipe_ends[1]);
        wait_and_become(path, words, pipe_ends[0]);
    }
    return *pid < 0 ? errno : 0;
}

/* The helper reads one end of a pipe; while we have the other one open, it goes on. */
static int start_on_pipe(struct serve_helper *helper, const char *path, char *const *words,
                         start_fn *start)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return errno;
    int const err = start(&helper->pid, path, words, ends);
    close(ends[0]);
    if (err)
        close(ends[1]);
    else
        helper->lifeline = ends[1];
    return err;
}

/* `option` is NULL when what is served stands alone. */
static void begin(struct serve_helper *helper, bool quiet, const char *option, const char *what,
                  start_fn *start)
{
    char path[PATH_MAX];
    const char *words[WORDS_MAX];
    put_words(helper, quiet, option, what, words);
    int err = -helper_program_path(PROGRAM, path);
    if (!err)
        err = start_on_pipe(helper, path, (char *const *)words, start);
    if (err) {
        helper->pid = 0;
        fprintf(stderr, "memoir: cannot serve: %s: %s\n", path, strerror(err));
    }
}

static void begin_pid(struct serve_helper *helper, bool quiet, uint32_t pid, start_fn *start)
{
    char number[16];
    snprintf(number, sizeof(number), "%u", pid);
    begin(helper, quiet, "--pid", number, start);
}

void serve_helper_prepare(void *context, bool quiet, uint32_t pid)
{
    struct serve_helper *helper = context;
    helper->is_held = true; /* a recorder without rights would try in vain */
    begin_pid(helper, quiet, pid, hold);
}

void serve_helper_begin(void *context, bool quiet, uint32_t pid)
{
    struct serve_helper *helper = context;
    if (!helper->is_held)
        begin_pid(helper, quiet, pid, spawn);
    else if (helper->pid)
        (void)!write(helper->lifeline, "g", 1);
}

void serve_helper_begin_run(struct serve_helper *helper, bool quiet, const char *path)
{
    begin(helper, quiet, NULL, path, spawn);
}

void serve_helper_end(struct serve_helper *helper)
{
    if (!helper->pid)
        return;
    close(helper->lifeline);
    while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    helper->pid = 0;
}
