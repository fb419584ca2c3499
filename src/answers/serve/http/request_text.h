/* request_text.h - the words of a request that come from strangers: Host, Authorization, Accept, numbers.
 *
 * Nothing here allocates or trusts a length; every function is safe on any bytes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define TOKEN_LEAST 16
#define TOKEN_MOST  512

/* The name of "name:port", "[::1]:port" or either without a port, without brackets.  false when it is none of them:
 * an odd character, two names, a port that is no number. */
bool host_parse(struct slice host, struct slice *name);

/* localhost, 127.0.0.0/8 or ::1, as a name in a Host header or an address to listen on. */
bool host_is_loopback(struct slice name);

/* The token of "Bearer TOKEN"; false when there is none. */
bool bearer_parse(struct slice authorization, struct slice *token);

/* Whether they are the same, in a time that tells only how long `given` is. */
bool token_equals(struct slice given, struct slice known);

/* Whether a client that sends this Accept header prefers OpenMetrics to the older text, as Prometheus does. */
bool accepts_openmetrics(struct slice accept);
/* Whether it names `type`, as "application/json", with a weight above 0. */
bool accepts_type(struct slice accept, const char *type);

/* A whole number from `least` to `most`.  -EINVAL when it is no number, -ERANGE when it is another. */
int number_parse(const char *text, uint64_t least, uint64_t most, uint64_t *number);
