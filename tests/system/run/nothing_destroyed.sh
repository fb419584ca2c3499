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
    one_sentence "$name-says-why" said 'not a recording.*--force'
    unchanged "$name-keeps-it" source.c "$sum"
done

mkfifo pipe
timeout 10 "$MEMOIR" run -o pipe -- "$program" 2>said
equal pipe-status 1 $?
one_sentence pipe-says-why said 'is a folder, a pipe or a device'
timeout 10 "$MEMOIR" run -o . -- "$program" 2>said
equal folder-status 1 $?
one_sentence folder-says-why said 'is a folder, a pipe or a device'

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
cp source.c other.memoir.tmp # a recording, too
sum=$(sha1sum <other.memoir.tmp)
"$MEMOIR" run --quiet --max-size 128K -o other.memoir -- "$subjects/subject-generator" --sharp --ops 2000000 --books books >/dev/null 2>large.err
one_sentence larger-is-said large.err "more than the 128 KiB of --max-size"
equal rewritten true "$("$MEMOIR" report other.memoir --json | jq .quality.coarsened)"
unchanged tmp-stays-when-rewritten other.memoir.tmp "$sum"
equal no-other-tmp other.memoir.tmp "$(echo *.tmp)"

# Two at once with one name: the second is refused, the first is whole.
"$MEMOIR" run --quiet -o both.memoir -- sleep 2 &
first=$!
for _ in $(seq 100); do
    [ -s both.memoir ] && break
    sleep 0.05
done
"$MEMOIR" run -o both.memoir -- "$program" 2>said
equal second-status 1 $?
one_sentence second-says-why said "another memoir \\(pid $first\\)"
wait $first
equal first-status 0 $?
equal first-is-whole true "$("$MEMOIR" report both.memoir --json | jq .quality.complete)"

# Also while the first has nothing to write yet; and of those who begin at once, one does.
"$MEMOIR" run --quiet -o idle.memoir -- sh -c 'exec sleep 1' &
first=$!
for _ in $(seq 100); do
    [ -e idle.memoir ] && break
    sleep 0.02
done
"$MEMOIR" cpu -o idle.memoir --for 100ms $$ 2>said
equal idle-second-status 1 $?
one_sentence idle-second-says-why said "another memoir \\(pid $first\\)"
wait $first
equal idle-first-status 0 $?
rivals=()
for i in 1 2 3 4 5 6; do
    "$MEMOIR" run --quiet -o race.memoir -- sh -c "sleep 1; : $i" 2>"race.$i" &
    rivals+=($!)
done
won=0
for rival in "${rivals[@]}"; do
    wait "$rival" && won=$((won + 1))
done
equal one-of-many-wins 1 $won
equal others-are-told 5 "$(cat race.[1-6] | grep -c 'being written by another memoir')"
equal winner-is-whole true "$("$MEMOIR" report race.memoir --json | jq .quality.complete)"

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

# No answer replaces a recording, also if the recording is not read.
keeps_recording() { # keeps_recording CASE FILE COMMAND...
    local case=$1 file=$2 sum
    shift 2
    cp both.memoir "$file"
    sum=$(sha1sum <"$file")
    "$MEMOIR" "$@" -o "$file" >out 2>said
    equal "$case-to-a-recording" 1 $?
    one_sentence "$case-to-a-recording-says-why" said "$file is a recording"
    unchanged "$case-to-a-recording-kept" "$file" "$sum"
}
for how in report info "export --to folded" "export --to heaptrack" "diff both.memoir"; do
    read -r -a words <<<"$how"
    keeps_recording "${how// /-}" precious.memoir "${words[@]}" input.memoir
done
for kind in svg html png; do
    keeps_recording "flame-$kind" "precious.$kind" flame input.memoir
done
keeps_recording plot precious.svg plot input.memoir
keeps_recording graph precious.svg graph input.memoir

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

# A program that allocates nothing leaves no recording: an older one under that name must not be taken for it, and is not lost.
"$MEMOIR" run --quiet -o older.memoir -- "$program" >/dev/null
sum=$(sha1sum <older.memoir)
"$MEMOIR" run -o older.memoir -- true 2>said
equal nothing-recorded-status 0 $?
equal nothing-recorded-says-so 1 "$(grep -c 'older.memoir was renamed to older.memoir~' said)"
if [ -e older.memoir ]; then not_ok nothing-recorded-nothing-there "$(ls)"; else ok nothing-recorded-nothing-there; fi
unchanged nothing-recorded-older-is-kept older.memoir~ "$sum"
cp older.memoir~ older.memoir
"$MEMOIR" run -o older.memoir -- true 2>said
equal nothing-recorded-again 1 "$(grep -c 'older.memoir is an older recording' said)"
unchanged nothing-recorded-first-is-kept older.memoir~ "$sum"

# A program that is not there takes the place of nothing.
"$MEMOIR" run --quiet -o kept.memoir -- "$program" >/dev/null
for what in kept.memoir large.err; do
    sum=$(sha1sum <$what)
    for how in run cpu "pages --quiet --source perf"; do
        # shellcheck disable=SC2086
        "$MEMOIR" $how --force -o $what -- ./nosuch 2>said
        equal "mistyped-${how%% *}-$what-status" 127 $?
        unchanged "mistyped-${how%% *}-keeps-$what" $what "$sum"
    done
done

# Rules for leaks are read, too.
echo leak:nobody >rules
sum=$(sha1sum <rules)
"$MEMOIR" report kept.memoir --suppressions rules -o rules 2>said
equal rules-status 1 $?
one_sentence rules-say-why said 'rules is the input'
unchanged rules-are-kept rules "$sum"

# So are the files of the commands for clusters.
"$MEMOIR" run --quiet --history weeks.db -o kept.memoir -- "$program" >/dev/null
echo 'not a block' >n.blockhistory
printf 'c_total 1\n' >n1.20261116_010000.metrics
printf 'c_total 2\n' >n1.20261116_010100.metrics
printf '{"Context":"Agreement"}\n' >node.log
for how in "history weeks.db" "blocks stats n.blockhistory" "metrics n1.20261116_010000.metrics n1.20261116_010100.metrics" \
    "agreement node.log" "topology node.log" "bandwidth n1.20261116_010000.metrics n1.20261116_010100.metrics"; do
    read -r -a words <<<"$how"
    for file in "${words[@]}"; do
        [ -f "$file" ] || continue
        sum=$(sha1sum <"$file")
        # shellcheck disable=SC2086
        "$MEMOIR" $how -o "$file" >out 2>said
        unchanged "${words[0]}-keeps-$file" "$file" "$sum"
    done
done
