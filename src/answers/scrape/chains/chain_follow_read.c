/* SPDX-License-Identifier: Apache-2.0 */
/* chain_follow_read.c - parses the answers that a follower of a chain gets. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "scrape/chains/chain_follow_parts.h"

#define SOON_NS UINT64_C(300000000)
#define SURE_NS                                                                                    \
    UINT64_C(2000000) /* an answer that took this much longer than others was waited for */
#define ABSENCES_MAX 5u

/* Blocks above the old head arrived since it was known to be the head. */
static void open_window(struct chain_follow *follow, const struct chain_answer *answer)
{
    uint64_t const took = answer->answered_ns - answer->asked_ns;
    bool const is_one = answer->height == follow->facts.head + 1;
    follow->window_first = follow->facts.head + 1;
    follow->window_last = answer->height;
    follow->window_ns = answer->answered_ns;
    follow->window_within_ns = -1;
    if (!follow->has_absent)
        return;
    follow->window_within_ns = (int64_t)(answer->answered_ns - follow->absent_ns);
    if (follow->step == STEP_WAIT && is_one && follow->shortest_ns != UINT64_MAX &&
        took > 3 * follow->shortest_ns + SURE_NS)
        follow->window_within_ns = (int64_t)follow->shortest_ns; /* it was told at once */
}

/* The node is lower than the file: it was restored, it restarted, or its chain is another one. */
static void be_behind(struct chain_follow *follow)
{
    uint64_t const head = follow->facts.head;
    const struct known_block *known = follow_known(follow, head);
    if (follow->is_behind)
        return;
    follow->is_behind = true;
    follow_tell(follow,
                "is at height %" PRIu64 " and the file at %" PRIu64
                ": waiting until it gets there (if it is another chain, choose another file)",
                head, follow->next - 1);
    if (known && known->hash[0]) {
        follow->step = STEP_CHECK;
        follow->check = head;
        follow->due_ns = 0;
    }
}

/* How long the node takes at least for an answer that it has at hand. */
static void note_speed(struct chain_follow *follow, const struct chain_answer *answer)
{
    uint64_t const took = answer->answered_ns - answer->asked_ns;
    if (took < follow->shortest_ns)
        follow->shortest_ns = took;
}

void follow_handle_height(struct chain_follow *follow, const struct chain_answer *answer)
{
    uint64_t const took = answer->answered_ns - answer->asked_ns;
    if (follow->step == STEP_HEIGHT)
        note_speed(follow, answer);
    if (follow->facts.has_head && answer->height > follow->facts.head)
        open_window(follow, answer);
    if (!follow->has_next) { /* a new file begins after the newest block */
        follow->has_next = true;
        follow->next = answer->height + 1;
    }
    follow->facts.has_head = true;
    follow->facts.head = answer->height;
    follow->has_absent = true;
    follow->absent_ns = answer->asked_ns;
    if (follow->step == STEP_WAIT && took > follow->shortest_ns) /* the answer is young */
        follow->absent_ns = answer->answered_ns - follow->shortest_ns;
    follow->due_ns = 0;
    if (answer->height >= follow->next) {
        follow->is_behind = false;
        follow->step = STEP_HEADERS;
        return;
    }
    bool const waits = chain_source_waits(follow->source) && follow->next > 0;
    follow->step = waits ? STEP_WAIT : STEP_HEIGHT;
    if (!waits)
        follow->due_ns = answer->asked_ns + follow->options.every_ns;
    else if (answer->height + 1 < follow->next)
        follow->due_ns = answer->asked_ns + SOON_NS; /* it is behind: not in a tight loop */
    if (answer->height + 1 < follow->next)
        be_behind(follow);
}

/* Whether the header does not come after what the file has. */
static bool is_torn_off(const struct chain_follow *follow, const struct block_header *header)
{
    const struct known_block *known =
        header->height > 0 ? follow_known(follow, header->height - 1) : NULL;
    return known && known->hash[0] && header->parent[0] && strcmp(known->hash, header->parent) != 0;
}

static bool is_stranger(struct chain_follow *follow, const struct block_header *header)
{
    struct fault fault = {0};
    if (!follow->genesis[0] || !header->genesis[0] || strcmp(follow->genesis, header->genesis) == 0)
        return false;
    fault_set(&fault, -ESTALE,
              "the node and the file belong to different chains (another genesis): choose another "
              "file");
    follow_end(follow, &fault);
    return true;
}

