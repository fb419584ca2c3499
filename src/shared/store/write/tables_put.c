/* SPDX-License-Identifier: Apache-2.0 */
#include "store/chunks/tables.h"

#include "base/invariant.h"

/* Rows per table and chunk: enough to compress well, little enough to lose. */
#define ROWS_MAX        32768
#define TEXT_BYTES_MAX  ((size_t)512 * 1024)
#define TEXT_BYTES_EACH ((size_t)1024 * 1024) /* a longer text is cut */

static size_t text_bytes(const char *text)
{
    size_t size = strlen(text);
    return size < TEXT_BYTES_EACH ? size : TEXT_BYTES_EACH;
}

/* first, count, lengths, bytes */
static void put_strings(struct table_cursor *cursor, const struct recording *recording,
                        struct chunk_draft *draft)
{
    uint32_t first = cursor->done.strings + 1, all = string_table_count(recording->strings);
    uint32_t end = first;
    for (size_t bytes = 0; end <= all && end - first < ROWS_MAX && bytes < TEXT_BYTES_MAX; end++)
        bytes += text_bytes(string_table_text(recording->strings, end));
    INVARIANT(end >= first && end <= all + 1);
    cursor->next.strings = end - 1;
    if (end == first)
        return;
    put_varint(&draft->section, first);
    put_varint(&draft->section, end - first);
    for (uint32_t id = first; id < end; id++)
        put_varint(&draft->section, text_bytes(string_table_text(recording->strings, id)));
    for (uint32_t id = first; id < end; id++) {
        const char *text = string_table_text(recording->strings, id);
        put_bytes(&draft->section, text, text_bytes(text));
    }
    draft_packed_section(draft, SECTION_STRINGS);
}

static size_t rows_end(size_t first, size_t count)
{
    INVARIANT(first <= count);
    return count - first > ROWS_MAX ? first + ROWS_MAX : count;
}

/* first, count, then column by column: function, symbol, file, line, each as steps */
static void put_locations(struct table_cursor *cursor, const struct recording *recording,
                          struct chunk_draft *draft)
{
    size_t first = cursor->done.locations, end = rows_end(first, recording->locations.count);
    const struct location *rows = recording->locations.items;
    struct location last = {0};
    cursor->next.locations = end;
    if (end == first)
        return;
    put_varint(&draft->section, first);
    put_varint(&draft->section, end - first);
    for (size_t i = first; i < end; last.function = rows[i++].function)
        put_step(&draft->section, last.function, rows[i].function);
    for (size_t i = first; i < end; last.symbol = rows[i++].symbol)
        put_step(&draft->section, last.symbol, rows[i].symbol);
    for (size_t i = first; i < end; last.file = rows[i++].file)
        put_step(&draft->section, last.file, rows[i].file);
    for (size_t i = first; i < end; last.line = rows[i++].line)
        put_step(&draft->section, last.line, rows[i].line);
    draft_packed_section(draft, SECTION_LOCATIONS);
}

/* first, count, all modules (+1, 0 is none), all addresses as steps */
static void put_frames(struct table_cursor *cursor, const struct recording *recording,
                       struct chunk_draft *draft)
{
    size_t first = cursor->done.frames, end = rows_end(first, recording->frames.count);
    const struct frame *rows = recording->frames.items;
    cursor->next.frames = end;
    if (end == first)
        return;
    put_varint(&draft->section, first);
    put_varint(&draft->section, end - first);
    for (size_t i = first; i < end; i++)
        put_varint(&draft->section, (uint32_t)(rows[i].module + 1));
    for (size_t i = first; i < end; i++)
        put_step(&draft->section, i > first ? rows[i - 1].address : 0, rows[i].address);
    draft_packed_section(draft, SECTION_FRAMES);
}

/* What a frame without locations has instead is how far it is into its function. */
static struct frame_mark mark_of(const struct frame *frame)
{
    return (struct frame_mark){frame->location_count ? frame->first_location : frame->into_function,
                               frame->location_count};
}

/* rows of: frame as a step from the last row's, first location as a step from the last row's end,
 * how many.  Frames get their locations late, so these stand apart from the frames. */
