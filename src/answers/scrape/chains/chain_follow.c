/* SPDX-License-Identifier: Apache-2.0 */
/* chain_follow.c - the steps of a follower of a chain: what it asks next, and what it does when the
 * node does not answer. */
#include "scrape/chains/chain_follow.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "scrape/chains/chain_follow_parts.h"

#define RETRY_NS    NS_PER_SECOND
#define ASK_AT_ONCE 800u

void follow_tell(const struct chain_follow *follow, const char *format, ...)
{
    char sentence[FAULT_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    if (follow->options.tell)
        follow->options.tell(follow->options.context, follow->node->name, sentence);
}

void follow_end(struct chain_follow *follow, const struct fault *fault)
{
    follow->facts.is_over = true;
    if (fault)
        follow->fault = *fault;
}

const struct known_block *follow_known(const struct chain_follow *follow, uint64_t height)
{
    const struct known_block *block = &follow->known[height % CHAIN_REMEMBERED];
    return block->is_known && block->height == height ? block : NULL;
}

void follow_remember(struct chain_follow *follow, const struct block_header *header)
{
    struct known_block *block = &follow->known[header->height % CHAIN_REMEMBERED];
    *block = (struct known_block){.is_known = true,
                                  .height = header->height,
                                  .transactions_total = header->transactions_total};
    memcpy(block->hash, header->hash, sizeof(block->hash));
    if (header->genesis[0])
        memcpy(follow->genesis, header->genesis, sizeof(follow->genesis));
    follow->facts.has_last = true;
    follow->facts.last = header->height;
    follow->has_next = true;
    follow->next = header->height + 1;
}

static int resume(void *context, const struct block_record *record)
{
    follow_remember(context, &record->header);
    return 0;
}

struct chain_follow *chain_follow_create(struct http *http, const struct node *node,
                                         const char *path,
                                         const struct chain_follow_options *options,
                                         struct fault *fault)
{
    struct chain_follow *follow = calloc(1, sizeof(*follow));
    if (!follow) {
        fault_set(fault, -ENOMEM, "out of memory");
        return NULL;
    }
    follow->options = *options;
    follow->node = node;
    follow->shortest_ns = UINT64_MAX;
    follow->window_within_ns = -1;
    follow->source = chain_source_create(http, node, fault);
    if (follow->source)
        follow->log = block_log_open(path, CHAIN_REMEMBERED, resume, follow, fault);
    if (!follow->log) {
        chain_source_destroy(follow->source);
        free(follow);
        return NULL;
    }
    if (block_log_repaired(follow->log))
        follow_tell(follow,
                    "the last line of \"%s\" was incomplete: memoir fetches that block "
                    "again",
                    path);
    if (!follow->has_next && options->has_from) {
        follow->has_next = true;
        follow->next = options->from;
    }
    if (follow->has_next && options->has_to && follow->next > options->to)
        follow_end(follow, NULL);
    return follow;
}

struct chain_follow_facts chain_follow_tell(const struct chain_follow *follow)
{
    struct chain_follow_facts facts = follow->facts;
    facts.is_troubled = follow->trouble.code != 0;
    facts.fault = follow->fault.code ? &follow->fault : NULL;
    return facts;
}

void chain_follow_sync(struct chain_follow *follow)
{
    block_log_sync(follow->log);
}

int chain_follow_destroy(struct chain_follow *follow, struct fault *fault)
{
    if (!follow)
        return 0;
    chain_source_destroy(follow->source);
    int const err = block_log_close(follow->log, fault);
    free(follow);
    return err;
}

/* The node did not answer as it should: told once, then asked again from the beginning. */
static void have_trouble(struct chain_follow *follow, const struct chain_answer *answer)
{
    struct fault trouble = {0};
    fault_set(&trouble, answer->error, "%s", answer->why);
    follow->has_absent = false;
    follow->step = STEP_HEIGHT;
    follow->due_ns = answer->answered_ns + RETRY_NS;
    if (answer->error == -EACCES && !follow->has_talked) {
        follow_end(follow, &trouble);
        return;
    }
    if (follow->trouble.code != trouble.code)
        follow_tell(follow, "%s; asking again every second", trouble.text);
    follow->trouble = trouble;
}

static void no_trouble(struct chain_follow *follow)
{
    if (follow->trouble.code)
        follow_tell(follow, "answers again");
    follow->trouble = (struct fault){0};
    follow->has_talked = true;
}

static void answered(void *context, const struct chain_answer *answer)
{
    struct chain_follow *follow = context;
    follow->is_asking = false;
    if (answer->error == -ENODATA && follow->step == STEP_HEADERS) {
        follow_handle_absence(follow, answer);
        return;
    }
    if (answer->error && !(answer->error == -ENODATA && follow->step == STEP_PROBE)) {
        have_trouble(follow, answer);
        return;
    }
    no_trouble(follow);
    switch (follow->step) {
    case STEP_HEIGHT:
    case STEP_WAIT:
        follow_handle_height(follow, answer);
        break;
    case STEP_HEADERS:
        follow_handle_headers(follow, answer);
        break;
    case STEP_CHECK:
        follow_handle_check(follow, answer);
        break;
    case STEP_PROBE:
        follow_handle_probe(follow, answer);
        break;
    }
}

static uint64_t wanted_count(const struct chain_follow *follow)
{
    uint64_t last = follow->facts.head;
    if (follow->options.has_to && last > follow->options.to)
        last = follow->options.to;
    uint64_t const count = last - follow->next + 1;
    return count < ASK_AT_ONCE ? count : ASK_AT_ONCE;
}

static int ask(struct chain_follow *follow, struct fault *fault)
{
    struct chain_source *source = follow->source;
    switch (follow->step) {
    case STEP_WAIT:
        return chain_ask_wait(source, follow->next - 1, answered, follow, fault);
    case STEP_HEADERS:
        return chain_ask_headers(source, follow->next, wanted_count(follow), answered, follow,
                                 fault);
    case STEP_CHECK:
        return chain_ask_headers(source, follow->check, 1, answered, follow, fault);
    case STEP_PROBE:
        return chain_ask_headers(source, follow->probe, 1, answered, follow, fault);
    case STEP_HEIGHT:
        break;
    }
    return chain_ask_height(source, answered, follow, fault);
}

uint64_t chain_follow_step(struct chain_follow *follow, uint64_t now_ns)
{
    struct fault fault = {0};
    if (follow->facts.is_over || follow->is_asking)
        return UINT64_MAX;
    if (now_ns < follow->due_ns)
        return follow->due_ns;
    follow->is_asking = true;
    if (ask(follow, &fault) < 0) {
        follow->is_asking = false;
        follow_end(follow, &fault);
    }
    return UINT64_MAX;
}
