/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/breakdown_saved.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json_in.h"
#include "model/memory/memory_figure.h"

#define KEY_MAX 32

struct saved {
    struct json_in json;
    struct breakdown *breakdown;
    bool is_ours; /* it says so */
    int err;
};

static bool is(const char *key, const char *name)
{
    return strcmp(key, name) == 0;
}

static void parse_bytes(struct json_in *json, struct memory_bytes *bytes)
{
    char key[KEY_MAX];
    uint64_t *values = &bytes->size;
    for (json_in_object(json); json_in_key(json, key, sizeof(key));) {
        size_t field = 0;
        while (field < MEMORY_BYTES_FIELDS && !is(key, memory_bytes_names[field]))
            field++;
        if (field < MEMORY_BYTES_FIELDS)
            json_in_uint(json, &values[field]);
        else
            json_in_skip(json);
    }
}

static void parse_process(struct saved *saved)
{
    struct breakdown *breakdown = saved->breakdown;
    char key[KEY_MAX];
    uint64_t pid = 0;
    for (json_in_object(&saved->json); json_in_key(&saved->json, key, sizeof(key));) {
        if (is(key, "pid") && json_in_uint(&saved->json, &pid))
            breakdown->pid = (uint32_t)pid;
        else if (is(key, "name"))
            json_in_text(&saved->json, breakdown->name, sizeof(breakdown->name));
        else if (is(key, "program"))
            json_in_text(&saved->json, breakdown->program, sizeof(breakdown->program));
        else if (!is(key, "pid"))
            json_in_skip(&saved->json);
    }
}

static void parse_capture(struct saved *saved)
{
    char key[KEY_MAX], source[KEY_MAX] = "";
    for (json_in_object(&saved->json); json_in_key(&saved->json, key, sizeof(key));) {
        if (is(key, "time_unix_ns"))
            json_in_uint(&saved->json, &saved->breakdown->time_unix_ns);
        else if (is(key, "source"))
            json_in_text(&saved->json, source, sizeof(source));
        else
            json_in_skip(&saved->json);
    }
    saved->breakdown->source = is(source, "pagemap") ? BREAKDOWN_PAGEMAP : BREAKDOWN_SMAPS;
}

static void parse_total(struct saved *saved)
{
    char key[KEY_MAX];
    for (json_in_object(&saved->json); json_in_key(&saved->json, key, sizeof(key));) {
        if (is(key, "bytes"))
            parse_bytes(&saved->json, &saved->breakdown->total);
        else
            json_in_skip(&saved->json);
    }
}

static enum breakdown_section find_section(const char *key)
{
    int section = 0;
    while (section < SECTION_OTHER &&
           !is(key, breakdown_section_key((enum breakdown_section)section)))
        section++;
    return (enum breakdown_section)section;
}

static void parse_leaf(struct saved *saved)
{
    struct json_in *json = &saved->json;
    struct breakdown_leaf leaf = {.evidence = EVIDENCE_KERNEL};
    char key[KEY_MAX], section[KEY_MAX] = "", label[128] = "", item[192] = "";
    for (json_in_object(json); json_in_key(json, key, sizeof(key));) {
        if (is(key, "section"))
            json_in_text(json, section, sizeof(section));
        else if (is(key, "label"))
            json_in_text(json, label, sizeof(label));
        else if (is(key, "item"))
            json_in_text(json, item, sizeof(item));
        else if (is(key, "bytes"))
            parse_bytes(json, &leaf.bytes);
        else
            json_in_skip(json);
    }
    leaf.section = find_section(section);
    leaf.label = breakdown_text(saved->breakdown, "%s", label);
    leaf.item = item[0] ? breakdown_text(saved->breakdown, "%s", item) : "";
    if (saved->breakdown->leaves.count >= SAVED_LEAVES_MAX)
        saved->err = -E2BIG;
    else if (!vec_push(&saved->breakdown->leaves, leaf))
        saved->err = -ENOMEM;
}

static void parse_all(struct saved *saved)
{
    struct json_in *json = &saved->json;
    char key[KEY_MAX], format[KEY_MAX] = "";
    for (json_in_object(json); !saved->err && json_in_key(json, key, sizeof(key));) {
        if (is(key, "format"))
            json_in_text(json, format, sizeof(format));
        else if (is(key, "process"))
            parse_process(saved);
        else if (is(key, "capture"))
            parse_capture(saved);
        else if (is(key, "total"))
            parse_total(saved);
        else if (is(key, "leaves"))
            for (json_in_array(json); !saved->err && json_in_item(json);)
                parse_leaf(saved);
        else
            json_in_skip(json);
    }
    saved->is_ours = is(format, "memoir-map");
}

int breakdown_saved_parse(struct slice text, const char *name, struct breakdown *breakdown,
                          struct fault *fault)
{
    struct saved saved = {.json = {.text = text}, .breakdown = breakdown};
    parse_all(&saved);
    if (saved.err == -ENOMEM)
        return fault_set(fault, saved.err, "%s: not enough memory for its parts", name);
    if (saved.err)
        return fault_set(fault, saved.err, "%s has more than %u parts, so memoir did not make it",
                         name, SAVED_LEAVES_MAX);
    if (saved.json.failed || !saved.is_ours || !json_in_ended(&saved.json))
        return fault_set(fault, -EINVAL,
                         "%s is not a complete breakdown: make one with memoir map PID --json -o "
                         "FILE",
                         name);
    return 0;
}
