/* resolve.h - shared by the tests that resolve addresses of programs they build. */
#pragma once

#include <stdbool.h>

#include "symbols/lookup/resolver.h"

/* A C program with calls inlined two deep into `outer`; written as program.c. */
void write_c_program(void);

/* Looks up every address of the function and expects what addr2line -i says of `oracle`. */
void check_like_addr2line(struct resolver *resolver, const struct resolver_module *module,
                          const char *oracle, const char *function);

/* Looks up every address of `function`; true when one of them has the frames, innermost first. */
bool finds_chain(struct resolver *resolver, const struct resolver_module *module,
                 const char *oracle, const char *function, const char *const *chain);
