/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/chains/chain_source.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "scrape/chains/chain_forms.h"
#include "scrape/chains/chain_parts.h"

#define SLOT_MAX    8u
#define BYTES_MAX   ((size_t)64 << 20) /* of a whole block, from nodes that cannot leave it out */
#define TIMEOUT_MS  15000
#define ADDRESS_MAX 1024

enum chain_question { ASK_NOTHING, ASK_HEIGHT, ASK_HEADERS };

/* One request of a question. */
struct slot {
    struct chain_source *source;
    uint64_t number; /* of http_ask; 0: none is under way */
    uint64_t first, count;
    struct chain_headers headers;
    struct fault fault;
};

struct chain_source {
    struct http *http;
    const struct chain_form *form;
    char address[ADDRESS_MAX];
    text_list headers;
    uint64_t timeout_ms;
    bool is_plain; /* the node is old */
    enum chain_question question;
    chain_done_fn done;
    void *context;
    uint64_t asked_ns;
    struct chain_height height;
    struct slot slots[SLOT_MAX];
    unsigned slot_count, open_count;
    struct chain_headers joined; /* of all slots: borrowed from them */
};

static bool add_header(struct chain_source *source, const char *name, const char *value)
{
    char *line = NULL;
    if (value && asprintf(&line, "%s%s", name, value) < 0)
        line = NULL;
    if (!line)
        return false;
    if (vec_push(&source->headers, line))
        return true;
    free(line);
    return false;
}

/* Its own headers, and its token in the header its class names: "X-Algo-API-Token", or
 * "Authorization: Bearer". */
static bool add_headers(struct chain_source *source, const struct node *node)
{
    vec_each (line, &node->headers)
        if (!add_header(source, "", *line))
            return false;
    if (node->token && node->token[0] && node->class->token_header) {
        char name[128];
        snprintf(name, sizeof(name), "%s%s", node->class->token_header,
                 strchr(node->class->token_header, ':') ? " " : ": ");
        if (!add_header(source, name, node->token))
            return false;
    }
    return !source->form->posts || add_header(source, "", "Content-Type: application/json");
}

struct chain_source *chain_source_create(struct http *http, const struct node *node,
                                         struct fault *fault)
{
    const struct chain_form *form = node->class ? chain_form_of(node->class->chain) : NULL;
    if (!form || !node->base_url) {
        fault_set(fault, -EINVAL,
                  form ? "node \"%s\" has no address to ask for blocks"
                       : "the class of node \"%s\" has no blocks: give another class with --class "
                         "(algod, monero, ethereum)",
                  node->name ? node->name : "");
        return NULL;
    }
    struct chain_source *source = calloc(1, sizeof(*source));
    if (!source) {
        fault_set(fault, -ENOMEM, "out of memory");
        return NULL;
    }
    source->http = http;
    source->form = form;
    source->timeout_ms = node->timeout_ms ? node->timeout_ms : TIMEOUT_MS;
    int const size = snprintf(source->address, sizeof(source->address), "%s%s", node->base_url,
                              node->class->chain_path ? node->class->chain_path : "");
    if (size < 0 || (size_t)size >= sizeof(source->address) - CHAIN_PATH_MAX ||
        !add_headers(source, node)) {
        fault_set(fault, -EINVAL, "the address of node \"%s\" is too long, or memory is short",
                  node->name ? node->name : "");
        chain_source_destroy(source);
        return NULL;
    }
    return source;
}

static void clear_slots(struct chain_source *source)
{
    for (unsigned i = 0; i < source->slot_count; i++)
        chain_headers_fini(&source->slots[i].headers);
    vec_free(&source->joined.items);
    source->slot_count = source->open_count = 0;
}

void chain_source_destroy(struct chain_source *source)
{
    if (!source)
        return;
    source->done = NULL; /* nobody is told */
    for (unsigned i = 0; i < source->slot_count; i++)
        if (source->slots[i].number) {
            uint64_t const number = source->slots[i].number;
            source->slots[i].number = 0;
            http_cancel(source->http, number);
        }
    clear_slots(source);
    vec_each (line, &source->headers) {
        explicit_bzero(*line, strlen(*line));
        free(*line);
    }
    vec_free(&source->headers);
    free(source);
}

bool chain_source_waits(const struct chain_source *source)
{
    return source->form->waits;
}

const struct chain_height *chain_source_height(const struct chain_source *source)
{
    return &source->height;
}

void chain_source_limit(struct chain_source *source, uint64_t timeout_ms)
{
    if (timeout_ms)
        source->timeout_ms = timeout_ms;
}

/* Puts the headers of all slots in a row, as far as they have no hole. */
static int join(struct chain_source *source, struct fault *fault)
{
    for (unsigned i = 0; i < source->slot_count; i++) {
        struct slot *slot = &source->slots[i];
        uint64_t expected = slot->first;
        if (slot->fault.code) {
            if (source->joined.items.count > 0)
                return 0; /* what is there is good; the rest is asked for again */
            *fault = slot->fault;
            return slot->fault.code;
        }
        vec_each (header, &slot->headers.items) {
            if (header->height != expected++)
                return fault_set(fault, -EPROTO, "the node was asked for block %llu and gave %llu",
                                 (unsigned long long)(expected - 1),
                                 (unsigned long long)header->height);
            if (!vec_push(&source->joined.items, *header))
                return fault_set(fault, -ENOMEM, "out of memory");
        }
        if (expected != slot->first + slot->count)
            break;
    }
    if (source->joined.items.count == 0)
        return fault_set(fault, -ENODATA, "the node has no such block");
    return 0;
}

