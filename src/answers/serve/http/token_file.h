/* token_file.h - the secret that clients must send: from a file, or made for this time. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "serve/http/request_text.h"

/* Reads the first line of the file, without blanks around it.  The token must have TOKEN_LEAST to
 * TOKEN_MOST characters, all of them allowed in a header.  `others_may_read`: whether the file's
 * mode lets every user read it.  Returns 0 or -errno with a sentence. */
int token_file_read(const char *path, char token[TOKEN_MOST + 1], bool *others_may_read,
                    struct fault *fault);

/* Makes a token that nobody can guess.  Returns 0 or -errno with a sentence. */
int token_make(char token[TOKEN_MOST + 1], struct fault *fault);
