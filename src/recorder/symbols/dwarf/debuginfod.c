/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "foreign/foreign_request.h"

typedef struct debuginfod_client client;

struct library {
    client *(*begin)(void);
    void (*end)(client *);
    int (*find_debuginfo)(client *, const unsigned char *build_id, int size, char **path);
};

/* Stays loaded: it may have started threads of its own. */
static int load(struct library *library)
{
    void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return -ENOSYS;
    *(void **)&library->begin = dlsym(handle, "debuginfod_begin");
    *(void **)&library->end = dlsym(handle, "debuginfod_end");
    *(void **)&library->find_debuginfo = dlsym(handle, "debuginfod_find_debuginfo");
    return library->begin && library->end && library->find_debuginfo ? 0 : -ENOSYS;
}

static const struct foreign_limits no_limits = {.bytes_max = FOREIGN_ELF_MAX};

int debuginfod_open(const char *build_id_hex)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    struct library library;

    if (!urls || urls[0] == '\0' || build_id_hex[0] == '\0')
        return -ENOENT;
    if (foreign_is_asked())
        return foreign_ask_path(FOREIGN_DEBUG, "", build_id_hex, &no_limits);
    if (strspn(build_id_hex, "0123456789abcdef") != strlen(build_id_hex))
        return -EINVAL;
    int error = load(&library);
    if (error)
        return error;
    client *session = library.begin();
    if (!session)
        return -ENOMEM;
    /* Size 0 says that the build-id is text. */
    int fd = library.find_debuginfo(session, (const unsigned char *)build_id_hex, 0, NULL);
    library.end(session);
    return fd;
}
