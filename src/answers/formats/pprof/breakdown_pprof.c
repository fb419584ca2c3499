/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/breakdown_pprof.h"

#include <errno.h>
#include <string.h>

#include "formats/shared/output.h"
#include "formats/pprof/pprof_fields.h"
#include "formats/encodings/protobuf_out.h"
#include "model/string_table.h"

struct breakdown_profile {
    struct protobuf_out profile, part, line, functions;
    struct string_table *strings; /* ids are the profile's string numbers */
    struct string_table *names;   /* ids are those of functions, and of the one place in each */
    bool failed;
};

static uint64_t string_number(struct breakdown_profile *page, const char *text)
{
    string_id id = 0;
    page->failed |= text[0] && string_table_intern(page->strings, slice_of(text), &id) < 0;
    return id;
}

/* The place of that name; made when it is new. */
static uint64_t place_of(struct breakdown_profile *page, const char *name)
{
    string_id id = 0;
    uint32_t const known = string_table_count(page->names);
    page->failed |= string_table_intern(page->names, slice_of(name), &id) < 0;
    if (id <= known || page->failed)
        return id;
    uint64_t const text = string_number(page, name);
    protobuf_reset(&page->line);
    protobuf_uint(&page->line, LINE_FUNCTION, id);
    protobuf_reset(&page->part);
    protobuf_uint(&page->part, LOCATION_ID, id);
    protobuf_message(&page->part, LOCATION_LINE, &page->line);
    protobuf_message(&page->functions, PROFILE_LOCATION, &page->part);
    protobuf_reset(&page->part);
    protobuf_uint(&page->part, FUNCTION_ID, id);
    protobuf_uint(&page->part, FUNCTION_NAME, text);
    protobuf_uint(&page->part, FUNCTION_SYSTEM_NAME, text);
    protobuf_message(&page->functions, PROFILE_FUNCTION, &page->part);
    return id;
}

static void put_type(struct breakdown_profile *page, unsigned field, const char *type)
{
    protobuf_reset(&page->part);
    protobuf_uint(&page->part, VALUE_TYPE_TYPE, string_number(page, type));
    protobuf_uint(&page->part, VALUE_TYPE_UNIT, string_number(page, "bytes"));
    protobuf_message(&page->profile, field, &page->part);
}

static void put_leaf(struct breakdown_profile *page, const struct breakdown_leaf *leaf,
                     const char *title)
{
    const struct memory_bytes *bytes = &leaf->bytes;
    uint64_t const values[] = {bytes->rss, bytes->pss, memory_bytes_private(bytes), bytes->swap,
                               bytes->size};
    uint64_t places[3];
    size_t count = 0;
    if (leaf->item[0])
        places[count++] = place_of(page, leaf->item);
    places[count++] = place_of(page, leaf->label);
    places[count++] = place_of(page, title);
    protobuf_reset(&page->part);
    protobuf_packed(&page->part, SAMPLE_LOCATION, places, count);
    protobuf_packed(&page->part, SAMPLE_VALUE, values, sizeof(values) / sizeof(values[0]));
    protobuf_message(&page->profile, PROFILE_SAMPLE, &page->part);
}

static void put_all(struct breakdown_profile *page, const struct breakdown *breakdown,
                    const char *(*title)(const struct breakdown *, enum breakdown_section))
{
    static const char *const types[] = {"rss", "pss", "private", "swap", "virtual"};
    char comment[160];
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        put_type(page, PROFILE_SAMPLE_TYPE, types[i]);
    vec_each (leaf, &breakdown->leaves)
        put_leaf(page, leaf, title(breakdown, leaf->section));
    put_type(page, PROFILE_PERIOD_TYPE, "rss");
    protobuf_uint(&page->profile, PROFILE_PERIOD, 1);
    protobuf_uint(&page->profile, PROFILE_TIME_NANOS, breakdown->time_unix_ns);
    protobuf_uint(&page->profile, PROFILE_DEFAULT_SAMPLE_TYPE, string_number(page, "rss"));
    snprintf(comment, sizeof(comment), "memory of %.63s, pid %u, by memoir map " MEMOIR_VERSION,
             breakdown->name, breakdown->pid);
    uint64_t const text = string_number(page, comment);
    protobuf_packed(&page->profile, PROFILE_COMMENT, &text, 1);
    protobuf_raw(&page->profile, page->functions.data, page->functions.size);
    for (uint32_t i = 0; i <= string_table_count(page->strings); i++) {
        const char *string = string_table_text(page->strings, i);
        protobuf_bytes(&page->profile, PROFILE_STRING, string, strlen(string));
    }
}

int breakdown_pprof_write(const struct breakdown *breakdown,
                          const char *(*title)(const struct breakdown *, enum breakdown_section),
                          FILE *out, struct fault *fault)
{
    struct breakdown_profile page = {.strings = string_table_create(),
                                     .names = string_table_create()};
    struct output *output = output_create(out, COMPRESS_GZIP);
    int err = 0;
    page.failed = !page.strings || !page.names || !output;
    if (!page.failed)
        put_all(&page, breakdown, title);
    if (page.failed || page.profile.failed || page.part.failed || page.line.failed ||
        page.functions.failed)
        err = fault_set(fault, -ENOMEM, "not enough memory to build the profile");
    else
        output_bytes(output, page.profile.data, page.profile.size);
    int const finished = output ? output_finish(output, fault) : 0;
    string_table_destroy(page.strings);
    string_table_destroy(page.names);
    protobuf_fini(&page.profile);
    protobuf_fini(&page.part);
    protobuf_fini(&page.line);
    protobuf_fini(&page.functions);
    return err ? err : finished;
}
