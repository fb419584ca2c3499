/* kernel_names.h - names of addresses inside the kernel, from /proc/kallsyms. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct kernel_names;

/* Reads the list once.  NULL when it cannot be read; a list whose addresses are hidden is one
 * without names. */
#define KERNEL_NAMES "/proc/kallsyms"

struct kernel_names *kernel_names_read(const char *path); /* NULL: KERNEL_NAMES */

/* Opens KERNEL_NAMES; -1 with errno.  The kernel shows addresses to who had the right to see them
 * when the file was opened: kernel_names_keep opens it once for all that come later. */
int kernel_names_open(void);
void kernel_names_keep(void);
/* The same of a text that is there already, and may be anything.  NULL when out of memory. */
struct kernel_names *kernel_names_parse(struct slice text);
void kernel_names_free(struct kernel_names *names); /* also NULL */

/* Whether the addresses were hidden from us (kernel.kptr_restrict, no CAP_SYSLOG). */
bool kernel_names_are_hidden(const struct kernel_names *names);

/* The function that holds `address`, and the module it is of ("" for the kernel itself); false
 * when none does. */
bool kernel_names_find(const struct kernel_names *names, uint64_t address, const char **function,
                       const char **module);
