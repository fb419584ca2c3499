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

static void remove_each(const struct net *net, const char *ending)
{
    vec_each (part, &net->parts) {
        char *path = net_path(net, "%s.%s", part->name, ending);
        if (path)
            unlink(path);
        free(path);
    }
}

void net_remove_logs(const struct net *net)
{
    remove_each(net, "log");
}

void net_remove_pids(const struct net *net)
{
    remove_each(net, "pid");
}
