/* cluster_commands.h - the commands of `memoir-cluster`, as in commands.h. */
#pragma once

int cmd_watch(int argc, char **argv);
int cmd_ram(int argc, char **argv);
int cmd_bandwidth(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_blocks(int argc, char **argv);
int cmd_net(int argc, char **argv);
int cmd_agreement(int argc, char **argv);
int cmd_topology(int argc, char **argv);
