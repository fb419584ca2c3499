/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/serve/serve_broker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/serve/serve_errands.h"
#include "foreign/foreign_request.h"
#include "procfs/process/proc_request.h"
#include "procfs/process/process_status.h"
#include "sandbox/line.h"
#include "sandbox/sandbox.h"
#include "serve/content/errand.h"
#include "serve/content/source_file.h"
#include "store/write/growing_file.h"

enum serve_work { SERVE_PROCESS, SERVE_FILE, SERVE_SOURCE, SERVE_START, SERVE_LOOK, SERVE_END };

/* What the server asks for.  SERVE_START comes with two descriptors, to write to. */
struct serve_order {
    uint32_t what;
    int32_t number; /* of an errand */
    union {
        struct proc_request process;
        struct foreign_request file;
        struct serve_words words;
        char source[PATH_MAX];
    };
};

/* With the descriptor that was asked for. */
struct serve_reply {
    int32_t err; /* 0 or -errno; SERVE_LOOK: 1 when it has ended, SERVE_START: its number */
    int32_t status;
    struct proc_reply process;
};

static struct serve_meant meant;
static int line = -1; /* to the child */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- in the child ---- */

/* Whether `path` is a recording that somebody is writing: of that user's processes, or root's. */
static bool is_written_for(const char *path, uint32_t user)
{
    struct foreign_limits const limits = {.bytes_max = INT64_MAX};
    struct stat about;
    int const fd = foreign_file_open_below("", path, &limits, NULL);
    bool const is_so = fd >= 0 && fstat(fd, &about) == 0 &&
                       (about.st_uid == user || about.st_uid == 0) && growing_file_is_open(fd);
    if (fd >= 0)
        close(fd);
    return is_so;
}

static bool is_meant(uint32_t pid)
{
    struct process_status status;
    if (meant.pid)
        return pid == meant.pid;
    bool is_so = false;
    if (process_status_read(pid, 0, &status) == 0)
        for (int i = 0; i < meant.file_count && !is_so; i++)
            is_so = is_written_for(meant.files[i], status.user);
    return is_so;
}

/* Nothing that could be written to, nor what leads on to other files. */
static bool is_fit(const struct proc_request *request)
{
    if (request->question != PROC_ASK_OPEN)
        return true;
    switch ((enum proc_file)request->file) {
    case PROC_CWD:
    case PROC_ENVIRON:
    case PROC_EXE:
    case PROC_FDS:
    case PROC_MEM_WRITE:
    case PROC_ROOT:
    case PROC_ITSELF:
    case PROC_FILES:
        return false;
    default:
        return true;
    }
}

static int open_process(const struct proc_request *request, struct proc_reply *reply)
{
    return !proc_request_is_valid(request)               ? -EINVAL
           : !is_fit(request) || !is_meant(request->pid) ? -EACCES
                                                         : proc_request_serve(request, reply);
}

/* The process whose root it is; 0: no such root. */
static uint32_t owner_of_root(const char *root)
{
    char again[FOREIGN_ROOT_MAX];
    unsigned pid = 0;
    /* NOLINTNEXTLINE(cert-err34-c): it is written again below, and compared */
    if (sscanf(root, "/proc/%u/root", &pid) != 1)
        return 0;
    snprintf(again, sizeof(again), "/proc/%u/root", pid);
    return strcmp(again, root) == 0 ? pid : 0;
}

/* ELF files, of this machine and of the process. */
static int open_file(const struct foreign_request *file)
{
    if (!foreign_request_is_valid(file))
        return -EINVAL;
    uint32_t const pid = file->kind == FOREIGN_PROGRAM ? file->pid : owner_of_root(file->root);
    bool const is_plain = file->kind == FOREIGN_BELOW && file->root[0] == '\0';
    bool const is_theirs = (file->kind == FOREIGN_BELOW || file->kind == FOREIGN_PROGRAM) && pid;
    if (!is_plain && !(is_theirs && is_meant(pid)))
        return -EACCES;
    int const fd = foreign_request_serve(file);
    if (fd < 0 || foreign_is_elf(fd))
        return fd;
    close(fd);
    return -ENOEXEC;
}

static int open_source(char source[PATH_MAX])
{
    return memchr(source, '\0', PATH_MAX) ? source_file_open(source) : -EINVAL;
}

static void obey(struct serve_order *order, const int ends[2], struct serve_reply *reply, int *fd)
{
    bool const has_ends = ends[0] >= 0 && ends[1] >= 0;
    switch ((enum serve_work)order->what) {
    case SERVE_PROCESS:
        *fd = open_process(&order->process, &reply->process);
        break;
    case SERVE_FILE:
        *fd = open_file(&order->file);
        break;
    case SERVE_SOURCE:
        *fd = open_source(order->source);
        break;
    case SERVE_START:
        reply->err = has_ends ? serve_errand_start(&meant, &order->words, is_meant, ends) : -EBADF;
        break;
    case SERVE_LOOK:
        reply->err = serve_errand_look(order->number, &reply->status);
        break;
    case SERVE_END:
        serve_errand_end(order->number);
        break;
    }
}

