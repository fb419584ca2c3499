/* kernel_names.h - names of addresses inside the kernel, from /proc/kallsyms. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct kernel_names;

/* Reads the list once.  Returns NULL if it cannot be read; a list with hidden addresses has no
 * names. */
#define KERNEL_NAMES "/proc/kallsyms"

struct kernel_names *kernel_names_read(const char *path); /* NULL: KERNEL_NAMES. */

/* Opens KERNEL_NAMES; returns -1 with errno on failure.  The kernel shows addresses if the process
 * had the right to see them when it opened the file: kernel_names_keep opens the file once, for all
 * later calls. */
int kernel_names_open(void);
void kernel_names_keep(void);
/* Like kernel_names_read, from a text, which may be anything.  Returns NULL when out of memory. */
struct kernel_names *kernel_names_parse(struct slice text);
void kernel_names_free(struct kernel_names *names); /* NULL is allowed. */

/* Returns whether the addresses were hidden from us (kernel.kptr_restrict, no CAP_SYSLOG). */
bool kernel_names_are_hidden(const struct kernel_names *names);

/* Finds the function that contains `address`, and its module ("" for the kernel itself).  Returns
 * false if there is none. */
bool kernel_names_find(const struct kernel_names *names, uint64_t address, const char **function,
                       const char **module);
