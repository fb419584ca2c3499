/* node_class.h - classes of nodes: those that come with memoir (classes.yaml), and those of a
 * configuration. */
#pragma once

#include "base/json_out.h"
#include "scrape/nodes/config.h"
#include "scrape/nodes/node_list.h"

/* The text of classes.yaml. */
extern const char shipped_classes[];
extern const size_t shipped_classes_size;

/* Adds every class of the map `value`, {NAME: {like: CLASS, port: …}}, to the list. */
int node_classes_parse(struct config *config, const yaml_node_t *value, struct node_list *list);
void node_class_destroy(struct node_class *class); /* NULL is allowed */

const char *chain_kind_name(enum chain_kind kind); /* "algod"; "" for none */
/* Writes the class as an object of manifest.json (see cluster/runs/run.h), so a report of the run
 * knows the meaning of metrics. */
void node_class_write(struct json_out *json, const struct node_class *class);
