/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/routes/routes.h"

#include <string.h>

const struct route routes[] = {
    {"/", "the page, for browsers; for other clients this list", route_home},
    {"/routes", "this list", route_list},
    {"/page.js", "the script of the page", route_page_script},
    {"/page.css", "the style of the page", route_page_style},
    {"/healthz", "whether this server works, and what it serves", route_health},
    {"/metrics", "numbers for Prometheus", route_metrics},
    {"/debug/memory", "all memory of the PID, as memoir map (?top=N, ?format=json, csv or pprof)",
     route_memory},
    {"/debug/pprof/", "list of the profiles", route_pprof_index},
    {"/debug/pprof", "list of the profiles", route_pprof_index},
    {"/debug/pprof/heap",
     "which code holds the heap, for go tool pprof (?debug=1 text, ?seconds=N "
     "change)",
     route_pprof_heap},
    {"/debug/pprof/allocs", "that profile; viewers show all allocations so far first",
     route_pprof_allocs},
    {"/debug/pprof/profile", "time on CPUs in ?seconds=30, by stack and thread",
     route_pprof_profile},
    {"/debug/fgprof",
     "time on CPUs and time spent waiting, together (?seconds=30, ?format=pprof or folded)",
     route_fgprof},
    {"/debug/pprof/goroutine", "the stack of every thread now (?debug=1 or 2 text)",
     route_pprof_goroutine},
    {"/debug/pprof/threadcreate",
     "how threads were created; this path and the next five need a Go "
     "program and --go-pprof",
     route_pprof_threadcreate},
    {"/debug/pprof/block", "waits for channels and locks", route_pprof_block},
    {"/debug/pprof/mutex", "locks that goroutines waited for", route_pprof_mutex},
    {"/debug/pprof/trace", "what the Go runtime did in ?seconds=N", route_pprof_trace},
    {"/debug/pprof/cmdline", "the command line of the program", route_pprof_cmdline},
    {"/debug/pprof/symbol", "names of addresses", route_pprof_symbol},
    {"/v1/tree",
     "pages by call stack, in KiB (?threshold=256, ?reverse=true, ?short=true); docs/api.md",
     route_tree},
    {"/v1/pid", "the PID", route_pid},
    {"/openapi/memory-profiler-openapi.json",
     "OpenAPI description of /v1/tree and "
     "/v1/pid",
     route_openapi},
    {"/api/pages/tree", "pages by call stack, in bytes and by kind (?threshold=, ?reverse=true)",
     route_pages_tree},
    {"/api/targets", "everything that is served; ?target=ID or ?pid=N on any path chooses one",
     route_targets},
    {"/api/history", "a history over weeks, as memoir history --json --points", route_history},
    {"/api/nodes",
     "memory of all nodes of a run, or of all recordings (?column=, points=, between=)",
     route_nodes},
    {"/api/info", "what is in the recording, and how good it is", route_ask_info},
    {"/api/report", "as memoir report --json (?metric=, between=, by=, filter=, top=, ...)",
     route_ask_report},
    {"/api/explain", "every resident byte by owner, as memoir explain --json (?at=, top=)",
     route_ask_explain},
    {"/api/map",
     "every mapping in order of address, as a map (?by=, rows=, first=, count=, region=, cells=)",
     route_map},
    {"/api/diff", "what changed (?between=A,B&with=C,D, or other=ID; metric=, by=, normalise=)",
     route_diff},
    {"/api/diff/flame",
     "what changed, as call trees in both directions "
     "(frames=)",
     route_diff_flame},
    {"/api/growth",
     "whether memory grows, which functions cause it, and when it reaches the limit "
     "(?between=)",
     route_growth},
    {"/api/timeline", "memory over time, and the largest call sites (?metric=, points=, top=)",
     route_ask_timeline},
    {"/api/callers", "callers and callees of a function (?function=, module=, metric=, frames=)",
     route_callers},
    {"/api/flame", "call trees in both directions (?metric=, between=, filter=, frames=)",
     route_ask_flame},
    {"/api/graph",
     "which function calls which, as memoir graph -o NAME.json (?metric=, focus=, node-thres=, "
     "...)",
     route_graph},
    {"/api/events",
     "events as they happen (growth, marks, alerts): Server-Sent "
     "Events",
     route_events},
    {"/api/openapi.json", "OpenAPI description of all paths", route_document},
    {"/api/export",
     "a file of another program, as memoir export (?to=pprof, folded, ...; metric=, between=)",
     route_export},
    {"/api/source", "costs by source file and line, and a file's text (?metric=, file=, focus=)",
     route_source},
    {"/api/heat", "when within each second it happened (?metric=, between=, filter=)", route_heat},
    {NULL, NULL, NULL},
};

static bool is_path(const char *path, size_t size, const char *known)
{
    return strlen(known) == size && memcmp(path, known, size) == 0;
}

const struct route *route_find(const char *path)
{
    size_t const size = strlen(path);
    size_t const slashes = size > 2 && path[size - 1] == '/' ? 1 : 0; /* at its end */
    for (size_t less = 0; less <= slashes; less++)
        for (const struct route *route = routes; route->path; route++)
            if (is_path(path, size - less, route->path))
                return route;
    return NULL;
}

bool path_speaks_json(const char *path)
{
    static const char *const families[] = {"/v1/", "/api/", "/openapi/"};
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (strncmp(path, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}
