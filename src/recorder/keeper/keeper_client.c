/* SPDX-License-Identifier: Apache-2.0 */
/* keeper_client.c - the recorder's side: asks, waits for the answer, and accepts only a whole
 * answer. */
#include "keeper/keeper.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/keeper_message.h"
#include "keeper/keeper_serve.h"
#include "procfs/process/proc_asked.h"
#include "sandbox/line.h"
#include "store/write/growing_asked.h"
#include "symbols/namer/name_client.h"
#include "symbols/namer/name_source.h"

enum side { FACTS, FILES, SIDES };

static struct {
    int line; /* -1: there is none */
    pid_t pid;
    pthread_mutex_t lock; /* a request and its answer belong together */
} sides[SIDES] = {{-1, 0, PTHREAD_MUTEX_INITIALIZER}, {-1, 0, PTHREAD_MUTEX_INITIALIZER}};
static bool is_used;
static atomic_uint_fast64_t requests;

/* The first word of a keeper is its number. */
static int meet(int line, pid_t *pid)
{
    uint32_t number = 0;
    if (line_receive(line, &number, sizeof(number), NULL) != (ssize_t)sizeof(number))
        return -EPIPE;
    *pid = (pid_t)number;
    return 0;
}

/* In a child that ends at once: a keeper is nobody's child, for those of the recorder are the
 * program and its like, and whoever looks for the program among them finds it. */
static _Noreturn void give_birth(const struct keeper_birth *birth, int ends[SIDES][2])
{
    bool has_all = true;
    for (int side = 0; side < SIDES; side++) {
        pid_t const pid = fork();
        if (pid == 0)
            keeper_run(birth, ends[side][0], side == FACTS);
        has_all &= pid > 0;
    }
    _exit(has_all ? 0 : 1);
}

static int open_lines(int ends[SIDES][2])
{
    int err = line_open(ends[FACTS]);
    if (!err && (err = line_open(ends[FILES])) < 0) {
        close(ends[FACTS][0]);
        close(ends[FACTS][1]);
    }
    return err;
}

/* The name says who keeps the arena open: known only once that process is there. */
int keeper_begin(const struct keeper_wish *wish, char name[ARENA_NAME_MAX])
{
    int ends[SIDES][2];
    struct keeper_birth birth = {.wish = wish, .recorder = getpid()};
    int err = arena_mark_init(&birth.mark, wish->arena, "");
    if (!err)
        err = open_lines(ends);
    if (err)
        return err;
    fflush(NULL);
    pid_t const between = fork();
    if (between == 0)
        give_birth(&birth, ends);
    err = between < 0 ? -errno : 0;
    for (int side = 0; side < SIDES; side++) {
        close(ends[side][0]);
        sides[side].line = ends[side][1];
        if (!err)
            err = meet(sides[side].line, &sides[side].pid);
    }
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
        ;
    if (err) {
        keeper_end();
        return err;
    }
    snprintf(name, ARENA_NAME_MAX, "/proc/%d/fd/%d", (int)sides[FACTS].pid, wish->arena_fd);
    return 0;
}

int keeper_tell_program(pid_t pid, bool is_started)
{
    uint32_t const told[2] = {(uint32_t)pid, is_started};
    int err = 0;
    for (int side = 0; side < SIDES && !err; side++)
        err = line_send(sides[side].line, told, sizeof(told), NULL, 0);
    return err;
}

bool keeper_is_used(void)
{
    return is_used;
}

uint64_t keeper_requests(void)
{
    return atomic_load(&requests);
}

void keeper_end(void)
{
    is_used = false;
    for (int side = 0; side < SIDES; side++) {
        if (sides[side].line < 0)
            continue;
        char nothing;
        shutdown(sides[side].line, SHUT_WR);
        while (line_receive(sides[side].line, &nothing, 1, NULL) > 0)
            ; /* nothing is said any more: this is its end */
        close(sides[side].line);
        sides[side].line = -1;
    }
}

