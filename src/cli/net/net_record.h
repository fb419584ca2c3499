/* net_record.h - recorders of a network's nodes, and pictures of their recordings. */
#pragma once

#include "cli/net/net_up_options.h"
#include "nets/net.h"

/* Adds recorders to a network that has not started: DIR/cpu.memoir and DIR/pages.memoir for all
 * nodes, and DIR/NODE.memoir for the heap of each node. */
int net_add_recorders(struct net *net, const struct up_options *options, struct fault *fault);

/* Draws pictures after the end of the network: DIR/cpu.flame.svg and DIR/cpu.graph.svg for the
 * whole network; NODE.cpu.flame.svg and NODE.cpu.graph.svg for each node; the corresponding
 * pictures of pages and heap; and the pictures of a watch with --svg.  Prints on standard output
 * which pictures were made, and a sentence for each that could not be made. */
void net_draw(const struct net *net);
