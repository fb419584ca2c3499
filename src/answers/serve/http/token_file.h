/* token_file.h - the secret that a client of another machine must know, from a file. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "serve/http/request_text.h"

/* Its first line, without blanks around it: TOKEN_LEAST to TOKEN_MOST characters that go through a header.
 * `others_may_read` tells that the file's rights let everybody have it.  0, or -errno with a sentence. */
int token_file_read(const char *path, char token[TOKEN_MOST + 1], bool *others_may_read,
                    struct fault *fault);
