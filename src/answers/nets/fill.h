/* fill.h - makes a network from its template: names every node, chooses ports, replaces
 * placeholders.
 *
 *   {name} {i} {n}       the node, its number in its group from 0, the size of the group
 *   {net} {folder}       the folder of the network, the folder of the node
 *   {port.NAME}          a port of the node
 *   {node.NODE.port.NAME} {node.NODE.folder} {node.NODE.url}    of another node
 *   {list.NAME}          a list of the template
 *   {set.NAME}           a setting of the template, or the value that --set gave
 *   {{                   a brace
 * Braces around other text are not changed. */
#pragma once

#include "nets/template.h"

struct fill_options {
    const char *dir;     /* absolute path */
    const char *cluster; /* path of memoir-cluster, for load generators */
    uint32_t nodes;      /* size of the group that scales; 0: as in the template */
    double tps;          /* of all load generators together; 0: as in the template */
    /* the network that was in the folder, whose ports are kept; NULL: none */
    const struct net *old;
};

/* Makes the network, without any process.  Returns 0 or -errno with a sentence. */
int net_fill(struct net *net, const struct net_template *plan, const struct fill_options *options,
             struct fault *fault);

/* Creates the folders of the nodes and the files of the template. */
int net_make_files(const struct net *net, const struct net_template *plan, struct fault *fault);
