/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/target_news.h"

#include <string.h>

#include "base/json_out.h"
#include "serve/targets/target_state.h"

#define MARKS_MOST 16  /* of one look */
#define LABEL_MOST 200 /* bytes */

struct target_news {
    VEC(struct target_state)
    known; /* as of the last look, by place; of nodes of a run, which are told with it, all zero */
};

struct voice {
    news_hear *hear;
    void *into;
};

/* One that is looked at. */
struct told_of {
    size_t place;
    bool is_new;
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

static const char *state_word(const struct target_state *state)
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

/* Without the newline: it is the end of an event.  What does not fit into memory is not told;
 * there is more to come. */
static void finish(struct json_out *json, FILE *out, char **text, const size_t *size,
                   const char *event, struct voice voice)
{
    json_object_end(json);
    json_finish(json);
    if (fclose(out) == 0 && *size > 0)
        voice.hear(voice.into, event, *text, *size - 1);
    free(*text);
}

static void tell_state(const struct target_state *state, size_t place, bool is_whole,
                       struct voice voice)
{
    struct json_out json;
    char *text = NULL;
    size_t size = 0;
    FILE *out = begin(&json, &text, &size, place);
    if (!out)
        return;
    json_text_field(&json, "recording", state_word(state));
    json_uint_field(&json, "time_ns", state->time_ns);
    if (is_whole) {
        json_uint_field(&json, "pid", state->pid);
        json_bool_field(&json, "running", state->runs);
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

static bool is_same(const struct target_state *a, const struct target_state *b)
{
    return a->start_unix_ns == b->start_unix_ns && a->pid == b->pid && a->parts == b->parts &&
           a->is_there == b->is_there && a->is_written == b->is_written && a->runs == b->runs;
}

/* What is known of one target becomes what was found. */
static void compare(struct target_state *known, const struct target_state *found,
                    const struct told_of *told, struct voice voice)
{
    bool const is_same_one = !told->is_new && is_same(known, found);
    if (!is_same_one)
        tell_state(found, told->place, true, voice);
    else if (known->time_ns != found->time_ns || known->version != found->version)
        tell_state(found, told->place, false, voice);
    if (!told->is_new && found->recording && found->last_mark > known->last_mark &&
        found->start_unix_ns == known->start_unix_ns)
        tell_marks(found->recording, known->last_mark, told->place, voice);
    *known = *found;
    known->recording = NULL; /* it may be gone by then */
}

void target_news_look(struct target_news *news, const struct target_list *targets, news_hear *hear,
                      void *into)
{
    size_t const count = targets->items.count;
    for (size_t i = 0; i < count; i++) {
        struct target *target = targets->items.items[i];
        struct told_of told = {.place = i, .is_new = i >= news->known.count};
        if (told.is_new && !vec_push(&news->known, (struct target_state){0}))
            return; /* the next time */
        if (!target_is_told(target))
            continue;
        struct target_state found;
        target_look(target, count, &found);
        compare(&news->known.items[i], &found, &told, (struct voice){hear, into});
    }
}

void target_news_repeat(const struct target_news *news, const struct target_list *targets,
                        news_hear *hear, void *into)
{
    for (size_t i = 0; i < news->known.count; i++)
        if (target_is_told(targets->items.items[i]))
            tell_state(&news->known.items[i], i, true, (struct voice){hear, into});
}
