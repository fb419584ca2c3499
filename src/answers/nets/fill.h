/* fill.h - a network from its template: every node named, ports chosen, placeholders replaced.
 *
 *   {name} {i} {n}       the node, its number in its group from 0, how many the group has
 *   {net} {folder}       the network's folder, the node's own
 *   {port.NAME}          a port of the node
 *   {node.NODE.port.NAME} {node.NODE.folder} {node.NODE.url}    the same of another
 *   {list.NAME}          a list of the template
 *   {set.NAME}           a setting of the template, or what --set gave
 *   {{                   a brace
 * Braces around anything else than such words stay as they are. */
#pragma once

#include "nets/template.h"

struct fill_options {
    const char *dir;       /* absolute */
    const char *cluster;   /* path of memoir-cluster, for load generators */
    uint32_t nodes;        /* of the group that scales; 0: as the template has it */
    double tps;            /* of all load generators together; 0: as the template has it */
    const struct net *old; /* what was in the folder: its ports are kept; NULL: nothing */
};

/* Returns 0 or -errno with a sentence.  The network has no process yet. */
int net_fill(struct net *net, const struct net_template *plan, const struct fill_options *options,
             struct fault *fault);

/* Makes the folders of the nodes and the files of the template. */
int net_make_files(const struct net *net, const struct net_template *plan, struct fault *fault);
