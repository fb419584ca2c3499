/* request_text.h - parses untrusted text of a request: Host, Authorization, Accept, numbers.
 *
 * Nothing here allocates memory or trusts a length; every function is safe on any bytes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define TOKEN_LEAST 16
#define TOKEN_MOST  512

/* Finds the name in "name:port" or "[::1]:port"; the port may be missing.  `name` is without
 * brackets.  Returns false on any other text: a strange character, two names, a port that is no
 * number. */
bool host_parse(struct slice host, struct slice *name);

/* Returns whether `name`, from a Host header or an address to listen on, is localhost, in
 * 127.0.0.0/8, or ::1. */
bool host_is_loopback(struct slice name);

/* Finds the token in "Bearer TOKEN"; false when there is none. */
bool bearer_parse(struct slice authorization, struct slice *token);

/* Returns whether both tokens are equal.  The time depends only on the length of `given`, so it
 * does not tell anything about `known`. */
bool token_equals(struct slice given, struct slice known);

/* Returns whether this Accept header prefers OpenMetrics to the older text format, as Prometheus
 * does. */
bool accepts_openmetrics(struct slice accept);
/* Returns whether this Accept header names `type`, such as "application/json", with a weight above
 * 0. */
bool accepts_type(struct slice accept, const char *type);

/* Parses a whole number from `least` to `most`.  0; -EINVAL when the text is no number; -ERANGE
 * when the number is out of range. */
int number_parse(const char *text, uint64_t least, uint64_t most, uint64_t *number);
