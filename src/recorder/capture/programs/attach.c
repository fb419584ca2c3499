/* SPDX-License-Identifier: Apache-2.0 */
/* attach.c - records a running process: enters it, records until it ends or we are told to stop,
 * and leaves it.
 *
 * All that reaches into the process is done by a thread of its own, so that the rings are read
 * meanwhile. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/human.h"
#include "capture/programs/attach_hand.h"
#include "capture/programs/attached_program.h"
#include "capture/programs/launch.h"
#include "capture/rings/lifeline.h"
#include "capture/programs/stop_signals.h"
#include "capture/sessions/recorder_subject.h"
#include "inject/choice/exit_status.h"
#include "inject/library/injection.h"
#include "inject/threads/thread_stop.h"
#include "capture/programs/target_check.h"

#define LOOK_NS          10000000ull
#define EXEC_PATIENCE_NS 5000000000ull /* with one that becomes another program */

enum stage { STAGE_ENTERING, STAGE_IN, STAGE_LEAVING, STAGE_OUT, STAGE_FAILED };

struct attachment {
    struct recorder_options options;
    struct attached_program program;
    struct arena *arena;
    struct tracer_library library;
    struct injection injection;
    pthread_t worker;
    _Atomic int stage;
    int err; /* of the worker */
    struct fault fault;
    uint64_t next_look_ns;
    uint64_t for_ns, leave_ns; /* how long it is recorded, once we are in; until when */
    uint64_t patience_ns;      /* until when programs that it becomes are tried */
    unsigned images;           /* that it became meanwhile */
    bool has_worker, told;
    struct attach_hand hand; /* who reaches in, when we may not */
    char *command[2];        /* as it told */
};

/* Programs that it starts need the library's path and the arena's; both only where it sees them
 * as we do. */
static void tell_children(struct attachment *attachment)
{
    struct shared_arena *memory = attachment->arena->memory;
    char arena[ARENA_NAME_MAX];
    const struct attached_program *program = &attachment->program;
    const char *library = attachment->options.library;
    bool const beside_us = program->facts.local_pid == program->facts.pid && !program->root[0];
    if (!attachment->options.follow_children || !beside_us ||
        !attached_program_sees(program, library) ||
        strlen(library) >= shared_room(memory, follow_library) || strpbrk(library, " :"))
        return;
    shared_put_text(memory, follow_library, library);
    arena_path(attachment->arena, arena, sizeof(arena));
    shared_put_text(memory, follow_arena, arena);
}

/* The worker is done; the thread that reads may rest, and need not wait for its rest to be over. */
static void reach_stage(struct attachment *attachment, enum stage stage)
{
    struct shared_arena *memory = attachment->arena->memory;
    atomic_store(&attachment->stage, stage);
    if (shared_swap(memory, sleeping, 0))
        shared_wake(memory, sleeping, 1);
}

/* Everything that can be known before the process is touched.  -ESTALE: it became another
 * program meanwhile. */
static int meet(struct attachment *attachment, struct fault *fault)
{
    int err = attached_program_meet(&attachment->program, fault);
    if (err == 0)
        err = injection_open(&attachment->injection, attachment->program.pid, &attachment->library,
                             fault);
    if (err == 0)
        attached_program_weigh(&attachment->program);
    return err;
}

static int meet_patiently(struct attachment *attachment, struct fault *fault)
{
    int err = meet(attachment, fault);
    for (; err == -ESTALE && monotonic_ns() < attachment->patience_ns; attachment->images++)
        err = meet(attachment, fault);
    return err;
}

static int tell_restless(const struct attachment *attachment, struct fault *fault)
{
    return fault_set(fault, -EBUSY,
                     "%s becomes another program by exec again and again, each time before memoir "
                     "is attached (%u tries); attach later, or start the program with memoir run, "
                     "which follows every exec",
                     attachment->program.name, attachment->images + 1);
}

