/* recording_holds.h - what must be true of every recording that a reader of foreign files makes:
 * no row points outside its table, buckets follow each other, names can be read. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording.h"

static volatile uint64_t sink; /* whatever was read must have been readable */

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void check_tables(const struct recording *recording)
{
    for (stack_id id = 1; id <= stack_table_count(recording->stacks); id++) {
        struct stack_link const link = stack_table_innermost(recording->stacks, id);
        check(link.caller < id && link.frame < recording->frames.count);
    }
    vec_each (frame, &recording->frames) {
        check(frame->module == MODULE_NONE || frame->module < recording->modules.count);
        check(frame->location_count == 0 ||
              (uint64_t)frame->first_location + frame->location_count <=
                  recording->locations.count);
    }
    vec_each (location, &recording->locations)
        sink += strlen(recording_text(recording, location->function)) + location->line;
    vec_each (note, &recording->notes)
        check(*recording_text(recording, *note) != '\0');
}

/* The sum of a column, of cells whose keys are below `limit`. */
static uint64_t sum_below(const struct cell *cells, size_t count, uint64_t limit,
                          enum column column)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        check(cells[i].key < limit);
        if (cells[i].column == column)
            sum += (uint64_t)cells[i].value;
    }
    return sum;
}

/* The same of cells by stack. */
static uint64_t sum_cells(const struct recording *recording, const struct cell *cells, size_t count,
                          enum column column)
{
    return sum_below(cells, count, (uint64_t)stack_table_count(recording->stacks) + 1, column);
}

static void check_buckets(const struct recording *recording)
{
    uint64_t end = 0;
    vec_each (bucket, &recording->buckets) {
        check(bucket->begin_ns == end && bucket->end_ns > bucket->begin_ns);
        end = bucket->end_ns;
    }
    check(end == recording->duration_ns && recording->heap.peak_time_ns <= end);
}
