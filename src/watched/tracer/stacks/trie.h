/* trie.h - names call stacks: (stack outside, return address) to a small number, shared by all
 * threads and read by the recorder.  Lock-free; nodes are never removed. */
#pragma once

#include <stdint.h>

#include "wire/arena.h"

/* The stack `ip` in `module` called from `parent`.  TRIE_FULL when there is no room. */
uint32_t trie_push(uint32_t parent, uint64_t ip, uint32_t module);

/* Says that frames between this one and the one outside are left out. */
void trie_mark_folded(uint32_t id);
