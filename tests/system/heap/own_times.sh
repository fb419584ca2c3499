#!/usr/bin/env bash
# A recording begins when its process does, not with its first block, and ends when that process does, not with its children;
# and the most resident memory is the kernel's own mark.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

cat >late.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
static void late(void)
{
    usleep(1200000);
    void *volatile block = malloc(1000);
    free(block);
    usleep(300000);
}
static void take(void)
{
    void *volatile block = malloc(10);
    free(block);
}
int main(int argc, char **argv)
{
    if (argc > 1) {
        take();
        if (fork() != 0) {
            if (strcmp(argv[1], "waits") == 0)
                return wait(NULL) < 0;
            usleep(200000);
            return 0;
        }
        if (strcmp(argv[1], "leaves") == 0)
            take();
    }
    late();
    return 0;
}
END
cc -O1 -o late late.c || exit 1
before=$(date +%s%N)
record late.memoir -- ./late
after=$(date +%s%N)
duration=$(fact late.memoir .recording.duration_ns)
at_least begins-with-program 1500000000 "$duration"
at_most ends-with-program $((after - before)) "$duration"
at_least first-block-is-late 1200000000 "$(summary late.memoir peak_time_ns)"

# A process that was forked, and has its first block late; the kernel counts in hundredths.
mkdir waits leaves
record waits/parent.memoir --children -- ./late waits
child=$(find waits -name 'late.*.memoir')
at_least child-begins-with-fork 1480000000 "$(fact "$child" .recording.duration_ns)"

# What launches a daemon ends before that.
record leaves/parent.memoir --children -- ./late leaves
child=$(find leaves -name 'late.*.memoir')
at_least daemon-goes-on 1480000000 "$(fact "$child" .recording.duration_ns)"
at_most launcher-ends-itself "$(fact "$child" .recording.duration_ns)" "$(fact leaves/parent.memoir .recording.duration_ns)"

# Memory that is there for a moment, between two looks of ours: the kernel has kept it in mind.
cat >spike.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    size_t const size = 60u << 20;
    char line[256], *volatile block;
    usleep(150000);
    block = malloc(size);
    memset(block, 1, size);
    free(block);
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            printf("%ld\n", atol(line + 6) * 1024);
    fflush(stdout);
    usleep(500000);
    return 0;
}
END
cc -O1 -o spike spike.c || exit 1
record spike.memoir -- ./spike
at_least spike-is-seen "$(cat spike.memoir.out)" "$(fact spike.memoir .summary.rss_peak_bytes)"
