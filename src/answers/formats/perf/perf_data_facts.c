/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/perf/perf_data_facts.h"

#include <errno.h>
#include <stdio.h>

#define BUILD_ID_ENTRY 28u /* pid, 20 bytes, size, 3 bytes of padding */
#define TEXT_MAX       4096u

void perf_facts_fini(struct perf_facts *facts)
{
    number_map_fini(&facts->build_ids);
}

string_id perf_text(struct recording *recording, struct slice text)
{
    string_id id = STRING_EMPTY;
    text.size = strnlen(text.data ? text.data : "", text.size < TEXT_MAX ? text.size : TEXT_MAX);
    if (text.size)
        (void)string_table_intern(recording->strings, text, &id);
    return id;
}

string_id perf_build_text(struct recording *recording, const uint8_t *id, size_t size)
{
    char hex[2 * PERF_BUILD_ID_BYTES + 1] = "";
    bool is_told = false;
    for (size_t i = 0; i < size && i < PERF_BUILD_ID_BYTES; i++) {
        snprintf(hex + 2 * i, 3, "%02x", id[i]);
        is_told |= id[i] != 0;
    }
    return is_told ? recording_intern(recording, hex) : STRING_EMPTY;
}

/* A text of a feature: its length, and the bytes. */
static struct slice parse_text(struct slice *body)
{
    struct slice text = {"", 0};
    if (body->size < 4)
        return text;
    uint32_t const size = perf_half((const uint8_t *)body->data);
    if (size > body->size - 4)
        return text;
    text = (struct slice){body->data + 4, size};
    *body = (struct slice){text.data + size, body->size - 4 - size};
    return text;
}

int perf_facts_build_id(struct perf_facts *facts, uint16_t misc, struct slice body)
{
    const uint8_t *bytes = (const uint8_t *)body.data;
    if (body.size < BUILD_ID_ENTRY)
        return 0;
    size_t const size =
        misc & PERF_BUILD_ID_HAS_SIZE ? bytes[4 + PERF_BUILD_ID_BYTES] : PERF_BUILD_ID_BYTES;
    string_id const path = perf_text(
        facts->recording, (struct slice){body.data + BUILD_ID_ENTRY, body.size - BUILD_ID_ENTRY});
    uint32_t *known = path ? number_map_at(&facts->build_ids, path) : NULL;
    if (known)
        *known = perf_build_text(facts->recording, bytes + 4, size);
    return path && !known ? -ENOMEM : 0;
}

static int parse_build_ids(struct perf_facts *facts, struct slice body)
{
    int err = 0;
    while (body.size >= 8 && err == 0) {
        uint16_t misc, size;
        memcpy(&misc, body.data + 4, sizeof(misc));
        memcpy(&size, body.data + 6, sizeof(size));
        if (size < 8 || size > body.size)
            break;
        err = perf_facts_build_id(facts, misc, (struct slice){body.data + 8, size - 8u});
        body = (struct slice){body.data + size, body.size - size};
    }
    facts->damaged += body.size > 0;
    return err;
}

static void parse_command(struct perf_facts *facts, struct slice body)
{
    char line[1024] = "";
    size_t used = 0;
    if (body.size < 4)
        return;
    uint32_t count = perf_half((const uint8_t *)body.data);
    body = (struct slice){body.data + 4, body.size - 4};
    for (; count > 0 && body.size >= 4 && used < sizeof(line) - 1; count--) {
        struct slice const word = parse_text(&body);
        int const size = (int)strnlen(word.data, word.size < TEXT_MAX ? word.size : TEXT_MAX);
        int const put =
            snprintf(line + used, sizeof(line) - used, "%s%.*s", used ? " " : "", size, word.data);
        used += put > 0 ? (size_t)put : 0;
        if (word.size == 0)
            break;
    }
    facts->recording->command_line = recording_intern(facts->recording, line);
}

/* Names of events: of each its attribute, the number of its ids, its name, and the ids. */
static void parse_events(struct perf_data_events *events, struct slice body)
{
    if (body.size < 8)
        return;
    uint32_t const count = perf_half((const uint8_t *)body.data);
    uint32_t const attr_size = perf_half((const uint8_t *)body.data + 4);
    body = (struct slice){body.data + 8, body.size - 8};
    for (uint32_t i = 0; i < count && body.size >= (size_t)attr_size + 8; i++) {
        uint64_t const ids = perf_half((const uint8_t *)body.data + attr_size);
        body = (struct slice){body.data + attr_size + 4, body.size - attr_size - 4};
        struct slice const name = parse_text(&body);
        if (8 * ids > body.size)
            return;
        for (uint64_t k = 0; k < ids; k++)
            perf_events_name(events, perf_word((const uint8_t *)body.data + 8 * k), name);
        if (ids == 0 && i < events->items.count)
            snprintf(events->items.items[i].name, PERF_NAME_MAX, "%.*s", (int)name.size, name.data);
        body = (struct slice){body.data + 8 * ids, body.size - 8 * ids};
    }
}

static void parse_clock(struct perf_facts *facts, struct slice body)
{
    if (body.size < 24)
        return;
    facts->wall_ns = perf_word((const uint8_t *)body.data + 8);
    facts->clock_ns = perf_word((const uint8_t *)body.data + 16);
}

int perf_facts_parse(struct perf_facts *facts, struct perf_data_events *events, uint64_t feature,
                     struct slice body)
{
    struct recording *recording = facts->recording;
    switch (feature) {
    case PERF_FEATURE_BUILD_ID:
        return parse_build_ids(facts, body);
    case PERF_FEATURE_HOSTNAME:
        recording->host = perf_text(recording, parse_text(&body));
        break;
    case PERF_FEATURE_OSRELEASE:
        facts->release = perf_text(recording, parse_text(&body));
        break;
    case PERF_FEATURE_VERSION:
        facts->version = perf_text(recording, parse_text(&body));
        break;
    case PERF_FEATURE_ARCH:
        facts->arch = perf_text(recording, parse_text(&body));
        break;
    case PERF_FEATURE_CMDLINE:
        parse_command(facts, body);
        break;
    case PERF_FEATURE_EVENT_DESC:
        parse_events(events, body);
        break;
    case PERF_FEATURE_CLOCK_DATA:
        parse_clock(facts, body);
        break;
    default:
        break;
    }
    return 0;
}

string_id perf_facts_find_build(const struct perf_facts *facts, string_id path)
{
    return path ? number_map_get(&facts->build_ids, path) : STRING_EMPTY;
}
