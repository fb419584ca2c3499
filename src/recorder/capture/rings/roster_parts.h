/* roster_parts.h - a roster from inside: roster.c for who has a session and what is done in every
 * round, roster_end.c for how a session ends. */
#pragma once

#include "base/vec.h"
#include "capture/outputs/output_place.h"
#include "capture/outputs/say_recordings.h"
#include "capture/rings/roster.h"
#include "capture/sessions/session_list.h"

struct roster {
    struct roster_options options;
    struct ring_reader *reader;
    struct inside_planner *planner;
    struct session_list list;
    struct session *sessions[ARENA_PROCESSES]; /* those of the list that are open */
    int pidfds[ARENA_PROCESSES];               /* of children, plus one; 0: none */
    bool met[ARENA_PROCESSES];                 /* it was looked whether the entry is a child */
    uint64_t child_ended_ns[ARENA_PROCESSES];  /* when that was seen; 0: it was not */
    uint32_t session_count;                    /* highest index used, plus one */
    char command_line[4096];
    uint32_t pid;
    uint64_t next_look_ns;
    uint64_t ended_ns;   /* when the program did, which its children may outlive; 0: it has not */
    uint32_t silent;     /* processes that are over, of which there was nothing to record */
    uint32_t unfinished; /* recordings that could not be written to their end */
    bool crowded;
    bool told_failure;
    bool has_opened; /* the first recording, which has the name that was asked for */

    /* Processes that were found to be over; their events are read once the reader is past the
     * marks. */
    VEC(uint32_t) over;
    struct ring_marks marks;
    struct session *program;       /* known at the end */
    char *named[RECORDINGS_NAMED]; /* the program's is the first */
    uint32_t recordings, others;   /* written in all; of them, not the program's */
};

/* Whether a program that the process became after this one has something recorded. */
bool roster_has_later_image(const struct roster *roster, uint32_t process);
/* What the planner has to say about the process goes into its recording, and complaints to the
 * person too. */
void roster_note_allocators(struct roster *roster, struct session *session);
struct cost roster_measure_cost(struct roster *roster, uint32_t process);
/* What the threads of a process counted; returns the events that are lost. */
uint64_t roster_count_calls(struct roster *roster, uint32_t process, struct session_counts *counts);

/* Nothing is known of this entry any more. */
void roster_forget_child(struct roster *roster, uint32_t process);

/* Of roster_children.c.  Every round: holds on to processes that are new in the list, so that the
 * kernel tells how they ended, and sees when they do. */
void roster_watch_children(struct roster *roster, uint64_t now_ns);

/* Of roster_end.c: */

/* Whether it is the session of the program, which has ended. */
bool roster_program_is_over(const struct roster *roster, const struct session *session);
/* Finds processes that are over, ends their sessions once all their events are read, and closes
 * those that have their names. */
void roster_end_over(struct roster *roster);
/* Of a session_feed: writes the last of it. */
void roster_close_session(void *roster, struct session *session);
