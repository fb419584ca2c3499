/* SPDX-License-Identifier: Apache-2.0 */
/* java_counters_fuzz.c - any bytes as the counters of a Java machine. */
#include "runtimes/java_counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct java_counters counters;
    (void)java_counters_parse(&counters, (struct slice){(const char *)data, size});
    return 0;
}
