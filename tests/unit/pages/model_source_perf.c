/* SPDX-License-Identifier: Apache-2.0 */
#include "model_source.h"
#include "pages/perf_faults.h"

static void *open_perf(uint32_t pid, struct fault *fault)
{
    return perf_faults_open(&(struct perf_faults_options){.pid = pid}, fault);
}

static int drain_perf(void *source, model_record_fn each, void *context)
{
    return perf_faults_drain(source, each, context);
}

static uint64_t lost_by_perf(void *source)
{
    return perf_faults_count(source).lost;
}

static bool perf_sees_maps(void *source)
{
    return perf_faults_count(source).sees_maps;
}

static bool perf_sees_kernel(void *source)
{
    return perf_faults_count(source).sees_kernel;
}

static void close_perf(void *source)
{
    perf_faults_close(source);
}

const struct model_source model_source_perf = {"perf",           open_perf,      drain_perf,
                                               lost_by_perf,     perf_sees_maps, perf_sees_maps,
                                               perf_sees_kernel, close_perf};
