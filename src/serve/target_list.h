/* target_list.h - all that one server serves: a process, or several recordings.  The first is meant when a request does not
 * say which. */
#pragma once

#include "base/vec.h"
#include "serve/exchange.h"
#include "serve/target.h"

#define TARGETS_MOST 64

struct target_list {
    VEC(struct target *) items; /* owned; not empty while it is served */
};

/* 0, or -errno with a sentence; what was opened before stays. */
int target_list_open(struct target_list *list, const struct target_options *options,
                     struct fault *fault);
void target_list_close(struct target_list *list);

/* The first, or the one of ?target=ID or ?pid=; NULL with an answer when there is none.  An id is the place in the list,
 * from 1: nothing is ever taken out of it. */
struct target *target_list_select(const struct target_list *list, const struct request *request,
                                  struct answer *answer);