static void put_frame_locations(struct table_cursor *cursor, const struct recording *recording,
                                struct chunk_draft *draft)
{
    size_t rows = 0, last_frame = 0, frame = 0;
    uint64_t expected = 0;
    for (; frame < cursor->next.frames && rows < ROWS_MAX; frame++) {
        const struct frame *now = &recording->frames.items[frame];
        struct frame_mark was = {0};
        if (frame < cursor->frame_locations.count)
            was = cursor->frame_locations.items[frame];
        struct frame_mark const mark = mark_of(now);
        if (mark.location_count == was.location_count && mark.first_location == was.first_location)
            continue;
        put_varint(&draft->section, frame - last_frame);
        put_step(&draft->section, expected, mark.first_location);
        put_varint(&draft->section, mark.location_count);
        expected = (uint64_t)mark.first_location + mark.location_count;
        last_frame = frame;
        rows++;
    }
    cursor->frame_rows_next = frame;
    INVARIANT(frame <= recording->frames.count);
    if (rows > 0)
        draft_packed_section(draft, SECTION_FRAME_LOCATIONS);
}

/* first id, count, all callers (as own id minus caller), all frames as steps */
static void put_stacks(struct table_cursor *cursor, const struct recording *recording,
                       struct chunk_draft *draft)
{
    uint32_t first = cursor->done.stacks + 1;
    uint32_t end = (uint32_t)rows_end(first, (size_t)stack_table_count(recording->stacks) + 1);
    uint32_t last_frame = 0;
    cursor->next.stacks = end - 1;
    if (end == first)
        return;
    put_varint(&draft->section, first);
    put_varint(&draft->section, end - first);
    for (uint32_t id = first; id < end; id++)
        put_varint(&draft->section, id - stack_table_innermost(recording->stacks, id).caller);
    for (uint32_t id = first; id < end; id++) {
        uint32_t frame = stack_table_innermost(recording->stacks, id).frame;
        put_step(&draft->section, last_frame, frame);
        last_frame = frame;
    }
    draft_packed_section(draft, SECTION_STACKS);
}

static bool same_module(const struct module *a, const struct module *b)
{
    return a->path == b->path && a->build_id == b->build_id && a->start == b->start &&
           a->end == b->end && a->bias == b->bias;
}

/* rows of: index as a step, path, build id, start, end - start, bias */
static void put_modules(struct table_cursor *cursor, const struct recording *recording,
                        struct chunk_draft *draft)
{
    size_t last = 0;
    for (size_t i = 0; i < recording->modules.count; i++) {
        const struct module *now = &recording->modules.items[i];
        if (i < cursor->modules.count && same_module(now, &cursor->modules.items[i]))
            continue;
        put_varint(&draft->section, i - last);
        put_varint(&draft->section, now->path);
        put_varint(&draft->section, now->build_id);
        put_varint(&draft->section, now->start);
        put_varint(&draft->section, now->end - now->start);
        put_varint(&draft->section, now->bias);
        last = i;
    }
    if (draft->section.size > 0)
        draft_packed_section(draft, SECTION_MODULES);
}

static bool same_thread(const struct thread *a, const struct thread *b)
{
    return a->tid == b->tid && a->name == b->name && a->first_ns == b->first_ns &&
           a->last_ns == b->last_ns && a->merged == b->merged;
}

/* rows of: index as a step, tid, name, first, last - first, how many are merged in it */
static void put_threads(struct table_cursor *cursor, const struct recording *recording,
                        struct chunk_draft *draft)
{
    size_t last = 0;
    for (size_t i = 0; i < recording->threads.count; i++) {
        const struct thread *now = &recording->threads.items[i];
        if (i < cursor->threads.count && same_thread(now, &cursor->threads.items[i]))
            continue;
        put_varint(&draft->section, i - last);
        put_varint(&draft->section, now->tid);
        put_varint(&draft->section, now->name);
        put_varint(&draft->section, now->first_ns);
        put_varint(&draft->section, now->last_ns - now->first_ns);
        put_varint(&draft->section, now->merged);
        last = i;
    }
    if (draft->section.size > 0)
        draft_packed_section(draft, SECTION_THREADS);
}

