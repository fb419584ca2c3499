/* SPDX-License-Identifier: Apache-2.0 */
#include "heaptrack_reader.h"

#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define NAMES_MAX 4096

struct parser {
    struct heaptrack_reading *reading;
    char *strings[NAMES_MAX], *places[NAMES_MAX];
    size_t strings_count, places_count;
    struct {
        int64_t size, outstanding;
        uint64_t trace;
    } infos[READER_INFOS];
    uint64_t allocated_infos;
    size_t info_count, last;
    int pass;
};

static uint64_t number(const char **at)
{
    char *end;
    CHECK(**at != '+' && **at != '-');
    for (const char *c = *at; *c && *c != ' ' && *c != '\n'; c++)
        CHECK((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f'));
    uint64_t value = strtoull(*at, &end, 16);
    CHECK(end != *at);
    *at = *end == ' ' ? end + 1 : end;
    return value;
}

static void read_string(struct parser *parser, const char *at, const char *end)
{
    uint64_t size = number(&at);
    CHECK(at + size == end);
    parser->strings[++parser->strings_count] = strndup(at, size);
}

/* Frames are innermost first in the file, outermost first in the path. */
static void read_place(struct parser *parser, const char *at, const char *end)
{
    char path[1024] = "", longer[1024];
    number(&at);
    CHECK(number(&at) <= parser->strings_count);
    while (at < end) {
        uint64_t function = number(&at);
        CHECK(function <= parser->strings_count);
        snprintf(longer, sizeof(longer), "%s%s%.900s", function ? parser->strings[function] : "?",
                 *path ? ";" : "", path);
        strcpy(path, longer);
        if (at < end) {
            CHECK(number(&at) <= parser->strings_count);
            number(&at);
        }
    }
    parser->places[++parser->places_count] = strdup(*path ? path : "?");
}

static void read_trace(struct parser *parser, const char *at)
{
    uint64_t place = number(&at), parent = number(&at);
    struct heaptrack_reading *reading = parser->reading;
    CHECK(place >= 1 && place <= parser->places_count && parent <= reading->trace_count);
    CHECK(reading->trace_count + 1 < READER_TRACES);
    struct trace_cost *trace = &reading->traces[++reading->trace_count];
    const char *outer = parent ? reading->traces[parent].path : "";
    snprintf(trace->path, sizeof(trace->path), "%.500s%s%.500s", outer, *outer ? ";" : "",
             parser->places[place]);
}

static void reach_peak(struct heaptrack_reading *reading)
{
    reading->total.peak = reading->total.leaked;
    reading->peak_ms = reading->last_ms;
    for (size_t i = 0; i <= reading->trace_count; i++)
        reading->traces[i].peak = reading->traces[i].leaked;
}

/* The first info has another number for its frees. */
static uint64_t kin(const struct parser *parser, uint64_t info)
{
    bool const is_first = parser->infos[info].size == parser->infos[0].size &&
                          parser->infos[info].trace == parser->infos[0].trace;
    return is_first ? 0 : info;
}

static void read_event(struct parser *parser, char kind, const char *at)
{
    uint64_t info = number(&at);
    struct heaptrack_reading *reading = parser->reading;
    CHECK(info < parser->info_count);
    int64_t size = parser->infos[info].size;
    struct trace_cost *trace = &reading->traces[parser->infos[info].trace];
    reading->events++;
    if (kind == '+') {
        /* heaptrack_gui crashes unless infos are first allocated in the order of their numbers */
        CHECK(info <= parser->allocated_infos);
        parser->allocated_infos += info == parser->allocated_infos;
        parser->infos[kin(parser, info)].outstanding++;
        trace->calls++;
        reading->total.calls++;
        trace->leaked += size;
        reading->total.leaked += size;
        parser->last = info;
        if (reading->total.leaked > reading->total.peak)
            reach_peak(reading);
        return;
    }
    reading->unmatched += parser->infos[kin(parser, info)].outstanding-- <= 0;
    trace->leaked -= size;
    reading->total.leaked -= size;
    trace->temporary += parser->last == info;
    reading->total.temporary += parser->last == info;
    parser->last = 0;
}

static void read_line(struct parser *parser, const char *line, const char *end)
{
    struct heaptrack_reading *reading = parser->reading;
    const char *at = line + 2;
    uint64_t time;
    CHECK(end - line >= 2 && line[1] == ' ');
    switch (line[0]) {
    case 's':
        read_string(parser, at, end);
        break;
    case 'i':
        read_place(parser, at, end);
        break;
    case 't':
        read_trace(parser, at);
        break;
    case 'a':
        CHECK(parser->info_count < READER_INFOS);
        parser->infos[parser->info_count].size = (int64_t)number(&at);
        parser->infos[parser->info_count].trace = number(&at);
        CHECK(parser->infos[parser->info_count++].trace <= reading->trace_count);
        break;
    case '+':
    case '-':
        read_event(parser, line[0], at);
        break;
    case 'c':
        time = number(&at);
        CHECK(time >= reading->last_ms);
        reading->last_ms = time;
        break;
    case 'R':
        time = number(&at);
        reading->rss_pages = time > reading->rss_pages ? time : reading->rss_pages;
        break;
    case '#':
        reading->comments++;
        break;
    default:
        CHECK(strchr("vXI", line[0]) != NULL);
    }
}

struct heaptrack_reading *heaptrack_read(const char *text)
{
    struct parser *parser = calloc(1, sizeof(*parser));
    struct heaptrack_reading *reading = calloc(1, sizeof(*reading));
    assert_non_null(parser);
    assert_non_null(reading);
    parser->reading = reading;
    CHECK(strncmp(text, "v 10400 3\nX ", 12) == 0);
    for (const char *end; *text; text = end + 1) {
        end = strchr(text, '\n');
        assert_non_null(end);
        read_line(parser, text, end);
    }
    for (size_t i = 1; i <= parser->strings_count; i++)
        free(parser->strings[i]);
    for (size_t i = 1; i <= parser->places_count; i++)
        free(parser->places[i]);
    free(parser);
    return reading;
}

struct trace_cost heaptrack_cost(const struct heaptrack_reading *reading, const char *path)
{
    struct trace_cost sum = {.path = ""};
    for (size_t i = 1; i <= reading->trace_count; i++) {
        const struct trace_cost *trace = &reading->traces[i];
        if (strcmp(trace->path, path) != 0)
            continue;
        sum.calls += trace->calls;
        sum.temporary += trace->temporary;
        sum.leaked += trace->leaked;
        sum.peak += trace->peak;
    }
    return sum;
}
