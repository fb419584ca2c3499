#!/usr/bin/env bash
# The recorder's own memory has a bound: near it the recording gets coarser and says so, the program is what it was, and who forges more
# blocks than there can be fills nothing.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

cat >many.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static void *__attribute__((noinline)) keep(void *last)
{
    void **block = malloc(40);
    *block = last;
    return block;
}
int main(int count, char **words)
{
    void *last = 0;
    for (long i = 0; i < atol(words[1]); i++)
        last = keep(last);
    puts("done");
    return last && count == 2 ? 5 : 1;
}
END
cc -O1 -o many many.c || exit 1

# Without a reason, nothing is coarser.
record far.memoir -- ./many 1000000
equal far-status 5 "$status"
equal far-is-exact "1000001 0" "$(summary far.memoir calls) $(quality far.memoir sample_rate_bytes)"
equal far-says-nothing "" "$(grep max-memory far.memoir.err)"

# Near it: sampled from there on, and told, by memoir and by the report.
record near.memoir --max-memory 128M -- ./many 9000000
equal near-status "5 done" "$status $(cat near.memoir.out)"
at_least near-is-sampled 1 "$(quality near.memoir sample_rate_bytes)"
at_least near-forgets 1 "$(quality near.memoir unfollowed_bytes)"
at_least near-is-said 1 "$(grep -c 'comes near its bound of 128 MiB (--max-memory)' near.memoir.err)"
"$MEMOIR" report near.memoir >near.txt
at_least near-is-reported 1 "$(grep -c 'comes near its bound of 128 MiB (--max-memory)' near.txt)"
at_least near-is-marked 1 "$(grep -c '^  sampled' near.txt)"

# Blocks that nobody has, by a program that minds no rate.
"$BUILD/tests/hostile/hostile-bounded" 100 "$MEMOIR" run --max-memory 96M -o flood.memoir -- "$BUILD/tests/hostile/hostile-floods" blocks \
    >flood.out 2>flood.err
equal flood-ends "status 0" "$(tail -n 2 flood.out | head -n 1)"
at_most flood-is-small 260 "$(sed -n 's/^peak //p' flood.out)"
"$MEMOIR" report flood.memoir >flood.txt 2>&1
equal flood-can-be-read 0 $?

# Nonsense is a sentence.
"$MEMOIR" run --max-memory 1K -- touch started 2>error
equal least-status 2 $?
one_sentence least error '64'
equal least-not-started no "$([ -e started ] && echo yes || echo no)"