static bool serve(int from, struct serve_order *order, const int ends[2])
{
    static struct serve_reply reply;
    int fd = -1;
    memset(&reply, 0, sizeof(reply));
    obey(order, ends, &reply, &fd);
    if (order->what <= SERVE_SOURCE)
        reply.err = fd < 0 ? fd : 0;
    /* A question to /proc may be answered without a descriptor, by 0. */
    bool const has_file = order->what <= SERVE_SOURCE && fd > 0;
    int const sent = line_send(from, &reply, sizeof(reply), &fd, has_file);
    if (has_file)
        close(fd);
    return sent == 0;
}

static _Noreturn void be_broker(int from)
{
    static struct serve_order order;
    int ends[LINE_DESCRIPTORS_MAX];
    bool goes_on = true;
    signal(SIGINT, SIG_IGN); /* meant for the server, which lets go of us when it has ended */
    signal(SIGHUP, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    sandbox_close_others(from);
    int const nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nowhere, STDIN_FILENO); /* taken, so that no file that is opened gets a 0 */
    dup2(nowhere, STDOUT_FILENO);
    while (goes_on && line_receive(from, &order, sizeof(order), ends) == (ssize_t)sizeof(order) &&
           order.what <= SERVE_END) {
        goes_on = serve(from, &order, ends);
        for (size_t i = 0; i < LINE_DESCRIPTORS_MAX; i++)
            if (ends[i] >= 0)
                close(ends[i]);
    }
    serve_errands_end_all();
    _exit(0);
}

int serve_broker_begin(const struct serve_meant *what)
{
    int ends[2];
    int const err = line_open(ends);
    if (err)
        return err;
    meant = *what;
    pid_t const pid = fork();
    if (pid == 0)
        be_broker(ends[0]);
    int const failed = pid < 0 ? -errno : 0;
    close(ends[0]);
    if (failed)
        close(ends[1]);
    else
        line = ends[1];
    return failed;
}

/* ---- in the server ---- */

/* What the child says; *fd, if wanted, is -1 where no descriptor came. */
static int ask(const struct serve_order *order, const int ends[2], struct serve_reply *reply,
               int *fd)
{
    int descriptors[LINE_DESCRIPTORS_MAX] = {-1, -1};
    pthread_mutex_lock(&lock);
    int err = line_send(line, order, sizeof(*order), ends, ends ? 2 : 0);
    if (!err) {
        ssize_t const got = line_receive(line, reply, sizeof(*reply), fd ? descriptors : NULL);
        err = got == (ssize_t)sizeof(*reply) ? 0 : got < 0 ? (int)got : -EPIPE;
    }
    pthread_mutex_unlock(&lock);
    if (fd)
        *fd = descriptors[0];
    return err ? err : reply->err;
}

static int ask_process(const struct proc_request *request, struct proc_reply *reply)
{
    struct serve_order order;
    struct serve_reply said;
    int fd;
    memset(&order, 0, sizeof(order));
    order.what = SERVE_PROCESS;
    order.process = *request;
    int const err = ask(&order, NULL, &said, &fd);
    *reply = said.process;
    if (err == 0 && request->question == PROC_ASK_OPEN)
        return fd >= 0 ? fd : -EIO;
    return err;
}

static int ask_open(struct serve_order *order)
{
    struct serve_reply said;
    int fd;
    int const err = ask(order, NULL, &said, &fd);
    return err ? err : fd >= 0 ? fd : -EIO;
}

static int ask_file(const struct foreign_request *request)
{
    struct serve_order order;
    memset(&order, 0, sizeof(order));
    order.what = SERVE_FILE;
    order.file = *request;
    return ask_open(&order);
}

static int ask_source(const char *named)
{
    struct serve_order order;
    size_t const size = strlen(named);
    if (size >= sizeof(order.source))
        return -ENAMETOOLONG;
    memset(&order, 0, sizeof(order));
    order.what = SERVE_SOURCE;
    memcpy(order.source, named, size);
    return ask_open(&order);
}

static int start_errand(const char *const *words, int body, int words_to, pid_t *number)
{
    struct serve_order order;
    struct serve_reply said;
    memset(&order, 0, sizeof(order));
    order.what = SERVE_START;
    if (!serve_words_fill(&order.words, words))
        return -E2BIG;
    int const err = ask(&order, (const int[]){body, words_to}, &said, NULL);
    *number = err > 0 ? err : 0;
    return err > 0 ? 0 : err;
}

static pid_t look_at_errand(pid_t number, int *status)
{
    struct serve_order order;
    struct serve_reply said = {.status = 0};
    memset(&order, 0, sizeof(order));
    order.what = SERVE_LOOK;
    order.number = number;
    int const err = ask(&order, NULL, &said, NULL);
    *status = said.status;
    if (err < 0)
        errno = -err;
    return err < 0 ? -1 : err == 0 ? 0 : number;
}

static void end_errand(pid_t number)
{
    struct serve_order order;
    struct serve_reply said;
    memset(&order, 0, sizeof(order));
    order.what = SERVE_END;
    order.number = number;
    (void)ask(&order, NULL, &said, NULL);
}

void serve_broker_use(void)
{
    static const struct errand_starter starter = {start_errand, look_at_errand, end_errand};
    errand_start_by(&starter);
    source_file_open_by(ask_source);
    proc_request_by(ask_process);
    foreign_ask_by(ask_file);
}
