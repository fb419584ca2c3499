/* ask.h - a question about a recording, parsed from the parameters of a request.  Parameters have
 * the names of the options of `memoir report`, without dashes. */
#pragma once

#include "report/rows/selection.h"
#include "serve/http/exchange.h"
#include "serve/targets/target.h"

struct ask {
    struct recording *recording; /* borrowed from the target; valid while the request is handled */
    /* from metric, by, at, between, filter, top, threshold, top-down=true, reverse=true */
    struct selection selection;
    struct time_range range;
    const char *note; /* why the metric is not the default, or NULL */
};

/* Parses the question.  `several`: metric=A,B is allowed.  Returns false, with an error in
 * `answer`, if there is no recording or a parameter is wrong. */
bool ask_begin(struct ask *ask, bool several, struct target *target, const struct request *request,
               struct answer *answer);
void ask_end(struct ask *ask);

/* Answers with an error: status 400 if the question does not fit this recording, 404 if the
 * recording has no such data, 503 when out of memory, else 500. */
void ask_refuse(int err, const struct fault *fault, const struct request *request,
                struct answer *answer);
