/* SPDX-License-Identifier: Apache-2.0 */
/* profile_rates.c - profile-rates ROUNDS FILE...: how many profiles one core reads per second,
 * each for the total of its default column.
 *
 * Prints files, bytes as they lie there, bytes unpacked, seconds of CPU and profiles per second;
 * and the sum of all totals, so that nothing is left out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "formats/pprof/pprof_profile.h"

int main(int argc, char **argv)
{
    uint64_t files = 0, packed = 0, unpacked = 0, sum = 0;
    struct fault fault = {.text = ""};
    struct timespec cpu;
    long const rounds = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    for (long round = 0; round < rounds; round++)
        for (int i = 2; i < argc; i++) {
            struct stat status;
            struct pprof_profile *profile = pprof_read_file(argv[i], &fault);
            int const column = profile ? pprof_column(profile, NULL) : -1;
            if (column < 0 || stat(argv[i], &status) < 0) {
                fprintf(stderr, "profile-rates: %s\n", fault.text);
                return 1;
            }
            sum += (uint64_t)pprof_total(profile, (unsigned)column);
            unpacked += profile->size;
            packed += (uint64_t)status.st_size;
            files++;
            pprof_destroy(profile);
        }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    double const seconds = (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9;
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %.3f %.0f %" PRIu64 "\n", files, packed, unpacked,
           seconds, (double)files / seconds, sum);
    return 0;
}
