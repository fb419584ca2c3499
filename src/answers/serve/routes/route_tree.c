/* SPDX-License-Identifier: Apache-2.0 */
/* route_tree.c - physical memory by call stack, in the form of earlier page profilers and in our
 * own. */
#include <errno.h>
#include <string.h>

#include "analyze/memory/page_weight.h"
#include "base/json_out.h"
#include "serve/routes/openapi.h"
#include "serve/http/request_text.h"
#include "serve/routes/routes.h"
#include "serve/http/parameter_parse.h"
#include "serve/content/tree_text.h"

#define THRESHOLD_KIB UINT64_C(256)
#define KEPT_MOST     ((size_t)32 << 20) /* a larger tree lives only until it is sent */

static bool parse_wish(const struct request *request, struct tree_wish *wish, struct answer *answer)
{
    const char *threshold = request_parameter(request, "threshold");
    if (request->has_odd_parameters)
        answer_error(answer, request, 400, "There are too many parameters, or one is too long.");
    else if (threshold && number_parse(threshold, 0, UINT64_MAX, &wish->threshold) < 0)
        answer_error(answer, request, 400, "threshold is a whole number of %s.",
                     wish->form == TREE_OURS ? "bytes" : "KiB");
    else
        return parameter_parse_flag(request, "reverse", &wish->outermost_first, answer);
    return false;
}

/* Whether the recording has anything to do with pages.  One that has nothing at all yet may be
 * about to. */
static bool may_have_pages(const struct recording *recording, const struct running *running)
{
    static const char *const kinds[] = {"pages.resident", "pages.swap", "pages.cache",
                                        "pages.kernel"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (running_has(running, metric_find(kinds[i])))
            return true;
    return recording->quality.events == 0;
}

/* NULL with an answer when there is none with pages. */
static struct recording *find_recording(struct target *target, const struct running **running,
                                        const struct request *request, struct answer *answer)
{
    struct fault fault = {.text = ""};
    struct recording *recording = target_recording(target, running, &fault);
    if (!recording)
        answer_error(answer, request, 404, "%s", fault.text);
    else if (may_have_pages(recording, *running))
        return recording;
    else
        answer_error(answer, request, 404,
                     "This recording has the heap but no pages: record pages with memoir pages, or "
                     "with --pages of memoir run and memoir attach.");
    return NULL;
}

static void refuse(int err, const struct request *request, struct answer *answer)
{
    if (err == -EFBIG)
        answer_error(answer, request, 400,
                     "The tree has more than %d nodes: ask with a larger threshold.",
                     TREE_NODES_MOST);
    else if (err == -ERANGE)
        answer_error(answer, request, 500,
                     "The recording is damaged: its pages are more than any machine has.");
    else
        answer_error(answer, request, 503, "The server is out of memory: ask again later.");
}

static void send_tree(struct target *target, const struct tree_wish *wish,
                      const struct request *request, struct answer *answer)
{
    const struct running *running;
    struct recording *recording = find_recording(target, &running, request, answer);
    struct tree_text **kept = target_kept_tree(target);
    int err = 0;
    if (!recording)
        return;
    if (!*kept || !tree_text_is_of(*kept, recording, running, wish)) {
        tree_text_release(*kept);
        *kept = tree_text_make(recording, running, wish, &err);
    }
    struct answer_stream const stream = *kept ? tree_text_stream(*kept) : (struct answer_stream){0};
    if (stream.state)
        answer_stream(answer, stream, TYPE_JSON);
    else
        refuse(err ? err : -ENOMEM, request, answer);
    if (stream.held_bytes > KEPT_MOST) {
        tree_text_release(*kept);
        *kept = NULL;
    }
}

/* RssAnon stands beside the rest, so that anybody can compare. */
static void send_short(struct target *target, const struct request *request, struct answer *answer)
{
    const struct running *running;
    struct recording *recording = find_recording(target, &running, request, answer);
    uint64_t sums[PAGE_SUMS_COMMON];
    struct memory_status memory;
    if (!recording)
        return;
    int const err = page_weigh_all(running, 1024, sums, PAGE_SUMS_COMMON);
    if (err) {
        refuse(err, request, answer);
        return;
    }
    bool const runs = target_known_memory(target, &memory) == 0 && memory.anon_bytes > 0;
    FILE *out = answer_begin(answer);
    if (out) {
        struct json_out json;
        json_init(&json, out, false);
        json_object_begin(&json);
        json_uint_field(&json, "total", sums[PAGE_SUM_VALUE]);
        json_uint_field(&json, "cache", sums[PAGE_SUM_CACHE]);
        json_uint_field(&json, "anon", sums[PAGE_SUM_VALUE] - sums[PAGE_SUM_CACHE]);
        json_uint_field(&json, "systemReportAnon", runs ? (uint64_t)memory.anon_bytes / 1024 : 0);
        json_object_end(&json);
        json_finish(&json);
    }
    answer_finish(answer, out, TYPE_JSON);
}

void route_tree(struct target *target, struct request *request, struct answer *answer)
{
    struct tree_wish wish = {.form = TREE_COMPATIBLE, .threshold = THRESHOLD_KIB};
    bool is_short;
    if (!parse_wish(request, &wish, answer) ||
        !parameter_parse_flag(request, "short", &is_short, answer))
        return;
    if (is_short)
        send_short(target, request, answer);
    else
        send_tree(target, &wish, request, answer);
}

void route_pages_tree(struct target *target, struct request *request, struct answer *answer)
{
    struct tree_wish wish = {.form = TREE_OURS, .threshold = THRESHOLD_KIB * 1024};
    if (parse_wish(request, &wish, answer))
        send_tree(target, &wish, request, answer);
}

/* false with an answer when there is any other parameter. */
static bool has_only(const struct request *request, const char *name, struct answer *answer)
{
    for (size_t i = 0; i < request->parameter_count; i++)
        if (strcmp(request->parameters[i].name, name) != 0) {
            answer_error(answer, request, 400, "There is no parameter %s here.",
                         request->parameters[i].name);
            return false;
        }
    return true;
}

void route_pid(struct target *target, struct request *request, struct answer *answer)
{
    if (!has_only(request, "pid", answer))
        return;
    target_recording(target, NULL, NULL); /* it may tell by now */
    FILE *out = answer_begin(answer);
    if (out)
        fprintf(out, "%u\n", target_known_pid(target));
    answer_finish(answer, out, TYPE_JSON);
}

void route_openapi(struct target *target, struct request *request, struct answer *answer)
{
    (void)target;
    if (!has_only(request, "", answer))
        return;
    FILE *out = answer_begin(answer);
    if (out)
        fwrite(openapi_document, 1, openapi_document_size, out);
    answer_finish(answer, out, TYPE_JSON);
}
