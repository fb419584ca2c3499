#!/usr/bin/env bash
# FILE of every kind: plain, packed by anything, through a pipe, as standard input; and what is no file of memoir's.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

record one.memoir -- "$subjects/subject-leaks_100_blocks"
cp one.memoir one.memoir.file
for format in heaptrack massif callgrind pprof perf; do
    metric=()
    [ $format != perf ] || metric=(--metric heap.allocated)
    "$MEMOIR" export one.memoir --to $format "${metric[@]}" -o "one.$format.file" 2>>errors
done
zstd -qdc one.heaptrack.file >plain 2>/dev/null && mv plain one.heaptrack.file

number() { # number FILE
    "$MEMOIR" report "$1" --json 2>"$name.err" | jq -r '"\(.metric) \(.total.value)"'
}

for format in memoir heaptrack massif callgrind pprof perf; do
    name=one.$format.file
    expected=$(number "$name")
    at_least "$format-is-read" 100000 "${expected##* }"
    gzip -kf "$name" && zstd -qf "$name" && xz -kf "$name" && bzip2 -kf "$name"
    for packed in gz zst xz bz2; do
        equal "$format-$packed" "$expected" "$(number "$name.$packed")"
    done
    equal "$format-pipe" "$expected" "$(number <(cat "$name"))"
    equal "$format-standard-input" "$expected" "$(number - <"$name")"
    equal "$format-packed-standard-input" "$expected" "$(xz -dc "$name.xz" | gzip | number -)"
done
equal two-pipes 0 "$("$MEMOIR" diff <(cat one.memoir) <(xz -dc one.massif.file.xz) --metric heap.live --json 2>>errors | jq .change)"
equal info-of-a-pipe "standard input $(stat -c %s one.memoir)" "$("$MEMOIR" info - --json <one.memoir | jq -r '"\(.file.path) \(.file.bytes)"')"

printf 'goroutine profile: total 2\n2 @ 0x1001\n' >count.txt
equal program-of-a-pipe "standard input" "$("$MEMOIR" report - --json <count.txt | jq -r .recording.program)"

# A command line longer than what is looked at first.
long=$(head -c 9000 /dev/zero | tr '\0' x)
for format in massif callgrind; do
    name=long.$format
    sed "/^# callgrind format/d; s/^cmd: .*/cmd: $long/" one.$format.file >long.$format
    equal "$format-with-a-long-command" "$(number one.$format.file)" "$(number long.$format)"
done

# What is no file of memoir's, is said to be what it is.
printf '{"a": 1}\n' >file.json
printf 'some words\n' >file.text
printf 'main;work 17\n' >file.folded
gzip -k file.json
head -c 300 /dev/zero >file.zeros
cp "$MEMOIR" file.elf
while read -r file pattern; do
    "$MEMOIR" report "$file" >/dev/null 2>sentence.err
    equal "$file-refused" 1 $?
    one_sentence "$file-sentence" sentence.err "looks like $pattern; memoir reads its own recordings, files of heaptrack, perf"
done <<'END'
file.json JSON
file.text text
file.folded folded stacks, which memoir writes and does not read
file.json.gz gzip of JSON
file.zeros a file of an unknown kind
file.elf a program or library .ELF.
END
timeout 20 "$MEMOIR" serve file.text --listen 127.0.0.1:0 >/dev/null 2>sentence.err
one_sentence serve-says-the-same sentence.err 'looks like text; memoir reads'
"$MEMOIR" report - <file.text >/dev/null 2>sentence.err
one_sentence standard-input-has-a-name sentence.err 'cannot read standard input: '
true
