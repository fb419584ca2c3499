/* keeper_facts.h - what a keeper may show of a process.
 *
 * Of a process that has the arena mapped at that moment, as the kernel says: everything.  A file
 * that is opened belongs to one program for ever, so the check comes after the opening.  Of a
 * process that had the arena before: what any user may see.  Of any other process: whether it runs,
 * and since when. */
#pragma once

#include "keeper/arena_mark.h"
#include "keeper/keeper_message.h"
#include "procfs/process/proc_open.h"

#define KNOWN_MOST 2048u

struct known_process {
    uint32_t pid;
    uint64_t ticks; /* When it began, as the kernel says. */
};

struct keeper_facts {
    struct arena_mark mark;
    uint32_t program; /* The program that was started; no other process waits for it. 0: none. */
    struct known_process known[KNOWN_MOST];
    uint32_t known_count, known_next;
};

/* Returns whether the process has the arena now; if so, it is known from then on. */
bool keeper_facts_prove(struct keeper_facts *facts, uint32_t pid);
/* Makes the process known, whether or not it has the arena. */
void keeper_facts_learn(struct keeper_facts *facts, uint32_t pid);
/* Returns whether the process is the program, or had the arena. */
bool keeper_facts_know(const struct keeper_facts *facts, uint32_t pid);

/* Each serves a valid request of its kind.  Returns 0, -EACCES, or the kernel's -errno. */
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

/* Opens a file of a module; its root may be `root`, a descriptor, or -1.  Returns a descriptor or
 * -errno. */
int keeper_facts_file(struct keeper_facts *facts, const struct foreign_request *file, int root);

/* Removes addresses from the text of /proc/PID/stat, in place: the fields between the start time
 * and the exit code become 0, and without `has_end` the exit code becomes "-".  Returns the
 * length. */
size_t keeper_tame_stat(char *text, bool has_end);
