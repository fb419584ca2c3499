/* node_list.h - the nodes to watch, from everything that names nodes.
 *
 * An input is one of: a configuration (*.yaml, *.yml), a terraform inventory (INI: *.host or a
 * file with [sections]; its JSON form), a data folder of a node class (it has the class's
 * address_file), an address (http://…, https://…, unix:…), `pid:N`, `name:PROGRAM`.
 * docs/nodes.md has all of it. */
#pragma once

#include "base/fault.h"
#include "scrape/nodes/node.h"

/* What a configuration says about the watching itself; options of the command line override it.  0
 * and NULL: nothing was said. */
struct watch_wishes {
    uint64_t every_ns, for_ns, timeout_ns;
    uint64_t cpu_ns,
        cpu_after_ns; /* how long a CPU profile is, and after which time the first one */
    uint64_t rounds;
    uint32_t captures; /* enum node_capture */
    char *out;
};

struct node_list {
    VEC(struct node *) nodes; /* in the order they were named; nicks are unique */
    VEC(struct node_class *)
    classes;              /* shipped, then configured; a later one of that name wins */
    text_list doubts;     /* sentences: inputs left out, hosts named twice, … */
    char *inventory_path; /* of the first inventory, to be copied into the run */
    struct watch_wishes wishes;
};

/* From the command line, for inputs that do not say it themselves. */
struct node_list_options {
    text_list roles; /* of inventories; empty: relay */
    /* sections of inventories, extended regular expressions that match at the start */
    text_list name_res;
    const char *block_re; /* only these give block headers (name or nick); NULL: all */
    uint16_t port;        /* 0: the class's */
    /* NULL: algod for inventories and folders, else found out by what the address has */
    const char *class_name;
    const char *token, *admin_token; /* read from files by the caller */
    text_list headers;
};

/* Returns 0 or -errno with a sentence. */
int node_list_init(struct node_list *list, struct fault *fault); /* the shipped classes */
int node_list_add(struct node_list *list, const char *input,
                  const struct node_list_options *options, struct fault *fault);
void node_list_fini(struct node_list *list);

const struct node_class *node_class_find(const struct node_list *list, const char *name);
/* Returns what stands in a configuration, and what that is called: "heap"; NULL past the last. */
const char *node_capture_name(unsigned index);
const char *node_recording_name(unsigned index);
/* Returns the process id of a node on this machine now, or 0 with a sentence. */
uint32_t node_pid(const struct node *node, struct fault *fault);
/* Reads address and tokens of a node anew from its data folder: one that was started again may have
 * others.  Returns whether any is another one; nothing changes if it cannot be read. */
bool node_reread(struct node *node);
