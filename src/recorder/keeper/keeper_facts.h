/* keeper_facts.h - what a keeper may show of a process, and what it shows.
 *
 * Everything of a process that has the arena mapped at that moment, as the kernel says: what is
 * opened belongs to one program for ever, so the proof comes after the opening.  Of one that had it
 * before, what anybody may see.  Of any other, whether it runs and since when. */
#pragma once

#include "keeper/arena_mark.h"
#include "keeper/keeper_message.h"
#include "procfs/process/proc_open.h"

#define KNOWN_MOST 2048u

struct known_process {
    uint32_t pid;
    uint64_t ticks; /* when it began, as the kernel says */
};

struct keeper_facts {
    struct arena_mark mark;
    uint32_t program; /* that was started, and that nobody else waits for; 0: none */
    struct known_process known[KNOWN_MOST];
    uint32_t known_count, known_next;
};

/* Whether it has the arena now.  Such a process is known from then on. */
bool keeper_facts_prove(struct keeper_facts *facts, uint32_t pid);
/* It is known from now on, arena or not. */
void keeper_facts_learn(struct keeper_facts *facts, uint32_t pid);
/* Whether it is the program, or had the arena. */
bool keeper_facts_know(const struct keeper_facts *facts, uint32_t pid);

/* Each for a valid request of its kind: 0, -EACCES, or what the kernel says. */
int keeper_facts_open(struct keeper_facts *facts, const struct keeper_request *request, int *fd);
int keeper_facts_read(struct keeper_facts *facts, const struct keeper_request *request,
                      struct keeper_reply *reply);
int keeper_facts_link(struct keeper_facts *facts, const struct keeper_request *request,
                      struct keeper_reply *reply);
int keeper_facts_stat(struct keeper_facts *facts, const struct keeper_request *request,
                      struct keeper_reply *reply);
int keeper_facts_stat_below(struct keeper_facts *facts, const struct keeper_request *request,
                            struct keeper_reply *reply);
int keeper_facts_system(struct keeper_facts *facts, const struct keeper_request *request,
                        struct keeper_reply *reply);
int keeper_facts_uses_arena(struct keeper_facts *facts, const struct keeper_request *request,
                            struct keeper_reply *reply);
int keeper_facts_find_user(struct keeper_facts *facts, const struct keeper_request *request,
                           struct keeper_reply *reply);

/* A file of a module; its root may be `root`, a descriptor, or -1.  A descriptor or -errno. */
int keeper_facts_file(struct keeper_facts *facts, const struct foreign_request *file, int root);

/* The text of /proc/PID/stat without addresses: what stands between the start time and the exit
 * code becomes 0, and without `has_end` the exit code as well.  In place; its length. */
size_t keeper_tame_stat(char *text, bool has_end);
