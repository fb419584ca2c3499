/* chain_follow_parts.h - what the files of chain_follow share. */
#pragma once

#include "cluster/blocks/block_log.h"
#include "scrape/chains/chain_follow.h"
#include "scrape/chains/chain_source.h"

enum follow_step {
    STEP_HEIGHT,  /* how high is it? */
    STEP_WAIT,    /* tell us when it is higher */
    STEP_HEADERS, /* from `next` on */
    STEP_CHECK,   /* is block `check` the one we have? */
    STEP_PROBE    /* is block `probe` there? */
};

struct known_block {
    bool is_known;
    uint64_t height, transactions_total;
    char hash[BLOCK_HASH_MAX];
};

struct chain_follow {
    struct chain_follow_options options;
    const struct node *node;
    struct chain_source *source;
    struct block_log *log;
    enum follow_step step;
    bool is_asking;
    uint64_t due_ns;
    struct chain_follow_facts facts;
    struct fault fault;   /* why it is over */
    struct fault trouble; /* what the node had last; empty: none */
    unsigned absences;    /* how often `next` was not there though the node is higher */
    bool has_next;
    uint64_t next;
    uint64_t check, probe, gap_low, gap_high;
    bool is_behind; /* told */
    bool has_talked;
    /* When blocks arrived: those from window_first to window_last did at window_ns or at most
     * window_within before. */
    bool has_absent;
    uint64_t absent_ns;   /* the node did not have more than `head` then */
    uint64_t shortest_ns; /* of all answers about the height */
    uint64_t window_first, window_last, window_ns;
    int64_t window_within_ns;
    char genesis[BLOCK_HASH_MAX];
    struct known_block known[CHAIN_REMEMBERED]; /* by height modulo its size */
};

void follow_tell(const struct chain_follow *follow, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends it for good. */
void follow_end(struct chain_follow *follow, const struct fault *fault);
/* Returns the block of this height in the file, if it is remembered, else NULL. */
const struct known_block *follow_known(const struct chain_follow *follow, uint64_t height);
void follow_remember(struct chain_follow *follow, const struct block_header *header);

/* What the answers mean (chain_follow_read.c). */
void follow_handle_height(struct chain_follow *follow, const struct chain_answer *answer);
void follow_handle_headers(struct chain_follow *follow, const struct chain_answer *answer);
void follow_handle_check(struct chain_follow *follow, const struct chain_answer *answer);
void follow_handle_probe(struct chain_follow *follow, const struct chain_answer *answer);
/* `next` is not there: it is asked for again, and after some times looked for higher up. */
void follow_handle_absence(struct chain_follow *follow, const struct chain_answer *answer);
