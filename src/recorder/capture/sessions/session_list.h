/* session_list.h - the recordings that are under way, and all that is the same for each of them
 * wherever its events come from: a session is opened as the person wished, written when a bucket
 * is due, ended, named, closed, and the person is told what goes wrong.
 *
 * Two feed such a list.  rings/roster.h has a session for each process with our library in it,
 * outside/outside_recorder.h for those that others watch.  Their loops stay apart, because these
 * things really differ:
 *
 * - When to look.  The reader of rings must not rest while rings fill, is woken by the program,
 *   and goes by the clock that stamps events.  Outside, the kernel keeps what it has to tell, so
 *   a round every 50 ms by the monotonic clock is enough.
 * - Who begins.  A session of rings is opened by an event; outside, by somebody who selects
 *   processes or by a watch that tells of children.
 * - Who is over.  Rings must be read past the process's last event first; a watch tells itself.
 * - Names at the end.  Outside nobody waits for us, so we wait for them.  Rings would fill
 *   meanwhile: there the session is closed in a later round.
 * - Marks, the rate, looks that are asked for.  A process with our library has one recorder to
 *   ask, for all sessions (recorder.c); a session from outside is asked itself
 *   (session_asked.c), and knows no marks, for only rings say what came before one.
 *
 * Not thread-safe. */
#pragma once

#include "base/vec.h"
#include "capture/sessions/recording_wish.h"
#include "capture/sessions/session.h"

/* What whoever feeds a list adds. */
struct session_feed {
    /* Around the writing of a session, which may take long.  NULL: nothing is to be done. */
    void (*begin_write)(void *self, struct session *session);
    void (*end_write)(void *self);
    /* Whether it takes nothing more although it is not ended yet.  NULL: none is so. */
    bool (*is_still)(void *self, const struct session *session);
    /* Closes a session that has ended and has its names. */
    void (*close)(void *self, struct session *session);
};

struct session_list {
    const struct recording_wish *wish;
    const char *source; /* which command records */
    struct symbol_queue *symbols;
    struct write_behind *disk;       /* NULL: we wait for the disk ourselves */
    struct pss_reader *pss;          /* NULL: it is not read */
    const struct cell_source *cells; /* NULL: none */
    const struct session_feed *feed;
    void *feeder; /* the `self` of `feed` */
    VEC(struct session *) open;
    VEC(struct session *) unnamed; /* ended, but for the names of their frames; has room for all */
};

/* Frees the list; its sessions are gone. */
void session_list_fini(struct session_list *list);

/* Opens a session: `own` says whom it is about, and the list adds what is the same for all.  NULL
 * with `fault` filled. */
struct session *session_list_open(struct session_list *list, const struct session_options *own,
                                  uint64_t begin_ns, struct fault *fault);

/* Called every round: has sessions write that are due, and asks for names. */
void session_list_tick(struct session_list *list, uint64_t now_ns);

/* A sentence for the person, and for every recording that is open. */
void session_list_note(struct session_list *list, const char *text);

/* Ends an open session, which is closed once it has its names. */
void session_list_end(struct session_list *list, struct session *session,
                      const struct session_end *end);
/* Closes those that have all their names, or all of them if told to wait. */
void session_list_close(struct session_list *list, bool wait);
/* Forgets an open session: its file goes too. */
void session_list_abandon(struct session_list *list, struct session *session);
