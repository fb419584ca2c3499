/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/target_news.h"

#include <string.h>

#include "base/json_out.h"
#include "serve/targets/served_run.h"

#define MARKS_MOST 16  /* of one look */
#define LABEL_MOST 200 /* bytes */

/* All that a target is known by; what differs from the last time is news. */
struct known {
    uint64_t time_ns;
    uint64_t version; /* of a run: grows with it */
    struct state {
        uint64_t start_unix_ns;
        uint32_t pid;
        uint32_t parts; /* metrics that have something in them; of a run, targets besides */
        bool is_there, is_written, runs;
    } state;
    uint32_t last_mark;
};

struct target_news {
    VEC(struct known) known; /* by place; of nodes of a run, which are told with it, all zero */
};

struct voice {
    news_hear *hear;
    void *into;
};

/* One that is looked at. */
struct told_of {
    size_t place;
    bool is_new;
    const struct recording *recording; /* NULL: none, or a run */
};

struct target_news *target_news_create(void)
{
    return calloc(1, sizeof(struct target_news));
}

void target_news_destroy(struct target_news *news)
{
    if (news)
        vec_free(&news->known);
    free(news);
}

static bool is_told_of(const struct target *target)
{
    return target_kind(target) != TARGET_NODE;
}

/* Without reading anything of it. */
static struct known look_at_run(const struct served_run *run, size_t targets)
{
    int64_t const us = served_run_end_us(run) - served_run_begin_us(run);
    bool const is_written = served_run_is_written(run);
    return (struct known){.time_ns = us > 0 ? (uint64_t)us * 1000 : 0,
                          .version = served_run_version(run),
                          .state = {.parts = (uint32_t)targets,
                                    .is_there = true,
                                    .is_written = is_written,
                                    .runs = is_written}};
}

static struct known look_at(struct target *target, const struct recording **recording)
{
    struct memory_status memory;
    struct known found = {0};
    *recording = target_recording(target, NULL, NULL);
    found.state.pid = target_known_pid(target);
    found.state.runs = target_known_memory(target, &memory) == 0;
    if (!*recording)
        return found;
    found.time_ns = target_time(target);
    found.last_mark = (*recording)->marks.last_number;
    found.state.is_there = true;
    found.state.is_written = (*recording)->being_written;
    found.state.start_unix_ns = (*recording)->start_unix_ns;
    for (const struct metric *metric = metrics; metric->name; metric++)
        found.state.parts += target_has(target, metric);
    return found;
}

static const char *state_word(const struct state *state)
{
    return !state->is_there ? "none" : state->is_written ? "being written" : "ended";
}

/* {"target": …, more to come. */
static FILE *begin(struct json_out *json, char **text, size_t *size, size_t place)
{
    char id[24];
    FILE *out = open_memstream(text, size);
    if (!out)
        return NULL;
    snprintf(id, sizeof(id), "%zu", place + 1);
    json_init(json, out, false);
    json_object_begin(json);
    json_text_field(json, "target", id);
    return out;
}

/* Without the newline: it is the end of an event.  What does not fit into memory is not told; there is more to come. */
static void finish(struct json_out *json, FILE *out, char **text, const size_t *size,
                   const char *event, struct voice voice)
{
    json_object_end(json);
    json_finish(json);
    if (fclose(out) == 0 && *size > 0)
        voice.hear(voice.into, event, *text, *size - 1);
    free(*text);
}

static void tell_state(const struct known *known, size_t place, bool is_whole, struct voice voice)
{
    struct json_out json;
    char *text = NULL;
    size_t size = 0;
    FILE *out = begin(&json, &text, &size, place);
    if (!out)
        return;
    json_text_field(&json, "recording", state_word(&known->state));
    json_uint_field(&json, "time_ns", known->time_ns);
    if (is_whole) {
        json_uint_field(&json, "pid", known->state.pid);
        json_bool_field(&json, "running", known->state.runs);
    }
    finish(&json, out, &text, &size, is_whole ? "target" : "grown", voice);
}

static void write_mark(struct json_out *json, const struct recording *recording,
                       const struct mark *mark)
{
    const char *label = recording_text(recording, mark->label);
    bool const is_alert = mark->kind == MARK_INSTANT && mark_is_of_alert(label);
    const char *kind = is_alert                   ? "alert"
                       : mark->kind == MARK_BEGIN ? "phase"
                       : mark->kind == MARK_END   ? "end"
                                                  : "mark";
    if (is_alert)
        label += strlen(MARK_ALERT_WORD);
    json_object_begin(json);
    json_text_field(json, "kind", kind);
    json_key(json, "label");
    json_bytes(json, label, strnlen(label, LABEL_MOST));
    json_uint_field(json, "time_ns", mark->time_ns);
    json_object_end(json);
}

static void tell_marks(const struct recording *recording, uint32_t after, size_t place,
                       struct voice voice)
{
    const struct mark_list *marks = &recording->marks;
    struct json_out json;
    char *text = NULL;
    size_t size = 0, first = marks->count;
    FILE *out = begin(&json, &text, &size, place);
    if (!out)
        return;
    while (first > 0 && marks->count - first < MARKS_MOST && marks->items[first - 1].number > after)
        first--;
    json_uint_field(&json, "left_out", marks->last_number - after - (marks->count - first));
    json_key(&json, "marks");
    json_array_begin(&json);
    for (size_t i = first; i < marks->count; i++)
        write_mark(&json, recording, &marks->items[i]);
    json_array_end(&json);
    finish(&json, out, &text, &size, "marks", voice);
}

static bool is_same(const struct state *a, const struct state *b)
{
    return a->start_unix_ns == b->start_unix_ns && a->pid == b->pid && a->parts == b->parts &&
           a->is_there == b->is_there && a->is_written == b->is_written && a->runs == b->runs;
}

/* What is known of one target becomes what was found. */
static void compare(struct known *known, const struct known *found, const struct told_of *told,
                    struct voice voice)
{
    bool const is_same_one = !told->is_new && is_same(&known->state, &found->state);
    if (!is_same_one)
        tell_state(found, told->place, true, voice);
    else if (known->time_ns != found->time_ns || known->version != found->version)
        tell_state(found, told->place, false, voice);
    if (!told->is_new && told->recording && found->last_mark > known->last_mark &&
        found->state.start_unix_ns == known->state.start_unix_ns)
        tell_marks(told->recording, known->last_mark, told->place, voice);
    *known = *found;
}

void target_news_look(struct target_news *news, const struct target_list *targets, news_hear *hear,
                      void *into)
{
    size_t const count = targets->items.count;
    for (size_t i = 0; i < count; i++) {
        struct target *target = targets->items.items[i];
        struct told_of told = {.place = i, .is_new = i >= news->known.count};
        if (told.is_new && !vec_push(&news->known, (struct known){0}))
            return; /* the next time */
        if (!is_told_of(target))
            continue;
        struct known const found = target_run(target) ? look_at_run(target_run(target), count)
                                                      : look_at(target, &told.recording);
        compare(&news->known.items[i], &found, &told, (struct voice){hear, into});
    }
}

void target_news_repeat(const struct target_news *news, const struct target_list *targets,
                        news_hear *hear, void *into)
{
    for (size_t i = 0; i < news->known.count; i++)
        if (is_told_of(targets->items.items[i]))
            tell_state(&news->known.items[i], i, true, (struct voice){hear, into});
}
