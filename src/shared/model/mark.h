/* mark.h - named instants of a recording: what the program, or a person, said was going on.
 *
 * An instant is a mark or an end of a phase, a stretch of time.  They are in order, and each
 * lies on a boundary of buckets, so that sums are exact there.  There may be as many as there
 * are blocks in a chain; when they get too many, the newer half stays whole and of the older
 * ones every second, fourth, eighth ... stays. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/string_table.h"

/* Stored in recordings by number: append only, never reorder. */
enum mark_kind { MARK_INSTANT = 1, MARK_BEGIN = 2, MARK_END = 3 };

/* What had been counted of the heap by then; still known where buckets were merged over it. */
struct mark_sums {
    uint64_t calls, bytes, frees, freed_bytes;
};

struct mark {
    uint32_t number; /* counts up from 1, also over those that are gone */
    uint32_t begin;  /* of an end: the number of its beginning; else 0 */
    enum mark_kind kind;
    string_id label;
    uint64_t time_ns;
    bool has_sums;
    struct mark_sums sums;
    uint32_t ordinal; /* among marks, or among phases; known where it was added, not in a file */
};

struct mark_list {      /* all zero to begin */
    struct mark *items; /* by number, and by time */
    size_t count, room;
    uint32_t last_number;
    uint32_t thinned;          /* how often some went: then numbers are missing in between */
    uint32_t instants, phases; /* ever added */
    unsigned level;            /* of the older ones, one in 2^level is kept */
    uint64_t left_out;         /* marks that were told of and are not here */
};
#define MARKS_MAX 8192u

/* Adds an instant, not before the last one: an earlier time becomes that.  An end belongs to the
 * newest open phase of its name, and is nothing without one.  0 or -ENOMEM. */
int marks_add(struct mark_list *marks, enum mark_kind kind, string_id label, uint64_t time_ns);
/* Of the instant that was added last, if it is of this time. */
void marks_set_sums(struct mark_list *marks, uint64_t time_ns, const struct mark_sums *sums);
/* The sums at exactly this time; NULL when they are not known. */
const struct mark_sums *marks_sums_at(const struct mark_list *marks, uint64_t time_ns);
/* The instant of this number, or NULL. */
struct mark *marks_find(struct mark_list *marks, uint32_t number);
/* Restores a list from a file: the instant as it is.  -EINVAL when it is not behind the last. */
int marks_append(struct mark_list *marks, struct mark mark);
/* Whether a phase of this name has begun and not ended. */
bool marks_is_open(const struct mark_list *marks, string_id label);
/* Whether they are in order, and ends come after their beginnings. */
bool marks_are_valid(const struct mark_list *marks);
void marks_fini(struct mark_list *marks);

/* The label of a mark that an alert sets begins so; its rule follows. */
#define MARK_ALERT_WORD "alert "
bool mark_is_of_alert(const char *label);

/* Whether there is an instant of exactly this time. */
bool marks_have(const struct mark_list *marks, uint64_t time_ns);

/* The stretch that an instant begins: a phase up to its end, a mark up to the next mark; either
 * up to `last_ns` when nothing ends it. */
struct mark_span {
    uint64_t from_ns, to_ns;
    bool is_open; /* it had no end */
};
struct mark_span marks_span(const struct mark_list *marks, size_t index, uint64_t last_ns);
