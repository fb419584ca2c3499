/* SPDX-License-Identifier: Apache-2.0 */
/* dlclose_reuse ALPHA BETA [unseen]: loads one library where the other was, again and again;
 * each makes 4 blocks per load, of 10, 20, 30 and 40 bytes in its site_NAME_0 .. 3.  50 loads of
 * each.  "unseen": closes them as the C library closes its own, by no call that others could
 * see. */
#include "subject.h"

#include <dlfcn.h>
#include <stdlib.h>

static void *where[2];
static int reused;
static int (*close_library)(void *) = dlclose;

static NOINLINE int load_and_use(const char *path, int which)
{
    void *library = dlopen(path, RTLD_NOW);
    void *(*make)(unsigned, size_t) = NULL;
    if (!library)
        return 1;
    *(void **)&make = dlsym(library, "library_make");
    if (!make)
        return 1;
    for (unsigned i = 0; i < 4; i++)
        make(i, 10 * (i + 1));
    Dl_info info;
    if (dladdr((void *)make, &info))
        where[which] = info.dli_fbase;
    if (where[0] == where[1])
        reused = 1;
    return close_library(library);
}

int main(int argc, char **argv)
{
    if (argc > 3)
        *(void **)&close_library = dlsym(dlopen("libc.so.6", RTLD_NOW), "dlclose");
    for (int i = 0; argc > 2 && i < 50; i++) {
        if (load_and_use(argv[1], 0) != 0 || load_and_use(argv[2], 1) != 0)
            return 1;
    }
    say("%s\n", reused ? "reused" : "not reused");
    return 0;
}
