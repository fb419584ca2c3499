/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/read_path.h"

struct recording *read_path(const char *path, read_input_fn read, struct fault *fault)
{
    struct fault inner = {0};
    struct input *input = input_open(path, fault);
    if (!input)
        return NULL;
    struct recording *recording = read(input, &inner);
    if (!recording)
        fault_set(fault, inner.code, "cannot read %s: %s", path, inner.text);
    /* cppcheck-suppress returnDanglingLifetime ; `read` keeps no fault */
    return recording;
}