static bool same_traits(const struct table_cursor *cursor, const struct recording *recording)
{
    if (cursor->traits.count != recording->traits.count)
        return false;
    for (size_t i = 0; i < recording->traits.count; i++) {
        const struct trait *a = &cursor->traits.items[i], *b = &recording->traits.items[i];
        if (a->kind != b->kind || a->in_executable != b->in_executable ||
            a->is_seen != b->is_seen || a->where != b->where)
            return false;
    }
    return true;
}

/* rows of: kind, flags, where.  All of them, whenever one has changed. */
static void put_traits(struct table_cursor *cursor, const struct recording *recording,
                       struct chunk_draft *draft)
{
    if (same_traits(cursor, recording))
        return;
    for (size_t i = 0; i < recording->traits.count; i++) {
        const struct trait *trait = &recording->traits.items[i];
        put_varint(&draft->section, trait->kind);
        put_varint(&draft->section, (trait->in_executable ? TRAIT_IN_EXECUTABLE : 0u) |
                                        (trait->is_seen ? TRAIT_IS_SEEN : 0u));
        put_varint(&draft->section, trait->where);
    }
    draft_packed_section(draft, SECTION_TRAITS);
}

static void put_notes(struct table_cursor *cursor, const struct recording *recording,
                      struct chunk_draft *draft)
{
    size_t first = cursor->done.notes, end = recording->notes.count;
    cursor->next.notes = end;
    INVARIANT(first <= end);
    if (end == first)
        return;
    put_varint(&draft->section, first);
    put_varint(&draft->section, end - first);
    for (size_t i = first; i < end; i++)
        put_varint(&draft->section, recording->notes.items[i]);
    draft_packed_section(draft, SECTION_NOTES);
}

/* Rows of: number as a step; calls, bytes, frees and freed bytes as steps. */
static void put_mark_sums(const struct mark_list *marks, uint32_t from, struct chunk_draft *draft)
{
    struct mark_sums last = {0};
    uint32_t number = 0;
    for (size_t i = 0; i < marks->count; i++) {
        const struct mark *mark = &marks->items[i];
        if (mark->number < from || !mark->has_sums)
            continue;
        put_varint(&draft->section, mark->number - number);
        INVARIANT(mark->number > number);
        put_step(&draft->section, last.calls, mark->sums.calls);
        put_step(&draft->section, last.bytes, mark->sums.bytes);
        put_step(&draft->section, last.frees, mark->sums.frees);
        put_step(&draft->section, last.freed_bytes, mark->sums.freed_bytes);
        number = mark->number;
        last = mark->sums;
    }
    if (number)
        draft_packed_section(draft, SECTION_MARK_SUMS);
}

/* from which number on rows that are there are void; rows of: number as a step, kind, label,
 * time as a step, how many numbers back the beginning is (0: it is no end).  All are told again
 * when some have gone. */
static void put_marks(struct table_cursor *cursor, const struct recording *recording,
                      struct chunk_draft *draft)
{
    const struct mark_list *marks = &recording->marks;
    bool again = cursor->done.marks_thinned != marks->thinned;
    uint32_t from = again ? 1 : cursor->done.marks + 1, last = from;
    uint64_t last_ns = 0;
    cursor->next.marks = marks->last_number;
    cursor->next.marks_thinned = marks->thinned;
    if (marks->last_number < from && !again)
        return;
    put_varint(&draft->section, from);
    for (size_t i = 0; i < marks->count; i++) {
        const struct mark *mark = &marks->items[i];
        if (mark->number < from)
            continue;
        put_varint(&draft->section, mark->number - last);
        INVARIANT(mark->number >= last && mark->begin < mark->number);
        put_varint(&draft->section, mark->kind);
        put_varint(&draft->section, mark->label);
        put_step(&draft->section, last_ns, mark->time_ns);
        put_varint(&draft->section, mark->begin ? mark->number - mark->begin : 0);
        last = mark->number;
        last_ns = mark->time_ns;
    }
    draft_packed_section(draft, SECTION_MARKS);
    put_mark_sums(marks, from, draft);
}

