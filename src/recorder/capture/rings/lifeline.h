/* lifeline.h - ends a recorder that was told to end and does not.
 *
 * Nothing in the recorder should take long; if something does all the same, a signal must still
 * end it.  What was read before is on disk by then, no older than a second, and opens like that
 * of a recorder that was killed.
 *
 * As long as there is something to record, a signal is the program's own business, and the
 * recorder only has to be alive.  Once the end is due, only what is read counts: it is ended
 * after `patience_ns` without anything, or `all_ns` in all.  Some time before that, or at a
 * second signal, it is in a hurry and leaves out what it can; a third one ends it at once. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lifeline;

struct lifeline_options {
    uint64_t patience_ns;             /* without a sign of life, after a signal */
    uint64_t all_ns;                  /* from the signal, or from when the end was due */
    const _Atomic uint64_t *progress; /* changes while something gets done */
    const _Atomic uint64_t *signs;    /* changes while there is life */
    /* Both in another thread.  Whether another memoir wants the end; may be NULL.  Before the end:
     * the program is to go on. */
    bool (*is_asked)(void *context);
    void (*let_go)(void *context);
    void *context;
};

/* One per process.  NULL: cannot. */
struct lifeline *lifeline_tie(const struct lifeline_options *options);
void lifeline_untie(struct lifeline *lifeline);

/* There is nothing left to record: the program is over, or we were told to leave it.  May be
 * called again. */
void lifeline_end_is_due(void);
/* Whether reading on is no longer worth the wait. */
bool lifeline_is_in_hurry(void);

/* The recorder comes to its end, which may take long because names are looked up: only who pulls
 * again does not want to wait. */
void lifeline_let_end(void);

/* We were told to end.  For signal handlers. */
void lifeline_pull(void);
/* Whether we were, since lifeline_let_end if that was called: what can be left out should be. */
bool lifeline_is_pulled(void);
