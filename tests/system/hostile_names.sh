#!/usr/bin/env bash
# What a program says about itself is not believed: its name moves no terminal and runs in no shell, and nobody is told to end
# a process that it names.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

control=$'[\001-\010\013-\037\177]'
tame() { # tame CASE FILE
    if LC_ALL=C grep -q "$control" "$2"; then echo "not ok $1: $(cat -v "$2")"; else echo "ok $1"; fi
}

mkdir runs
name=$'e\033[31mRED\007;$(id) x'
cp "$subjects/subject-leaks_100_blocks" "runs/$name"
(cd runs && "$MEMOIR" run -- "./$name") >run.out 2>run.err
tame run-says-nothing-else run.err
found=$(find runs -name '*.memoir' -printf '%f\n')
equal run-file "e__31mRED____id__x" "$(sed 's/\.[0-9]*\.memoir$//; s/\.memoir$//' <<<"$found")"

name=$'w\033[2J\007'
cp "$subjects/subject-steps_on_request" "runs/$name"
mkfifo input
"runs/$name" <input >steps.out 2>&1 &
pid=$!
exec 7>input
"$MEMOIR" attach --for 1s -o attached.memoir "$pid" >attach.out 2>attach.err
exec 7>&-
kill "$pid" 2>>kill.err
wait "$pid"
tame attach-says-nothing-else attach.err
equal attach-names-it yes "$(grep -q 'attached to w?' attach.err && echo yes)"

mkfifo other
"$subjects/subject-says_to_be_recorded" <other >other.out &
pid=$!
exec 7>other
until grep -q ready other.out; do sleep 0.05; done
"$MEMOIR" attach -o liar.memoir "$pid" >liar.out 2>liar.err
exec 7>&-
wait "$pid"
equal liar-is-refused yes "$(grep -q 'is recorded already' liar.err && echo yes)"
equal liar-names-nobody no "$(grep -q 'with pid 1;' liar.err && echo yes || echo no)"
