#!/usr/bin/env bash
# What memoir pages needs itself: not a copy of all debug information for each process.
# shellcheck source=/dev/null disable=SC2154,SC2016
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent pages_recorder
mib=1048576
begin_agent || not_ok agent-begins "$(cat agent.err)"

"$MEMOIR" pages --quiet --agent "$socket" --children --every 500ms -o first.memoir -- \
    bash -c 'for i in $(seq 24); do sleep 2 & done; wait' 2>recorder.err
equal many-processes-status 0 $?
used=$("$MEMOIR" report first.memoir --json | jq .cost.recorder_rss_bytes)
at_least recorder-memory-is-told $mib "${used:-0}"
at_most recorder-memory $((120 * mib)) "${used:-0}" # 55 MiB here, and 220 with the names of each process by themselves
echo "# $(find . -name '*.memoir' | wc -l) recordings, $((used / mib)) MiB"
end_agent
equal agent-ends 0 $?