/* In, whichever program it is by then. */
static int enter_patiently(struct attachment *attachment, struct fault *fault)
{
    char path[shared_room(attachment->arena->memory, attached_path)];
    for (;; attachment->images++) {
        attached_program_path(&attachment->program, path, sizeof(path));
        shared_put_text(attachment->arena->memory, attached_path, path);
        arena_limit_slots(attachment->arena, target_slots(attachment->program.pid));
        int err = injection_attach(&attachment->injection, attachment->arena->fd, fault);
        bool const is_late = monotonic_ns() >= attachment->patience_ns;
        if (err != -ESTALE)
            return err;
        injection_close(&attachment->injection);
        if (is_late)
            return tell_restless(attachment, fault);
        err = meet_patiently(attachment, fault);
        if (err < 0)
            return err == -ESTALE ? tell_restless(attachment, fault) : err;
    }
}

static int stage_of(const struct attachment *attachment)
{
    return atomic_load(attachment->hand.line < 0 ? &attachment->stage
                                                 : &attachment->hand.report->stage);
}

static void *enter(void *self)
{
    struct attachment *attachment = self;
    attachment->err = enter_patiently(attachment, &attachment->fault);
    reach_stage(attachment, attachment->err < 0 ? STAGE_FAILED : STAGE_IN);
    return NULL;
}

/* Whether the process has forbidden itself the system calls that taking our hooks out needs: it
 * would be killed. */
static bool is_confined(const struct attachment *attachment)
{
    const struct arena *arena = attachment->arena;
    uint32_t const high = arena_process_high(arena);
    for (uint32_t i = 0; i < high; i++) {
        struct shared_process *process = shared_process_at(arena->memory, i);
        if (shared_get(process, pid) == (uint32_t)attachment->program.pid &&
            shared_get(process, confined_tsc) != 0)
            return true;
    }
    return false;
}

static void *leave(void *self)
{
    struct attachment *attachment = self;
    if (is_confined(attachment))
        attachment->err = fault_set(&attachment->fault, -EPERM,
                                    "the hooks stay in %s (pid %d) and do nothing: the program has "
                                    "forbidden itself the system calls that memoir needs to remove "
                                    "them",
                                    attachment->program.name, (int)attachment->program.pid);
    else
        attachment->err = injection_detach(&attachment->injection, &attachment->fault);
    reach_stage(attachment, STAGE_OUT);
    return NULL;
}

/* In the process that reaches in. */

static void write_report(struct attachment *attachment, struct hand_report *report)
{
    report->err = attachment->err;
    report->fault = attachment->fault;
    report->times = attachment->injection.times;
    report->before = attachment->program.facts.before;
    report->slots_tight = attachment->arena->slots_tight;
    snprintf(report->name, sizeof(report->name), "%s", attachment->program.name);
    launch_join(attachment->program.words, report->command, sizeof(report->command));
}

static int hand_enter(void *self, struct hand_report *report)
{
    struct attachment *attachment = self;
    (void)enter(attachment);
    write_report(attachment, report);
    return atomic_load(&attachment->stage);
}

static int hand_leave(void *self, struct hand_report *report)
{
    struct attachment *attachment = self;
    (void)leave(attachment);
    write_report(attachment, report);
    return atomic_load(&attachment->stage);
}

static int hand_is_stale(void *self)
{
    const struct attachment *attachment = self;
    return atomic_load(&attachment->stage) == STAGE_IN &&
           injection_is_stale(&attachment->injection);
}

static void hand_done(void *self)
{
    struct attachment *attachment = self;
    reach_stage(attachment, (enum stage)atomic_load(&attachment->stage));
}

/* What it told, once the stage says so. */
static void take_report(struct attachment *attachment)
{
    const struct hand_report *report = attachment->hand.report;
    struct attached_program *program = &attachment->program;
    attachment->err = report->err;
    attachment->fault = report->fault;
    attachment->injection.times = report->times;
    if (!attachment->told)
        program->facts.before = report->before;
    attachment->arena->slots_tight = report->slots_tight;
    snprintf(program->name, sizeof(program->name), "%s", report->name);
    attachment->command[0] = attachment->hand.report->command;
    attachment->options.command = attachment->command;
}

