/* recording_caches.h - what analyze keeps with a recording: the meaning of recording->caches. */
#pragma once

#include "model/recording.h"

enum analyze_cache {
    CACHE_SUM_TREE,    /* struct sum_tree: analyze/sums/sum_tree.h */
    CACHE_CALL_SHAPES, /* struct call_shapes: analyze/trees/call_shape.c */
    ANALYZE_CACHES
};
_Static_assert(ANALYZE_CACHES <= RECORDING_CACHES_MAX, "every cache needs a slot");
