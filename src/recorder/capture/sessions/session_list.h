/* session_list.h - the recordings under way, and what is done for each of them wherever its events
 * come from: open a session as the person wished, write when a bucket is due, end, name and close
 * the session, and tell the person what goes wrong.
 *
 * Two parts feed such a list.  rings/roster.h has a session for each process with our library in
 * it; outside/outside_recorder.h has sessions for processes that are watched from outside.  Each
 * has its own loop, because they differ:
 *
 * - When to look.  The reader of rings must not rest while rings fill, is woken by the program,
 *   and uses the clock that stamps events.  Outside, the kernel keeps what it has to tell, so a
 *   round every 50 ms by the monotonic clock is enough.
 * - What opens a session.  With rings, an event does.  Outside, a person or a selector chooses
 *   processes, or a watch tells of a child.
 * - When a process has ended.  Rings must first be read past its last event; a watch says so.
 * - Names at the end.  Outside, no program waits for us, so we wait for names.  Rings would fill
 *   meanwhile, so there the session is closed in a later round.
 * - Marks, the rate, looks on request.  A recorder of processes with our library is asked once for
 *   all its sessions (recorder.c).  A session from outside is asked itself (session_asked.c); it
 *   has no marks, because only rings say what came before one.
 *
 * Not thread-safe. */
#pragma once

#include "base/vec.h"
#include "capture/sessions/recording_wish.h"
#include "capture/sessions/session.h"

/* What the part that feeds a list provides. */
struct session_feed {
    /* Called before and after a session is written, which may take long.  May be NULL. */
    void (*begin_write)(void *self, struct session *session);
    void (*end_write)(void *self);
    /* Returns whether a session takes nothing more, although it has not ended yet.  NULL: none
     * does. */
    bool (*is_still)(void *self, const struct session *session);
    /* Closes a session that has ended and has its names. */
    void (*close)(void *self, struct session *session);
};

struct session_list {
    const struct recording_wish *wish;
    const char *source; /* Which command records. */
    struct symbol_queue *symbols;
    struct write_behind *disk;       /* NULL: the list waits for the disk itself. */
    struct pss_reader *pss;          /* NULL: PSS is not read. */
    const struct cell_source *cells; /* NULL: none. */
    const struct session_feed *feed;
    void *feeder; /* The `self` of `feed`. */
    VEC(struct session *) open;
    VEC(struct session *) unnamed; /* Ended, but without names for all frames; has room for all. */
};

/* Frees the list.  Its sessions must be gone. */
void session_list_fini(struct session_list *list);

/* Opens a session: `own` says which process it is about; the list adds what is the same for all.
 * Returns NULL with `fault` filled on failure. */
struct session *session_list_open(struct session_list *list, const struct session_options *own,
                                  uint64_t begin_ns, struct fault *fault);

/* Called every round: writes sessions that are due, and asks for names. */
void session_list_tick(struct session_list *list, uint64_t now_ns);

/* Tells the person a sentence, and notes it in every open recording. */
void session_list_note(struct session_list *list, const char *text);

/* Ends an open session; it is closed once it has its names. */
void session_list_end(struct session_list *list, struct session *session,
                      const struct session_end *end);
/* Closes the ended sessions that have all their names; with `wait`, waits for all of them. */
void session_list_close(struct session_list *list, bool wait);
/* Destroys an open session and removes its file. */
void session_list_abandon(struct session_list *list, struct session *session);
