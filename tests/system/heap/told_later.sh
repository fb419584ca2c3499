#!/usr/bin/env bash
# A program that uses memoir.h is told from by attach as well, and falls silent again.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"

begin_telling() { # begin_telling NAME
    rm -f "$1.in"
    mkfifo "$1.in"
    "$subjects/subject-tells" <"$1.in" >"$1.out" 2>&1 &
    target=$!
    started+=("$target")
    exec 9>"$1.in"
    wait_until 10 has_line "$1.out" ready || not_ok "$1-begins" "the subject did not begin"
}

library=$BUILD/tests/subjects/libsubject-tells_library.so
begin_telling told
tell told "p 5"
equal told-nobody-there "done, there 0 library -1" "$(tail -n 1 told.out)"
attach told.memoir "$target" || exit 0
tell told "p 7"
equal told-somebody-there "done, there 1 library -1" "$(tail -n 1 told.out)"
tell told "m half"
tell told "r"
tell told "p 3"
tell told "l $library"
tell told "t 11"
equal told-library-loaded-later "done, there 1 library 1" "$(tail -n 1 told.out)"
tell told "m end"
end_attach
tell told "p 1"
equal told-silent-again "done, there 0 library 1" "$(tail -n 1 told.out)"
tell told "t 1"
equal told-library-silent "done, there 0 library 0" "$(tail -n 1 told.out)"
equal told-pool "1000 10 700 7" \
    "$(site told.memoir pool.allocated pool_here 'pool: main pool') $(site told.memoir pool.freed pool_here)"
equal told-library "110 11" "$(site told.memoir pool.live tell_from_library 'pool: library pool')"
equal told-at-mark "700 7" "$("$MEMOIR" report told.memoir --metric pool.live --at mark:half --json |
    jq -r '"\(.total.value) \(.total.count)"')"
equal told-quality "0 0 0" \
    "$(quality told.memoir lost_events) $(quality told.memoir implied_frees) $(quality told.memoir unknown_frees)"

# A second recording of the same process knows nothing of the first.
attach again.memoir "$target" || exit 0
tell told "r"
tell told "p 4"
tell told "t 2"
end_attach
equal again-pool "400 4 0 0" \
    "$(site again.memoir pool.allocated pool_here 'pool: main pool') $(site again.memoir pool.freed pool_here)"
equal again-library "20 2" "$(site again.memoir pool.live tell_from_library 'pool: library pool')"
exec 9>&-

# The library under run: the loader sets its pointer.
printf 'l %s\nt 6\n' "$library" >commands
record run.memoir -- "$subjects/subject-tells" <commands
equal run-library "60 6" "$(site run.memoir pool.live tell_from_library 'pool: library pool')"
