/* node_watch_options.h - the options of `memoir watch`, and of commands that start one. */
#pragma once

#include "cli/shared/options.h"
#include "cli/shared/serve_helper.h"
#include "scrape/nodes/node_list.h"
#include "scrape/watch/node_watch.h"

struct node_watch_wish {
    const char *out;
    uint64_t every_ns, for_ns, timeout_ns, cpu_ns, cpu_after_ns, cpu_every_ns,
        rounds; /* 0: not given */
    uint64_t mutex_rate, block_rate_ns;
    uint32_t added, taken; /* enum node_capture: captures to add, and to leave out */
    uint32_t recordings;   /* enum node_recording, for processes whose configuration does not say */
    const char *inventory;
    struct node_list_options nodes;
    char *token, *admin_token; /* owned; `nodes` borrows them */
    bool is_list, is_json, is_csv, is_svg, is_quiet;
    bool is_served;
    struct serve_helper serve;
    bool wants_cpu, wants_headers; /* --cpu, --rounds */
};

extern const struct option_rule node_watch_rules[]; /* into a struct node_watch_wish */
/* about the choice of nodes: inventories, tokens */
extern const struct option_rule node_watch_which_rules[];
extern const struct option_rule node_watch_when_rules[];
/* about the page that is served meanwhile */
extern const struct option_rule node_watch_serve_rules[];

void node_watch_wish_fini(struct node_watch_wish *wish);

/* Makes the options of the watch from the wish and from what configurations say.  `command` is for
 * the manifest.  Returns 0 or -errno with a sentence. */
int node_watch_options_make(const struct node_watch_wish *wish, const struct node_list *list,
                            struct node_watch_options *options, struct fault *fault);

/* Returns the command line as one text without secrets: without the values of headers, and without
 * users, passwords and queries of addresses.  The caller frees the text; NULL when out of
 * memory. */
char *command_without_secrets(int argc, char **argv);
