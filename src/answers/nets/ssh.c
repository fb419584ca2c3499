/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/ssh.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn_program.h"

#define SSH_FAILED 255 /* how ssh itself ends when it cannot connect */

/* Starts a program with these as its standard files; -1 keeps ours. */
static int spawn(const char *const *words, int in, int out, int err_fd, pid_t *pid)
{
    return spawn_program(&(struct spawn){.program = words[0],
                                         .words = (char *const *)words,
                                         .files = (const int[]){in, out, err_fd},
                                         .how = SPAWN_BY_NAME | SPAWN_UNBLOCKED},
                         pid);
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int make_words(const struct ssh_target *target, const char *script, text_list *words)
{
    static const char *const front[] = {"ssh",           "-T", "-o",
                                        "BatchMode=yes", "-o", "ConnectTimeout=10"};
    bool good = true;
    for (size_t i = 0; i < sizeof(front) / sizeof(front[0]); i++)
        good = good && text_list_add(words, front[i]);
    good = good && text_list_add_all(words, target->options) && text_list_add(words, "--") &&
           text_list_add(words, target->host) && text_list_add(words, script);
    return good && vec_push(words, NULL) ? 0 : -ENOMEM;
}

/* Arguments are few and short: they fit into the pipe before anybody reads. */
static int send_arguments(int fd, const char *const *arguments)
{
    for (; *arguments; arguments++)
        if (strpbrk(*arguments, "\r\n"))
            return -EINVAL;
        else if (dprintf(fd, "%s\n", *arguments) < 0)
            return -errno;
    return 0;
}

/* The last line of what was said, for a sentence. */
static void last_line(int fd, char *text, size_t size)
{
    char tail[1024];
    off_t const end = lseek(fd, 0, SEEK_END);
    off_t const from = end > (off_t)sizeof(tail) - 1 ? end - (off_t)sizeof(tail) + 1 : 0;
    ssize_t got = pread(fd, tail, sizeof(tail) - 1, from);
    got = got < 0 ? 0 : got;
    while (got && strchr("\r\n ", tail[got - 1]))
        got--;
    tail[got] = '\0';
    const char *line = strrchr(tail, '\n');
    snprintf(text, size, "%.250s", line ? line + 1 : tail);
}

static void read_answer(int fd, char *answer, size_t size)
{
    char rest[4096];
    size_t used = 0;
    ssize_t got;
    /* cppcheck-suppress legacyUninitvar ; read fills it */
    while ((got = read(fd, used + 1 < size ? answer + used : rest,
                       used + 1 < size ? size - 1 - used : sizeof(rest))) > 0 ||
           (got < 0 && errno == EINTR))
        if (got > 0 && used + 1 < size)
            used += (size_t)got;
    if (size)
        answer[used] = '\0';
}

/* Feeds the script, takes what it says, and waits for all. */
static int talk(const struct ssh_call *call, pid_t ssh, int in, int out)
{
    pid_t source = 0, sink = 0;
    int err = send_arguments(in, call->arguments);
    int const nowhere =
        open("/dev/null", O_WRONLY | O_CLOEXEC); /* that the other side hung up is ssh's to say */
    if (!err && call->source)
        err = spawn(call->source, -1, in, nowhere, &source);
    if (nowhere >= 0)
        close(nowhere);
    close(in);
    if (!err && call->sink)
        err = spawn(call->sink, out, -1, -1, &sink);
    if (!call->sink)
        read_answer(out, call->answer, call->size);
    close(out);
    int const source_status = source ? wait_for(source) : 0;
    int const sink_status = sink ? wait_for(sink) : 0;
    int const status = wait_for(ssh);
    if (err)
        return err;
    return status ? status : source_status || sink_status ? 1 : 0;
}

static int tell(const struct ssh_target *target, int status, int said, struct fault *fault)
{
    char line[300];
    last_line(said, line, sizeof(line));
    if (status == 0)
        return 0;
    if (status < 0)
        return fault_set(fault, status, "%s: %s", target->host, strerror(-status));
    if (status == SSH_FAILED)
        return fault_set(fault, -EHOSTUNREACH, "cannot reach %s by ssh: %s", target->host,
                         line[0] ? line : "it says nothing");
    return fault_set(fault, -EIO, "%s: %s", target->host,
                     line[0] ? line : "a command failed there");
}

int ssh_run(const struct ssh_target *target, const struct ssh_call *call, struct fault *fault)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, status = 0;
    text_list words = {0};
    pid_t ssh;
    int const said = memfd_create("said", MFD_CLOEXEC);
    if (call->size)
        call->answer[0] = '\0';
    if (said < 0 || pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        status = -errno;
    if (!status)
        status = make_words(target, call->script, &words);
    if (!status)
        status = spawn((const char *const *)words.items, in[0], out[1], said, &ssh);
    if (in[0] >= 0)
        close(in[0]);
    if (out[1] >= 0)
        close(out[1]);
    if (!status)
        status = talk(call, ssh, in[1], out[0]);
    else {
        if (in[1] >= 0)
            close(in[1]);
        if (out[0] >= 0)
            close(out[0]);
    }
    int const err = tell(target, status, said, fault);
    if (said >= 0)
        close(said);
    text_list_fini(&words);
    return err;
}
