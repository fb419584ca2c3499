/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/lifeline.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/invariant.h"

#define STEPS         20u /* looks within the patience */
#define LAST_WORDS_NS 200000000l

struct lifeline {
    struct lifeline_options options;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t untied;
    bool is_untied;
};

static _Atomic uint32_t pulls;
static _Atomic uint32_t stops; /* pulls since the end is due, all before it being one */
static atomic_bool is_due, is_ending, is_in_hurry;

void lifeline_pull(void)
{
    atomic_fetch_add(&pulls, 1);
    if (atomic_fetch_add(&stops, 1) > 0 && atomic_load(&is_due))
        atomic_store(&is_in_hurry, true);
}

void lifeline_end_is_due(void)
{
    if (atomic_exchange(&is_due, true))
        return;
    atomic_store(&stops, atomic_load(&stops) > 0);
}

bool lifeline_is_in_hurry(void)
{
    return atomic_load(&is_in_hurry);
}

bool lifeline_is_pulled(void)
{
    return atomic_load(&pulls) > 0;
}

void lifeline_let_end(void)
{
    atomic_store(&is_ending, true);
    atomic_store(&pulls, lifeline_is_in_hurry()); /* then names can be left out as well */
}

static void end(const struct lifeline *lifeline)
{
    static const char text[] =
        "memoir: the recorder did not end, so memoir ends it; the file has all events up to about "
        "a second before the recorder stood still: see memoir report\n";
    if (lifeline->options.let_go)
        lifeline->options.let_go(lifeline->options.context);
    ssize_t const ignored = write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)ignored;
    nanosleep(&(struct timespec){0, LAST_WORDS_NS}, NULL); /* a thread shows it: calm_stderr.h */
    _exit(1);
}

/* Sleeps for a step; false when there is nothing to wait for any more. */
static bool sleep_a_step(struct lifeline *lifeline)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    uint64_t const at = (uint64_t)until.tv_nsec + lifeline->options.patience_ns / STEPS;
    until.tv_sec += (time_t)(at / NS_PER_SECOND);
    until.tv_nsec = (long)(at % NS_PER_SECOND);
    pthread_mutex_lock(&lifeline->lock);
    if (!lifeline->is_untied)
        pthread_cond_timedwait(&lifeline->untied, &lifeline->lock, &until);
    bool const goes_on = !lifeline->is_untied;
    pthread_mutex_unlock(&lifeline->lock);
    return goes_on;
}

static bool is_asked(const struct lifeline *lifeline)
{
    return lifeline->options.is_asked && lifeline->options.is_asked(lifeline->options.context);
}

static bool is_pulled(const struct lifeline *lifeline)
{
    return atomic_load(&pulls) > 0 || (!atomic_load(&is_ending) && is_asked(lifeline));
}

/* What must change to be left alone: rounds that find nothing are life, but lead to no end. */
static uint64_t read_signs(const struct lifeline *lifeline)
{
    const struct lifeline_options *options = &lifeline->options;
    return atomic_load(options->progress) +
           (atomic_load(&is_due) ? 0 : atomic_load(options->signs));
}

/* Whether the end has been due, and wanted, since `stop_ns`, which is set when that begins. */
static bool is_stopping(const struct lifeline *lifeline, uint64_t *stop_ns)
{
    if (*stop_ns == 0 && atomic_load(&is_due) && (atomic_load(&stops) > 0 || is_asked(lifeline)))
        *stop_ns = monotonic_ns();
    return *stop_ns != 0;
}

/* Too long in all: in a hurry first.  Once all is read, only the disk is waited for, and names. */
static void look_at_clock(const struct lifeline *lifeline, uint64_t stop_ns)
{
    INVARIANT(stop_ns != 0);
    const struct lifeline_options *options = &lifeline->options;
    uint64_t const passed_ns = monotonic_ns() - stop_ns;
    if (passed_ns + options->patience_ns > options->all_ns && !lifeline_is_in_hurry()) {
        atomic_store(&is_in_hurry, true);
        atomic_fetch_add(&pulls, 1);
    }
    if (passed_ns > options->all_ns && !atomic_load(&is_ending))
        end(lifeline);
}

static void *watch(void *context)
{
    struct lifeline *lifeline = context;
    uint64_t signs = 0, since_ns = monotonic_ns(), stop_ns = 0;
    while (sleep_a_step(lifeline)) {
        uint64_t const now = read_signs(lifeline);
        if (now != signs || !is_pulled(lifeline)) {
            signs = now;
            since_ns = monotonic_ns();
        } else if (monotonic_ns() - since_ns > lifeline->options.patience_ns) {
            end(lifeline);
        }
        if (!is_stopping(lifeline, &stop_ns))
            continue;
        if (atomic_load(&stops) > 2)
            end(lifeline);
        look_at_clock(lifeline, stop_ns);
    }
    return NULL;
}

struct lifeline *lifeline_tie(const struct lifeline_options *options)
{
    INVARIANT(options->progress && options->signs && options->patience_ns >= STEPS);
    struct lifeline *lifeline = calloc(1, sizeof(*lifeline));
    pthread_condattr_t clock;
    sigset_t all, before;
    if (!lifeline)
        return NULL;
    lifeline->options = *options;
    pthread_mutex_init(&lifeline->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&lifeline->untied, &clock);
    pthread_condattr_destroy(&clock);
    sigfillset(&all); /* signals are for the recorder's own thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int const err = pthread_create(&lifeline->thread, NULL, watch, lifeline);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err == 0)
        return lifeline;
    free(lifeline);
    return NULL;
}

void lifeline_untie(struct lifeline *lifeline)
{
    if (!lifeline)
        return;
    pthread_mutex_lock(&lifeline->lock);
    lifeline->is_untied = true;
    pthread_cond_signal(&lifeline->untied);
    pthread_mutex_unlock(&lifeline->lock);
    pthread_join(lifeline->thread, NULL);
    pthread_cond_destroy(&lifeline->untied);
    pthread_mutex_destroy(&lifeline->lock);
    free(lifeline);
}
