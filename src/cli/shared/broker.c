/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/broker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn_program.h"
#include "cli/shared/helper_program.h"
#include "formats/open/name_frames.h"
#include "formats/open/name_lines.h"
#include "foreign/foreign_request.h"
#include "sandbox/line.h"
#include "sandbox/sandbox.h"
#include "symbols/lookup/perf_map.h"

#define FOLDERS_MAX 16u
#define PNG_SCALE   "2" /* text stays sharp on today's screens */

enum broker_work { BROKER_NAMES, BROKER_PNG, BROKER_OPEN };

/* What the command asks for; the first two with the input and the output of a program. */
struct broker_order {
    uint32_t what, zero;
    struct foreign_request file; /* PNG: its path alone */
};

/* To open: with the descriptor.  To start: one for the start and one for the end. */
struct reply {
    int err;
    int status; /* of waitpid */
};

static char *folders[FOLDERS_MAX]; /* each with its slash; "" is this one */
static size_t folder_count;
static int line = -1; /* to the child */

static size_t folder_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

void broker_allow_png(const char *path)
{
    char *folder = strndup(path, folder_size(path));
    if (folder && folder_count < FOLDERS_MAX)
        folders[folder_count++] = folder;
    else
        free(folder);
}

static bool may_be_png(const char *path)
{
    size_t const size = folder_size(path), length = strlen(path);
    if (length < 4 || strcasecmp(path + length - 4, ".png") != 0)
        return false;
    for (size_t i = 0; i < folder_count; i++)
        if (strlen(folders[i]) == size && memcmp(folders[i], path, size) == 0)
            return true;
    return false;
}

/* `ends` are -1 where it keeps ours. */
static int spawn(const char *program, char *const *words, const int ends[2], pid_t *pid)
{
    return spawn_program(&(struct spawn){.program = program,
                                         .words = words,
                                         .files = (const int[]){ends[0], ends[1], SPAWN_OURS},
                                         .how = SPAWN_SIGPIPE}, /* when nobody listens */
                         pid);
}

static int start(const struct broker_order *order, const int ends[2], pid_t *pid)
{
    char names[] = NAME_PROGRAM, command[] = NAME_COMMAND, png[] = "memoir-png";
    char scale[] = "--scale", factor[] = PNG_SCALE, to[] = "-o", program[PATH_MAX];
    char *const of_names[] = {names, command, NULL};
    char *const of_png[] = {png, scale, factor, to, (char *)order->file.path, NULL};
    bool const is_png = order->what == BROKER_PNG;
    if (is_png && !may_be_png(order->file.path))
        return -EACCES;
    int const err = helper_program_path(is_png ? png : names, program);
    return err ? err : spawn(program, is_png ? of_png : of_names, ends, pid);
}

static bool serve_start(int from, const struct broker_order *order, const int ends[2])
{
    pid_t pid = -1;
    struct reply reply = {.err = start(order, ends, &pid)};
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    if (line_send(from, &reply, sizeof(reply), NULL, 0) < 0)
        return false;
    if (reply.err)
        return true;
    while (waitpid(pid, &reply.status, 0) < 0 && errno == EINTR)
        ;
    return line_send(from, &reply, sizeof(reply), NULL, 0) == 0;
}

/* An ELF file of this machine, or a list of code made at run time, which the one who asks could
 * have read before; nothing else. */
static bool serve_open(int from, const struct broker_order *order)
{
    bool const is_plain = order->file.kind == FOREIGN_BELOW && order->file.root[0] == '\0';
    int fd = is_plain ? foreign_request_serve(&order->file) : -EACCES;
    bool const is_list = order->file.refuses_link && perf_map_is_path(order->file.path);
    if (fd >= 0 && !is_list && !foreign_is_elf(fd)) {
        close(fd);
        fd = -ENOEXEC;
    }
    struct reply const reply = {.err = fd < 0 ? fd : 0};
    int const sent = line_send(from, &reply, sizeof(reply), &fd, fd >= 0);
    if (fd >= 0)
        close(fd);
    return sent == 0;
}

static void serve(int from)
{
    static struct broker_order order;
    int ends[LINE_DESCRIPTORS_MAX];
    bool goes_on = true;
    while (goes_on && line_receive(from, &order, sizeof(order), ends) == (ssize_t)sizeof(order) &&
           foreign_request_is_valid(&order.file)) {
        bool const has_ends = ends[0] >= 0 && ends[1] >= 0;
        if (order.what == BROKER_OPEN && !has_ends)
            goes_on = serve_open(from, &order);
        else
            goes_on = order.what <= BROKER_PNG && has_ends && serve_start(from, &order, ends);
    }
}

static int hear(struct reply *reply, int *descriptors)
{
    ssize_t const got = line_receive(line, reply, sizeof(*reply), descriptors);
    return got == (ssize_t)sizeof(*reply) ? reply->err : got < 0 ? (int)got : -EPIPE;
}

static int ask_start(enum broker_work what, int input, int output, const char *path)
{
    static struct broker_order order;
    int const ends[2] = {input, output};
    struct reply reply;
    if (strlen(path) >= sizeof(order.file.path))
        return -ENAMETOOLONG;
    order.what = what;
    memcpy(order.file.path, path, strlen(path) + 1);
    int const err = line_send(line, &order, sizeof(order), ends, 2);
    return err ? err : hear(&reply, NULL);
}

static int start_names(int questions, int answers)
{
    return ask_start(BROKER_NAMES, questions, answers, "");
}

int broker_start_png(int input, const char *path)
{
    return ask_start(BROKER_PNG, input, STDERR_FILENO, path);
}

int broker_wait(void)
{
    struct reply reply = {0};
    int const err = hear(&reply, NULL);
    return err ? err : reply.status;
}

static int open_outside(const struct foreign_request *request)
{
    static struct broker_order order;
    int descriptors[LINE_DESCRIPTORS_MAX];
    struct reply reply;
    order.what = BROKER_OPEN;
    order.file = *request;
    int err = line_send(line, &order, sizeof(order), NULL, 0);
    err = err ? err : hear(&reply, descriptors);
    return err ? err : descriptors[0] >= 0 ? descriptors[0] : -EIO;
}

bool broker_has_begun(void)
{
    return line >= 0;
}

void broker_begin(void)
{
    int ends[2];
    if (line_open(ends) < 0)
        return;
    pid_t const pid = fork();
    if (pid == 0) {
        close(ends[1]);
        sandbox_close_others(ends[0]);
        close(STDIN_FILENO); /* whoever reads our answer shall not wait for this process */
        close(STDOUT_FILENO);
        serve(ends[0]);
        _exit(0);
    }
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return;
    }
    line = ends[1];
    name_frames_start_by(start_names, broker_wait);
    foreign_ask_by(open_outside);
}
