/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/proc_request.h"

#include <errno.h>
#include <string.h>

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
