/* ready.h - polls whether nodes are ready, without waiting for any of them. */
#pragma once

#include "nets/net.h"
#include "scrape/http/http.h"

/* The check of one part, which exists until the part is ready. */
struct ready_check {
    const struct net_part *part;
    uint64_t number;  /* of the running request; 0: none */
    uint64_t next_ns; /* time of the next request */
    bool answered;    /* the answer was the expected one */
    char last[200];   /* what was answered instead */
};

/* Checks the conditions, and sends a request if one is due.  Returns whether the part is ready. */
bool ready_look(struct ready_check *check, struct http *http, uint64_t now_ns);
/* Renders a sentence about what the check waits for. */
void ready_tell(const struct ready_check *check, char *text, size_t size);
