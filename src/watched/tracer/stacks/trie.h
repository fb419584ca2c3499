/* trie.h - names call stacks: (stack outside, return address) to a small number, shared by all
 * threads and read by the recorder.  Lock-free; nodes are never removed. */
#pragma once

#include <stdint.h>

#include "wire/arena.h"

/* The stack `ip` in `module` called from `parent`.  TRIE_FULL when there is no room. */
uint32_t trie_push(uint32_t parent, uint64_t ip, uint32_t module);

/* The same for `count` frames at once, innermost first, of a stack that is new as far as anybody
 * knows: they get nodes in a row, which trie_push does not find.  Two threads that meet a stack at
 * the same time may name it twice; whoever reads it puts equal stacks together. */
uint32_t trie_append(uint32_t parent, const uint64_t *ret, uint32_t count,
                     uint32_t (*module_of)(uint64_t ret));

/* Says that frames between this one and the one outside are left out. */
void trie_mark_folded(uint32_t id);
