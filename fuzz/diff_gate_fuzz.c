/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of `memoir diff --fail-if`: whatever is typed is taken or refused with a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    struct diff_gates gates = {0};
    struct fault fault = {.text = ""};
    if (diff_gates_parse(&gates, text, &fault) < 0) {
        if (gates.count != 0 || fault.text[0] == '\0')
            abort();
    } else {
        for (size_t i = 0; i < gates.count; i++) {
            diff_gate_holds(&gates.gates[i], 0, INT64_MAX);
            diff_gate_holds(&gates.gates[i], INT64_MAX, INT64_MIN);
        }
    }
    free(text);
    return 0;
}
