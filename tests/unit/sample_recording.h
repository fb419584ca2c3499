/* sample_recording.h - a small recording with known answers, made by hand, for the tests of every
 * room that reads recordings.
 *
 * A node called "ledger-node": 30 seconds in three buckets of 10.  Sites (innermost first):
 *   CACHE   malloc < cache_insert (inlined in store_block) < store_block < handle < main < _start
 *   PARSE   operator new < parse < handle < main < _start
 *   TREE    malloc < walk < walk < walk < main < _start          (recursion)
 *   PLUGIN  malloc < libplugin.so+0x1234 < main < _start         (no name)
 *   TZ      malloc < tzset_internal < main < _start              (a built-in suppression)
 *
 *            bucket 0 [0,10)    bucket 1 [10,20)       bucket 2 [20,30)       live at the end
 *   CACHE    4 x 1 MiB          6 x 1 MiB              frees 8                2 MiB in 2
 *   PARSE    1000 x 64 B, all freed in their bucket, 900 temporary (each bucket)   0
 *   TREE     -                  2 x 512 KiB            frees 1                512 KiB in 1
 *   PLUGIN   1 x 4000 B         -                      -                      4000 B in 1
 *   TZ       1 x 100 B          -                      -                      100 B in 1
 * Peak at 18 s: CACHE 10 MiB, TREE 1 MiB, PLUGIN 4000, TZ 100 = 11538436 bytes in 14 blocks. */
#pragma once

#include "model/recording.h"

enum { SITE_CACHE, SITE_PARSE, SITE_TREE, SITE_PLUGIN, SITE_TZ, SITE_COUNT };

struct sample {
    struct recording *recording;
    stack_id stacks[SITE_COUNT];
};

struct sample sample_create(void); /* aborts when out of memory */
void sample_destroy(struct sample *sample);
