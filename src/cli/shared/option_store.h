/* option_store.h - inside options.c: stores the value of an option. */
#pragma once

#include "cli/shared/options.h"

/* Stores `value` in the field that the rule names.  `value` is NULL for a flag, or if an optional
 * argument was left out.  Returns 0; or -errno with a sentence, and the field is unchanged. */
int option_store(const struct option_rule *rule, void *into, const char *value,
                 struct fault *fault);
