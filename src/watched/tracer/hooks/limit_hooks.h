/* limit_hooks.h - hooks setrlimit and prlimit, under both names. */
#pragma once

#include <sys/resource.h>
