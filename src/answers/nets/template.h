/* template.h - the plan of a private network, as data: which nodes, how they are started, when
 * they are ready, what load they get.
 *
 * docs/templates.md describes the file.  Texts may have placeholders such as {port.client};
 * nets/fill.h puts values in their place. */
#pragma once

#include "nets/net.h"

#define TEMPLATE_NODES_MAX 200u

/* A text made of every node of a group, for {list.NAME}. */
struct template_list {
    char *name, *of, *item;
    char *join;  /* NULL: a word each */
    bool others; /* without the node it is for */
};

struct template_need {
    char *program, *package;
};

/* {set.NAME}, which --set NAME=VALUE changes. */
struct template_setting {
    char *name, *value; /* "": it must be given */
};

struct template_file {
    char *path, *text;
};

/* Nodes that are alike, or load generators that are. */
struct template_group {
    char *name;
    enum part_kind kind; /* PART_NODE or PART_LOAD */
    uint32_t count;
    bool scales;  /* --nodes says how many */
    char *naming; /* "m{i}" */
    char *role, *class_name;
    text_list command, env, ports;
    char *pid_file, *url, *metrics_url, *pprof_url, *data_folder;
    char *ready_url, *ready_contains, *ready_file, *ready_port;
    uint32_t ready_seconds;
    VEC(struct template_file) files;
    char *load; /* of PART_LOAD: "etcd", "monero" */
    double tps; /* of each */
    text_list targets;
    char *wallet;         /* of monero: address that gets what is mined */
    uint32_t value_bytes; /* of etcd */
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
    text_list watch; /* options of memoir watch that suit these nodes */
};

/* Returns 0 or -errno with a sentence that names the line. */
int template_parse(struct net_template *plan, const char *name, struct slice text,
                   struct fault *fault);
/* A shipped one by its name, else a file. */
int template_open(struct net_template *plan, const char *name_or_path, struct fault *fault);
/* "NAME=VALUE".  Returns 0 or -errno with a sentence: the template has no such setting. */
int template_set(struct net_template *plan, const char *text, struct fault *fault);
void template_fini(struct net_template *plan);

/* Returns the shipped ones, by index; NULL after the last. */
const char *template_shipped(size_t index, const char **text);
