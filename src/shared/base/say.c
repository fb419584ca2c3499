/* SPDX-License-Identifier: Apache-2.0 */
#include "base/say.h"

#include <stdarg.h>
#include <stdio.h>

void say_text(say_fn say, const char *format, ...)
{
    char sentence[SAY_MAX];
    va_list args;
    if (!say)
        return;
    va_start(args, format);
    vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    say(sentence);
}