static int hire(struct attachment *attachment, void *(*work)(void *), enum stage stage,
                struct fault *fault)
{
    if (attachment->hand.line >= 0) {
        atomic_store(&attachment->hand.report->stage, stage);
        (stage == STAGE_LEAVING ? attach_hand_leave : attach_hand_enter)(&attachment->hand);
        return 0;
    }
    atomic_store(&attachment->stage, stage);
    int err = pthread_create(&attachment->worker, NULL, work, attachment);
    if (err != 0)
        return fault_set(fault, -err, "cannot start a thread: %s", strerror(err));
    attachment->has_worker = true;
    return 0;
}

static void dismiss(struct attachment *attachment)
{
    if (attachment->hand.line >= 0)
        take_report(attachment);
    if (attachment->has_worker)
        pthread_join(attachment->worker, NULL);
    attachment->has_worker = false;
}

/* What `start` does, as far as it takes rights; and who reaches in later. */
static int hold(void *self, struct arena *arena, struct fault *fault)
{
    struct attachment *attachment = self;
    struct hand_work const work = {.enter = hand_enter,
                                   .leave = hand_leave,
                                   .is_stale = hand_is_stale,
                                   .done = hand_done,
                                   .self = attachment};
    attachment->arena = arena;
    tell_children(attachment);
    int const err = attach_hand_begin(&attachment->hand, &work, fault);
    return err < 0 ? err : (int)attachment->program.pid;
}

static int start(void *self, struct arena *arena, struct fault *fault)
{
    struct attachment *attachment = self;
    attachment->arena = arena;
    shared_set(arena->memory, target_pid, attachment->program.pid);
    if (attachment->hand.line < 0)
        tell_children(attachment);
    int err = hire(attachment, enter, STAGE_ENTERING, fault);
    return err < 0 ? err : (int)attachment->program.pid;
}

/* Says what the process has noticed so far. */
static void tell_times(struct attachment *attachment, const char *done)
{
    const struct injection_times *times = &attachment->injection.times;
    struct before *before = &attachment->program.facts.before;
    char borrowed[HUMAN_MAX], stopped[HUMAN_MAX] = "";
    uint64_t const since = before->borrowed_ns;
    before->borrowed_ns = times->borrowed_ns;
    before->stopped_ns = times->looks.longest_ns;
    if (attachment->options.wish.quiet)
        return;
    if (times->looks.longest_ns)
        human_duration(times->looks.longest_ns, stopped);
    say_text(attachment->options.wish.say,
             "%s %s: thread %d worked for memoir for %s, no other thread stood still%s%s%s", done,
             attachment->program.name, (int)times->borrowed_tid,
             human_duration(times->borrowed_ns - since, borrowed),
             times->looks.longest_ns ? " for longer than " : "", stopped,
             stage_of(attachment) == STAGE_IN ? "; Ctrl-C detaches" : "");
}

static int ended(struct attachment *attachment, struct recorder_result *result)
{
    dismiss(attachment);
    result->wait_status = process_exit_status(attachment->injection.pidfd, attachment->program.pid);
    if (!attachment->options.wish.quiet)
        say_text(attachment->options.wish.say, "%s has ended", attachment->program.name);
    return SUBJECT_ENDED;
}

/* All that we brought in went with the program. */
static int replaced(const struct attachment *attachment, struct recorder_result *result)
{
    result->is_replaced = true;
    if (!attachment->options.wish.quiet)
        say_text(attachment->options.wish.say,
                 "%s became another program by exec, so the recording ends here; attach again to "
                 "record the new program, or use --children to record both",
                 attachment->program.name);
    return SUBJECT_LEFT;
}

/* It is out, or as far out as it gets. */
static int left(struct attachment *attachment, struct recorder_result *result)
{
    dismiss(attachment);
    if (attachment->err < 0) {
        result->is_stuck = true;
        say_text(attachment->options.wish.say, "%s", attachment->fault.text);
        return SUBJECT_CUT;
    }
    tell_times(attachment, "detached from");
    return SUBJECT_LEFT;
}

