/* json_rpc.h - the envelope of JSON-RPC: the result, or why there is none. */
#pragma once

#include "base/fault.h"
#include "base/json_in.h"

/* Goes to the result of an answer: `result` is then ready to read it.  Returns 0 or -errno with a
 * sentence: what the node says is wrong (-ENODATA), HTTP status (-EACCES, -EAGAIN, -EPROTO), no
 * JSON (-EPROTO). */
int json_rpc_result(long status, struct slice body, struct json_in *result, struct fault *fault);
/* Returns whether the next value is null; it is not taken. */
bool json_rpc_is_null(const struct json_in *json);
