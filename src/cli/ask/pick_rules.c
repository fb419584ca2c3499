/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ask/pick_rules.h"

#include <stdlib.h>
#include <string.h>

void pick_rules(const struct option_rule *from, const char *const *names,
                struct option_rule picked[PICKED_MAX])
{
    size_t count = 0;
    for (; *names; names++) {
        const struct option_rule *rule = from;
        while (rule->name && strcmp(rule->name, *names) != 0)
            rule++;
        if (!rule->name || count + 1 == PICKED_MAX)
            abort();
        picked[count++] = *rule;
    }
    picked[count] = (struct option_rule){0};
}
