/* name_client.h - asks the process that looks up names (namer.h), which is started when it is first
 * needed.
 *
 * Files are opened for it: those of the module that was asked about, in the root of its process and
 * in ours, and only when they are ELF files or lists of code made at run time.  When it dies or
 * does not answer as it should, that is told in one sentence, the module is not asked about again,
 * and another one is started, NAMER_STARTS_MAX times at most; then all addresses stay without
 * names.  One thread at a time. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/say.h"
#include "symbols/lookup/resolver.h"

#define NAMER_STARTS_MAX 4

struct name_client;

/* What was found about an address. */
struct name_answer {
    struct resolved *names; /* one block, texts and all, for the caller to free; NULL: none */
    uint32_t count;
    uint32_t into_function; /* as in struct frame */
};

/* The program that becomes the namer when it gets NAMER_COMMAND: /proc/self/exe unless told. */
void name_client_use_program(const char *path);

/* Starts it: its standard input is `line`.  0 or -errno. */
int name_client_spawn(int line, pid_t *pid);

/* Who starts it for a process that may not: all of them from now on. */
struct namer_process {
    int (*start)(pid_t *pid);            /* our end of its line, or -errno */
    int (*end)(pid_t pid, bool at_once); /* after our end is closed: its wait status */
    void (*set_nice)(pid_t pid, int nice);
};
void name_client_start_by(const struct namer_process *process);

/* NULL when out of memory. */
struct name_client *name_client_create(say_fn say);
void name_client_destroy(struct name_client *client);

/* Looks up addresses[0] as resolver_lookup and resolver_function_start do.  The other addresses are
 * asked for along with it, for they will probably come next: their answers are kept until another
 * module, or an address that is not among them, is asked about.  `count` up to
 * NAME_ADDRESSES_MAX. */
void name_client_ask(struct name_client *client, const struct resolver_module *module,
                     const uint64_t *addresses, size_t count, struct name_answer *answer);

/* Nobody asks for a while: memory is given back. */
void name_client_rest(struct name_client *client);

/* The processor time of this client's namers; any thread may ask. */
uint64_t name_client_worked_ns(const struct name_client *client);
/* Their priority, as of setpriority; any thread may set it. */
void name_client_set_nice(struct name_client *client, int nice);

/* What all namers of this process took: processor time, and the memory of the largest. */
void name_client_cost(uint64_t *cpu_ns, uint64_t *memory_bytes);
