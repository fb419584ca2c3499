/* perf_data_events.h - the events of a perf.data: how each one's samples are laid out, and which
 * record is of which. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/number_map.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/perf/perf_data_format.h"
#include "model/metric.h"

/* What a sample stands for. */
enum perf_measure {
    PERF_MEASURE_NS,     /* its period is time */
    PERF_MEASURE_CYCLES, /* of a processor that runs: so many a second were asked for */
    PERF_MEASURE_COUNT,  /* something else that was counted */
    PERF_MEASURE_NOTHING /* carries what is told beside samples */
};

#define PERF_EVENTS_MAX 4096u
#define PERF_NAME_MAX   64u

struct perf_event {
    struct perf_event_attr attr; /* what is newer than ours is left out, what is missing is 0 */
    char name[PERF_NAME_MAX];    /* "" when the file does not tell */
    uint64_t samples;            /* so far; these are the reader's */
    bool has_column;             /* it was decided what its samples count in: ... */
    enum column column; /* COL_CPU_NS, of a metric of the file's own, or COL_NONE: left out */
};

struct perf_data_events {
    VEC(struct perf_event) items;
    struct number_map by_id; /* index plus one */
    /* by id, too: of counters that samples of others tell, which of ... */
    struct number_map counted;
    VEC(uint64_t) counts; /* ... what each was at the last of them */
    bool by_identifier;   /* all have PERF_SAMPLE_IDENTIFIER */
    int id_word;          /* else: where samples have their id, in words; -1: nowhere */
    int id_word_last;     /* where other records have it, from the end; 0: nowhere */
};

void perf_events_fini(struct perf_data_events *events);

/* Adds an event from the bytes of its attribute and of its ids.  Returns 0, -EINVAL, -E2BIG or
 * -ENOMEM. */
int perf_events_add(struct perf_data_events *events, struct slice attr, struct slice ids);
void perf_events_name(struct perf_data_events *events, uint64_t id, struct slice name);

/* Returns the event of a record; NULL when there is none.  One that is not told is the first
 * one's. */
struct perf_event *perf_events_find(struct perf_data_events *events,
                                    const struct perf_record *record);

/* Returns the event whose counter has that id, and by how much it rose since the last time.  NULL
 * when there is none, or out of memory. */
struct perf_event *perf_events_count(struct perf_data_events *events, uint64_t id, uint64_t counter,
                                     uint64_t *rise);

enum perf_measure perf_event_measure(const struct perf_event *event);
/* Returns what it counts, for people: "ns", "faults", ...; "events" when that is not known. */
const char *perf_event_unit(const struct perf_event *event);
/* Returns the kernel's number of the software event of that title; for others that of one which
 * means what each program defines. */
uint64_t perf_counter_number(const char *title);
/* Returns whether both are one event on two kinds of cores; false for one that was asked for
 * twice. */
bool perf_events_alike(const struct perf_event *one, const struct perf_event *other);
/* Its name, told or made up, without blanks and commas. */
const char *perf_event_title(const struct perf_event *event, char text[PERF_NAME_MAX]);
