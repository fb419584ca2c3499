/* ready.h - is a node ready?  Asked again and again, without waiting for any of them. */
#pragma once

#include "nets/net.h"
#include "scrape/http/http.h"

/* One check, of one part; lives as long as it is asked for. */
struct ready_check {
    const struct net_part *part;
    uint64_t number;  /* of the request under way; 0: none */
    uint64_t next_ns; /* when to ask again */
    bool answered;    /* the address said what it must */
    char last[200];   /* what came back instead */
};

/* Looks, and asks if it is time to.  Returns whether the part is ready. */
bool ready_look(struct ready_check *check, struct http *http, uint64_t now_ns);
/* What it waits for, as a sentence. */
void ready_tell(const struct ready_check *check, char *text, size_t size);
