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

/* In a group of its own: a Ctrl-C is meant for the program, which may not end by it. */
static int spawn(pid_t *pid, const char *path, char *const *words, int input)
{
    return -spawn_program(&(struct spawn){.program = path,
                                          .words = words,
                                          .files = (const int[]){input, SPAWN_OURS, SPAWN_OURS},
                                          .how = SPAWN_OWN_GROUP},
                          pid);
}

/* `option` is NULL when what is served stands alone. */
static void begin(struct serve_helper *helper, bool quiet, const char *option, const char *what)
{
    char path[PATH_MAX];
    const char *words[16] = {"memoir-serve", "serve", "--until-stdin-ends"};
    size_t count = 3;
    int ends[2];
    if (option)
        words[count++] = option;
    words[count++] = what;
    for (size_t i = 0; i < helper->option_count; i++) {
        words[count++] = helper->names[i];
        words[count++] = helper->values[i];
    }
    if (quiet)
        words[count] = "--quiet";
    int err = -helper_program_path("memoir-serve", path);
    if (!err && pipe2(ends, O_CLOEXEC) < 0)
        err = errno;
    else if (!err) {
        err = spawn(&helper->pid, path, (char *const *)words, ends[0]);
        close(ends[0]);
        if (err)
            close(ends[1]);
        helper->lifeline = ends[1];
    }
    if (err) {
        helper->pid = 0;
        fprintf(stderr, "memoir: cannot serve: %s: %s\n", path, strerror(err));
    }
}

void serve_helper_begin(void *helper, bool quiet, uint32_t pid)
{
    char number[16];
    snprintf(number, sizeof(number), "%u", pid);
    begin(helper, quiet, "--pid", number);
}

void serve_helper_begin_run(struct serve_helper *helper, bool quiet, const char *path)
{
    begin(helper, quiet, NULL, path);
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
