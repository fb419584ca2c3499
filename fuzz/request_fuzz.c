/* SPDX-License-Identifier: Apache-2.0 */
/* request_fuzz.c - any text as the words of a request, as an address to listen on, and as path and
 * parameters of a request for small recordings: of every route. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tests/unit/page_recording.h"
#include "../tests/unit/sample_recording.h"
#include "base/json_in.h"
#include "serve/content/errand.h"
#include "serve/content/source_file.h"
#include "serve/http/events.h"
#include "serve/http/gate.h"
#include "serve/http/request_text.h"
#include "serve/routes/routes.h"
#include "store/write/recording_writer.h"

#define CALLS_MOST  4 /* of a handler that answers later */
#define STREAM_MOST ((size_t)1 << 20)
#define TEXT_MOST   ((size_t)4 << 10)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const char *text)
{
    struct server_options options = {.address = {.is_loopback = true},
                                     .token = "0123456789abcdef",
                                     .allow_origin = "https://a.example",
                                     .hosts = {"a.example"},
                                     .host_count = 1};
    struct visitor const visitor = {.method = text,
                                    .path = text,
                                    .host = text,
                                    .authorization = text,
                                    .origin = text,
                                    .fetch_site = text,
                                    .fetch_mode = text,
                                    .fetch_dest = text,
                                    .accept = text};
    struct gate_verdict const verdict = gate_judge(&options, &visitor);
    if (verdict.status == 0) /* no text is a method, a host and a token at once */
        abort();
    options.token = NULL;
    (void)gate_judge(&options, &visitor);
}

static struct target_list targets;
static struct events *events;

static void serve_recording(struct recording *recording, char *path)
{
    recording->pid = INT32_MAX; /* of no process of this machine */
    int const fd = mkstemp(path);
    struct fault fault = {.text = ""};
    if (fd < 0 || unlink(path) < 0)
        abort();
    struct recording_writer *writer = recording_writer_create(path, 0, &fault);
    if (!writer || recording_writer_append(writer, recording, &fault) < 0 ||
        recording_writer_finish(writer, recording, &fault) < 0)
        abort();
    struct target_options const options = {.kind = TARGET_RECORDING, .path = path, .sites = 20};
    if (target_list_open(&targets, &options, &fault) < 0)
        abort();
    close(fd);
    unlink(path);
}

/* Heap, and pages: most routes are about one of them. */
static void begin(void)
{
    static char heap_path[] = "/tmp/request-fuzz-XXXXXX"; /* targets do not copy it */
    static char pages_path[] = "/tmp/request-fuzz-XXXXXX";
    struct sample sample = sample_create();
    struct page_recording pages = page_recording_create();
    uint32_t const module = page_module(&pages, "/usr/lib/libc.so.6");
    uint32_t const frames[] = {page_frame_add(&pages, module, 0x50, "read", "read"),
                               page_frame_add(&pages, module, 0x70, "main", "main")};
    page_book(&pages, page_stack(&pages, frames, 2), PAGE_ANON, 1 << 20);
    page_book(&pages, page_stack(&pages, frames, 1), PAGE_CACHE, 1 << 16);
    serve_recording(sample.recording, heap_path);
    serve_recording(pages.recording, pages_path);
    sample_destroy(&sample);
    page_recording_destroy(&pages);
    events = events_create(&targets);
    if (!events)
        abort();
}

/* The next part of `text`, which is cut behind it; NULL at the end. */
static char *next_part(char **text)
{
    char *part = *text;
    if (!part)
        return NULL;
    *text = strchr(part, '&');
    if (*text)
        *(*text)++ = '\0';
    return part;
}

static void add_parameters(struct request *request, char *text)
{
    for (char *part; (part = next_part(&text)) && request->parameter_count < PARAMETERS_MOST;) {
        struct parameter *parameter = &request->parameters[request->parameter_count++];
        char *value = strchr(part, '=');
        if (value)
            *value++ = '\0';
        snprintf(parameter->name, sizeof(parameter->name), "%s", part);
        snprintf(parameter->text, sizeof(parameter->text), "%s", value ? value : "");
    }
}

static void check_json(struct slice text)
{
    struct json_in json = {.text = text};
    if (!json_in_skip(&json) || !json_in_ended(&json))
        abort();
}

/* What is sent is whole, and what is called JSON is JSON. */
static void check_answer(struct answer *answer)
{
    static char bytes[STREAM_MOST];
    size_t size = 0;
    if (answer->status < 200 || answer->status > 599)
        abort();
    if (!answer->stream.state) {
        if (answer->type && strcmp(answer->type, TYPE_JSON) == 0)
            check_json((struct slice){answer->body, answer->size});
        return;
    }
    if (answer->stream.attach)
        return; /* events, which do not end */
    for (;;) {
        size_t const room = size < sizeof(bytes) ? sizeof(bytes) - size : 0;
        size_t const got = room ? answer->stream.fill(answer->stream.state, bytes + size, room) : 0;
        if (got > room)
            abort();
        if (!got)
            break;
        size += got;
    }
    if (strcmp(answer->type, TYPE_JSON) == 0 && size < sizeof(bytes))
        check_json((struct slice){bytes, size});
}

static size_t count_routes(void)
{
    size_t count = 1;
    while (routes[count].path)
        count++;
    return count;
}

/* "/api/report?metric=heap.live", or a letter for the path: "a?metric=heap.live". */
static void ask(char *text)
{
    static const struct source_folders no_folders;
    static struct request_counts counts;
    static struct request request; /* large */
    struct answer answer = {.status = 0};
    char *query = strchr(text, '?');
    if (!query)
        return;
    *query++ = '\0';
    const struct route *route =
        text[0] && !text[1] ? &routes[(unsigned char)text[0] % count_routes()] : route_find(text);
    if (!route)
        return;
    request = (struct request){.is_here = true,
                               .may_see_addresses = strlen(query) % 2,
                               .wants_json = true,
                               .wants_html = strlen(query) % 3 == 0,
                               .served = &targets,
                               .sources = &no_folders,
                               .counts = &counts,
                               .events = events};
    add_parameters(&request, query);
    target_list_tend(&targets);
    struct target *target = target_list_select(&targets, &request, &answer);
    for (int i = 0; target && !answer.status && i < CALLS_MOST; i++)
        route->handle(target, &request, &answer);
    errand_end(request.errand);
    if (answer.status)
        check_answer(&answer);
    else if (!answer.again_ns)
        abort();
    answer_fini(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!events)
        begin();
    if (size > TEXT_MOST)
        return 0;

    struct slice const bytes = {(const char *)data, size};
    struct slice found;
    struct listen_address address;
    uint64_t number = 0;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    if (host_parse(bytes, &found) && (found.data < bytes.data || found.size > size))
        abort();
    if (host_is_loopback(bytes) && size > 64)
        abort();
    if (bearer_parse(bytes, &found))
        (void)token_equals(found, slice_of("0123456789abcdef"));
    if (accepts_openmetrics(bytes) && !accepts_type(bytes, "application/openmetrics-text"))
        abort();
    if (number_parse(text, 1, 100, &number) == 0 && (number < 1 || number > 100))
        abort();
    (void)listen_address_parse(text, &address, NULL);
    if (route_find(text) && text[0] != '/')
        abort();
    (void)path_speaks_json(text);
    judge(text);
    ask(text);
    free(text);
    return 0;
}
