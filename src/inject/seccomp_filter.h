/* seccomp_filter.h - what a process's filter on its system calls would say to one, without making it. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* The filter's answer: SECCOMP_RET_... with its data.  A filter that the kernel would not have taken kills. */
uint32_t seccomp_filter_run(const struct sock_filter *code, size_t length,
                            const struct seccomp_data *call);
