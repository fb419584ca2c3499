#!/usr/bin/env bash
# memoir ends as the program did: its status, or 128 and the number of the signal that killed it.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

for code in 0 1 3 42 126 127 255; do
    record status.memoir -- "$subjects/subject-exits" $code
    equal "status-$code" $code "$status"
done
equal status-recorded "1000 10" "$(site status.memoir heap.leaked before_end main)"

for signal in 1 2 6 9 11 13 15; do
    record signal.memoir -- "$subjects/subject-exits" signal $signal
    equal "signal-$signal" $((128 + signal)) "$status"
    if grep -q '^at death: ' signal.memoir.err || grep -q 'at death: ' signal.memoir.err; then
        ok "at-death-$signal"
    else
        not_ok "at-death-$signal" "$(head -n 3 signal.memoir.err)"
    fi
    equal "signal-$signal-recorded" "1000 10" "$(site signal.memoir heap.leaked before_end main)"
done

# JSON has both apart; one of them is there.
equal signal-apart 'null 15' "$(jq -r '.recording | "\(.exit_code) \(.signal)"' "$(json_of signal.memoir heap.leaked)")"
equal code-apart '255 null' "$(jq -r '.recording | "\(.exit_code) \(.signal)"' "$(json_of status.memoir heap.leaked)")"

# What it held is said to those who want to hear it, by the code that asked for it also where that has no name.
record hushed.memoir --quiet -- "$subjects/subject-exits" signal 11
equal hushed-status 139 "$status"
equal hushed "" "$(cat hushed.memoir.err)"
strip -o stripped "$subjects/subject-exits"
record stripped.memoir -- ./stripped signal 11
if grep -Eq 'at death: killed by SIGSEGV; .* by stripped\+0x[0-9a-f]+$' stripped.memoir.err; then
    ok stripped-names-the-place
else
    not_ok stripped-names-the-place "$(cat stripped.memoir.err)"
fi

# A child's end is in its recording, too, where the kernel tells others than its parent.
record parent.memoir --children -- sh -c "'$subjects/subject-waits_to_be_killed' 1000 >pid & /usr/bin/python3 -c 'import time; time.sleep(0.5); raise SystemExit(7)' & sleep 0.4; kill -SEGV \$(cut -d ' ' -f 1 pid); wait; exit 3"
equal parent-status 3 "$status"
if uname -r | grep -Eq '^([1-5]|6\.[0-9]|6\.1[0-4])\.'; then
    skip children-ends "Linux tells from 6.15 on how a process ended that is not one's own child"
else
    equal child-signal 'null 11' "$("$MEMOIR" info subject-waits*.memoir --json | jq -r '.recording | "\(.exit_code) \(.signal)"')"
    equal child-code '7 null' "$("$MEMOIR" info python3*.memoir --json | jq -r '.recording | "\(.exit_code) \(.signal)"')"
    equal child-death 1 "$("$MEMOIR" info subject-waits*.memoir | grep -c 'death')"
fi

# A program goes by what it was called, not by the file that this leads to.
cp "$subjects/subject-exits" real-name
ln -s real-name called
for program in ./called "$PWD/called"; do
    "$MEMOIR" run --quiet -- "$program" 0
    equal "called-$program" "$PWD/called" "$("$MEMOIR" info called.*.memoir --json | jq -r .recording.program)"
    rm -f called.*.memoir
done
PATH=$PWD:$PATH "$MEMOIR" run --quiet -- called 0
equal called-by-path 1 "$(find . -name 'called.*.memoir' | wc -l)"
rm -f called.*.memoir
"$MEMOIR" cpu --quiet --for 100ms -- ./called 0 2>/dev/null
equal called-for-time 1 "$(find . -name 'called.*.memoir' | wc -l)"
for command in cpu "pages --source perf"; do # one that is gone before anybody can look
    # shellcheck disable=SC2086
    "$MEMOIR" $command --quiet -o gone.memoir -- ./called 0 'two words' 2>/dev/null
    equal "called-with-${command%% *}" "./called 0 two words" "$("$MEMOIR" info gone.memoir --json | jq -r .recording.command_line)"
done

# Input, output and errors are the program's own.
printf 'one\ntwo\n' | "$MEMOIR" run -o pipe.memoir -- sh -c 'cat; echo complaint >&2; exit 4' >out 2>err
equal pipe-status 4 $?
equal pipe-output "one two" "$(tr '\n' ' ' <out | sed 's/ $//')"
equal pipe-errors complaint "$(grep complaint err)"
