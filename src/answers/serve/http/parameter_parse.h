/* parameter_parse.h - parses parameters of a request; a wrong value is answered with an error. */
#pragma once

#include "serve/http/exchange.h"

struct number_limits {
    uint64_t usual, least, most;
};
/* Parses a whole number from `limits.least` to `limits.most`; `limits.usual` when the parameter is
 * missing.  Returns false, with an error in `answer`, when the value is wrong. */
bool parameter_parse_number(const struct request *request, const char *name,
                            struct number_limits limits, uint64_t *number, struct answer *answer);

/* Returns the index of the parameter's value in `words`, a list that ends with NULL; 0 when the
 * parameter is missing; -1, with an error in `answer`, when the value is not in the list. */
int parameter_parse_word(const struct request *request, const char *name, const char *const *words,
                         struct answer *answer);

/* Parses "true" or "false" into *flag; false when the parameter is missing.  Returns false, with an
 * error in `answer`, when the value is neither. */
bool parameter_parse_flag(const struct request *request, const char *name, bool *flag,
                          struct answer *answer);
