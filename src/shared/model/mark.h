/* mark.h - named instants of a recording, which the program or a person has set.
 *
 * An instant is a mark, or the begin or end of a phase (a time range).  Instants are ordered by
 * time, and each lies on a boundary of buckets, so sums are exact there.  A program may set one per
 * block of a chain; when there are too many, the newer half is kept whole and of the older ones
 * every second, fourth, eighth ... is kept. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/string_table.h"

/* Stored in recordings by number: append only, never reorder. */
enum mark_kind { MARK_INSTANT = 1, MARK_BEGIN = 2, MARK_END = 3 };

/* Totals of the heap at an instant; still known if buckets were merged across the instant. */
struct mark_sums {
    uint64_t calls, bytes, frees, freed_bytes;
};

struct mark {
    uint32_t number; /* Counts up from 1, and counts removed instants, too. */
    uint32_t begin;  /* For MARK_END the number of its MARK_BEGIN; else 0. */
    enum mark_kind kind;
    string_id label;
    uint64_t time_ns;
    bool has_sums;
    struct mark_sums sums;
    uint32_t ordinal; /* Among marks, or among phases; not stored in files. */
};

struct mark_list {      /* All zero to begin. */
    struct mark *items; /* Ordered by number, and by time. */
    size_t count, room;
    uint32_t last_number;
    uint32_t thinned;          /* How often instants were removed, which leaves gaps in numbers. */
    uint32_t instants, phases; /* Ever added. */
    unsigned level;            /* Of the older instants, one in 2^level is kept. */
    uint64_t left_out;         /* Marks that were set and are not in the list. */
};
#define MARKS_MAX 8192u

/* Adds an instant at `time_ns`, or at the time of the last instant if that is later.  A MARK_END
 * belongs to the newest open phase of its name; without one, nothing is added.  Returns 0 or
 * -ENOMEM. */
int marks_add(struct mark_list *marks, enum mark_kind kind, string_id label, uint64_t time_ns);
/* Sets the sums of the last instant, if its time is `time_ns`. */
void marks_set_sums(struct mark_list *marks, uint64_t time_ns, const struct mark_sums *sums);
/* Returns the sums at exactly this time; NULL if they are not known. */
const struct mark_sums *marks_sums_at(const struct mark_list *marks, uint64_t time_ns);
/* Returns the instant with this number, or NULL. */
struct mark *marks_find(struct mark_list *marks, uint32_t number);
/* Restores a list from a file: adds an instant unchanged.  Returns 0 or -ENOMEM; -EINVAL if its
 * number or time is below that of the last instant, or `begin` does not fit `kind`. */
int marks_append(struct mark_list *marks, struct mark mark);
/* Returns whether a phase of this name has begun and not ended. */
bool marks_is_open(const struct mark_list *marks, string_id label);
/* Returns whether instants are in order, and each end comes after its begin. */
bool marks_are_valid(const struct mark_list *marks);
void marks_fini(struct mark_list *marks);

/* A mark that an alert sets has this label, followed by the rule. */
#define MARK_ALERT_WORD "alert "
bool mark_is_of_alert(const char *label);

/* Returns whether there is an instant at exactly this time. */
bool marks_have(const struct mark_list *marks, uint64_t time_ns);

/* The time range that an instant begins: a phase up to its end, a mark up to the next mark; either
 * up to `last_ns` if nothing ends it. */
struct mark_span {
    uint64_t from_ns, to_ns;
    bool is_open; /* Nothing ended it. */
};
struct mark_span marks_span(const struct mark_list *marks, size_t index, uint64_t last_ns);
