/* resolver.h - finds function, file and line of an address in a module, with inlined calls.
 *
 * Looks for names in this order: Go's pclntab, DWARF of the module or of its separate debug file
 * (build-id directories, .gnu_debuglink, debuginfod if DEBUGINFOD_URLS is set), .symtab,
 * .gnu_debugdata (minidebuginfo) and .dynsym.  Every file is hostile input: bounded, never
 * trusted.  If a module is a list of code made at run time (perf_map.h), its addresses are those of
 * the process.  Memory: at most 256 modules and about 32 MiB of tables and DWARF stay open, and the
 * least recently used are closed first (a single larger module stays); plus each distinct text
 * once.  Lookups are fastest when those of one module come together.  Not thread-safe; use one per
 * thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct resolver;

struct resolver_module {
    const char *path;     /* As the process saw it; may be "[vdso]" or "... (deleted)". */
    const char *root;     /* Prefix such as "/proc/123/root", or "". */
    const char *build_id; /* Lower-case hex, or ""; a file with another one is not used. */
};

/* One function at an address: innermost inlined call first, the real function last.  Texts live
 * until the resolver is destroyed. */
struct resolved {
    const char *function; /* Demangled; "" if unknown. */
    const char *symbol;   /* Raw name; "" if unknown. */
    const char *file;     /* "" if unknown. */
    uint32_t line;
};

#define RESOLVED_MAX                                                                               \
    64 /* inlining deeper than this is cut at the outer end, the real function kept */

struct resolver *resolver_create(void); /* NULL when out of memory. */
void resolver_destroy(struct resolver *resolver);

/* To be called when no lookup is expected for a while: frees memory.  Files stay open, because
 * their process may be gone the next time. */
void resolver_rest(struct resolver *resolver);

/* Names the ELF virtual address `address` (already a call site: return address minus one) of
 * `module`.  Returns the number of entries written, 0 if nothing is known. */
size_t resolver_lookup(struct resolver *resolver, const struct resolver_module *module,
                       uint64_t address, struct resolved out[RESOLVED_MAX]);

/* Returns where the function that contains `address` begins, also if it has no name; 0 if
 * unknown. */
uint64_t resolver_function_start(struct resolver *resolver, const struct resolver_module *module,
                                 uint64_t address);