/* One question, one answer; `fd` -1 when none came.  `reply->err`, or -EPIPE when nobody
 * answers. */
static int ask(enum side side, const struct keeper_request *request, int with,
               struct keeper_reply *reply, int *fd)
{
    int came[LINE_DESCRIPTORS_MAX] = {-1, -1};
    if (!keeper_request_is_valid(request)) {
        if (fd)
            *fd = -1;
        return -ENOENT; /* of a process that cannot be, or the like */
    }
    pthread_mutex_lock(&sides[side].lock);
    int const line = sides[side].line;
    int err = line < 0 ? -EPIPE : line_send(line, request, sizeof(*request), &with, with >= 0);
    ssize_t const got = err ? err : line_receive(line, reply, sizeof(*reply), came);
    pthread_mutex_unlock(&sides[side].lock);
    atomic_fetch_add(&requests, 1);
    if (!err)
        err = got > 0 && keeper_reply_is_valid(reply, (size_t)got) ? reply->err : -EPIPE;
    bool const is_wanted = fd && !err && came[0] >= 0;
    if (fd)
        *fd = is_wanted ? came[0] : -1;
    for (size_t i = is_wanted; i < LINE_DESCRIPTORS_MAX; i++)
        if (came[i] >= 0)
            close(came[i]);
    return err;
}

static int ask_fd(enum side side, const struct keeper_request *request, int with)
{
    struct keeper_reply reply;
    int fd;
    int const err = ask(side, request, with, &reply, &fd);
    return err ? err : fd >= 0 ? fd : -EIO;
}

static struct keeper_request request_of(enum keeper_what what, uint32_t pid, uint32_t tid,
                                        uint32_t number)
{
    return (struct keeper_request){.what = what, .pid = pid, .tid = tid, .number = number};
}

static bool put_path(struct keeper_request *request, const char *path)
{
    size_t const size = strlen(path) + 1;
    if (size > sizeof(request->file.path))
        return false;
    memcpy(request->file.path, path, size);
    return true;
}

/* What proc_open.h asks.  A number that no process can have is none. */

static int open_row(uint32_t pid, uint32_t tid, enum proc_file file)
{
    struct keeper_request const request = request_of(KEEPER_OPEN, pid, tid, file);
    return ask_fd(FACTS, &request, -1);
}

static ssize_t ask_text(const struct keeper_request *request, char *text, size_t size)
{
    struct keeper_reply reply;
    text[0] = '\0';
    int const err = ask(FACTS, request, -1, &reply, NULL);
    if (err)
        return err;
    size_t const length = reply.text_size < size ? reply.text_size : size - 1;
    memcpy(text, reply.text, length);
    text[length] = '\0';
    return (ssize_t)length;
}

static ssize_t read_row(uint32_t pid, uint32_t tid, enum proc_file file, char *text, size_t size)
{
    struct keeper_request const request = request_of(KEEPER_READ, pid, tid, file);
    return ask_text(&request, text, size);
}

static ssize_t read_link(uint32_t pid, enum proc_file file, char *text, size_t size)
{
    struct keeper_request const request = request_of(KEEPER_LINK, pid, 0, file);
    return ask_text(&request, text, size);
}

static int ask_stat(const struct keeper_request *request, struct stat *about)
{
    struct keeper_reply reply;
    int const err = ask(FACTS, request, -1, &reply, NULL);
    if (!err)
        *about = reply.about;
    return err;
}

static int stat_row(uint32_t pid, uint32_t tid, enum proc_file file, struct stat *about)
{
    struct keeper_request const request = request_of(KEEPER_STAT, pid, tid, file);
    return ask_stat(&request, about);
}

static int stat_below(uint32_t pid, const char *path, struct stat *about)
{
    struct keeper_request request = request_of(KEEPER_STAT_BELOW, pid, 0, 0);
    return put_path(&request, path) ? ask_stat(&request, about) : -ENAMETOOLONG;
}