/* time; rows of: start (from the end of the row before), size, resident bytes, name, stack, how
 * many, rights, owner.  All of them, when a new list is there. */
static void put_mappings(struct table_cursor *cursor, const struct recording *recording,
                         struct chunk_draft *draft)
{
    const struct mapping_list *list = &recording->mappings;
    uint64_t end = 0;
    if (list->time_ns == cursor->done.mappings_ns)
        return;
    cursor->next.mappings_ns = list->time_ns;
    put_varint(&draft->section, list->time_ns);
    vec_each (mapping, &list->items) {
        INVARIANT(mapping->start >= end && mapping->end >= mapping->start);
        put_varint(&draft->section, mapping->start - end);
        put_varint(&draft->section, mapping->end - mapping->start);
        put_varint(&draft->section, mapping->resident);
        put_varint(&draft->section, mapping->name);
        put_varint(&draft->section, mapping->stack);
        put_varint(&draft->section, mapping->count);
        put_varint(&draft->section, mapping->rights);
        put_varint(&draft->section, mapping->owner);
        end = mapping->end;
    }
    draft_packed_section(draft, SECTION_MAPPINGS);
}

bool tables_put(struct table_cursor *cursor, const struct recording *recording,
                struct chunk_draft *draft)
{
    size_t before = draft->raw.size;
    INVARIANT(draft->section.size == 0);
    put_strings(cursor, recording, draft);
    put_modules(cursor, recording, draft);
    put_locations(cursor, recording, draft);
    put_frames(cursor, recording, draft);
    put_frame_locations(cursor, recording, draft);
    put_stacks(cursor, recording, draft);
    put_threads(cursor, recording, draft);
    put_traits(cursor, recording, draft);
    put_notes(cursor, recording, draft);
    put_marks(cursor, recording, draft);
    put_mappings(cursor, recording, draft);
    if (draft->raw.size > before)
        draft->flags |= CHUNK_TABLES;
    return cursor->next.strings < string_table_count(recording->strings) ||
           cursor->next.stacks < stack_table_count(recording->stacks) ||
           cursor->next.locations < recording->locations.count ||
           cursor->next.frames < recording->frames.count ||
           cursor->frame_rows_next < recording->frames.count;
}

static void remember_modules(struct table_cursor *cursor, const struct recording *recording)
{
    for (size_t i = 0; i < recording->modules.count; i++) {
        if (i < cursor->modules.count)
            cursor->modules.items[i] = recording->modules.items[i];
        else if (!vec_push(&cursor->modules, recording->modules.items[i]))
            return;
    }
}

static void remember_threads(struct table_cursor *cursor, const struct recording *recording)
{
    for (size_t i = 0; i < recording->threads.count; i++) {
        if (i < cursor->threads.count)
            cursor->threads.items[i] = recording->threads.items[i];
        else if (!vec_push(&cursor->threads, recording->threads.items[i]))
            return;
    }
}

static void remember_traits(struct table_cursor *cursor, const struct recording *recording)
{
    cursor->traits.count = 0;
    for (size_t i = 0; i < recording->traits.count; i++)
        (void)vec_push(&cursor->traits, recording->traits.items[i]);
}

static void remember_frames(struct table_cursor *cursor, const struct recording *recording)
{
    for (size_t i = 0; i < cursor->frame_rows_next; i++) {
        const struct frame *frame = &recording->frames.items[i];
        struct frame_mark mark = mark_of(frame);
        if (i < cursor->frame_locations.count)
            cursor->frame_locations.items[i] = mark;
        else if (!vec_push(&cursor->frame_locations, mark))
            return;
    }
}

void table_cursor_commit(struct table_cursor *cursor, const struct recording *recording)
{
    cursor->done = cursor->next;
    INVARIANT(cursor->frame_rows_next <= recording->frames.count);
    remember_modules(cursor, recording);
    remember_threads(cursor, recording);
    remember_traits(cursor, recording);
    remember_frames(cursor, recording);
}

void table_cursor_fini(struct table_cursor *cursor)
{
    vec_free(&cursor->modules);
    vec_free(&cursor->threads);
    vec_free(&cursor->traits);
    vec_free(&cursor->frame_locations);
}
