/* net_record.h - recorders of a network's nodes, and pictures of what they recorded. */
#pragma once

#include "cli/net/net_up_options.h"
#include "nets/net.h"

/* Adds recorders to a network that has not begun: DIR/cpu.memoir, DIR/pages.memoir for all
 * nodes, DIR/NODE.memoir for the heap of each. */
int net_add_recorders(struct net *net, const struct up_options *options, struct fault *fault);

/* After the end: DIR/cpu.flame.svg and DIR/cpu.graph.svg for the whole network, and
 * NODE.cpu.flame.svg and NODE.cpu.graph.svg each; such pictures of pages and heap; and the pictures
 * of a watch that had --svg.  What was made is told on standard output, what could not be made with
 * a sentence. */
void net_draw(const struct net *net);