static int mapped_system(uint32_t pid, uint64_t start, uint64_t end, struct statfs *about)
{
    struct keeper_request request = request_of(KEEPER_SYSTEM, pid, 0, 0);
    struct keeper_reply reply;
    request.file.start = start;
    request.file.end = end;
    int const err = ask(FACTS, &request, -1, &reply, NULL);
    if (!err)
        *about = reply.system;
    return err;
}

static const struct proc_asked proc_asked = {.open = open_row,
                                             .read = read_row,
                                             .link = read_link,
                                             .stat = stat_row,
                                             .stat_below = stat_below,
                                             .mapped_system = mapped_system};

/* What foreign_file.h asks.  A root that we hold open goes along as a descriptor. */
static int open_foreign(const struct foreign_request *file)
{
    struct keeper_request request = request_of(KEEPER_FILE, 0, 0, 0);
    static const char held[] = "/proc/self/fd/";
    int root = -1;
    request.file = *file;
    request.file.zero = 0;
    if (strncmp(file->root, held, sizeof(held) - 1) == 0) {
        root = (int)strtol(file->root + sizeof(held) - 1, NULL, 10);
        memset(request.file.root, 0, sizeof(request.file.root));
    }
    return ask_fd(FILES, &request, root);
}

/* What growing_file.h asks. */

static int ask_path(enum keeper_what what, const char *path, uint32_t number, int with,
                    struct keeper_reply *reply, int *fd)
{
    struct keeper_request request = request_of(what, 0, 0, number);
    return put_path(&request, path) ? ask(FACTS, &request, with, reply, fd) : -ENAMETOOLONG;
}

static int take(const char *path, int claim)
{
    struct keeper_reply reply;
    int fd;
    int const err = ask_path(KEEPER_TAKE, path, 0, claim, &reply, &fd);
    return err ? err : fd >= 0 ? fd : -EIO;
}

static int beside(const char *path)
{
    struct keeper_reply reply;
    int fd;
    int const err = ask_path(KEEPER_BESIDE, path, 0, -1, &reply, &fd);
    return err ? err : fd >= 0 ? fd : -EIO;
}

static int replace(const char *path)
{
    struct keeper_reply reply;
    return ask_path(KEEPER_REPLACE, path, 0, -1, &reply, NULL);
}

static void discard(const char *path)
{
    struct keeper_reply reply;
    (void)ask_path(KEEPER_DISCARD, path, 0, -1, &reply, NULL);
}

static const struct growing_asked growing_asked = {
    .take = take, .beside = beside, .replace = replace, .discard = discard};

int keeper_output_look(const char *path, int64_t *bytes)
{
    struct keeper_reply reply;
    int const err = ask_path(KEEPER_EXISTS, path, 0, -1, &reply, NULL);
    *bytes = err ? 0 : reply.value;
    return err;
}

int keeper_output_remove(const char *path, bool only_empty)
{
    struct keeper_reply reply;
    return ask_path(KEEPER_REMOVE, path, only_empty, -1, &reply, NULL);
}

int keeper_output_put_aside(const char *path)
{
    struct keeper_reply reply;
    int const err = ask_path(KEEPER_ASIDE, path, 0, -1, &reply, NULL);
    return err ? err : (int)reply.value;
}

/* What name_client.h asks. */

static int start_by(enum keeper_what what, pid_t *pid)
{
    struct keeper_request const request = request_of(what, 0, 0, 0);
    struct keeper_reply reply;
    int fd;
    int const err = ask(FILES, &request, -1, &reply, &fd);
    *pid = err ? 0 : (pid_t)reply.value;
    return err ? err : fd >= 0 ? fd : -EIO;
}

static int end_by(enum keeper_what what, bool at_once)
{
    struct keeper_request const request = request_of(what, 0, 0, at_once);
    struct keeper_reply reply;
    return ask(FILES, &request, -1, &reply, NULL) ? 0 : (int)reply.value;
}

