/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/http/descriptors.h"

#include <dirent.h>
#include <sys/resource.h>

#define NEEDED 64u /* files of the run, of /proc, of resolvers */

void descriptors_raise(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

size_t descriptors_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (size_t)limit.rlim_cur : 0;
}

static size_t count_open(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

size_t descriptors_left(void)
{
    size_t const limit = descriptors_limit(), taken = count_open() + NEEDED;
    return limit > taken ? limit - taken : 0;
}
