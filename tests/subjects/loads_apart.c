/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a C library into a namespace of its own, and allocates 100 blocks of 970 bytes there and
 * 100 of 300 bytes in its own.  Then it lives for two seconds, as it is looked at now and then. */
#include "subject.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void *volatile sink;

static NOINLINE void allocate_here(void *(*allocate)(size_t), size_t size)
{
    for (int i = 0; i < 100; i++)
        sink = allocate(size);
    KEEP_FRAME();
}

int main(void)
{
    void *library = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW);
    void *(*other)(size_t) = NULL;
    if (library)
        *(void **)&other = dlsym(library, "malloc");
    if (!other)
        return 1;
    allocate_here(other, 970);
    allocate_here(malloc, 300);
    for (int i = 0; i < 200; i++) {
        free(malloc(10));
        usleep(10000);
    }
    return 0;
}
