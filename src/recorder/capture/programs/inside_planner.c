/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/inside_planner.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "capture/programs/inside_plan.h"
#include "capture/programs/plan_delivery.h"
#include "procfs/process/process_facts.h"

#define STEP_NS      50000000l
#define STEPS_WAITED 40u /* for a process that has its plan */
#define NOTES_MAX    1024u

struct inside_planner {
    struct arena *arena;
    struct shared_bell *bell; /* which all processes can write to as well */
    struct inside_plan *draft;
    const char *wanted;
    pthread_t thread;
    _Atomic uint32_t begun; /* futex */
    _Atomic bool stop;
    struct inside_known known;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t done;
    VEC(struct inside_note) notes;
    bool at_work; /* on this process */
    uint32_t serial;
};

static const struct timespec step = {0, STEP_NS};

static void add_note(struct inside_planner *planner, const struct inside_note *note)
{
    pthread_mutex_lock(&planner->lock);
    if (planner->notes.count < NOTES_MAX)
        (void)vec_push(&planner->notes, *note);
    pthread_mutex_unlock(&planner->lock);
}

static const char *reason(uint32_t outcome)
{
    static const char *const reasons[INSIDE_OUTCOMES] = {
        [INSIDE_WAITING] = "the program ended or became another program first",
        [INSIDE_CHANGED_CODE] = "its code differs from the file",
        [INSIDE_NO_MEMORY] = "no executable memory could be mapped near it",
        [INSIDE_PROTECTED] = "a security policy forbids changing its code",
        [INSIDE_THREADS] = "other threads were already running",
        [INSIDE_OURSELVES] = "it belongs to memoir",
        [INSIDE_SHADOW_STACK] = "it uses a shadow stack",
    };
    return outcome < INSIDE_OUTCOMES && reasons[outcome] ? reasons[outcome]
                                                         : "the program's answer was invalid";
}

/* How many of the finding's functions are hooked; what became of the first that is not. */
static uint32_t count_hooked(const struct inside_planner *planner, struct inside_finding *finding)
{
    uint32_t hooked = 0;
    for (uint32_t i = 0; i < finding->patch_count; i++) {
        uint32_t outcome = shared_outcome(planner->bell, finding->first_patch + i);
        if (outcome == INSIDE_HOOKED)
            hooked++;
        else if (finding->refused++ == 0)
            snprintf(finding->refusal, sizeof(finding->refusal), "%s", reason(outcome));
    }
    return hooked;
}

static void tell(struct inside_planner *planner, uint32_t serial, struct inside_finding *finding)
{
    struct inside_note note = {.serial = serial};
    uint32_t hooked = count_hooked(planner, finding);
    note.complaint = finding->refused > 0;
    note.in_executable = finding->in_executable;
    if (hooked == 0)
        snprintf(note.text, sizeof(note.text), "%s inside %s is not recorded (%s)", finding->family,
                 finding->module, finding->refusal);
    else if (finding->refused > 0)
        snprintf(note.text, sizeof(note.text),
                 "%s inside %s is recorded through %u functions, but not through %u others (%s)",
                 finding->family, finding->module, hooked, finding->refused, finding->refusal);
    else
        snprintf(note.text, sizeof(note.text), "%s inside %s is recorded through %u functions",
                 finding->family, finding->module, hooked);
    add_note(planner, &note);
}

static void tell_all(struct inside_planner *planner, uint32_t serial, struct inside_report *report)
{
    for (uint32_t i = 0; i < report->count; i++)
        tell(planner, serial, &report->findings[i]);
    if (planner->wanted && !report->has_wanted) {
        struct inside_note note = {.serial = serial, .complaint = true};
        snprintf(note.text, sizeof(note.text),
                 "--allocator %s: no program or library of the process has functions of an "
                 "allocator with that "
                 "prefix; look at the names with nm",
                 planner->wanted);
        add_note(planner, &note);
    }
}

/* Until the process is done with its plan, or has gone away. */
static bool wait_until_done(struct inside_planner *planner, uint32_t pid)
{
    for (unsigned i = 0; i < STEPS_WAITED && !planner->stop; i++) {
        if (shared_get(planner->bell, state) != PLAN_READY)
            break;
        shared_wait(planner->bell, state, PLAN_READY, &step);
        if (!process_runs(pid))
            break;
    }
    return shared_get(planner->bell, state) == PLAN_TAKEN;
}

static void set_at_work(struct inside_planner *planner, bool at_work, uint32_t serial)
{
    pthread_mutex_lock(&planner->lock);
    planner->at_work = at_work;
    planner->serial = serial;
    pthread_cond_broadcast(&planner->done);
    pthread_mutex_unlock(&planner->lock);
}

/* Makes the plan and brings it to the process.  How many allocators it has, of which nothing is
 * recorded if that fails. */
static int deliver(struct inside_planner *planner, uint32_t pid, struct inside_report *report)
{
    struct plan_delivery delivery;
    shared_clear_outcomes(planner->bell);
    *report = (struct inside_report){.count = 0};
    int err = plan_delivery_begin(&delivery, planner->arena->users, pid);
    if (err < 0)
        return err;
    err = inside_plan_make(planner->draft, pid, planner->wanted, &planner->known, report);
    return plan_delivery_end(&delivery, err == 0 ? planner->draft : NULL) || err < 0 ? err : -EIO;
}

