/* ask.h - a question about a recording, in the parameters of a request: what `memoir report` has
 * as options, by the same names without dashes. */
#pragma once

#include "report/rows/selection.h"
#include "serve/http/exchange.h"
#include "serve/targets/target.h"

struct ask {
    struct recording *recording; /* the target's, for as long as the request is handled */
    /* metric, by, at, between, filter, top, threshold, top-down=true, reverse=true */
    struct selection selection;
    struct time_range range;
    const char *note; /* why the metric is another one than usual, or NULL */
};

/* false with an answer: there is no recording, or a parameter makes no sense.  `several`:
 * metric=A,B is allowed. */
bool ask_begin(struct ask *ask, bool several, struct target *target, const struct request *request,
               struct answer *answer);
void ask_end(struct ask *ask);

/* The answer to a question that could not be answered: 400 for one that makes no sense for this
 * recording, 404 for what it has not recorded, 503 for a lack of memory, else 500. */
void ask_refuse(int err, const struct fault *fault, const struct request *request,
                struct answer *answer);
