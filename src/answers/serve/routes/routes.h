/* routes.h - the table of routes: one row per route, one file route_*.c per family of routes.
 *
 * To add a route: a handler in the file of its family, its prototype here, its row in routes.c, its
 * description in api/. */
#pragma once

#include "serve/http/exchange.h"
#include "serve/targets/target.h"

struct route {
    const char *path; /* complete path */
    const char *help; /* for the list of routes */
    /* Fills the answer.  One thread runs all handlers, one after the other, and nothing else uses
     * the target meanwhile. */
    void (*handle)(struct target *target, struct request *request, struct answer *answer);
};

extern const struct route routes[]; /* ends with a NULL path */
const struct route *
route_find(const char *path); /* NULL if there is none; one slash too many at the end is allowed */
/* Returns whether errors at this path are always JSON, because all answers there are. */
bool path_speaks_json(const char *path);

/* For handlers of paths that Go serves, too.  Returns whether the request is for the program's own
 * endpoint: the endpoint is being asked, or has answered. */
bool route_relay(const char *name, struct target *target, struct request *request,
                 struct answer *answer);

void route_ask_info(struct target *target, struct request *request, struct answer *answer);
void route_ask_report(struct target *target, struct request *request, struct answer *answer);
void route_ask_explain(struct target *target, struct request *request, struct answer *answer);
void route_export(struct target *target, struct request *request, struct answer *answer);
void route_diff(struct target *target, struct request *request, struct answer *answer);
void route_diff_flame(struct target *target, struct request *request, struct answer *answer);
void route_growth(struct target *target, struct request *request, struct answer *answer);
void route_ask_timeline(struct target *target, struct request *request, struct answer *answer);
void route_callers(struct target *target, struct request *request, struct answer *answer);
void route_ask_flame(struct target *target, struct request *request, struct answer *answer);
void route_graph(struct target *target, struct request *request, struct answer *answer);
void route_document(struct target *target, struct request *request, struct answer *answer);
void route_events(struct target *target, struct request *request, struct answer *answer);
void route_heat(struct target *target, struct request *request, struct answer *answer);
void route_health(struct target *target, struct request *request, struct answer *answer);
void route_home(struct target *target, struct request *request, struct answer *answer);
void route_page_script(struct target *target, struct request *request, struct answer *answer);
void route_page_style(struct target *target, struct request *request, struct answer *answer);
void route_list(struct target *target, struct request *request, struct answer *answer);
void route_metrics(struct target *target, struct request *request, struct answer *answer);
void route_map(struct target *target, struct request *request, struct answer *answer);
void route_memory(struct target *target, struct request *request, struct answer *answer);
void route_pprof_index(struct target *target, struct request *request, struct answer *answer);
void route_pprof_profile(struct target *target, struct request *request, struct answer *answer);
void route_fgprof(struct target *target, struct request *request, struct answer *answer);
void route_pprof_goroutine(struct target *target, struct request *request, struct answer *answer);
void route_pprof_threadcreate(struct target *target, struct request *request,
                              struct answer *answer);
void route_pprof_block(struct target *target, struct request *request, struct answer *answer);
void route_pprof_mutex(struct target *target, struct request *request, struct answer *answer);
void route_pprof_trace(struct target *target, struct request *request, struct answer *answer);
void route_pprof_cmdline(struct target *target, struct request *request, struct answer *answer);
void route_pprof_symbol(struct target *target, struct request *request, struct answer *answer);
void route_pprof_heap(struct target *target, struct request *request, struct answer *answer);
void route_pprof_allocs(struct target *target, struct request *request, struct answer *answer);
void route_tree(struct target *target, struct request *request, struct answer *answer);
void route_pid(struct target *target, struct request *request, struct answer *answer);
void route_openapi(struct target *target, struct request *request, struct answer *answer);
void route_pages_tree(struct target *target, struct request *request, struct answer *answer);
void route_source(struct target *target, struct request *request, struct answer *answer);
void route_targets(struct target *target, struct request *request, struct answer *answer);
void route_nodes(struct target *target, struct request *request, struct answer *answer);
void route_history(struct target *target, struct request *request, struct answer *answer);
