/* reading.h - a reader with its sessions over a hand-written arena, for tests. */
#pragma once

#include "capture/rings/ring_reader.h"
#include "ring_writer.h"

#define READING_PROCESSES 4u

struct reading {
    struct ring_writer writer;
    struct ring_reader *reader;
    struct session *sessions[READING_PROCESSES];
    struct tick_clock clock;
    char folder[64];
    /* what is known of a program that ran already; NULL */
    const struct recorder_attached *attached;
    struct memory_bound *memory; /* NULL: none */
    uint64_t slow_until_tsc;     /* a thread's first record is read then, not before */
};

struct reading *reading_begin(void); /* NULL when it cannot be */
void reading_round(struct reading *reading, uint64_t passed_ns);

/* Reads to the end and closes the books; the recording has a PIN_DEATH of what is live then. */
const struct recording *reading_finish(struct reading *reading, uint32_t process);
void reading_end(struct reading *reading); /* all is gone, files too */

/* Live bytes of the site whose only frame has this return address. */
int64_t reading_live(const struct recording *recording, uint64_t ip);