static void fill_record(const struct chain_follow *follow, const struct chain_answer *answer,
                        struct block_record *record)
{
    struct block_header *header = &record->header;
    const struct known_block *before =
        header->height > 0 ? follow_known(follow, header->height - 1) : NULL;
    const struct known_block *old = follow_known(follow, header->height);
    bool const is_timed = follow->window_within_ns >= 0 && header->height >= follow->window_first &&
                          header->height <= follow->window_last;
    record->within_ns = is_timed ? follow->window_within_ns : -1;
    record->arrival_ns = follow->options.unix_offset_ns +
                         (int64_t)(is_timed ? follow->window_ns : answer->answered_ns);
    if (!header->has_total && header->has_count) {
        header->has_total = true;
        header->transactions_total =
            (before ? before->transactions_total : 0) + header->transactions;
    }
    if (old && old->hash[0])
        memcpy(record->replaces, old->hash, sizeof(record->replaces));
}

void follow_handle_headers(struct chain_follow *follow, const struct chain_answer *answer)
{
    struct fault fault = {0};
    note_speed(follow, answer);
    follow->absences = 0;
    follow->due_ns = 0;
    for (size_t i = 0; i < answer->header_count; i++) {
        struct block_record record = {.header = answer->headers[i]};
        if (is_stranger(follow, &record.header))
            return;
        if (is_torn_off(follow, &record.header)) {
            follow->step = STEP_CHECK;
            follow->check = record.header.height - 1;
            return;
        }
        fill_record(follow, answer, &record);
        if (block_log_append(follow->log, &record, &fault) < 0) {
            follow_end(follow, &fault);
            return;
        }
        follow->facts.written++;
        follow->facts.replaced += record.replaces[0] != '\0';
        follow_remember(follow, &record.header);
        if (follow->options.has_to && record.header.height >= follow->options.to) {
            follow_end(follow, NULL);
            return;
        }
    }
    bool const waits = chain_source_waits(follow->source);
    follow->step = follow->facts.head >= follow->next ? STEP_HEADERS
                   : waits                            ? STEP_WAIT
                                                      : STEP_HEIGHT;
    if (follow->step == STEP_HEIGHT && follow->window_ns)
        follow->due_ns = follow->window_ns + follow->options.every_ns;
}

void follow_handle_check(struct chain_follow *follow, const struct chain_answer *answer)
{
    const struct known_block *known = follow_known(follow, follow->check);
    bool const is_same =
        known && answer->header_count > 0 && strcmp(known->hash, answer->headers[0].hash) == 0;
    follow->due_ns = 0;
    if (is_same && follow->facts.head <= follow->check) { /* only behind */
        follow->step = STEP_HEIGHT;
        follow->due_ns = answer->answered_ns + SOON_NS;
        return;
    }
    if (!is_same && known && follow->check > 0 && follow_known(follow, follow->check - 1)) {
        follow->check--;
        return;
    }
    uint64_t const first = is_same ? follow->check + 1 : follow->check;
    follow_tell(follow, "its chain was reorganised: heights %" PRIu64 " to %" PRIu64 " are new%s",
                first, follow->next - 1, is_same ? "" : ", and maybe older ones");
    follow->next = first;
    follow->is_behind = false;
    follow->step = STEP_HEIGHT;
}

void follow_handle_absence(struct chain_follow *follow, const struct chain_answer *answer)
{
    follow->step = STEP_HEIGHT;
    follow->has_absent = false;
    follow->due_ns = answer->answered_ns + SOON_NS;
    if (++follow->absences < ABSENCES_MAX || follow->facts.head <= follow->next)
        return;
    follow->step = STEP_PROBE;
    follow->gap_low = follow->next;
    follow->gap_high = follow->probe = follow->facts.head;
}

/* What is between is gone from the node. */
static void leave_gap(struct chain_follow *follow)
{
    char note[160];
    struct fault fault = {0};
    snprintf(note, sizeof(note), "heights %" PRIu64 " to %" PRIu64 " are not on the node any more",
             follow->next, follow->gap_high - 1);
    follow_tell(follow, "%s: these heights stay missing", note);
    follow->facts.missing += follow->gap_high - follow->next;
    follow->next = follow->gap_high;
    follow->step = STEP_HEIGHT;
    if (block_log_note(follow->log, note, &fault) < 0)
        follow_end(follow, &fault);
}

/* gap_low is not there; gap_high is, once it was probed. */
void follow_handle_probe(struct chain_follow *follow, const struct chain_answer *answer)
{
    follow->absences = 0;
    follow->due_ns = 0;
    if (answer->error && follow->probe == follow->gap_high) { /* it has none of them now */
        follow->step = STEP_HEIGHT;
        follow->due_ns = answer->answered_ns + SOON_NS;
        return;
    }
    *(answer->error ? &follow->gap_low : &follow->gap_high) = follow->probe;
    follow->probe = follow->gap_low + (follow->gap_high - follow->gap_low) / 2;
    if (follow->gap_high - follow->gap_low <= 1)
        leave_gap(follow);
}
