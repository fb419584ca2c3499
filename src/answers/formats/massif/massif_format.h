/* massif_format.h - words in valgrind's massif.out, for its reader and its writer. */
#pragma once

#define MASSIF_RULER      "#-----------"
#define MASSIF_ROOT_HEAP  "(heap allocation functions) malloc/new/new[], --alloc-fns, etc."
#define MASSIF_ROOT_PAGES "(page allocation syscalls) mmap/mremap/brk, --alloc-fns, etc."
#define MASSIF_BELOW      "below massif's threshold"
#define MASSIF_NS_PER_MS  UINT64_C(1000000)
