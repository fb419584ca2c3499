/* limit_hooks.h - setrlimit and prlimit, under both names. */
#pragma once

#include <sys/resource.h>
