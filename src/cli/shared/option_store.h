/* option_store.h - inside options.c: puts the value of an option where its row says. */
#pragma once

#include "cli/shared/options.h"

/* `value` is NULL for a flag, or where an optional argument was left out.  0, or -errno with a
 * sentence, and the field is as it was. */
int option_store(const struct option_rule *rule, void *into, const char *value,
                 struct fault *fault);
