/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fault.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

static void fill(struct fault *fault, int code, uint64_t offset, const char *format, va_list args)
{
    if (!fault)
        return;
    fault->code = code;
    fault->offset = offset;
    vsnprintf(fault->text, sizeof(fault->text), format, args);
    utf8_tame(fault->text, '?', "\n\t"); /* names in it are those of programs and files */
}

int(fault_set)(struct fault *fault, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(fault, code, 0, format, args);
    va_end(args);
    return code;
}

int fault_at(struct fault *fault, int code, uint64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(fault, code, offset, format, args);
    va_end(args);
    return code;
}