static void tell_undelivered(struct inside_planner *planner, uint32_t serial, int err)
{
    struct inside_note note = {.serial = serial, .complaint = true};
    if (err == -ENOENT || err == -EBUSY || err == -ESRCH)
        return; /* it did not ask, or is no more */
    if (err == -EPROTO)
        snprintf(note.text, sizeof(note.text),
                 "memoir does not know whether the program contains an allocator, because the "
                 "search in one of its files failed or took too long; `memoir run --heap off` "
                 "records the program without its heap");
    else
        snprintf(
            note.text, sizeof(note.text),
            "memoir does not know whether the program contains an allocator, because memoir may "
            "not write to the memory of the program (%s); see `sysctl kernel.yama.ptrace_scope`",
            strerror(-err));
    add_note(planner, &note);
}

static void answer(struct inside_planner *planner)
{
    uint32_t process = shared_get(planner->bell, holder) - 1, asked = PLAN_ASKED;
    if (process >= ARENA_PROCESSES)
        return;
    struct shared_process *entry = shared_process_at(planner->arena->memory, process);
    uint32_t const pid = shared_get(entry, pid), serial = shared_get(entry, serial);
    struct inside_report report;
    struct inside_note late = {.serial = serial, .complaint = true};
    set_at_work(planner, true, serial);
    int err = deliver(planner, pid, &report);
    if (err < 0)
        tell_undelivered(planner, serial, err);
    if (!shared_replace(planner->bell, state, &asked, PLAN_READY)) {
        snprintf(late.text, sizeof(late.text),
                 "allocators inside the program are not recorded: the search for them took too "
                 "long");
        if (report.count > 0)
            add_note(planner, &late);
    } else {
        shared_wake(planner->bell, state, INT32_MAX);
        if (wait_until_done(planner, pid) && err == 0)
            tell_all(planner, serial, &report);
    }
    set_at_work(planner, false, serial);
}

static void *serve(void *context)
{
    struct inside_planner *planner = context;
    while (!planner->begun && !planner->stop)
        syscall(SYS_futex, &planner->begun, FUTEX_WAIT, 0, &step, NULL, 0);
    while (!planner->stop) {
        uint32_t const state = shared_get(planner->bell, state);
        if (state == PLAN_NONE) {
            shared_wait(planner->bell, state, PLAN_NONE, &step);
            continue;
        }
        if (state == PLAN_ASKED)
            answer(planner);
        shared_set(planner->bell, state, PLAN_NONE);
        shared_set(planner->bell, holder, 0);
        shared_wake(planner->bell, holder, INT32_MAX);
    }
    return NULL;
}

struct inside_planner *inside_planner_create(struct arena *arena, const char *wanted)
{
    struct inside_planner *planner = calloc(1, sizeof(*planner));
    sigset_t all, before;
    if (!planner)
        return NULL;
    planner->draft = calloc(1, sizeof(*planner->draft));
    planner->arena = arena;
    planner->bell = shared_bell_of(arena->memory);
    planner->wanted = wanted;
    pthread_mutex_init(&planner->lock, NULL);
    pthread_cond_init(&planner->done, NULL);
    sigfillset(&all); /* the recorder's own thread is to be woken by signals */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int err = planner->draft ? pthread_create(&planner->thread, NULL, serve, planner) : -1;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err != 0) {
        free(planner->draft);
        free(planner);
        return NULL;
    }
    return planner;
}

void inside_planner_begin(struct inside_planner *planner)
{
    planner->begun = 1;
    syscall(SYS_futex, &planner->begun, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void inside_planner_destroy(struct inside_planner *planner)
{
    if (!planner)
        return;
    planner->stop = true;
    inside_planner_begin(planner);
    shared_set(planner->bell, state, PLAN_LATE); /* nobody may wait for it to change */
    shared_wake(planner->bell, state, INT32_MAX);
    pthread_join(planner->thread, NULL);
    pthread_cond_destroy(&planner->done);
    pthread_mutex_destroy(&planner->lock);
    inside_known_fini(&planner->known);
    vec_free(&planner->notes);
    free(planner->draft);
    free(planner);
}

bool inside_planner_next_note(struct inside_planner *planner, uint32_t serial,
                              struct inside_note *note)
{
    bool found = false;
    pthread_mutex_lock(&planner->lock);
    while (planner->at_work && planner->serial == serial)
        pthread_cond_wait(&planner->done, &planner->lock);
    for (size_t i = 0; i < planner->notes.count && !found; i++) {
        struct inside_note *one = &planner->notes.items[i];
        if (one->serial != serial)
            continue;
        found = true;
        *note = *one;
        memmove(one, one + 1, (planner->notes.count - i - 1) * sizeof(*one));
        planner->notes.count--;
    }
    pthread_mutex_unlock(&planner->lock);
    return found;
}
