/* ring_reader.h - reads the rings of all threads into their sessions, round by round.
 *
 * A round reads every ring up to where the ring was written when the round began, and merges the
 * rings by time.  If a record depends on a record of another ring, that one is in this round or, as
 * a rule, in the next; until then the first ring is held. */
#pragma once

#include "capture/rings/arena.h"
#include "capture/rings/priority.h"
#include "capture/sessions/session_books.h"
#include "capture/rings/tick_clock.h"

struct ring_reader;

/* Returns the session of a process, after opening it if need be; NULL if its events are to be
 * skipped. */
typedef struct session *(*session_of_fn)(void *context, uint32_t process, uint64_t now_ns);

struct ring_reader *ring_reader_create(struct arena *arena, session_of_fn session_of,
                                       void *context);
void ring_reader_destroy(struct ring_reader *reader);

/* Between these two calls, other threads empty the rings into memory.  For work of the reading
 * thread that may take long. */
void ring_reader_leave(struct ring_reader *reader);
void ring_reader_return(struct ring_reader *reader);

/* To be called before the session is destroyed.  Skips what is left in its rings. */
void ring_reader_forget(struct ring_reader *reader, const struct session *session);

/* Does one round, or the part of one that can be done in half a second; then the next call goes on
 * with the rest.  Returns how full the fullest ring was, in percent; 100 when there is more to
 * do. */
unsigned ring_reader_round(struct ring_reader *reader, const struct tick_clock *clock);
/* Sets another time than half a second.  Even with 0, each call reads something. */
void ring_reader_limit_rounds(struct ring_reader *reader, uint64_t round_ns);

/* How far each ring was written at one moment. ring_reader_is_past returns whether all of that has
 * been read. */
struct ring_marks {
    uint32_t count;
    uint64_t heads[ARENA_SLOTS];
};
void ring_reader_mark(const struct ring_reader *reader, struct ring_marks *marks);
bool ring_reader_is_past(struct ring_reader *reader, const struct ring_marks *marks);

uint64_t ring_reader_words(const struct ring_reader *reader); /* Words read so far. */

/* Sets the priority of the calling thread, which reads, and of the threads that empty rings in its
 * place. */
void ring_reader_set_priority(struct ring_reader *reader, const struct priority *priority);

/* Returns a counter that goes up while something is read. */
const _Atomic uint64_t *ring_reader_progress(const struct ring_reader *reader);
/* Returns a counter that goes up with every round, also one that finds nothing, and with other work
 * between rounds. */
const _Atomic uint64_t *ring_reader_rounds(const struct ring_reader *reader);

/* From now on, the program must not wait for the reader: while rings fill faster than they are
 * read, other threads empty them into memory. */
void ring_reader_never_wait(struct ring_reader *reader);

/* Reads all that is left, when no thread should write any more; also two-part records that were cut
 * off.  Returns false if something is left, because reading takes longer than half a minute or the
 * recorder is in a hurry (lifeline.h). */
bool ring_reader_drain(struct ring_reader *reader, const struct tick_clock *clock);
