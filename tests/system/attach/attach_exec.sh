#!/usr/bin/env bash
# Programs that become others by exec while we come in, and while we are in.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"

# Every 20 ms: mostly before we are in, so it is met anew until we are.
begin often "$subjects/subject-execs_itself" 100000
wrong=0 in=0
for ((i = 0; i < 6; i++)); do
    "$MEMOIR" attach --for 30ms -o often.memoir "$target" 2>often.said
    if grep -q 'attached to' often.said; then
        in=$((in + 1))
    elif ! grep -q 'by exec again and again' often.said; then
        wrong=$((wrong + 1))
        cp often.said wrong.said
    fi
done
equal often-no-wrong-reason "0 " "$wrong $(cat wrong.said 2>/dev/null)"
at_least often-gets-in 1 "$in"
lives often-lives "$target"
kill -9 "$target"
wait "$target" 2>/dev/null

# Where nobody can come in: the loader is at work all the time.
begin restless "$subjects/subject-execs_early" 1000000
"$MEMOIR" attach -o restless.memoir "$target" 2>restless.said
equal restless-status 1 $?
one_sentence restless-sentence restless.said "pid $target\) becomes another program by exec again and again.* attach later, or .*memoir run"
if [ -e restless.memoir ]; then not_ok restless-no-file "a recording was left"; else ok restless-no-file; fi
lives restless-lives "$target"
kill -9 "$target"
wait "$target" 2>/dev/null

# It becomes another one while it is recorded: that recording is over, and the next one is of the other.
mkfifo go
begin changes bash -c 'read -r line <go; exec sleep 100'
attach first.memoir "$target" || exit 0
echo >go
wait "$recorder"
equal changes-ends 0 $?
grep -v 'attached to\|recorded\|warning:' first.memoir.err >changes.said
one_sentence changes-sentence changes.said "bash \(pid $target\) became another program by exec.*attach again"
equal changes-first-is-bash bash "$(basename "$(fact first.memoir .recording.program)")"
equal changes-first-says-so 1 "$(fact first.memoir '.quality.notes[]' | grep -c 'the process became .* by exec')"
"$MEMOIR" report first.memoir >first.report
equal changes-live-then 1 "$(grep -c 'live when the program became another' first.report)"
attach second.memoir "$target" || exit 0
end_attach
equal changes-second "0 sleep" "$status $(basename "$(fact second.memoir .recording.program)")"
lives changes-lives "$target"
