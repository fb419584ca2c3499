/* perf_data_events.h - the events of a perf.data: the layout of their samples, and to which event a
 * record belongs. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/number_map.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/perf/perf_data_format.h"
#include "model/metric.h"

/* What the period of a sample measures. */
enum perf_measure {
    PERF_MEASURE_NS,     /* the period is a time */
    PERF_MEASURE_CYCLES, /* CPU cycles, sampled a number of times per second */
    PERF_MEASURE_COUNT,  /* another count */
    PERF_MEASURE_NOTHING /* the event only carries other records */
};

#define PERF_EVENTS_MAX 4096u
#define PERF_NAME_MAX   64u

struct perf_event {
    struct perf_event_attr attr; /* fields that we do not know are dropped, missing ones are 0 */
    char name[PERF_NAME_MAX];    /* "" if the file does not have it */
    uint64_t samples;            /* so far; this and the rest are set by the reader */
    bool has_column;             /* the column was chosen: */
    enum column column; /* COL_CPU_NS, the column of a metric of the file, or COL_NONE: left out */
};

struct perf_data_events {
    VEC(struct perf_event) items;
    struct number_map by_id; /* index plus one */
    /* for counters that samples of other events report, by id: index in `counts` plus one */
    struct number_map counted;
    VEC(uint64_t) counts; /* last value of each of these counters */
    bool by_identifier;   /* all events have PERF_SAMPLE_IDENTIFIER */
    int id_word;          /* otherwise: word of a sample that is the id; -1: none */
    int id_word_last;     /* word of other records that is the id, counted from the end; 0: none */
};

void perf_events_fini(struct perf_data_events *events);

/* Adds an event from the bytes of its attribute and its ids.  Returns 0, -EINVAL, -E2BIG or
 * -ENOMEM. */
int perf_events_add(struct perf_data_events *events, struct slice attr, struct slice ids);
void perf_events_name(struct perf_data_events *events, uint64_t id, struct slice name);

/* Returns the event of a record; NULL if there is none.  A record without an id belongs to the
 * first event. */
struct perf_event *perf_events_find(struct perf_data_events *events,
                                    const struct perf_record *record);

/* Returns the event of the counter with this id; *rise is the increase since the last value.  NULL
 * if there is none, or when out of memory. */
struct perf_event *perf_events_count(struct perf_data_events *events, uint64_t id, uint64_t counter,
                                     uint64_t *rise);

enum perf_measure perf_event_measure(const struct perf_event *event);
/* Returns the unit for people: "ns", "faults", ...; "events" if unknown. */
const char *perf_event_unit(const struct perf_event *event);
/* Returns the kernel's number of the software event with this title; for other titles, the number
 * of the event whose meaning each program defines. */
uint64_t perf_counter_number(const char *title);
/* Returns whether both are one event on two kinds of CPU cores; false if an event was requested
 * twice. */
bool perf_events_alike(const struct perf_event *one, const struct perf_event *other);
/* Returns its name, from the file or made up, without blanks and commas. */
const char *perf_event_title(const struct perf_event *event, char text[PERF_NAME_MAX]);
