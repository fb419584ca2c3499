/* roster.h - the recordings of a run: a session per process, opened by its first event, ended
 * when the process is over and its last event read.
 *
 * The first program's recording is ended last, for it tells about the whole run.  Not
 * thread-safe. */
#pragma once

#include "capture/programs/inside_planner.h"
#include "capture/sessions/recorder.h"
#include "capture/rings/ring_reader.h"
#include "capture/rings/slot_keeper.h"

struct output_place;
struct roster;

struct roster_options {
    const struct recorder_options *recorder;
    struct output_place *place; /* of the first recording */
    struct arena *arena;
    struct slot_keeper *slots;
    struct symbol_queue *symbols;
    struct write_behind *disk;
    struct pss_reader *pss;          /* NULL: it is not read */
    const struct cell_source *cells; /* NULL: none */
    const struct tick_clock *clock;
};
struct roster *roster_create(const struct roster_options *options); /* NULL when out of memory */
void roster_destroy(struct roster *roster);

/* The program has started, this reader reads its rings, and this planner knows about its
 * allocators. */
void roster_begin(struct roster *roster, struct ring_reader *reader, struct inside_planner *planner,
                  uint32_t pid);

/* A session_of_fn; the context is the roster. */
struct session *roster_session(void *context, uint32_t process, uint64_t now_ns);

/* The program has ended; those that it started may go on. */
void roster_note_end(struct roster *roster, uint64_t now_ns);
/* Called every round: writes what is due, and ends recordings of processes that are over. */
void roster_look(struct roster *roster, uint64_t now_ns);

/* Names the present instant in all recordings: `kind` as in model/mark.h.  False when there is
 * none, or its phase is not open. */
bool roster_mark(struct roster *roster, enum mark_kind kind, const char *text, uint64_t now_ns);

/* What is traced of the heap has changed, for all processes. */
void roster_note_rate(struct roster *roster, uint64_t now_ns);

/* Has the pages of all processes looked at soon.  True. */
bool roster_ask_pages(struct roster *roster);

/* A sentence for the person, and for every recording that goes on. */
void roster_note_all(struct roster *roster, const char *text);

/* Ends all.  SUBJECT_ENDED: the program has, with result->wait_status. */
void roster_end(struct roster *roster, struct recorder_result *result, enum subject_state how);
