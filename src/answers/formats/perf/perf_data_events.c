/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/perf/perf_data_events.h"

#include <errno.h>
#include <stdio.h>

#define BIT_COUNT(mask) ((int)__builtin_popcountll(mask))

void perf_events_fini(struct perf_data_events *events)
{
    vec_free(&events->items);
    number_map_fini(&events->by_id);
    number_map_fini(&events->counted);
    vec_free(&events->counts);
}

/* Where the id stands, when it does not stand first: all events have it at the same place, or it
 * is of no use. */
static int id_word_of(const struct perf_event *event)
{
    uint64_t const before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
    uint64_t const type = event->attr.sample_type;
    return type & PERF_SAMPLE_ID ? BIT_COUNT(type & before) : -1;
}

static int last_id_word_of(const struct perf_event *event)
{
    uint64_t const type = event->attr.sample_type;
    uint64_t const behind = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
    return type & PERF_SAMPLE_ID && event->attr.sample_id_all ? BIT_COUNT(type & behind) + 1 : 0;
}

static void find_ids(struct perf_data_events *events)
{
    events->by_identifier = true;
    events->id_word = id_word_of(&events->items.items[0]);
    events->id_word_last = last_id_word_of(&events->items.items[0]);
    vec_each (event, &events->items) {
        events->by_identifier &= (event->attr.sample_type & PERF_SAMPLE_IDENTIFIER) != 0;
        if (id_word_of(event) != events->id_word)
            events->id_word = -1;
        if (last_id_word_of(event) != events->id_word_last)
            events->id_word_last = 0;
    }
}

int perf_events_add(struct perf_data_events *events, struct slice attr, struct slice ids)
{
    struct perf_event event = {0};
    if (attr.size < PERF_ATTR_SIZE_VER0)
        return -EINVAL;
    if (events->items.count >= PERF_EVENTS_MAX)
        return -E2BIG;
    memcpy(&event.attr, attr.data, attr.size < sizeof(event.attr) ? attr.size : sizeof(event.attr));
    if (event.attr.size >= PERF_ATTR_SIZE_VER0 && event.attr.size < sizeof(event.attr))
        memset((char *)&event.attr + event.attr.size, 0, sizeof(event.attr) - event.attr.size);
    if (!vec_push(&events->items, event))
        return -ENOMEM;
    for (size_t at = 0; at + 8 <= ids.size; at += 8) {
        uint64_t const id = perf_word((const uint8_t *)ids.data + at);
        uint32_t *place = id ? number_map_at(&events->by_id, id) : NULL;
        if (id && !place)
            return -ENOMEM;
        if (place)
            *place = (uint32_t)events->items.count;
    }
    find_ids(events);
    return 0;
}

void perf_events_name(struct perf_data_events *events, uint64_t id, struct slice name)
{
    uint32_t const at = id ? number_map_get(&events->by_id, id) : 0;
    if (at)
        snprintf(events->items.items[at - 1].name, PERF_NAME_MAX, "%.*s", (int)name.size,
                 name.data);
}

struct perf_event *perf_events_find(struct perf_data_events *events,
                                    const struct perf_record *record)
{
    bool const is_sample = record->type == PERF_RECORD_SAMPLE;
    size_t const words = record->size / 8;
    uint64_t id = 0;
    if (events->items.count == 0)
        return NULL;
    if (events->items.count == 1 || words == 0)
        return &events->items.items[0];
    if (events->by_identifier)
        id = perf_word(is_sample ? record->body : record->body + record->size - 8);
    else if (is_sample && events->id_word >= 0 && (size_t)events->id_word < words)
        id = perf_word(record->body + 8 * events->id_word);
    else if (!is_sample && events->id_word_last > 0 && (size_t)events->id_word_last <= words)
        id = perf_word(record->body + record->size - 8 * (size_t)events->id_word_last);
    uint32_t const at = id ? number_map_get(&events->by_id, id) : 0;
    return &events->items.items[at ? at - 1 : 0];
}

struct perf_event *perf_events_count(struct perf_data_events *events, uint64_t id, uint64_t counter,
                                     uint64_t *rise)
{
    uint32_t const at = id ? number_map_get(&events->by_id, id) : 0;
    uint32_t *place = at ? number_map_at(&events->counted, id) : NULL;
    if (!place || (*place == 0 && !vec_push(&events->counts, 0)))
        return NULL;
    if (*place == 0)
        *place = (uint32_t)events->counts.count;
    uint64_t *last = &events->counts.items[*place - 1];
    *rise = counter > *last ? counter - *last : 0;
    *last = counter;
    return &events->items.items[at - 1];
}

