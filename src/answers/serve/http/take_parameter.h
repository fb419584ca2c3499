/* take_parameter.h - parameters of a request that are a number or one of some words; what makes no sense is answered right away. */
#pragma once

#include "serve/http/exchange.h"

/* A whole number from `least` to `most`, or `usual` when it is not there; false with an answer that says what it may be. */
struct number_limits {
    uint64_t usual, least, most;
};
bool take_number(const struct request *request, const char *name, struct number_limits limits,
                 uint64_t *number, struct answer *answer);

/* The place of the word in a list that ends with NULL; 0 when the parameter is not there; -1 with an answer that says what there is. */
int take_word(const struct request *request, const char *name, const char *const *words,
              struct answer *answer);

/* true or false in letters, false when it is not there; false with an answer when it is neither. */
bool take_flag(const struct request *request, const char *name, bool *flag, struct answer *answer);
