/* SPDX-License-Identifier: Apache-2.0 */
#include "keeper/keeper_message.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "procfs/process/proc_open.h"

#define PID_LAST       (1u << 22)
#define NICE_LEAST     (-20)
#define NICE_MOST      19
#define REAL_TIME_MOST 99u
#define ERRNO_MAX      4095

/* What a kind of request uses; everything else is 0. */
enum uses {
    USES_PID = 1,
    USES_TID = 2,
    USES_ROW = 4,
    USES_RANGE = 8, /* start and end */
    USES_PATH = 16,
    USES_FILE = 32, /* all of `file` */
    USES_SIGNAL = 64,
    USES_CHOICE = 128, /* 0 or 1 */
    USES_NICE = 256,
    USES_REAL_TIME = 512,
};

static const unsigned uses_of[KEEPER_WHATS] = {
    [KEEPER_OPEN] = USES_PID | USES_TID | USES_ROW,
    [KEEPER_READ] = USES_PID | USES_TID | USES_ROW,
    [KEEPER_LINK] = USES_PID | USES_ROW,
    [KEEPER_STAT] = USES_PID | USES_TID | USES_ROW,
    [KEEPER_STAT_BELOW] = USES_PID | USES_PATH,
    [KEEPER_SYSTEM] = USES_PID | USES_RANGE,
    [KEEPER_USES_ARENA] = USES_PID,
    [KEEPER_FIND_USER] = USES_PID,
    [KEEPER_FILE] = USES_FILE,
    [KEEPER_TAKE] = USES_PATH,
    [KEEPER_BESIDE] = USES_PATH,
    [KEEPER_REPLACE] = USES_PATH,
    [KEEPER_DISCARD] = USES_PATH,
    [KEEPER_REMOVE] = USES_PATH | USES_CHOICE,
    [KEEPER_EXISTS] = USES_PATH,
    [KEEPER_ASIDE] = USES_PATH,
    [KEEPER_SIGNAL] = USES_SIGNAL,
    [KEEPER_RAISE] = USES_TID | USES_NICE | USES_REAL_TIME,
    [KEEPER_LISTEN] = USES_PID,
    [KEEPER_NAMER_START] = 0,
    [KEEPER_NAMER_END] = USES_CHOICE,
    [KEEPER_NAMER_NICE] = USES_NICE,
    [KEEPER_LINE] = 0,
    [KEEPER_KNOWN_START] = 0,
    [KEEPER_KNOWN_END] = USES_CHOICE,
};

static bool is_pid(uint32_t number)
{
    return number > 0 && number <= PID_LAST;
}

static bool has_number(unsigned uses, uint32_t number)
{
    if (uses & USES_ROW)
        return number < PROC_FILES;
    if (uses & USES_SIGNAL)
        return number > 0 && number < NSIG;
    if (uses & USES_CHOICE)
        return number <= 1;
    if (uses & USES_NICE)
        return (int32_t)number >= NICE_LEAST && (int32_t)number <= NICE_MOST;
    return number == 0;
}

static bool has_value(unsigned uses, uint64_t value)
{
    return uses & USES_SIGNAL ? true : value <= (uses & USES_REAL_TIME ? REAL_TIME_MOST : 0);
}

static bool has_path(const struct foreign_request *file, bool is_used)
{
    return is_used ? file->path[0] != '\0' : file->path[0] == '\0';
}

static bool has_file(const struct foreign_request *file, unsigned uses)
{
    if (!foreign_request_is_valid(file) || file->zero != 0 || file->refuses_link > 1)
        return false;
    if (uses & USES_FILE)
        return file->pid <= PID_LAST && file->start <= file->end;
    bool const has_range = uses & USES_RANGE;
    return file->kind == FOREIGN_BELOW && file->pid == 0 && file->refuses_link == 0 &&
           file->bytes_max == 0 && file->root[0] == '\0' &&
           (has_range ? file->start < file->end : file->start == 0 && file->end == 0) &&
           has_path(file, uses & USES_PATH);
}

bool keeper_request_is_valid(const struct keeper_request *request)
{
    if (request->what >= KEEPER_WHATS)
        return false;
    unsigned const uses = uses_of[request->what];
    return (uses & USES_PID ? is_pid(request->pid) : request->pid == 0) &&
           (uses & USES_TID ? request->tid <= PID_LAST : request->tid == 0) &&
           has_value(uses, request->value) && has_number(uses, request->number) &&
           has_file(&request->file, uses);
}

bool keeper_reply_is_valid(const struct keeper_reply *reply, size_t size)
{
    return size >= KEEPER_REPLY_HEAD && reply->err <= 0 && reply->err >= -ERRNO_MAX &&
           reply->text_size <= KEEPER_TEXT_MAX && size == KEEPER_REPLY_HEAD + reply->text_size;
}