enum perf_measure perf_event_measure(const struct perf_event *event)
{
    const struct perf_event_attr *attr = &event->attr;
    if (attr->type == PERF_TYPE_SOFTWARE) {
        if (attr->config == PERF_COUNT_SW_DUMMY)
            return PERF_MEASURE_NOTHING;
        return attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK
                   ? PERF_MEASURE_NS
                   : PERF_MEASURE_COUNT;
    }
    /* The upper half of the number says which kind of core, on machines that have several. */
    bool const cycles = attr->type == PERF_TYPE_HARDWARE &&
                        ((uint32_t)attr->config == PERF_COUNT_HW_CPU_CYCLES ||
                         (uint32_t)attr->config == PERF_COUNT_HW_REF_CPU_CYCLES);
    return cycles && attr->freq && attr->sample_freq ? PERF_MEASURE_CYCLES : PERF_MEASURE_COUNT;
}

bool perf_events_alike(const struct perf_event *one, const struct perf_event *other)
{
    const struct perf_event_attr *a = &one->attr, *b = &other->attr;
    bool const other_cores = a->type == PERF_TYPE_HARDWARE && a->config != b->config &&
                             (uint32_t)a->config == (uint32_t)b->config;
    return a->type == b->type && other_cores && a->config1 == b->config1 &&
           a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
           perf_event_measure(one) == perf_event_measure(other);
}

struct counter {
    const char *title, *unit;
};

static const struct counter hardware_counters[] = {{"cycles", "cycles"},
                                                   {"instructions", "instructions"},
                                                   {"cache-references", "references"},
                                                   {"cache-misses", "misses"},
                                                   {"branches", "branches"},
                                                   {"branch-misses", "misses"},
                                                   {"bus-cycles", "cycles"},
                                                   {"stalled-cycles-frontend", "cycles"},
                                                   {"stalled-cycles-backend", "cycles"},
                                                   {"ref-cycles", "cycles"}};
static const struct counter software_counters[] = {{"cpu-clock", "ns"},
                                                   {"task-clock", "ns"},
                                                   {"page-faults", "faults"},
                                                   {"context-switches", "switches"},
                                                   {"cpu-migrations", "migrations"},
                                                   {"minor-faults", "faults"},
                                                   {"major-faults", "faults"},
                                                   {"alignment-faults", "faults"},
                                                   {"emulation-faults", "faults"},
                                                   {"dummy", "events"},
                                                   {"bpf-output", "events"},
                                                   {"cgroup-switches", "switches"}};
#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

/* What the kernel counts under a number of its own; NULL when we do not know that one. */
static const struct counter *counter_of(const struct perf_event_attr *attr)
{
    uint64_t const number =
        attr->type == PERF_TYPE_HARDWARE ? (uint32_t)attr->config : attr->config;
    if (attr->type == PERF_TYPE_HARDWARE && number < COUNT_OF(hardware_counters))
        return &hardware_counters[number];
    if (attr->type == PERF_TYPE_SOFTWARE && number < COUNT_OF(software_counters))
        return &software_counters[number];
    return NULL;
}

uint64_t perf_counter_number(const char *title)
{
    for (uint64_t i = 0; i < COUNT_OF(software_counters); i++)
        if (strcmp(title, software_counters[i].title) == 0)
            return i;
    return PERF_COUNT_SW_BPF_OUTPUT;
}

const char *perf_event_unit(const struct perf_event *event)
{
    const struct counter *counter = counter_of(&event->attr);
    return counter ? counter->unit : "events";
}

/* A comma would be the end of it where metrics are listed. */
static void clean(char *name)
{
    for (; *name; name++)
        if (*name == ',' || (unsigned char)*name <= ' ' || *name == 0x7f)
            *name = *name == ',' ? '+' : '_';
}

const char *perf_event_title(const struct perf_event *event, char text[PERF_NAME_MAX])
{
    const struct perf_event_attr *attr = &event->attr;
    const struct counter *counter = counter_of(attr);
    const char *side = attr->exclude_kernel == attr->exclude_user ? ""
                       : attr->exclude_kernel                     ? ":u"
                                                                  : ":k";
    if (event->name[0])
        snprintf(text, PERF_NAME_MAX, "%s", event->name);
    else if (counter)
        snprintf(text, PERF_NAME_MAX, "%s%s", counter->title, side);
    else
        snprintf(text, PERF_NAME_MAX, "event-%u/0x%llx%s", attr->type,
                 (unsigned long long)attr->config, side);
    clean(text);
    return text;
}
