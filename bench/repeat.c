/* SPDX-License-Identifier: Apache-2.0 */
/* repeat ROUNDS -- COMMAND ARGS…
 *
 * Runs COMMAND so often, its output thrown away, and prints the medians of wall and CPU time in
 * ms. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double cpu_ms(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1e3 +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e3;
}

static int by_value(const void *left, const void *right)
{
    double const a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

int main(int argc, char **argv)
{
    int const rounds = argc > 3 ? atoi(argv[1]) : 0;
    if (rounds < 1 || strcmp(argv[2], "--") != 0)
        return fprintf(stderr, "repeat ROUNDS -- COMMAND ARGS...\n"), 2;
    double *wall = calloc((size_t)rounds, sizeof(double)),
           *cpu = calloc((size_t)rounds, sizeof(double));
    for (int i = 0; i < rounds; i++) {
        struct rusage usage;
        int status;
        double const begin = now_ms();
        pid_t const child = vfork();
        if (child == 0) {
            int const nowhere = open("/dev/null", O_RDWR);
            dup2(nowhere, 1);
            execvp(argv[3], argv + 3);
            _exit(127);
        }
        if (wait4(child, &status, 0, &usage) != child || status != 0)
            return fprintf(stderr, "repeat: %s failed\n", argv[3]), 1;
        wall[i] = now_ms() - begin;
        cpu[i] = cpu_ms(&usage);
    }
    qsort(wall, (size_t)rounds, sizeof(double), by_value);
    qsort(cpu, (size_t)rounds, sizeof(double), by_value);
    printf("%.2f %.2f\n", wall[rounds / 2], cpu[rounds / 2]);
    return 0;
}
