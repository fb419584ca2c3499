#!/usr/bin/env bash
# Attached to in the middle of its life, the generator's books of that part equal the recording: to the byte and the
# count, per call path.  What lived before is in neither, and neither is what came after the end.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"
. "$TOP/tests/system/books.bash"

mkfifo ready go
earlier=0

attached() { # attached NAME GENERATOR_OPTIONS…: and $earlier times before that
    local name=$1 i
    shift
    begin "$name" "$generator" --books "$name.books" --ready ready --go go "$@"
    for ((i = 0; i < earlier; i++)); do
        attach earlier.memoir --wait "$target" || return
        sleep 0.3
        end_attach
        at_least "$name-earlier-$i" 1000 "$(summary earlier.memoir calls)"
    done
    read -r _ <ready
    attach "$name.memoir" --wait "$target" || return # what is estimated is not exact: thinned.sh
    echo go >go
    read -r _ <ready
    end_attach
    equal "$name-attach-status" 0 "$status"
    echo go >go
    wait "$target"
    equal "$name-status" 0 $?
    equal "$name-silent" "" "$(cat "$name.out")"
    compare_books "$name"
}

attached one-thread --sharp --ops 200000
# With one thread nobody but the generator allocates.
equal one-thread-nothing-else "" "$(grep '^other' one-thread.table)"
attached eight-threads --threads 8 --ops 500000 --seed 4 --paths 64
for hazard in fork signals dlopen churn coroutines deep longjmp; do
    attached "$hazard" --threads 4 --ops 60000 --seed 5 --paths 64 --$hazard
done
# What was learned the last time, at full speed, does no harm.
earlier=2
attached every-hazard --before 1500000 --threads 8 --ops 300000 --seed 6 --paths 128 --all
