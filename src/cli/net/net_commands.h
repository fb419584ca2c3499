/* net_commands.h - the sub-commands of `memoir net`.  argv[0] is the name of the sub-command; each
 * returns the exit status. */
#pragma once

#include <limits.h>

#include "base/fault.h"
#include "nets/net.h"

int net_up(int argc, char **argv);
int net_down(int argc, char **argv);
int net_status(int argc, char **argv);
int net_load(int argc, char **argv);
int net_host(int argc, char **argv);

/* The words after --watch, which memoir watch parses. */
struct net_watch_words {
    char **words;
    int count;
};
/* Splits argv at --watch.  Returns the number of words up to and including --watch; all words if
 * there is none. */
int net_watch_split(int argc, char **argv, struct net_watch_words *after);

/* Prints "memoir net: sentence" and returns 1. */
int net_sorry(const struct fault *fault);
/* A say_fn that prints the sentence. */
void net_say(const char *sentence);
/* Finds the path of this program.  Returns 0 or -errno with a sentence. */
int net_own_path(char path[PATH_MAX], struct fault *fault);
/* Finds the path of `memoir`: beside this program, or in the usual folders of programs.  Returns
 * `path`. */
const char *net_front_path(char path[PATH_MAX]);
