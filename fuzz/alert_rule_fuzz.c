/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as the condition of an alert: accepted with a threshold that means something, or
 * refused with a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/alerts/alert_rule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct alert_rule rule, again;
    struct fault fault = {.text = ""};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    int const err = alert_rule_parse(text, &rule, &fault);
    free(text);
    if (err && (err >= 0 || fault.text[0] == '\0'))
        abort(); /* an error without a sentence */
    if (!err && !(rule.threshold > 0))
        abort(); /* always true */
    if (!err && (alert_rule_parse(rule.text, &again, NULL) || again.threshold != rule.threshold ||
                 again.level != rule.level || strcmp(again.site, rule.site) != 0))
        abort(); /* what is kept of it reads differently */
    return 0;
}
