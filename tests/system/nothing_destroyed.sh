#!/usr/bin/env bash
# Runs beside others.
# Nothing of the user's is overwritten: no file that is no recording, no file that is read, no recording that is being written.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

program=$subjects/subject-crowd

unchanged() { # unchanged CASE FILE SUM
    equal "$1" "$3" "$(sha1sum <"$2")"
}

printf 'int main(void) { return 0; }\n' >source.c
sum=$(sha1sum <source.c)
for how in "run -o source.c -- $program" "cpu -o source.c --for 100ms $$"; do
    name=${how%% *}
    # shellcheck disable=SC2086
    timeout 60 "$MEMOIR" $how >out 2>said
    equal "$name-status" 1 $?
    one_sentence "$name-says-why" said 'no recording.*--force'
    unchanged "$name-keeps-it" source.c "$sum"
done

mkfifo pipe
timeout 10 "$MEMOIR" run -o pipe -- "$program" 2>said
equal pipe-status 1 $?
one_sentence pipe-says-why said 'no file but'
timeout 10 "$MEMOIR" run -o . -- "$program" 2>said
equal folder-status 1 $?
one_sentence folder-says-why said 'no file but'

"$MEMOIR" run --quiet --force -o source.c -- "$program" >/dev/null
equal force-status 0 $?
equal force-records 0 "$("$MEMOIR" report source.c --json | jq .quality.lost_events)"
"$MEMOIR" run --quiet -o source.c -- "$program" >/dev/null
equal a-recording-is-replaced 0 $?
: >empty
"$MEMOIR" run --quiet -o empty -- "$program" >/dev/null
equal an-empty-file-is-filled 0 $?
echo mine >other.memoir.tmp
"$MEMOIR" run --quiet -o other.memoir -- "$program" >/dev/null
equal tmp-of-others-stays mine "$(cat other.memoir.tmp)"

# Two at once with one name: the second is refused, the first is whole.
"$MEMOIR" run --quiet -o both.memoir -- sleep 2 &
first=$!
for _ in $(seq 100); do
    [ -s both.memoir ] && break
    sleep 0.05
done
"$MEMOIR" run -o both.memoir -- "$program" 2>said
equal second-status 1 $?
one_sentence second-says-why said 'another memoir'
wait $first
equal first-status 0 $?
equal first-is-whole true "$("$MEMOIR" report both.memoir --json | jq .quality.complete)"

# What is read is not written over, by whatever name.
cp both.memoir input.memoir
ln -s input.memoir link
ln input.memoir twin
sum=$(sha1sum <input.memoir)
for output in input.memoir ./input.memoir link twin; do
    for how in "report" "info" "export --to folded" "export --to pprof"; do
        # shellcheck disable=SC2086
        "$MEMOIR" ${how%% *} input.memoir ${how#"${how%% *}"} -o "$output" >out 2>said
        equal "${how// /-}-to-$output" 1 $?
        unchanged "${how// /-}-to-$output-kept" input.memoir "$sum"
    done
done

# An answer that fails leaves what was there.
echo old >answer
(
    trap '' XFSZ
    ulimit -f 0
    "$MEMOIR" report input.memoir -o answer
) 2>said
equal failed-answer-status 1 $?
equal failed-answer-keeps-old old "$(cat answer)"
"$MEMOIR" report input.memoir -o answer
at_least answer-is-replaced 5 "$(wc -l <answer)"
equal nothing-left-behind "" "$(find . -name '*part*')"
