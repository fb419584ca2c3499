#!/usr/bin/env bash
# A recording whose file somebody removes, moves or replaces while it is written is not said to be there.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154,SC2016
. "$TOP/tests/system/common.bash"

# Its program does something to the file, named FILE, once that is there.
disturb='x=$(seq 1000); until [ -s "$FILE" ]; do sleep 0.02; done; '
try() { # try CASE FILE WHAT-IS-DONE COMMAND…
    local case=$1 file=$2 done=$3
    shift 3
    FILE=$PWD/$file "$MEMOIR" "$@" -o "$file" -- bash -c "$disturb $done; true" >out 2>"$case.err"
    equal "$case-status" 1 $?
    grep -v "child process" "$case.err" >"$case.said"
    one_sentence "$case-sentence" "$case.said" 'was removed, moved or replaced'
}
try removed removed.memoir 'rm "$FILE"' run
try moved moved.memoir 'mv "$FILE" "$FILE.old"' run
equal moved-file-is-whole true "$(fact moved.memoir.old .quality.complete)"
try replaced replaced.memoir 'echo hello >other; mv other "$FILE"' run
equal replaced-is-left hello "$(cat replaced.memoir)"
mkdir folder
try folder folder/x.memoir 'mv folder elsewhere' run
try outside outside.memoir 'rm "$FILE"' cpu --quiet

# Not gone: a link of the user's own, and another name for the file.
ln -s real.memoir link.memoir
FILE=$PWD/real.memoir "$MEMOIR" run --quiet -o link.memoir -- bash -c "$disturb"' ln "$FILE" second.memoir; true' 2>err
equal link-status "0 0" "$? $(wc -l <err)"
