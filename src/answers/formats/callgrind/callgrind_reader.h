/* callgrind_reader.h - inside the reader of callgrind.out: what its parts share. */
#pragma once

#include "formats/callgrind/cost_graph.h"
#include "formats/shared/line_blocks.h"
#include "formats/shared/text_lines.h"

#define CALLGRIND_EVENTS_MAX    64
#define CALLGRIND_FUNCTIONS_MAX ((size_t)1 << 22)
#define CALLGRIND_COSTS_MAX     ((size_t)1 << 25) /* limit for lines with costs, and for calls */

/* Where the graph stores the costs of an event of the file. */
enum callgrind_slot {
    SLOT_INSTRUCTIONS,
    SLOT_CPU,
    SLOT_WAIT,
    SLOT_PAGES,
    SLOT_OTHER, /* the first unknown event, if there is no known one */
    SLOT_PEAK,
    SLOT_NOW_BYTES,
    SLOT_NOW_BLOCKS,
    SLOT_ALL_BYTES,
    SLOT_ALL_BLOCKS,
    SLOTS,
    SLOT_NONE = SLOTS
};
_Static_assert(SLOTS <= COST_EVENTS_MAX, "a graph has room for all of them");

enum callgrind_names { NAMES_OBJECT, NAMES_FILE, NAMES_FUNCTION, NAME_TABLES };

struct callgrind_event_slot {
    enum callgrind_slot slot;
    uint64_t factor; /* converts its unit to ours */
};

struct callgrind_reader {
    struct recording *recording;
    struct cost_graph graph;
    struct number_map names[NAME_TABLES]; /* by number + 1: string_id + 1 */

    /* State while reading the body of the file. */
    string_id object, file, callee_object, callee_file;
    bool has_callee_object, has_callee_file;
    uint32_t function, callee; /* plus one; 0: none */
    bool is_call;              /* the next costs are those of a call */
    unsigned positions;        /* number of positions per line: 1 or 2 */
    unsigned line_position;    /* which position is the line number; UINT_MAX: none */
    uint64_t last[2];

    struct callgrind_event_slot events[CALLGRIND_EVENTS_MAX];
    unsigned event_count;
    bool slots[SLOTS];       /* slots with any value */
    uint64_t sums[2][SLOTS]; /* of costs, and of calls, for the bound of values */
    char other[64];          /* the name of SLOT_OTHER */
    char unread[200];        /* names of events that are left out */
    bool has_events, has_calls, is_ours;
    struct text_lines lines;
};

/* A text_line_fn; `into` is a struct callgrind_reader. */
int callgrind_read_line(void *into, struct slice line);
/* Parses the names after "events:". */
void callgrind_read_events(struct callgrind_reader *reader, struct slice names);

/* Makes stacks from the graph; their costs are the only bucket of the recording.  Returns 0 or
 * -ENOMEM. */
int callgrind_make_stacks(struct callgrind_reader *reader);
void callgrind_tell(struct callgrind_reader *reader, const struct line_blocks *lines);
