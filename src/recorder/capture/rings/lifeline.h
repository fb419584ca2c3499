/* lifeline.h - ends a recorder that was told to end and does not.
 *
 * Nothing in the recorder should take long; if something does, a signal must still end the
 * recorder.  What it has read is then on disk, except for the last second, and the file opens like
 * that of a recorder that was killed.
 *
 * While there is something to record, a signal belongs to the program, and the recorder only has to
 * be alive.  Once the end is due, only progress in reading counts: the recorder is ended after
 * `patience_ns` without progress, or after `all_ns` in all.  Some time before that, or at a second
 * signal, the recorder is in a hurry and leaves out what it can.  A third signal ends it at
 * once. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lifeline;

struct lifeline_options {
    uint64_t patience_ns;             /* Time without a sign of life, after a signal. */
    uint64_t all_ns;                  /* Time from the signal, or from when the end was due. */
    const _Atomic uint64_t *progress; /* Changes while something is read. */
    const _Atomic uint64_t *signs;    /* Changes while the recorder lives. */
    /* Both are called in another thread. is_asked returns whether another memoir wants the recorder
     * to end; may be NULL. let_go is called just before the recorder is ended, so that the program
     * goes on; may be NULL. */
    bool (*is_asked)(void *context);
    void (*let_go)(void *context);
    void *context;
};

/* Starts to watch the recorder; one per process.  Returns NULL if that cannot be done. */
struct lifeline *lifeline_tie(const struct lifeline_options *options);
void lifeline_untie(struct lifeline *lifeline);

/* The end is due: the program has ended, or we were told to leave it.  May be called again. */
void lifeline_end_is_due(void);
/* Returns whether the recorder should not go on reading because it takes too long. */
bool lifeline_is_in_hurry(void);

/* The recorder begins to end, which may take long because names are looked up.  From now on, only
 * another signal says that the person does not want to wait. */
void lifeline_let_end(void);

/* Notes that the recorder was told to end.  Signal handlers may call this. */
void lifeline_pull(void);
/* Returns whether the recorder was told to end; if lifeline_let_end was called, since then.  If so,
 * it should leave out what it can. */
bool lifeline_is_pulled(void);