static bool has_news(void *self)
{
    struct attachment *attachment = self;
    int stage = stage_of(attachment);
    return (stage == STAGE_IN && (stop_signals_asked() || !attachment->told)) ||
           stage == STAGE_OUT || stage == STAGE_FAILED;
}

static bool is_stale(const struct attachment *attachment)
{
    return attachment->hand.line < 0 ? injection_is_stale(&attachment->injection)
                                     : atomic_load(&attachment->hand.report->is_stale) != 0;
}

/* It is in: says so, once. */
static void arrive(struct attachment *attachment, uint64_t now_ns)
{
    dismiss(attachment);
    tell_times(attachment, "attached to");
    attachment->leave_ns = attachment->for_ns ? now_ns + attachment->for_ns : UINT64_MAX;
    attachment->program.facts.is_in = attachment->told = true;
}

static int look(void *self, bool enough, struct recorder_result *result, struct fault *fault)
{
    struct attachment *attachment = self;
    uint64_t now = monotonic_ns();
    result->wait_status = -1;
    if (now < attachment->next_look_ns && !has_news(attachment))
        return SUBJECT_RUNS;
    attachment->next_look_ns = now + LOOK_NS;
    if (stop_signals_asked() || enough)
        lifeline_end_is_due();
    int stage = stage_of(attachment);
    if (stage == STAGE_FAILED) {
        dismiss(attachment);
        *fault = attachment->fault;
        return attachment->err;
    }
    if (stage == STAGE_OUT)
        return process_has_ended(attachment->injection.pidfd) ? ended(attachment, result)
                                                              : left(attachment, result);
    if (stage != STAGE_IN) /* the worker finds out what there is to know */
        return SUBJECT_RUNS;
    if (!attachment->told)
        arrive(attachment, now);
    if (process_has_ended(attachment->injection.pidfd))
        return ended(attachment, result);
    if (!attachment->options.follow_children && is_stale(attachment))
        return replaced(attachment, result);
    if ((enough || stop_signals_asked() || now >= attachment->leave_ns) &&
        (attachment->err = hire(attachment, leave, STAGE_LEAVING, &attachment->fault)) < 0)
        return left(attachment, result);
    return SUBJECT_RUNS;
}

static void finish(void *self, enum subject_state how, struct recorder_result *result)
{
    (void)self;
    (void)how;
    (void)result;
}

static void fini(struct attachment *attachment)
{
    attach_hand_end(&attachment->hand);
    dismiss(attachment);
    injection_close(&attachment->injection);
    tracer_library_close(&attachment->library);
    attached_program_fini(&attachment->program);
    free(attachment);
}

static int prepare(struct attachment *attachment, struct fault *fault)
{
    attachment->patience_ns = monotonic_ns() + EXEC_PATIENCE_NS;
    int err = tracer_library_open(&attachment->library, attachment->options.library, fault);
    if (err == 0)
        err = meet_patiently(attachment, fault);
    attachment->options.command = attachment->program.words;
    return err == -ESTALE ? tell_restless(attachment, fault) : err;
}

int recorder_attach(const struct recorder_options *options, pid_t pid,
                    struct recorder_result *result, struct fault *fault)
{
    struct attachment *attachment = calloc(1, sizeof(*attachment));
    if (!attachment)
        return fault_set(fault, -ENOMEM, "out of memory before the start");
    attachment->options = *options;
    attachment->options.attached = &attachment->program.facts;
    attachment->for_ns = options->wish.for_ns;
    attachment->options.wish.for_ns = 0; /* which would count from before we are in */
    attached_program_init(&attachment->program, pid);
    attachment->hand.line = -1;
    attachment->library.fd = attachment->injection.pidfd = -1;
    attachment->injection.memory.fd = -1;
    memset(result, 0, sizeof(*result));
    stop_signals_catch(true);
    int err = prepare(attachment, fault);
    if (err == 0)
        err = recorder_record(
            &attachment->options,
            &(struct recorder_subject){hold, start, look, has_news, finish, attachment}, result,
            fault);
    fini(attachment);
    return err;
}
