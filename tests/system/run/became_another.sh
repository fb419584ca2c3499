#!/usr/bin/env bash
# A recording of a process that became another program by exec ends there: that program's end and memory are its own.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154,SC2016
. "$TOP/tests/system/common.bash"

notes_of() { # notes_of FILE
    fact "$1" '.quality.notes[]' | grep 'by exec'
}
note="by exec: this recording is about what it was before, and ends there"

record chain.memoir --children -- "$subjects/subject-exec_chain" 3
equal chain-status 5 "$status"
for file in chain.memoir subject-exec_chain.*.memoir; do
    notes_of "$file" >>notes
    "$MEMOIR" report "$file" >>reports
done
equal chain-each-says-so 3 "$(grep -c "the process became subject-exec_chain $note" notes)"
equal chain-none-has-the-status 0 "$(grep -c 'exit status' reports)"
equal chain-live-then 3 "$(grep -c 'live when the program became another' reports)"

# shellcheck disable=SC2016 # the inner shell's
record died.memoir --children -- bash -c 'x=$(seq 1000); exec sh -c "kill -SEGV \$\$"'
equal died-status 139 "$status"
equal died-own-status "null null" "$(fact died.memoir '"\(.recording.exit_status) \(.recording.signal)"')"
equal died-says-so 1 "$(notes_of died.memoir | grep -c "the process became .*sh $note")"
equal died-leaked-when became_another "$(fact died.memoir .summary.heap.leaked_when)"

record large.memoir --children -- bash -c 'sleep 0.5; exec python3 -c "
block = bytearray(200 << 20)"'
equal large-says-so 1 "$(notes_of large.memoir | grep -c "the process became python3.* $note")"
equal large-other-leaked-when end "$(fact "$(echo python3*.memoir)" .summary.heap.leaked_when)"
at_most large-own-memory 100000000 "$(fact large.memoir .summary.rss_peak_bytes)"
equal large-the-other 0 "$(fact "$(echo python3*.memoir)" .recording.exit_code)"

# Without --children and without a name, too, there is one file, about the last program.
mkdir unnamed
for _ in 1 2 3 4 5; do
    (cd unnamed && "$MEMOIR" run --quiet -- "$subjects/subject-exec_chain" 3) >/dev/null 2>&1
done
(cd unnamed && "$MEMOIR" run --quiet -- bash -c 'x=$(seq 20000); y=${x//1/2}; exec ls /') >/dev/null 2>&1
equal unnamed-files 6 "$(find unnamed -name '*.memoir' | wc -l)"
equal unnamed-is-the-last 1 "$(find unnamed -name 'ls.*.memoir' | wc -l)"
