/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp_fuzz.c - any bytes as a filter on system calls, and as a call. */
#include "wire/seccomp_filter.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint32_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seccomp_data call;
    struct sock_filter code[256];
    if (size < sizeof(call))
        return 0;
    memcpy(&call, data, sizeof(call));
    size_t length = (size - sizeof(call)) / sizeof(code[0]);
    if (length > sizeof(code) / sizeof(code[0]))
        length = sizeof(code) / sizeof(code[0]);
    memcpy(code, data + sizeof(call), length * sizeof(code[0]));
    sink += seccomp_filter_run(code, length, &call);
    return 0;
}