static int start_namer(pid_t *pid)
{
    return start_by(KEEPER_NAMER_START, pid);
}

static int end_namer(pid_t pid, bool at_once)
{
    (void)pid;
    return end_by(KEEPER_NAMER_END, at_once);
}

static int start_known(pid_t *pid)
{
    return start_by(KEEPER_KNOWN_START, pid);
}

static int end_known(pid_t pid, bool at_once)
{
    (void)pid;
    return end_by(KEEPER_KNOWN_END, at_once);
}

static void set_namer_nice(pid_t pid, int nice)
{
    struct keeper_request const request = request_of(KEEPER_NAMER_NICE, 0, 0, (uint32_t)nice);
    struct keeper_reply reply;
    (void)pid;
    (void)ask(FILES, &request, -1, &reply, NULL);
}

static const struct namer_process namer_process = {
    .start = start_namer, .end = end_namer, .set_nice = set_namer_nice};

/* Questions say how urgent they are. */
static void leave_nice(pid_t pid, int nice)
{
    (void)pid;
    (void)nice;
}

static const struct namer_process known_process = {
    .start = start_known, .end = end_known, .set_nice = leave_nice};

void keeper_use(void)
{
    is_used = true;
    proc_ask_by(&proc_asked);
    foreign_ask_by(open_foreign);
    growing_file_ask_by(&growing_asked);
    name_client_start_by(&namer_process);
    name_source_known_by(&known_process);
}

int keeper_uses_arena(uint32_t pid, enum arena_finding *found, bool *is_old)
{
    struct keeper_request const request = request_of(KEEPER_USES_ARENA, pid, 0, 0);
    struct keeper_reply reply;
    int const err = ask(FACTS, &request, -1, &reply, NULL);
    if (err)
        return err;
    if (reply.value < 0 || reply.value >= 2 * ARENA_FINDINGS)
        return -EPIPE;
    *found = (enum arena_finding)(reply.value / 2);
    *is_old = reply.value % 2 != 0;
    return 0;
}

uint32_t keeper_find_user(uint32_t besides, bool *is_proved)
{
    struct keeper_request const request = request_of(KEEPER_FIND_USER, besides, 0, 0);
    struct keeper_reply reply;
    int const err = ask(FACTS, &request, -1, &reply, NULL);
    if (err || reply.value < 0 || reply.value / 2 > UINT32_MAX)
        reply.value = 0;
    *is_proved = reply.value % 2 != 0;
    return (uint32_t)(reply.value / 2);
}

int keeper_send_signal(int number, int64_t value)
{
    struct keeper_request request = request_of(KEEPER_SIGNAL, 0, 0, (uint32_t)number);
    struct keeper_reply reply;
    request.value = (uint64_t)value;
    return ask(FACTS, &request, -1, &reply, NULL);
}

int keeper_raise(int nice, int real_time)
{
    struct keeper_request request = request_of(KEEPER_RAISE, 0, (uint32_t)gettid(), (uint32_t)nice);
    struct keeper_reply reply;
    request.value = (uint64_t)real_time;
    return ask(FACTS, &request, -1, &reply, NULL);
}

int keeper_listen(pid_t pid)
{
    struct keeper_request const request = request_of(KEEPER_LISTEN, (uint32_t)pid, 0, 0);
    return ask_fd(FACTS, &request, -1);
}

int keeper_branch_open(void)
{
    struct keeper_request const request = request_of(KEEPER_LINE, 0, 0, 0);
    return ask_fd(FACTS, &request, -1);
}

/* The locks may be held by threads that are not in this process. */
void keeper_branch_use(int line)
{
    sides[FACTS].line = line;
    sides[FILES].line = -1;
    for (int side = 0; side < SIDES; side++)
        pthread_mutex_init(&sides[side].lock, NULL);
}
