/* name_client.h - asks the process that looks up names (namer.h), and starts it when it is first
 * needed.
 *
 * The client opens files for the namer: only those of the module that was asked about, in the root
 * of its process and in ours, and only ELF files or lists of code made at run time.  If the namer
 * dies or gives a wrong answer, the client says so in one sentence, does not ask about that module
 * again, and starts another namer, at most NAMER_STARTS_MAX times; after that all addresses stay
 * without names.  One thread at a time. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/say.h"
#include "foreign/foreign_request.h"
#include "symbols/lookup/resolver.h"

#define NAMER_STARTS_MAX 4

struct name_client;

/* What was found about an address. */
struct name_answer {
    struct resolved *names; /* One block with all texts, for the caller to free; NULL: none. */
    uint32_t count;
    uint32_t into_function; /* As in struct frame. */
};

/* Sets the program that becomes the namer when it gets NAMER_COMMAND; by default /proc/self/exe. */
void name_client_use_program(const char *path);

const char *name_client_program(void);

/* Starts the namer with `line` as its standard input.  Returns 0 or -errno. */
int name_client_spawn(int line, pid_t *pid);

/* Starts and ends namers for a process that may not; name_client_start_by uses it from now on for
 * all. */
struct namer_process {
    int (*start)(pid_t *pid); /* Returns our end of its line, or -errno. */
    /* To be called after our end is closed.  Returns its wait status. */
    int (*end)(pid_t pid, bool at_once);
    void (*set_nice)(pid_t pid, int nice);
};
void name_client_start_by(const struct namer_process *process);

/* Opens a file for a namer that has asked for one it may have: a descriptor or -errno. */
typedef int (*name_opener)(void *context, const struct foreign_request *request);

/* Returns NULL when out of memory. */
struct name_client *name_client_create(say_fn say);
/* Asks a process that looks up known names (known_names.h): it has files of its own, says what its
 * own namers cost, and is missed in silence.  Returns NULL when out of memory. */
struct name_client *name_client_create_by(const struct namer_process *process);
/* To be called before the first question. */
void name_client_open_by(struct name_client *client, name_opener opener, void *context);
void name_client_destroy(struct name_client *client);

/* Looks up addresses[0] as resolver_lookup and resolver_function_start do.  The other addresses are
 * looked up along with it, because they will probably be asked next: their answers are kept until
 * the call is about another module, or an address that is not among them.  `count` is at most
 * NAME_ADDRESSES_MAX. */
void name_client_ask(struct name_client *client, const struct resolver_module *module,
                     const uint64_t *addresses, size_t count, struct name_answer *answer);

/* To be called when no question is expected for a while: the namer frees memory. */
void name_client_rest(struct name_client *client);

/* Returns the CPU time of this client's namers; any thread may call this. */
uint64_t name_client_worked_ns(const struct name_client *client);
/* Sets their priority, as setpriority does; any thread may call this. */
void name_client_set_nice(struct name_client *client, int nice);

/* Returns what all namers of this process took: CPU time, and the memory of the largest. */
void name_client_cost(uint64_t *cpu_ns, uint64_t *memory_bytes);
