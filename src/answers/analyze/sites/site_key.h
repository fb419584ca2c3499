/* site_key.h - inside `analyze`: the name by which a frame is found in another build. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyze/trees/call_tree.h"

struct site_text {
    char *data;
    size_t size, room;
    bool failed; /* out of memory */
};

void site_text_add(struct site_text *text, const char *data, size_t size);

/* "libc.so.6" and "libc.so" are one module: the length of `basename` without a version. */
size_t site_module_length(const char *basename);
/* Without " [clone ...]", ".constprop.0", ".isra.1", ".part.2", ".cold", ".llvm.123". */
size_t site_function_length(const char *function);
/* True when `function` is a made-up "module+0x12" or "0x12". */
bool site_is_nameless(const char *function, const char *module_basename);

struct site_rule {
    const struct recording *recording, *other; /* offsets count where both ran one build */
    bool module_only, lines;
};
/* Appends the key of one frame; different frames never run together. */
void site_key_add(struct site_text *text, const struct site_rule *rule,
                  const struct shown_frame *frame);