/* The last thing done with a source: whoever is told may destroy it. */
static void finish(struct chain_source *source)
{
    struct fault fault = {0};
    struct chain_answer answer = {.asked_ns = source->asked_ns, .answered_ns = monotonic_ns()};
    chain_done_fn const done = source->done;
    if (source->question == ASK_HEADERS)
        answer.error = join(source, &fault);
    else
        fault = source->slots[0].fault, answer.error = fault.code;
    answer.why = fault.text;
    answer.height = source->height.height;
    struct slot finished[SLOT_MAX];
    unsigned const count = source->slot_count;
    memcpy(finished, source->slots, sizeof(finished));
    struct chain_headers joined = source->joined;
    answer.headers = answer.error ? NULL : joined.items.items;
    answer.header_count = answer.error ? 0 : joined.items.count;
    source->slot_count = 0;
    source->joined = (struct chain_headers){0};
    source->question = ASK_NOTHING;
    source->done = NULL;
    done(source->context, &answer);
    for (unsigned i = 0; i < count; i++)
        chain_headers_fini(&finished[i].headers);
    vec_free(&joined.items);
}

static int begin(struct slot *slot, const struct chain_ask *ask, struct fault *fault);

static int begin_headers(struct slot *slot, struct fault *fault)
{
    struct chain_ask ask = {.path = ""};
    slot->source->form->ask_headers(&ask, slot->first, slot->count, slot->source->is_plain);
    return begin(slot, &ask, fault);
}

static void read_answer(struct slot *slot, const struct http_answer *answer)
{
    struct chain_source *source = slot->source;
    if (answer->error)
        fault_set(&slot->fault, answer->error, "%s", answer->why);
    else if (source->question == ASK_HEIGHT)
        source->form->read_height(answer->status, answer->body, &source->height, &slot->fault);
    else
        source->form->read_headers(answer->status, answer->body, &slot->headers, &slot->fault);
}

static void answered(void *context, const struct http_answer *answer)
{
    struct slot *slot = context;
    struct chain_source *source = slot->source;
    if (!source->done)
        return;
    slot->number = 0;
    bool const is_too_new = source->question == ASK_HEADERS && source->form->has_plain &&
                            !answer->error && (answer->status == 400 || answer->status == 501);
    if (is_too_new && slot->fault.code == 0) {
        source->is_plain = true;
        slot->fault.code = -EPROTO; /* asked in the plain way: not a third time */
        if (begin_headers(slot, NULL) == 0)
            return;
    }
    slot->fault.code = 0;
    read_answer(slot, answer);
    if (--source->open_count == 0)
        finish(source);
}

static int begin(struct slot *slot, const struct chain_ask *ask, struct fault *fault)
{
    struct chain_source *source = slot->source;
    char url[ADDRESS_MAX + CHAIN_PATH_MAX];
    snprintf(url, sizeof(url), "%s%s", source->address, ask->path);
    struct http_request const request = {.url = url,
                                         .headers = (const char *const *)source->headers.items,
                                         .header_count = source->headers.count,
                                         .body = slice_of(ask->body),
                                         .timeout_ms =
                                             ask->timeout_ms ? ask->timeout_ms : source->timeout_ms,
                                         .bytes_max = BYTES_MAX,
                                         .done = answered,
                                         .context = slot};
    slot->number = http_ask(source->http, &request, fault);
    return slot->number ? 0 : -EINVAL;
}

static void start(struct chain_source *source, enum chain_question question, chain_done_fn done,
                  void *context)
{
    assert(source->question == ASK_NOTHING);
    clear_slots(source);
    source->question = question;
    source->done = done;
    source->context = context;
    source->asked_ns = monotonic_ns();
}

static struct slot *add_slot(struct chain_source *source, uint64_t first, uint64_t count)
{
    struct slot *slot = &source->slots[source->slot_count++];
    *slot = (struct slot){.source = source, .first = first, .count = count};
    return slot;
}

/* Nothing is under way any more. */
static int give_up(struct chain_source *source, int err)
{
    source->question = ASK_NOTHING;
    source->done = NULL;
    clear_slots(source);
    return err;
}

static int ask_state(struct chain_source *source, const struct chain_ask *ask, chain_done_fn done,
                     void *context, struct fault *fault)
{
    start(source, ASK_HEIGHT, done, context);
    int const err = begin(add_slot(source, 0, 0), ask, fault);
    if (err)
        return give_up(source, err);
    source->open_count = 1;
    return 0;
}

int chain_ask_height(struct chain_source *source, chain_done_fn done, void *context,
                     struct fault *fault)
{
    struct chain_ask ask = {.path = ""};
    source->form->ask_height(&ask);
    return ask_state(source, &ask, done, context, fault);
}

int chain_ask_wait(struct chain_source *source, uint64_t height, chain_done_fn done, void *context,
                   struct fault *fault)
{
    struct chain_ask ask = {.path = ""};
    assert(source->form->waits);
    source->form->ask_wait(&ask, height);
    return ask_state(source, &ask, done, context, fault);
}

int chain_ask_headers(struct chain_source *source, uint64_t first, uint64_t count,
                      chain_done_fn done, void *context, struct fault *fault)
{
    const struct chain_form *form = source->form;
    int err = 0;
    start(source, ASK_HEADERS, done, context);
    while (!err && count > 0 && source->slot_count < form->requests_max) {
        uint64_t const part = count < form->batch ? count : form->batch;
        err = begin_headers(add_slot(source, first, part), fault);
        if (err)
            source->slot_count--;
        source->open_count += !err;
        first += part;
        count -= part;
    }
    return source->open_count > 0 ? 0 : give_up(source, err ? err : -EINVAL);
}
