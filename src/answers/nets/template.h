/* template.h - the template of a private network: which nodes there are, how they are started, when
 * they are ready, and which load they get.
 *
 * docs/templates.md describes the file.  Texts may have placeholders such as {port.client};
 * nets/fill.h replaces them. */
#pragma once

#include "nets/net.h"

#define TEMPLATE_NODES_MAX 200u

/* A text made from every node of a group, for {list.NAME}. */
struct template_list {
    char *name, *of, *item;
    char *join;  /* NULL: one word per node */
    bool others; /* without the node that uses the list */
};

struct template_need {
    char *program, *package;
};

/* The value of {set.NAME}, which --set NAME=VALUE changes. */
struct template_setting {
    char *name, *value; /* "": --set must give it */
};

struct template_file {
    char *path, *text;
};

/* A group of equal nodes, or of equal load generators. */
struct template_group {
    char *name;
    enum part_kind kind; /* PART_NODE or PART_LOAD */
    uint32_t count;
    bool scales;  /* --nodes sets `count` */
    char *naming; /* "m{i}" */
    char *role, *class_name;
    text_list command, env, ports;
    char *pid_file, *url, *metrics_url, *pprof_url, *data_folder;
    char *ready_url, *ready_contains, *ready_file, *ready_port;
    uint32_t ready_seconds;
    VEC(struct template_file) files;
    char *load; /* for PART_LOAD: "etcd", "monero" */
    double tps; /* of each load generator */
    text_list targets;
    char *wallet;         /* for monero: address that gets the mined coins */
    uint32_t value_bytes; /* for etcd */
};

struct template_command {
    text_list words;
};

struct net_template {
    char *name, *about;
    VEC(struct template_need) needs;
    VEC(struct template_setting) settings;
    VEC(struct template_list) lists;
    VEC(struct template_command) setup, teardown;
    VEC(struct template_group) groups;
    text_list watch; /* options of memoir watch for these nodes */
};

/* Returns 0 or -errno with a sentence that names the line. */
int template_parse(struct net_template *plan, const char *name, struct slice text,
                   struct fault *fault);
/* Opens a template: a shipped one by its name, else a file. */
int template_open(struct net_template *plan, const char *name_or_path, struct fault *fault);
/* Sets a setting by "NAME=VALUE".  Returns 0; or -errno with a sentence if the template has no such
 * setting. */
int template_set(struct net_template *plan, const char *text, struct fault *fault);
void template_fini(struct net_template *plan);

/* Returns the name of shipped template `index`, with its text in *text; NULL after the last. */
const char *template_shipped(size_t index, const char **text);
