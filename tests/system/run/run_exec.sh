#!/usr/bin/env bash
# memoir run --exec: the process that was started is the program itself, and its recording is written when it ends.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
trap 'kill -9 "$program" 2>/dev/null; leave_house' EXIT
program=0

how() { # how FILE: exit code and signal
    "$MEMOIR" report --json "$1" 2>/dev/null | python3 -c '
import json, sys
told = json.load(sys.stdin)["recording"]
print(told.get("exit_code"), told.get("signal"))' 2>/dev/null
}

# Its end is its own, and everything is in the file by then.
"$MEMOIR" run --exec --quiet -o status.memoir -- "$subjects/subject-exits" 7 2>status.err
equal exit-status 7 $?
equal exit-blocks "1000 10" "$(site status.memoir heap.leaked before_end)"
equal exit-told "7 None" "$(how status.memoir)"
"$MEMOIR" run --exec --quiet -o signal.memoir -- "$subjects/subject-exits" signal 9 2>signal.err
equal signal-status 137 $?
signal_is_told() { [ "$(how signal.memoir)" = "None 9" ]; }
wait_until 20 signal_is_told # nobody can wait before that end
equal signal-told "None 9" "$(how signal.memoir)"
equal signal-blocks "1000 10" "$(site signal.memoir heap.leaked before_end)"

# Its number, its input and its output are those of whoever was started.
# shellcheck disable=SC2016 # the inner shells'
echo given | sh -c 'echo $$; exec "$0" run --exec --quiet -o same.memoir -- sh -c "echo \$\$; cat"' "$MEMOIR" >same.out
equal same-number 1 "$(head -n 2 same.out | sort -u | wc -l)"
equal same-input given "$(tail -n 1 same.out)"

# Signals reach it, and the recorder is in no family of its.
mkfifo obeys.in
"$MEMOIR" run --exec --quiet -o term.memoir -- "$subjects/subject-obeys" <obeys.in >term.out 2>term.err &
program=$!
exec 9>obeys.in
echo "a 10 100" >&9
wait_until 20 has_line term.out "done"
equal program-is-it subject-obeys "$(basename "$(readlink "/proc/$program/exe")")"
equal no-child "" "$(pgrep -P "$program")"
recorder=$(pgrep -f "run --exec --quiet -o term.memoir" | grep -vx "$program" | head -n 1)
at_least recorder-runs 1 "${recorder:-0}"
kill -TERM "$program"
wait "$program"
equal term-status 143 $?
exec 9>&-
wait_until 20 is_gone "$recorder"
equal term-told "None 15" "$(how term.memoir)"
equal term-blocks "1000 10" "$(site term.memoir heap.leaked allocate_blocks)"

# A recorder that is killed keeps nobody from ending, nor does one that was told to stop.
for signal in KILL TERM; do
    "$MEMOIR" run --exec --quiet -o "$signal.memoir" -- "$subjects/subject-obeys" <obeys.in >"$signal.out" 2>"$signal.err" &
    program=$!
    exec 9>obeys.in
    echo "a 10 100" >&9
    wait_until 20 has_line "$signal.out" "done"
    recorder=$(pgrep -f "run --exec --quiet -o $signal.memoir" | grep -vx "$program" | head -n 1)
    kill "-$signal" "$recorder"
    wait_until 20 is_gone "$recorder"
    exec 9>&-
    wait "$program"
    equal "recorder-$signal-status" 0 $?
    [ "$signal" = KILL ] || equal "recorder-$signal-blocks" "1000 10" "$(site "$signal.memoir" heap.live allocate_blocks)"
done

# What cannot be started.
"$MEMOIR" run --exec -o none.memoir -- ./no-such-program 2>none.err
equal none-status 127 $?
one_sentence none-sentence none.err 'not found'
"$MEMOIR" run --exec -o none.memoir -- /etc/hostname 2>none.err
equal not-to-be-run-status 126 $?
if [ -e none.memoir ]; then not_ok none-no-file "a file was left"; else ok none-no-file; fi

# The first process of a pid namespace, whose end is the end of all that are in it.
if unshare --pid --fork --mount-proc true 2>/dev/null; then
    for way in exit _exit; do
        unshare --pid --fork --mount-proc "$MEMOIR" run --exec --quiet -o first.memoir -- /usr/bin/python3 -c "
import os, sys
kept = [bytearray(100000) for i in range(100)]
print(os.getpid(), flush=True)
os._exit(5) if '$way' == '_exit' else sys.exit(5)" >first.out 2>first.err
        equal "first-$way-status" 5 $?
        equal "first-$way-number" 1 "$(cat first.out)"
        equal "first-$way-told" "5 None" "$(how first.memoir)"
        at_least "first-$way-all" 10000000 "$(summary first.memoir peak_bytes)"
        equal "first-$way-nothing-lost" 0 "$(quality first.memoir lost_events)"
    done
else
    skip first "no pid namespace to be had here"
fi
