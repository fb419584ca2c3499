/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/watch/goroutine_rest.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "formats/pprof/pprof_profile.h"

unsigned goroutine_rests(int folder, const char *name)
{
    int const fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    struct pprof_profile *profile = pprof_read_fd(fd, NULL);
    uint64_t const count = profile && profile->types.count ? (uint64_t)pprof_total(profile, 0) : 0;
    pprof_destroy(profile);
    close(fd);
    return count / GOROUTINES_MANY < GOROUTINE_RESTS_MOST ? (unsigned)(count / GOROUTINES_MANY)
                                                          : GOROUTINE_RESTS_MOST;
}
