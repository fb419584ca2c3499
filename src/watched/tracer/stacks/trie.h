/* trie.h - names call stacks: maps an outer stack and a return address to a small number, which all
 * threads share and the recorder reads.  Lock-free; nodes are never removed. */
#pragma once

#include <stdint.h>

#include "wire/arena.h"

/* Returns the stack `ip` in `module` called from `parent`; TRIE_FULL if there is no room. */
uint32_t trie_push(uint32_t parent, uint64_t ip, uint32_t module);

/* Adds `count` frames at once, innermost first, of a stack that seems to be new: they get nodes in
 * a row, which trie_push does not find.  Two threads that meet a stack at the same time may name it
 * twice; the recorder merges equal stacks. */
uint32_t trie_append(uint32_t parent, const uint64_t *ret, uint32_t count,
                     uint32_t (*module_of)(uint64_t ret));

/* Notes that frames between this one and the next outer one are left out. */
void trie_mark_folded(uint32_t id);
