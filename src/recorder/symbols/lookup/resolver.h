/* resolver.h - address in a module to function, file and line, with inlined calls.
 *
 * Looks, in this order, for names in: Go's pclntab, DWARF of the module or of its separate debug
 * file (build-id directories, .gnu_debuglink, debuginfod when DEBUGINFOD_URLS is set), .symtab,
 * .gnu_debugdata (minidebuginfo) and .dynsym.  Every file is hostile input: bounded, never trusted.
 * A module that is a list of code made at run time (perf_map.h) names addresses of the process.
 * Memory: at most 256 modules and about 32 MiB of tables and DWARF stay open, the least recently
 * used go first (a single larger module stays), plus each distinct text once.  Lookups are fastest
 * when those of one module come together. Not thread-safe; use one per thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct resolver;

struct resolver_module {
    const char *path;     /* as the process saw it; "[vdso]" and "... (deleted)" are understood */
    const char *root;     /* prefix such as "/proc/123/root", or "" */
    const char *build_id; /* lower-case hex, or ""; a file with another one is not used */
};

/* One function at an address: innermost inlined first, the real function last.  Texts live until
 * the resolver is destroyed. */
struct resolved {
    const char *function; /* demangled, "" when unknown */
    const char *symbol;   /* raw name, "" when unknown */
    const char *file;     /* "" when unknown */
    uint32_t line;
};

#define RESOLVED_MAX                                                                               \
    64 /* inlining deeper than this is cut at the outer end, the real function kept */

struct resolver *resolver_create(void); /* NULL when out of memory */
void resolver_destroy(struct resolver *resolver);

/* Nobody asks for a while: gives memory back.  Files stay open, for their process may be gone
 * the next time. */
void resolver_rest(struct resolver *resolver);

/* Names the ELF virtual address `address` (already a call site: return address minus one) of
 * `module`.  The number of entries written, 0 when nothing is known. */
size_t resolver_lookup(struct resolver *resolver, const struct resolver_module *module,
                       uint64_t address, struct resolved out[RESOLVED_MAX]);

/* Where the function begins that holds `address`, also when it has no name; 0 when that is not
 * known. */
uint64_t resolver_function_start(struct resolver *resolver, const struct resolver_module *module,
                                 uint64_t address);
