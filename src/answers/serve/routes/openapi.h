/* openapi.h - descriptions of the routes, as they are served: memory-profiler-openapi.json, and
 * all of api/ in one. */
#pragma once

#include <stddef.h>

extern const char openapi_document[], api_document[];
extern const size_t openapi_document_size, api_document_size;
