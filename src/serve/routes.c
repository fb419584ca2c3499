/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/routes.h"

#include <string.h>

const struct route routes[] = {
    {"/", "this list", route_list},
    {"/healthz", "whether this server works, and what it watches", route_health},
    {"/metrics", "numbers for Prometheus", route_metrics},
    {"/debug/memory",
     "all memory of the process, as memoir map (?top=N, ?format=json, csv or pprof)", route_memory},
    {"/debug/pprof/", "the profiles there are", route_pprof_index},
    {"/debug/pprof", "the same", route_pprof_index},
    {"/debug/pprof/heap",
     "who holds the heap, for go tool pprof (?debug=1 text, ?seconds=N change)", route_pprof_heap},
    {"/debug/pprof/allocs", "the same, with all that was ever allocated shown first",
     route_pprof_allocs},
    {NULL, NULL, NULL},
};

const struct route *route_find(const char *path)
{
    for (const struct route *route = routes; route->path; route++)
        if (strcmp(route->path, path) == 0)
            return route;
    return NULL;
}
