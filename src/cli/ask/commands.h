/* commands.h - the commands of the `memoir` front, one per file cmd_NAME.c, listed once in main.c.
 *
 * argv[0] is the command's name.  Each returns the exit status: 0, 1 for failure, 2 for wrong
 * usage; it prints its own errors as one sentence on stderr and answers --help with examples. */
#pragma once

int cmd_report(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
