/* ring_reader.h - empties the rings of all threads into their sessions, round by round.
 *
 * A round reads every ring up to where it was when the round began, merging them by time.  What a
 * record in it depends on is in this round or, as a rule, the next: its ring is held until then. */
#pragma once

#include "capture/rings/arena.h"
#include "capture/rings/priority.h"
#include "capture/sessions/session_books.h"
#include "capture/rings/tick_clock.h"

struct ring_reader;

/* Gives the session of a process, opening it if need be; NULL when its events are to be skipped. */
typedef struct session *(*session_of_fn)(void *context, uint32_t process, uint64_t now_ns);

struct ring_reader *ring_reader_create(struct arena *arena, session_of_fn session_of,
                                       void *context);
void ring_reader_destroy(struct ring_reader *reader);

/* Between these two calls the rings are emptied into memory by others: for work that may take
 * long. */
void ring_reader_leave(struct ring_reader *reader);
void ring_reader_return(struct ring_reader *reader);

/* The session is about to go; what is left in its rings is skipped. */
void ring_reader_forget(struct ring_reader *reader, const struct session *session);

/* One round, or as much of it as can be done in half a second: the next one goes on there.  How
 * full the fullest ring was, in percent; 100 when there is more to do. */
unsigned ring_reader_round(struct ring_reader *reader, const struct tick_clock *clock);
/* For another time than half a second.  A part is read also in no time at all. */
void ring_reader_limit_rounds(struct ring_reader *reader, uint64_t round_ns);

/* How far each ring is written at one moment; and whether all of that is read by now. */
struct ring_marks {
    uint32_t count;
    uint64_t heads[ARENA_SLOTS];
};
void ring_reader_mark(const struct ring_reader *reader, struct ring_marks *marks);
bool ring_reader_is_past(struct ring_reader *reader, const struct ring_marks *marks);

uint64_t ring_reader_words(const struct ring_reader *reader); /* read so far */

/* Of the calling thread, which reads, and of those who stand in for it. */
void ring_reader_set_priority(struct ring_reader *reader, const struct priority *priority);

/* Counts up while something is read. */
const _Atomic uint64_t *ring_reader_progress(const struct ring_reader *reader);
/* Counts up with every round, also one that finds nothing, and with whatever else is done
 * between. */
const _Atomic uint64_t *ring_reader_rounds(const struct ring_reader *reader);

/* The program is not to wait for the reader: while rings fill faster than they are read, other
 * threads empty them into memory. */
void ring_reader_never_wait(struct ring_reader *reader);

/* Nobody should write any more: reads all that there is now, also two-part records that were cut
 * off.  False when something is left, because it takes longer than half a minute or somebody is
 * in a hurry (lifeline.h). */
bool ring_reader_drain(struct ring_reader *reader, const struct tick_clock *clock);
