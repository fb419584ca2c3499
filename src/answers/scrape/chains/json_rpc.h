/* json_rpc.h - finds the result, or the error, in an answer of JSON-RPC. */
#pragma once

#include "base/fault.h"
#include "base/json_in.h"

/* Makes `result` ready to read the result in an answer.  Returns 0 or -errno with a sentence: an
 * error from the node (-ENODATA), an HTTP status (-EACCES, -EAGAIN, -EPROTO), no JSON (-EPROTO). */
int json_rpc_result(long status, struct slice body, struct json_in *result, struct fault *fault);
/* Returns whether the next value is null; does not consume the value. */
bool json_rpc_is_null(const struct json_in *json);
