/* openapi.h - the descriptions of the routes that the server sends: memory-profiler-openapi.json,
 * and one document of all files in api/. */
#pragma once

#include <stddef.h>

extern const char openapi_document[], api_document[];
extern const size_t openapi_document_size, api_document_size;
