/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/attach_hand.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/keeper_serve.h"
#include "sandbox/line.h"

#define LOOK_MS 50

static void do_word(const struct hand_work *work, struct hand_report *report, char word)
{
    int const stage =
        word == 'e' ? work->enter(work->self, report) : work->leave(work->self, report);
    atomic_store(&report->stage, stage);
    work->done(work->self);
}

static _Noreturn void work_for(const struct hand_work *work, struct hand_report *report, int line)
{
    struct pollfd heard = {.fd = line, .events = POLLIN};
    char word;
    keeper_become();
    for (;;) {
        int const ready = poll(&heard, 1, LOOK_MS);
        if (ready > 0 && line_receive(line, &word, sizeof(word), NULL) != (ssize_t)sizeof(word))
            _exit(0);
        if (ready > 0)
            do_word(work, report, word);
        else
            atomic_store(&report->is_stale, work->is_stale(work->self));
    }
}

int attach_hand_begin(struct attach_hand *hand, const struct hand_work *work, struct fault *fault)
{
    int ends[2] = {-1, -1};
    void *const memory = mmap(NULL, sizeof(*hand->report), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int err = memory == MAP_FAILED ? -errno : line_open(ends);
    if (err)
        return fault_set(fault, err, "cannot start a process beside the recorder: %s",
                         strerror(-err));
    fflush(NULL);
    pid_t const between = fork();
    if (between == 0 && fork() == 0) {
        close(ends[1]);
        work_for(work, memory, ends[0]);
    }
    if (between == 0)
        _exit(0);
    err = between < 0 ? -errno : 0;
    close(ends[0]);
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
        ;
    if (err) {
        close(ends[1]);
        munmap(memory, sizeof(*hand->report));
        return fault_set(fault, err, "cannot start a process beside the recorder: %s",
                         strerror(-err));
    }
    *hand = (struct attach_hand){.line = ends[1], .report = memory};
    return 0;
}

static void say(const struct attach_hand *hand, char word)
{
    (void)line_send(hand->line, &word, sizeof(word), NULL, 0);
}

void attach_hand_enter(struct attach_hand *hand)
{
    say(hand, 'e');
}

void attach_hand_leave(struct attach_hand *hand)
{
    say(hand, 'l');
}

void attach_hand_end(struct attach_hand *hand)
{
    char nothing;
    if (hand->line < 0)
        return;
    shutdown(hand->line, SHUT_WR);
    while (line_receive(hand->line, &nothing, sizeof(nothing), NULL) > 0)
        ;
    close(hand->line);
    hand->line = -1;
}
