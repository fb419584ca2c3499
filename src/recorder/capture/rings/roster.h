/* roster.h - the recordings of a run: one session per process, opened by its first event, and ended
 * when the process has ended and its last event is read.
 *
 * The first program's recording is ended last, because it describes the whole run.  Not
 * thread-safe. */
#pragma once

#include "capture/programs/inside_planner.h"
#include "capture/sessions/recorder.h"
#include "capture/rings/ring_reader.h"
#include "capture/rings/slot_keeper.h"

struct memory_bound;
struct output_place;
struct roster;

struct roster_options {
    const struct recorder_options *recorder;
    struct output_place *place; /* Of the first recording. */
    struct arena *arena;
    struct slot_keeper *slots;
    struct symbol_queue *symbols;
    struct write_behind *disk;
    struct pss_reader *pss;          /* NULL: PSS is not read. */
    const struct cell_source *cells; /* NULL: none. */
    const struct tick_clock *clock;
    struct memory_bound *memory; /* NULL: none. */
};
struct roster *roster_create(const struct roster_options *options); /* NULL when out of memory. */
void roster_destroy(struct roster *roster);

/* To be called when the program has started: `reader` reads its rings, `planner` knows its
 * allocators. */
void roster_begin(struct roster *roster, struct ring_reader *reader, struct inside_planner *planner,
                  uint32_t pid);

/* A session_of_fn; `context` is the roster. */
struct session *roster_session(void *context, uint32_t process, uint64_t now_ns);

/* To be called when the program has ended; its children may go on. */
void roster_note_end(struct roster *roster, uint64_t now_ns);
/* Called every round: writes what is due, and ends the recordings of processes that have ended. */
void roster_look(struct roster *roster, uint64_t now_ns);

/* Sets a mark at this instant in all recordings; `kind` as in model/mark.h.  Returns false if there
 * is no recording, or its phase is not open. */
bool roster_mark(struct roster *roster, enum mark_kind kind, const char *text, uint64_t now_ns);

/* To be called when the rate of the heap has changed, for all processes. */
void roster_note_rate(struct roster *roster, uint64_t now_ns);

/* Asks for a look at the pages of all processes soon.  Returns true. */
bool roster_ask_pages(struct roster *roster);

/* Tells the person a sentence, and notes it in every open recording. */
void roster_note_all(struct roster *roster, const char *text);

/* Ends all recordings.  SUBJECT_ENDED: the program has ended, with result->wait_status. */
void roster_end(struct roster *roster, struct recorder_result *result, enum subject_state how);
