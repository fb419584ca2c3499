/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/proc_request.h"

#include <errno.h>
#include <string.h>

#include "procfs/process/proc_asked.h"
#include "procfs/process/proc_text.h"

static proc_asker asker;

static int ask(uint32_t pid, uint32_t tid, enum proc_file file, enum proc_question question,
               struct proc_reply *reply)
{
    return asker(&(struct proc_request){pid, tid, file, question}, reply);
}

static int ask_open(uint32_t pid, uint32_t tid, enum proc_file file)
{
    struct proc_reply reply;
    return ask(pid, tid, file, PROC_ASK_OPEN, &reply);
}

static ssize_t ask_read(uint32_t pid, uint32_t tid, enum proc_file file, char *text, size_t size)
{
    return proc_text_read_start(ask_open(pid, tid, file), text, size);
}

static ssize_t ask_link(uint32_t pid, enum proc_file file, char *text, size_t size)
{
    struct proc_reply reply;
    int const failed = ask(pid, 0, file, PROC_ASK_LINK, &reply);
    size_t const fits = failed ? 0 : reply.length < size ? reply.length : size - 1;
    memcpy(text, reply.link, fits);
    text[fits] = '\0';
    return failed ? failed : (ssize_t)fits;
}

static int ask_stat(uint32_t pid, uint32_t tid, enum proc_file file, struct stat *about)
{
    struct proc_reply reply;
    int const err = ask(pid, tid, file, PROC_ASK_ABOUT, &reply);
    *about = reply.about;
    return err;
}

static int know_nothing_below(uint32_t pid, const char *path, struct stat *about)
{
    (void)pid;
    (void)path;
    (void)about;
    return -EACCES;
}

static int know_no_system(uint32_t pid, uint64_t start, uint64_t end, struct statfs *about)
{
    (void)pid;
    (void)start;
    (void)end;
    (void)about;
    return -EACCES;
}

void proc_request_by(proc_asker wanted)
{
    static const struct proc_asked requests = {.open = ask_open,
                                               .read = ask_read,
                                               .link = ask_link,
                                               .stat = ask_stat,
                                               .stat_below = know_nothing_below,
                                               .mapped_system = know_no_system};
    asker = wanted;
    proc_ask_by(wanted ? &requests : NULL);
}

bool proc_request_is_valid(const struct proc_request *request)
{
    return request->pid > 0 && request->pid <= INT32_MAX && request->tid <= INT32_MAX &&
           request->file < PROC_FILES && request->question <= PROC_ASK_ABOUT;
}

bool proc_reply_is_valid(const struct proc_reply *reply)
{
    return reply->err <= 0 && reply->err > -4096 && reply->length < sizeof(reply->link) &&
           reply->link[reply->length] == '\0';
}

int proc_request_serve(const struct proc_request *request, struct proc_reply *reply)
{
    enum proc_file const file = (enum proc_file)request->file;
    ssize_t length;
    memset(reply, 0, sizeof(*reply));
    switch ((enum proc_question)request->question) {
    case PROC_ASK_OPEN:
        return proc_open(request->pid, request->tid, file);
    case PROC_ASK_ABOUT:
        return proc_stat(request->pid, request->tid, file, &reply->about);
    case PROC_ASK_LINK:
        length = proc_read_link(request->pid, file, reply->link, sizeof(reply->link));
        reply->length = length > 0 ? (uint32_t)length : 0;
        return length < 0 ? (int)length : 0;
    }
    return -EINVAL;
}
