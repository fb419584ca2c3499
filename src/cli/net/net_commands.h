/* net_commands.h - the words after `memoir net`; each is called with its own name as argv[0] and
 * returns what to exit with. */
#pragma once

#include <limits.h>

#include "base/fault.h"
#include "nets/net.h"

int net_up(int argc, char **argv);
int net_down(int argc, char **argv);
int net_status(int argc, char **argv);
int net_load(int argc, char **argv);
int net_host(int argc, char **argv);

/* What stands after --watch is memoir watch's to read. */
struct net_watch_words {
    char **words;
    int count;
};
/* Returns how many words of argv stand up to --watch, that included. */
int net_watch_split(int argc, char **argv, struct net_watch_words *after);

/* Prints "memoir net: sentence" and returns 1. */
int net_sorry(const struct fault *fault);
/* A say_fn: what is found out meanwhile. */
void net_say(const char *sentence);
/* The path of this program. */
int net_own_path(char path[PATH_MAX], struct fault *fault);
/* That of `memoir` itself: beside this program, or where programs are.  Returns `path`. */
const char *net_front_path(char path[PATH_MAX]);
