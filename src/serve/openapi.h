/* openapi.h - memory-profiler-openapi.json, as it is served. */
#pragma once

#include <stddef.h>

extern const char openapi_document[];
extern const size_t openapi_document_size;
