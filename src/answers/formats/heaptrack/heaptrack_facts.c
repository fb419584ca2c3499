/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/heaptrack_facts.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/human.h"
#include "formats/heaptrack/heaptrack_format.h"

#define FACT_BYTES_MAX 4096

enum fact_kind { FACT_TEXT, FACT_32, FACT_64 };

static const struct fact {
    const char *name;
    enum fact_kind kind;
    size_t offset;
    uint64_t unknown; /* the value that says nothing */
} facts[] = {
    {"program", FACT_TEXT, offsetof(struct recording, program), STRING_EMPTY},
    {"host", FACT_TEXT, offsetof(struct recording, host), STRING_EMPTY},
    {"pid", FACT_32, offsetof(struct recording, pid), 0},
    {"parent-pid", FACT_32, offsetof(struct recording, parent_pid), 0},
    {"exit-status", FACT_32, offsetof(struct recording, exit_status), (uint32_t)-1},
    {"start-unix-ns", FACT_64, offsetof(struct recording, start_unix_ns), 0},
};
#define FACT_COUNT (sizeof(facts) / sizeof(facts[0]))

static uint64_t load(const struct recording *recording, const struct fact *fact)
{
    const char *at = (const char *)recording + fact->offset;
    uint32_t narrow;
    uint64_t wide;
    if (fact->kind == FACT_64) {
        memcpy(&wide, at, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, at, sizeof(narrow)); /* the id of a text, too */
    return narrow;
}

static void store(struct recording *recording, const struct fact *fact, uint64_t value)
{
    char *at = (char *)recording + fact->offset;
    uint32_t const narrow = (uint32_t)value;
    if (fact->kind == FACT_64)
        memcpy(at, &value, sizeof(value));
    else if (value <= INT32_MAX)
        memcpy(at, &narrow, sizeof(narrow));
}

void heaptrack_facts_write(const struct recording *recording, struct output *out)
{
    for (size_t i = 0; i < FACT_COUNT; i++) {
        uint64_t const value = load(recording, &facts[i]);
        if (value == facts[i].unknown)
            continue;
        output_text(out, HEAPTRACK_FACT);
        output_text(out, facts[i].name);
        output_char(out, ' ');
        if (facts[i].kind == FACT_TEXT)
            output_line(out, recording_text(recording, (string_id)value));
        else
            output_format(out, "%" PRIu64 "\n", value);
    }
}

static void parse_value(struct recording *recording, const struct fact *fact, const char *text)
{
    uint64_t value;
    if (fact->kind == FACT_TEXT)
        store(recording, fact, recording_intern(recording, text));
    else if (human_parse_count(text, &value) == 0)
        store(recording, fact, value);
}

bool heaptrack_fact_read(struct recording *recording, struct slice comment)
{
    size_t const skip = strlen(HEAPTRACK_FACT);
    char text[FACT_BYTES_MAX];
    if (comment.size <= skip || comment.size - skip >= sizeof(text) ||
        memcmp(comment.data, HEAPTRACK_FACT, skip) != 0)
        return false;
    memcpy(text, comment.data + skip, comment.size - skip);
    text[comment.size - skip] = '\0';
    for (size_t i = 0; i < FACT_COUNT; i++) {
        size_t const length = strlen(facts[i].name);
        if (strncmp(text, facts[i].name, length) != 0 || text[length] != ' ')
            continue;
        parse_value(recording, &facts[i], text + length + 1);
        return true;
    }
    return false;
}
