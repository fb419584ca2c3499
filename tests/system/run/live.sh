#!/usr/bin/env bash
# A recording is read while it grows: from here, from outside a container, and as a copy.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/grows.bash"

live_blocks() { # live_blocks FILE: what grown_block holds by a report made now
    "$MEMOIR" report "$1" --json --metric heap.live --by function 2>/dev/null |
        jq -r '[.rows[] | select(.stack[0].function == "grown_block")][0] | "\(.value) \(.count)"'
}

shows() { # shows FILE BLOCKS
    [ "$(live_blocks "$1")" = "${2}000 $2" ]
}

follows() { # follows CASE FILE BLOCKS
    if wait_until 30 shows "$2" "$3"; then ok "$1"; else not_ok "$1" "$(live_blocks "$2")"; fi
}

from_here() {
    begin here "$MEMOIR" run -o here.memoir -- "$subjects/subject-grows_on_demand"
    grow_to here 100
    follows report-100 here.memoir 100
    grow_to here 200
    follows report-200 here.memoir 200

    "$MEMOIR" report here.memoir >text 2>&1
    if grep -Eq 'has run .*, still being written, as of [0-9.]+ (ns|us|ms|s) ago' text; then
        ok report-says-so
    else
        not_ok report-says-so "$(head -n 1 text)"
    fi
    "$MEMOIR" info here.memoir >text
    if grep -q 'still being written, as of' text; then ok info-says-so; else not_ok info-says-so "$(head -n 3 text)"; fi
    equal info-json true "$("$MEMOIR" info here.memoir --json | jq .recording.being_written)"
    "$MEMOIR" export here.memoir --to folded --metric heap.live 2>note >live.folded
    equal export 200000 "$(awk '/grown_block/ { sum += $NF } END { printf "%.0f\n", sum }' live.folded)"
    if grep -q 'still being written' note; then ok export-says-so; else not_ok export-says-so "$(cat note)"; fi
    "$MEMOIR" flame here.memoir -o live.svg 2>note
    if grep -q grown_block live.svg && grep -q 'still being written' live.svg; then
        ok flame
    else
        not_ok flame "the function is not in the picture, or it does not say that it grows"
    fi

    # What was copied is what it was; it does not claim to grow.
    cp here.memoir copy.memoir
    grow_to here 300
    follows report-300 here.memoir 300
    equal copy "200000 200" "$(live_blocks copy.memoir)"
    equal copy-is-no-live-file false "$(fact copy.memoir .recording.being_written)"

    exec 9>&-
    wait "$running"
    equal ends 0 $?
    equal at-the-end "300000 300" "$(live_blocks here.memoir)"
    equal ended false "$("$MEMOIR" info here.memoir --json | jq .recording.being_written)"
}

# Copies of a file that is written all the time: each opens, none goes back.
busy_copies() {
    local i calls last=0 bad=0
    "$MEMOIR" run -o busy.memoir -- "$subjects/subject-works_for_seconds" 6 >busy.out 2>busy.err &
    running=$!
    started+=("$running")
    wait_until 30 test -s busy.memoir || not_ok busy-begins "$(cat busy.err)"
    for ((i = 0; i < 40; i++)); do
        cp busy.memoir snapshot.memoir
        calls=$("$MEMOIR" info snapshot.memoir --json 2>snapshot.err |
            jq 'if .quality.damaged_chunks == 0 then .quality.events else -1 end')
        if [ "$last" = 0 ] && grep -q 'only the beginning' snapshot.err; then continue; fi
        if [ -z "$calls" ] || [ "$calls" -lt "$last" ]; then bad=$((bad + 1)); fi
        last=${calls:-$last}
        sleep 0.05
    done
    wait $running
    equal busy-copies-open 0 $bad
    at_least busy-copies-grow 1 "$last"
}

# A container as far as memory and files go: its own pids, and a folder nobody outside sees.
in_container() {
    local unshare=(unshare --mount --pid --fork --mount-proc) pid place
    [ "$(id -u)" = 0 ] || unshare+=(--map-root-user)
    if ! "${unshare[@]}" true 2>/dev/null; then
        skip container "no namespaces of our own here"
        return
    fi
    mkdir inside
    # shellcheck disable=SC2016 # the dollars are for the inner shell
    begin box "${unshare[@]}" sh -c 'mount -t tmpfs tmpfs inside && cd inside && exec "$0" run -o box.memoir -- "$1"' \
        "$MEMOIR" "$subjects/subject-grows_on_demand"
    equal container-hides-it "" "$(ls inside)"
    for pid in $(descendants "$running"); do
        case $(readlink "/proc/$pid/exe") in */subject-grows_on_demand) break ;; esac
    done
    place=/proc/$pid/root$PWD/inside/box.memoir
    grow_to box 100
    follows container-report "$place" 100
    equal container-pid "$(awk '/^NSpid:/ { print $NF }' "/proc/$pid/status")" \
        "$("$MEMOIR" report "$place" --json | jq .recording.pid)"
    "$MEMOIR" report "$place" >text
    if grep -q 'still being written' text; then ok container-says-so; else not_ok container-says-so "$(head -n 1 text)"; fi
    cp "$place" taken-out.memoir
    grow_to box 200
    follows container-report-again "$place" 200
    equal container-copy "100000 100" "$(live_blocks taken-out.memoir)"
    exec 9>&-
    wait "$running"
    equal container-ends 0 $?
}

# A recorder that was killed does not write any more, and the report knows.
killed_recorder() {
    begin killed "$MEMOIR" run -o killed.memoir -- "$subjects/subject-grows_on_demand"
    grow_to killed 100
    follows killed-report killed.memoir 100
    # shellcheck disable=SC2046,SC2207 # a list of numbers
    started+=($(descendants "$running"))
    # shellcheck disable=SC2046
    kill -9 $(recorders_of "$running")
    wait "$running" 2>/dev/null
    "$MEMOIR" report killed.memoir >text
    if grep -q 'still being written' text; then
        not_ok killed-says-so "$(head -n 1 text)"
    elif grep -q 'not ended in order' text; then
        ok killed-says-so
    else
        not_ok killed-says-so "$(cat text)"
    fi
    exec 9>&-
}

from_here
busy_copies
in_container
killed_recorder
