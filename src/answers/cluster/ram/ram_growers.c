/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/ram/ram_growers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/runs/parallel.h"
#include "cluster/runs/run_recording.h"
#include "formats/pprof/pprof_drop.h"
#include "formats/pprof/pprof_profile.h"

/* Unsigned, so that nonsense in a damaged file wraps instead of trapping. */
static void add(int64_t *to, int64_t value, int sign)
{
    *to = (int64_t)(sign > 0 ? (uint64_t)*to + (uint64_t)value : (uint64_t)*to - (uint64_t)value);
}

/* One profile on its way into the rows, which lie in order of string_id meanwhile. */
struct folding {
    struct growers *growers;
    const struct pprof_profile *profile;
    string_id *functions; /* by function; 0: not met */
    uint32_t *seen;       /* by string_id: the last sample that counted it, plus one */
    size_t seen_room;
    unsigned column;
    int sign;
    struct pprof_drop drop;
    /* by location: lines that the profile asks not to be shown; NULL: it does not */
    uint32_t *dropped;
};

static struct grower *row_of(struct growers *growers, string_id id)
{
    while (growers->rows.count <= id) {
        struct grower const row = {.function = (string_id)growers->rows.count};
        if (!vec_push(&growers->rows, row))
            return NULL;
    }
    return &growers->rows.items[id];
}

static int name_place(struct folding *folding, const struct pprof_location *location, string_id *id)
{
    const struct pprof_profile *profile = folding->profile;
    char text[300];
    struct slice file = {"", 0};
    uint64_t address = location->address;
    if (location->mapping > 0) {
        const struct pprof_mapping *mapping = &profile->mappings.items[location->mapping - 1];
        file = pprof_text(profile, mapping->file);
        address = address - mapping->start + mapping->offset;
        const char *slash = file.size ? memrchr(file.data, '/', file.size) : NULL;
        if (slash)
            file = (struct slice){slash + 1, file.size - (size_t)(slash + 1 - file.data)};
    }
    snprintf(text, sizeof(text), "%.*s%s0x%llx", (int)(file.size < 200 ? file.size : 200),
             file.data, file.size ? "+" : "", (unsigned long long)address);
    return string_table_intern(folding->growers->names, slice_of(text), id);
}

static int name_line(struct folding *folding, const struct pprof_line *line, string_id *id)
{
    size_t const index = (size_t)line->function - 1;
    const struct pprof_function *function = &folding->profile->functions.items[index];
    if (folding->functions[index] == 0) {
        struct slice name = pprof_text(folding->profile, function->name);
        if (name.size == 0)
            name = pprof_text(folding->profile, function->system_name);
        if (name.size == 0)
            name = slice_of("(no name)");
        int const err =
            string_table_intern(folding->growers->names, name, &folding->functions[index]);
        if (err)
            return err;
    }
    *id = folding->functions[index];
    return 0;
}

