/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks before any constructor, in constructors, in main, in atexit handlers and destructors; and
 * frees across all of these.  Live at the end: one of in_preinit, one of in_destructor. */
#include "subject.h"

#include <stdlib.h>

static void *early, *constructed, *from_main, *from_handler;

#define SITE(name, size)                                                                           \
    static NOINLINE void *name(void)                                                               \
    {                                                                                              \
        void *at = malloc(size);                                                                   \
        KEEP_FRAME();                                                                              \
        return at;                                                                                 \
    }

SITE(in_preinit, 101)
SITE(in_constructor, 202)
SITE(in_main, 303)
SITE(in_handler, 404)
SITE(in_destructor, 505)

static void preinit(void)
{
    early = in_preinit();
    free(in_preinit());
    early = in_preinit();
}
__attribute__((section(".preinit_array"), used)) static void (*const preinit_entry)(void) = preinit;

__attribute__((constructor(101))) static void construct(void)
{
    constructed = in_constructor();
}

__attribute__((destructor(101))) static void destruct(void)
{
    void *volatile lost = in_destructor();
    (void)lost;
    free(from_handler);
    free(in_destructor());
}

static void at_exit(void)
{
    free(constructed);
    free(from_main);
    from_handler = in_handler();
}

int main(void)
{
    free(early);
    from_main = in_main();
    return atexit(at_exit);
}
