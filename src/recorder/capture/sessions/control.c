/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/control.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "keeper/control_socket.h"
#include "keeper/keeper.h"
#include "procfs/process/proc_open.h"

#define LOOK_NS      50000000ull
#define PEERS_MAX    4
#define PATIENCE_MS  5000
#define ACCEPTED_MAX 256 /* at once: strangers among them are sent away */
#define AGAIN_MS     50

struct control {
    int listener;
    int peers[PEERS_MAX]; /* -1: none */
    unsigned next;        /* the one to give up when another comes */
    uint64_t next_look_ns;
    control_fn answer;
    void *context;
};

struct control *control_open(pid_t pid, control_fn answer, void *context)
{
    struct control *control = calloc(1, sizeof(*control));
    if (!control)
        return NULL;
    control->answer = answer;
    control->context = context;
    for (unsigned i = 0; i < PEERS_MAX; i++)
        control->peers[i] = -1;
    control->listener = keeper_is_used() ? keeper_listen(pid) : control_socket_listen(pid);
    if (control->listener < 0) {
        control_close(control);
        return NULL;
    }
    return control;
}

void control_close(struct control *control)
{
    if (!control)
        return;
    for (unsigned i = 0; i < PEERS_MAX; i++) {
        if (control->peers[i] >= 0)
            close(control->peers[i]);
    }
    if (control->listener >= 0)
        close(control->listener);
    free(control);
}

/* Our own user or root, on the other side. */
static bool is_trusted(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == 0 || peer.uid == geteuid());
}

static void accept_peers(struct control *control)
{
    for (unsigned i = 0, peers = 0; i < ACCEPTED_MAX && peers < PEERS_MAX; i++) {
        int fd = accept4(control->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            return;
        if (!is_trusted(fd)) {
            close(fd);
            continue;
        }
        peers++;
        int *place = &control->peers[control->next++ % PEERS_MAX];
        if (*place >= 0)
            close(*place);
        *place = fd;
    }
}

static void hear(struct control *control, int *peer)
{
    char request[CONTROL_TEXT_MAX], answer[CONTROL_TEXT_MAX] = "";
    ssize_t size = recv(*peer, request, sizeof(request) - 1, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size > 0) {
        request[size] = '\0';
        control->answer(control->context, request, answer);
        send(*peer, answer, strlen(answer) + 1, MSG_NOSIGNAL);
    }
    close(*peer);
    *peer = -1;
}

void control_look(struct control *control, uint64_t now_ns)
{
    if (!control || now_ns < control->next_look_ns)
        return;
    control->next_look_ns = now_ns + LOOK_NS;
    accept_peers(control);
    for (unsigned i = 0; i < PEERS_MAX; i++) {
        if (control->peers[i] >= 0)
            hear(control, &control->peers[i]);
    }
}

/* It hung up without an answer: on a user whom it does not trust, or because it ended. */
static int refuse(int fd, pid_t pid, struct fault *fault)
{
    struct ucred peer = {.uid = geteuid()};
    socklen_t size = sizeof(peer);
    (void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
    if (peer.uid == geteuid() || geteuid() == 0)
        return fault_set(fault, -ESRCH, "the recorder of process %d has ended", (int)pid);
    const struct passwd *owner = getpwuid(peer.uid);
    return fault_set(fault, -EACCES,
                     "the recorder of process %d runs as %s and accepts requests of that user and "
                     "of root only; run memoir as one of them, with sudo",
                     (int)pid, owner ? owner->pw_name : "another user");
}

static int await_answer(int fd, pid_t pid, struct fault *fault)
{
    char answer[CONTROL_TEXT_MAX];
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    errno = 0;
    ssize_t const size =
        poll(&ready, 1, PATIENCE_MS) == 1 ? recv(fd, answer, sizeof(answer), 0) : -1;
    if (size == 0 || (size < 0 && errno == ECONNRESET))
        return refuse(fd, pid, fault);
    if (size < 0)
        return fault_set(fault, -ETIMEDOUT,
                         "the recorder of process %d does not answer; it may be stopped", (int)pid);
    answer[size - 1] = '\0';
    return answer[0] ? fault_set(fault, -EINVAL, "%s", answer) : 0;
}

struct control_question {
    pid_t pid;
    const char *request;
    struct fault *fault;
    bool has_stranger, is_crowded;
    uid_t stranger;
};

static void note_stranger(struct control_question *question, int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return;
    question->has_stranger = true;
    question->stranger = peer.uid;
}

/* Whose process it is may record it, and is asked about that by root, too. */
static bool owns_process(int fd, pid_t pid)
{
    struct ucred peer;
    struct stat about;
    socklen_t size = sizeof(peer);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           proc_stat((uint32_t)pid, 0, PROC_ITSELF, &about) == 0 && about.st_uid == peer.uid;
}

/* 1: nobody answers there whom we trust. */
static int ask_one(struct control_question *question, uint64_t number)
{
    struct sockaddr_un name;
    socklen_t const size = control_socket_name(question->pid, number, &name);
    int const fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int err = 1;
    if (fd < 0)
        return fault_set(question->fault, -errno, "cannot make a socket: %s", strerror(errno));
    if (connect(fd, (const struct sockaddr *)&name, size) < 0)
        question->is_crowded |= errno == EAGAIN;
    else if (!is_trusted(fd) && !(geteuid() == 0 && owns_process(fd, question->pid)))
        note_stranger(question, fd);
    else if (send(fd, question->request, strlen(question->request), MSG_NOSIGNAL) < 0)
        err = fault_set(question->fault, -errno, "the recorder of process %d has ended",
                        (int)question->pid);
    else
        err = await_answer(fd, question->pid, question->fault);
    close(fd);
    return err;
}

/* Asks all recorders of the process until one does what is asked; 1 when there is none. */
static int ask_all(struct control_question *question)
{
    struct control_names names;
    int err = control_names_find(question->pid, &names), answer = 1;
    if (err < 0)
        return fault_set(question->fault, err, "cannot look for recorders in /proc/net/unix: %s",
                         strerror(-err));
    for (size_t i = 0; i < names.numbers.count && answer != 0; i++) {
        err = ask_one(question, names.numbers.items[i]);
        answer = err == 1 ? answer : err;
    }
    control_names_fini(&names);
    return answer;
}

static int say_nobody(const struct control_question *question)
{
    int const pid = (int)question->pid;
    if (!question->has_stranger)
        return fault_set(question->fault, -ESRCH,
                         "process %d is not being recorded; record it with `memoir run` or `memoir "
                         "attach %d`",
                         pid, pid);
    const struct passwd *owner = getpwuid(question->stranger);
    return fault_set(question->fault, -EACCES,
                     "process %d is not being recorded by you or by root; user %s (%u) says to "
                     "record it, and only that user may ask there",
                     pid, owner ? owner->pw_name : "without a name", (unsigned)question->stranger);
}

int control_ask(pid_t pid, const char *request, struct fault *fault)
{
    struct control_question question = {.pid = pid, .request = request, .fault = fault};
    int err = ask_all(&question);
    for (unsigned waited = 0; err == 1 && question.is_crowded && waited < PATIENCE_MS;
         waited += AGAIN_MS) {
        poll(NULL, 0, AGAIN_MS);
        question.is_crowded = false;
        err = ask_all(&question);
    }
    return err == 1 ? say_nobody(&question) : err;
}
