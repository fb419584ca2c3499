/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/net_data.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *at)
{
    (void)facts;
    (void)kind;
    (void)at;
    return remove(path);
}

void net_remove_data(const struct net *net)
{
    char *data = net_path(net, "data");
    if (data)
        nftw(data, remove_entry, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    free(data);
}

void net_remove_logs(const struct net *net)
{
    vec_each (part, &net->parts) {
        char *log = net_path(net, "%s.log", part->name);
        if (log)
            unlink(log);
        free(log);
    }
}
