/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a suppression file; what is accepted must match texts without running away. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/alerts/suppress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const texts[] = {"", "a", "main", "std::vector<int>::push_back(int&&)",
                                        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"};
    struct suppressions rules = {0};
    struct fault fault;
    if (suppressions_add(&rules, (struct slice){(const char *)data, size}, "fuzz", &fault) > 0 &&
        fault.text[0] == '\0')
        abort(); /* an error without a sentence */
    for (size_t i = 0; i < rules.rules.count; i++) {
        const char *pattern = rules.rules.items[i].pattern;
        for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++)
            suppression_matches(pattern, texts[j]);
        if (!strpbrk(pattern, "^$*") && !suppression_matches(pattern, pattern))
            abort(); /* a plain pattern is found in itself */
    }
    suppressions_fini(&rules);
    return 0;
}
