#!/usr/bin/env bash
# The recording equals the generator's books, to the byte and the count, per call path: calls, bytes,
# frees, freed bytes, live, peak, temporary; and the summary equals their sums.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/books.bash"

# All 512 paths, which is some six thousand stacks, once; fewer elsewhere, for speed.
compare one-thread --sharp --ops 1000000
# With one thread nobody but the generator allocates.
equal one-thread-nothing-else "" "$(grep '^other' one-thread.table)"
compare one-thread-routes --sharp --ops 500000 --seed 2 --paths 64 --coroutines --deep --longjmp
compare two-threads --threads 2 --ops 2000000 --seed 3 --paths 64
compare eight-threads --threads 8 --ops 2000000 --seed 4 --paths 64
for hazard in fork signals dlopen churn coroutines deep longjmp; do
    compare "$hazard" --threads 4 --ops 200000 --seed 5 --paths 64 --$hazard
done
compare every-hazard --threads 8 --ops 1000000 --seed 6 --paths 128 --all
