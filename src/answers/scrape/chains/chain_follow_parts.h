/* chain_follow_parts.h - what the files of chain_follow share. */
#pragma once

#include "cluster/blocks/block_log.h"
#include "scrape/chains/chain_follow.h"
#include "scrape/chains/chain_source.h"

enum follow_step {
    STEP_HEIGHT,  /* ask for the newest height */
    STEP_WAIT,    /* wait until the node has a new height */
    STEP_HEADERS, /* ask for headers from `next` on */
    STEP_CHECK,   /* check that block `check` has the hash in the file */
    STEP_PROBE    /* check whether the node has block `probe` */
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
    struct fault fault;   /* the error that ended the follower */
    struct fault trouble; /* last error of the node; empty: none */
    unsigned absences;    /* how often the node lacked `next` although its newest height is above */
    bool has_next;
    uint64_t next;
    uint64_t check, probe, gap_low, gap_high;
    bool is_behind; /* reported */
    bool has_talked;
    /* Arrival times: blocks window_first to window_last arrived at window_ns, or at most
     * window_within_ns before. */
    bool has_absent;
    uint64_t absent_ns;   /* at this time the node had nothing above `head` */
    uint64_t shortest_ns; /* shortest duration of a request for the newest height */
    uint64_t window_first, window_last, window_ns;
    int64_t window_within_ns;
    char genesis[BLOCK_HASH_MAX];
    struct known_block known[CHAIN_REMEMBERED]; /* indexed by height modulo CHAIN_REMEMBERED */
};

void follow_tell(const struct chain_follow *follow, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends the follower with an error. */
void follow_end(struct chain_follow *follow, const struct fault *fault);
/* Returns the block of this height in the file, if it is remembered, else NULL. */
const struct known_block *follow_known(const struct chain_follow *follow, uint64_t height);
void follow_remember(struct chain_follow *follow, const struct block_header *header);

/* Callbacks for the answers (chain_follow_read.c). */
void follow_handle_height(struct chain_follow *follow, const struct chain_answer *answer);
void follow_handle_headers(struct chain_follow *follow, const struct chain_answer *answer);
void follow_handle_check(struct chain_follow *follow, const struct chain_answer *answer);
void follow_handle_probe(struct chain_follow *follow, const struct chain_answer *answer);
/* The node lacks `next`: asks again, and after some attempts searches for the next higher block. */
void follow_handle_absence(struct chain_follow *follow, const struct chain_answer *answer);
