#!/usr/bin/env bash
# The recorder is killed, or stopped for long: the program does not notice.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

started=()
trap 'for pid in "${started[@]}"; do kill -CONT "$pid"; kill -9 "$pid"; done 2>/dev/null' EXIT

program_of() { # program_of PID NAME: the descendant that runs this program
    local pid
    for pid in $(descendants "$1"); do
        case $(readlink "/proc/$pid/exe") in */"$2") echo "$pid" ;; esac
    done
}

program_is_there() { # program_is_there PID NAME
    [ -n "$(program_of "$1" "$2")" ]
}

# Every process of ours is killed while three threads allocate as fast as they can.
kill_recorder() {
    "$MEMOIR" run -o killed.memoir -- "$subjects/subject-works_for_seconds" 15 >out 2>err &
    local running=$! program
    started+=("$running")
    if ! wait_until 30 has_line out working; then
        not_ok killed-started "the program or its recording did not begin"
        return
    fi
    program=$(program_of $running subject-works_for_seconds)
    if [ -z "$program" ]; then
        not_ok killed-started "the program was not found"
        return
    fi
    started+=("$program")
    wait_until 30 test -s killed.memoir || not_ok killed-chunks "nothing was written"
    sleep 1.5 # a few chunks more
    # shellcheck disable=SC2046 # a list of numbers
    kill -9 $(recorders_of $running)
    wait $running 2>/dev/null
    equal killed-status 137 $?
    if is_gone "$program"; then
        not_ok killed-program-lives "the program ended with its recorder"
    else
        ok killed-program-lives
    fi
    wait_until 60 is_gone "$program" || not_ok killed-program-ends "it hangs"
    equal killed-output "working unharmed" "$(tr '\n' ' ' <out | sed 's/ $//')"
    at_least killed-recording-opens 1 "$(summary killed.memoir calls)"
    equal killed-recording-says-so false "$(quality killed.memoir complete)"
}

# The recorder stands still for ten seconds.  The program waits a little at a full ring, then drops
# and counts: it ends while the recorder still stands, and the totals are those of its books.
stop_recorder() {
    "$MEMOIR" run -o stopped.memoir -- "$subjects/subject-generator" --sharp --ops 6000000 --books books >out 2>err &
    local running=$! recorders
    started+=("$running")
    if ! wait_until 30 program_is_there $running subject-generator; then
        not_ok stopped-started "the program did not begin"
        return
    fi
    recorders=$(recorders_of $running)
    # shellcheck disable=SC2086 # a list of numbers
    kill -STOP $recorders
    if wait_until 90 has_line books '^total'; then
        ok stopped-program-goes-on
    else
        not_ok stopped-program-goes-on "it did not end within 90 s"
    fi
    sleep 2
    # shellcheck disable=SC2086
    kill -CONT $recorders
    wait $running
    equal stopped-status 0 $?
    read -r -a total < <(grep "^total" books)
    equal stopped-calls "${total[1]}" "$(summary stopped.memoir calls)"
    equal stopped-bytes "${total[2]}" "$(summary stopped.memoir allocated_bytes)"
    equal stopped-frees "${total[3]}" "$(summary stopped.memoir freed_calls)"
    at_least stopped-drops-are-counted 1 "$(quality stopped.memoir lost_events)"
}

# The recorder stands still for a minute, in the middle of the program's life, while the other cases run.
begin_minute() {
    mkdir minute
    "$MEMOIR" run -o minute/m.memoir -- "$subjects/subject-works_for_seconds" 64 >minute/out 2>minute/err &
    minute=$!
    started+=("$minute")
    if ! wait_until 30 has_line minute/out working; then
        not_ok minute-started "the program or its recording did not begin"
        return
    fi
    minute_recorders=$(recorders_of $minute)
    minute_began=$SECONDS
    # shellcheck disable=SC2086 # a list of numbers
    kill -STOP $minute_recorders
}

end_minute() {
    local program
    program=$(program_of "$minute" subject-works_for_seconds)
    while [ $((SECONDS - minute_began)) -le 60 ]; do sleep 0.5; done
    if is_gone "$program"; then not_ok minute-program-lives "it is gone"; else ok minute-program-lives; fi
    # shellcheck disable=SC2086
    kill -CONT $minute_recorders
    wait "$minute"
    equal minute-status 0 $?
    equal minute-output "working unharmed" "$(tr '\n' ' ' <minute/out | sed 's/ $//')"
    at_least minute-drops-are-counted 1 "$(quality minute/m.memoir lost_events)"
    # What is counted by the threads themselves is whole: blocks in the books and those that were dropped.
    equal minute-totals true "$(fact minute/m.memoir '.summary.heap.calls >= .quality.lost_calls and .quality.lost_calls > 0')"
}

begin_minute
kill_recorder
stop_recorder
end_minute
