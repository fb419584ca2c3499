/* node_list.h - the nodes to watch, from all inputs that name nodes.
 *
 * An input is one of: a configuration (*.yaml, *.yml), a terraform inventory (INI: *.host or a file
 * with [sections]; or JSON), a data folder of a node class (it has the class's address_file), an
 * address (http://…, https://…, unix:…), `pid:N`, `name:PROGRAM`.  docs/nodes.md describes all of
 * this. */
#pragma once

#include "base/fault.h"
#include "scrape/nodes/node.h"

/* Settings of the watch in a configuration; options of the command line have priority.  0 and NULL:
 * not given. */
struct watch_wishes {
    uint64_t every_ns, for_ns, timeout_ns;
    uint64_t cpu_ns, cpu_after_ns; /* duration of a CPU profile, and time before the first one */
    uint64_t rounds;
    uint32_t captures; /* enum node_capture */
    char *out;
};

struct node_list {
    VEC(struct node *) nodes; /* in the order in which they were named; nicks are unique */
    VEC(struct node_class *)
    classes; /* shipped classes, then configured ones; of equal names the last one is used */
    text_list doubts; /* sentences: inputs that were left out, hosts that were named twice, … */
    char *inventory_path; /* path of the first inventory, which is copied into the run */
    struct watch_wishes wishes;
};

/* Options of the command line, for inputs that do not have these settings. */
struct node_list_options {
    text_list roles; /* roles to choose from inventories; empty: relay */
    /* sections to choose from inventories: extended regular expressions that match at the start */
    text_list name_res;
    const char *block_re; /* only nodes whose name or nick matches give block headers; NULL: all */
    uint16_t port;        /* 0: the port of the class */
    /* NULL: algod for inventories and folders; for others, found out from what the address
     * answers */
    const char *class_name;
    const char *token, *admin_token; /* the caller has read them from files */
    text_list headers;
};

/* Returns 0 or -errno with a sentence. */
int node_list_init(struct node_list *list, struct fault *fault); /* the shipped classes */
int node_list_add(struct node_list *list, const char *input,
                  const struct node_list_options *options, struct fault *fault);
void node_list_fini(struct node_list *list);

const struct node_class *node_class_find(const struct node_list *list, const char *name);
/* Return the name of a capture or recording in a configuration, such as "heap"; NULL after the
 * last. */
const char *node_capture_name(unsigned index);
const char *node_recording_name(unsigned index);
/* Returns the current PID of a node on this machine; 0 with a sentence if there is none. */
uint32_t node_pid(const struct node *node, struct fault *fault);
/* Reads address and tokens of a node again from its data folder, because they may change when the
 * node restarts.  Returns whether any has changed; nothing changes if the folder cannot be read. */
bool node_reread(struct node *node);
