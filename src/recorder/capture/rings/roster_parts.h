/* roster_parts.h - the inside of a roster.  roster.c opens sessions and does the work of every
 * round; roster_end.c ends sessions. */
#pragma once

#include "base/vec.h"
#include "capture/outputs/output_place.h"
#include "capture/outputs/say_recordings.h"
#include "capture/rings/roster.h"
#include "capture/sessions/session_list.h"

struct over_process {
    uint32_t index, serial;
};

struct roster {
    struct roster_options options;
    struct ring_reader *reader;
    struct inside_planner *planner;
    struct session_list list;
    struct session *sessions[ARENA_PROCESSES]; /* The sessions of the list that are open. */
    int pidfds[ARENA_PROCESSES];               /* Descriptors of children, plus one; 0: none. */
    bool met[ARENA_PROCESSES]; /* Whether the entry is a child has been looked up. */
    /* When the child was seen to have ended; 0: it was not. */
    uint64_t child_ended_ns[ARENA_PROCESSES];
    uint32_t session_count; /* Highest index used, plus one. */
    char command_line[4096];
    uint32_t pid;
    uint64_t next_look_ns;
    uint64_t ended_ns; /* When the program ended, which its children may outlive; 0: it has not. */
    uint32_t silent;   /* Number of ended processes of which there was nothing to record. */
    uint32_t unfinished; /* Number of recordings that could not be written to their end. */
    bool crowded;
    bool told_failure;
    /* The first recording, which has the name that the person asked for, is open. */
    bool has_opened;

    /* Processes that were found to have ended.  Their events are complete once the reader is past
     * the marks. */
    VEC(struct over_process) over;
    struct ring_marks marks;
    struct session *program;       /* Known at the end. */
    char *named[RECORDINGS_NAMED]; /* The program's recording is the first. */
    uint32_t recordings, others; /* Recordings written in all; those that are not of the program. */
};

/* Returns whether a program that this process executed later has a session. */
bool roster_has_later_image(const struct roster *roster, uint32_t process);
/* Notes what the planner says about the process in its recording; tells complaints to the person,
 * too. */
void roster_note_allocators(struct roster *roster, struct session *session);
struct cost roster_measure_cost(struct roster *roster, uint32_t process);
/* Sums up what the threads of a process counted.  Returns the number of lost events. */
uint64_t roster_count_calls(struct roster *roster, uint32_t process, struct session_counts *counts);

/* Forgets what is known about this entry. */
void roster_forget_child(struct roster *roster, uint32_t process);

/* In roster_children.c; called every round.  Opens a descriptor for each process that is new in the
 * list, so that the kernel tells how it ended, and notices when one ends. */
void roster_watch_children(struct roster *roster, uint64_t now_ns);

/* In roster_end.c: */

/* Returns whether this is the session of the program, and the program has ended. */
bool roster_program_is_over(const struct roster *roster, const struct session *session);
/* Finds processes that have ended, ends their sessions once all their events are read, and closes
 * sessions that have their names. */
void roster_end_over(struct roster *roster);
/* The `close` of a session_feed: writes the last part of the recording. */
void roster_close_session(void *roster, struct session *session);
