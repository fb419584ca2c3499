/* writers.h - the write functions for registry.c, one per format. */
#pragma once

#include "formats/shared/registry.h"

int folded_write(struct export_job *job, struct output *out, struct fault *fault);
int pprof_write(struct export_job *job, struct output *out, struct fault *fault);
int heaptrack_write(struct export_job *job, struct output *out, struct fault *fault);
int callgrind_write(struct export_job *job, struct output *out, struct fault *fault);
int massif_write(struct export_job *job, struct output *out, struct fault *fault);
int perf_write(struct export_job *job, struct output *out, struct fault *fault);