static int count_frame(struct folding *folding, string_id id, uint32_t sample, bool is_leaf)
{
    int64_t const value = pprof_value(folding->profile, sample, folding->column);
    struct grower *row = row_of(folding->growers, id);
    if (!row)
        return -ENOMEM;
    if (id >= folding->seen_room) {
        size_t const room = (size_t)id * 2 + 64;
        uint32_t *grown = reallocarray(folding->seen, room, sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        memset(grown + folding->seen_room, 0, (room - folding->seen_room) * sizeof(*grown));
        folding->seen = grown;
        folding->seen_room = room;
    }
    if (is_leaf)
        add(&row->flat, value, folding->sign);
    if (folding->seen[id] != sample + 1)
        add(&row->cumulative, value, folding->sign);
    folding->seen[id] = sample + 1;
    return 0;
}

/* How many of the innermost locations are not shown: those up to the outermost that is dropped,
 * if something is left then. */
static uint32_t hidden_locations(const struct folding *folding, const struct pprof_sample *sample)
{
    bool found_other = false;
    for (uint32_t i = folding->dropped ? sample->location_count : 0; i-- > 0;) {
        uint64_t const at = folding->profile->stacks.items[sample->first_location + i];
        uint32_t const dropped = folding->dropped[at];
        if (!dropped)
            found_other = true;
        else if (found_other)
            return dropped == folding->profile->locations.items[at].line_count ? i + 1 : i;
    }
    return 0;
}

/* Its functions, the innermost first, or where it is when it has none. */
static int fold_location(struct folding *folding, uint64_t at, uint32_t sample, bool *is_leaf)
{
    const struct pprof_location *location = &folding->profile->locations.items[at];
    uint32_t const dropped = folding->dropped ? folding->dropped[at] : 0;
    bool is_named = false;
    string_id id;
    int err = 0;
    for (uint32_t i = dropped < location->line_count ? dropped : 0; i < location->line_count; i++) {
        const struct pprof_line *line = &folding->profile->lines.items[location->first_line + i];
        if (line->function == 0)
            continue;
        err = name_line(folding, line, &id);
        if (err || (err = count_frame(folding, id, sample, *is_leaf)))
            return err;
        *is_leaf = false;
        is_named = true;
    }
    if (is_named)
        return 0;
    err = name_place(folding, location, &id);
    if (!err)
        err = count_frame(folding, id, sample, *is_leaf);
    *is_leaf = false;
    return err;
}

static int fold_sample(struct folding *folding, uint32_t index)
{
    const struct pprof_sample *sample = &folding->profile->samples.items[index];
    bool is_leaf = true;
    int err = 0;
    for (uint32_t i = hidden_locations(folding, sample); i < sample->location_count && !err; i++)
        err = fold_location(folding, folding->profile->stacks.items[sample->first_location + i],
                            index, &is_leaf);
    return err;
}

static int find_dropped(struct folding *folding)
{
    const struct pprof_profile *profile = folding->profile;
    folding->dropped = calloc(profile->locations.count + 1, sizeof(*folding->dropped));
    for (size_t i = 0; folding->dropped && i < profile->locations.count; i++)
        folding->dropped[i] =
            pprof_drop_lines(&folding->drop, profile, &profile->locations.items[i]);
    return folding->dropped ? 0 : -ENOMEM;
}

static int fold(struct growers *growers, const struct pprof_profile *profile, unsigned column,
                int sign)
{
    struct folding folding = {.growers = growers,
                              .profile = profile,
                              .functions = calloc(profile->functions.count + 1, sizeof(string_id)),
                              .column = column,
                              .sign = sign};
    int err = folding.functions ? 0 : -ENOMEM;
    pprof_drop_init(&folding.drop, profile);
    if (folding.drop.drop && !err)
        err = find_dropped(&folding);
    for (uint32_t i = 0; i < profile->samples.count && !err; i++)
        err = fold_sample(&folding, i);
    pprof_drop_fini(&folding.drop);
    free(folding.functions);
    free(folding.dropped);
    free(folding.seen);
    return err;
}

/* NULL: it cannot be read, or is no heap. */
static struct pprof_profile *read_heap(const struct run *run, const struct run_file *file,
                                       unsigned *column)
{
    struct pprof_profile *profile = run_profile_read(run, file, NULL);
    int const found = profile ? pprof_column(profile, "inuse_space") : -1;
    if (found < 0) {
        pprof_destroy(profile);
        return NULL;
    }
    *column = (unsigned)found;
    return profile;
}

static int row_order(const void *left, const void *right)
{
    const struct grower *a = left, *b = right;
    if (a->flat != b->flat)
        return a->flat > b->flat ? -1 : 1;
    if (a->cumulative != b->cumulative)
        return a->cumulative > b->cumulative ? -1 : 1;
    return a->function < b->function ? -1 : a->function > b->function;
}

/* Only what changed, and in order. */
static void settle(struct growers *growers)
{
    size_t kept = 0;
    vec_each (row, &growers->rows)
        if (row->flat != 0 || row->cumulative != 0)
            growers->rows.items[kept++] = *row;
    growers->rows.count = kept;
    if (kept > 0)
        qsort(growers->rows.items, kept, sizeof(growers->rows.items[0]), row_order);
}

struct ram_reading {
    const struct ram *ram;
    struct ram_growth *growth;
    int64_t from_us, to_us;
    int *errs; /* by node */
};

static int compare(struct growers *growers, const struct run *run, const struct run_file *first,
                   size_t count)
{
    struct pprof_profile *older = NULL, *newer = NULL;
    unsigned old_column, new_column;
    size_t from = 0, to = count;
    while (from < to && !(older = read_heap(run, &first[from], &old_column)))
        from++;
    while (older && to > from + 1 && !(newer = read_heap(run, &first[to - 1], &new_column)))
        to--;
    int err = 0;
    if (older && newer) {
        growers->from_us = first[from].stamp_us;
        growers->to_us = first[to - 1].stamp_us;
        growers->before = pprof_total(older, old_column);
        growers->after = pprof_total(newer, new_column);
        err = fold(growers, older, old_column, -1);
        if (!err)
            err = fold(growers, newer, new_column, 1);
        growers->is_known = !err;
        vec_each (row, &growers->rows)
            row->nodes = row->cumulative > 0;
        settle(growers);
    }
    pprof_destroy(older);
    pprof_destroy(newer);
    return err;
}

static void read_node(void *context, size_t node)
{
    struct ram_reading *reading = context;
    const struct run *run = reading->ram->run;
    struct growers *growers = &reading->growth->nodes[node];
    const struct run_file *first;
    size_t count = run_files_of(run, reading->ram->nodes.items[node], RUN_HEAP, &first);
    growers->names = string_table_create();
    while (count > 0 && first->stamp_us < reading->from_us) {
        first++;
        count--;
    }
    while (count > 0 && first[count - 1].stamp_us > reading->to_us)
        count--;
    reading->errs[node] = growers->names ? compare(growers, run, first, count) : -ENOMEM;
}

static int add_up(struct growers *all, const struct growers *one)
{
    all->from_us = all->is_known && all->from_us < one->from_us ? all->from_us : one->from_us;
    all->to_us = all->is_known && all->to_us > one->to_us ? all->to_us : one->to_us;
    all->is_known = true;
    add(&all->before, one->before, 1);
    add(&all->after, one->after, 1);
    vec_each (row, &one->rows) {
        string_id id;
        struct slice const name = slice_of(string_table_text(one->names, row->function));
        struct grower *sum = string_table_intern(all->names, name, &id) ? NULL : row_of(all, id);
        if (!sum)
            return -ENOMEM;
        add(&sum->flat, row->flat, 1);
        add(&sum->cumulative, row->cumulative, 1);
        sum->nodes += row->nodes;
    }
    return 0;
}

int ram_growth_read(struct ram_growth *growth, const struct ram *ram, int64_t from_us,
                    int64_t to_us)
{
    size_t const count = ram->nodes.count;
    struct ram_reading reading = {ram, growth, from_us, to_us, calloc(count + 1, sizeof(int))};
    *growth = (struct ram_growth){.nodes = calloc(count + 1, sizeof(*growth->nodes)),
                                  .all = {.names = string_table_create()}};
    int err = reading.errs && growth->nodes && growth->all.names ? 0 : -ENOMEM;
    if (!err)
        parallel_each(count, read_node, &reading);
    for (size_t i = 0; i < count && !err; i++) {
        err = reading.errs[i];
        if (!err && growth->nodes[i].is_known) {
            growth->compared++;
            err = add_up(&growth->all, &growth->nodes[i]);
        }
    }
    settle(&growth->all);
    free(reading.errs);
    return err;
}

void ram_growth_fini(struct ram_growth *growth, const struct ram *ram)
{
    for (size_t i = 0; growth->nodes && i < ram->nodes.count; i++) {
        string_table_destroy(growth->nodes[i].names);
        vec_free(&growth->nodes[i].rows);
    }
    free(growth->nodes);
    string_table_destroy(growth->all.names);
    vec_free(&growth->all.rows);
}
