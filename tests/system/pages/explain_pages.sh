#!/usr/bin/env bash
# memoir explain on processes that no hook is in: every resident page by who touched it first.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
started=()
trap 'for pid in "${started[@]}"; do kill -9 "$pid"; done 2>/dev/null' EXIT
skip_without_agent explain-pages
mib=1048576
begin_agent || not_ok agent-begins "$(cat agent.err)"

owner() { # owner FILE METRIC
    jq -r --arg metric "$2" '.owners[] | select(.metric == $metric) | .value' "$1"
}
owned() { # owned FILE METRIC FUNCTION
    jq -r --arg metric "$2" --arg function "$3" '[.owners[] | select(.metric == $metric) | .rows[]
        | select(any(.stack[]; .function == $function)) | .value] | add // 0' "$1"
}
says() { # says CASE FILE PATTERN
    if grep -Eq "$3" "$2"; then ok "$1"; else not_ok "$1" "it does not say '$3': $(head -c 2000 "$2")"; fi
}

# The parts are the page walk, and of a process that stands still the kernel's counters, each and in all, to the byte.
adds_up() { # adds_up NAME PID
    local pair
    equal "$1-parts" "$(jq .residency.walked_bytes "$1.json")" "$(jq '[.owners[].value] | add' "$1.json")"
    equal "$1-rows" "$(jq .residency.walked_bytes "$1.json")" "$(jq '[.owners[].rows[].value] | add' "$1.json")"
    equal "$1-kernel" "$(status_bytes "$2" VmRSS)" "$(jq .residency.resident_bytes "$1.json")"
    equal "$1-unchanged" 0 "$(jq .residency.changed_bytes "$1.json")"
    equal "$1-after" "$(jq .residency.rss_before_bytes "$1.json")" "$(jq .residency.rss_after_bytes "$1.json")"
    for pair in anon:RssAnon file:RssFile shmem:RssShmem; do
        equal "$1-kernel-${pair%:*}" "$(status_bytes "$2" "${pair#*:}")" "$(owner "$1.json" "pages.${pair%:*}")"
    done
}

steps_are_owners() { # steps_are_owners NAME
    equal "$1-anon" $((48 * mib)) "$(owned "$1.json" pages.anon touch_64_mib)"
    equal "$1-populate" $((8 * mib)) "$(owned "$1.json" pages.anon populate_8_mib)"
    equal "$1-move" $((32 * mib)) "$(owned "$1.json" pages.anon grow_4_to_32_mib)"
    equal "$1-huge" $((20 * mib)) "$(owned "$1.json" pages.anon huge_20_mib)"
    equal "$1-file" $((12 * mib)) "$(owned "$1.json" pages.file map_file_12_mib)"
    equal "$1-shared" $((6 * mib)) "$(owned "$1.json" pages.shmem share_6_mib)"
}

# A program that pages records from its first instruction; asked while it runs, with a recorder that looks by itself once a minute:
# what explain shows was looked at because it asked.
explain_steps() { # explain_steps NAME PROGRAM
    local pid
    begin_subject "$MEMOIR" pages --agent "$socket" --every 60s -o "$1.memoir" -- "$2"
    for name in anon populate move huge write map share drop; do
        step $name || not_ok "$1-step-$name" "it did not end"
    done
    pid=$(pgrep -P "$subject" | head -n 1)
    "$MEMOIR" explain "$pid" --json --top 100000 >"$1.json" 2>"$1.err"
    equal "$1-status" 0 $?
    equal "$1-quiet" "" "$(cat "$1.err")"
    adds_up "$1" "$pid"
    steps_are_owners "$1"
    equal "$1-before" 0 "$(owned "$1.json" pages.anon '[resident before attach]')"
    "$MEMOIR" explain "$pid" --top 1 >"$1.text" 2>&1
    equal "$1-text-status" 0 $?
    end_subject
    "$MEMOIR" explain "$1.memoir" --json --top 100000 >"$1.later.json"
    equal "$1-recorded" "$(owner "$1.json" pages.shmem)" "$(owner "$1.later.json" pages.shmem)"
}
explain_steps dynamic "$subjects/subject-touches_pages"
says text-head dynamic.text 'every page by the code that touched it first'
says text-anonymous dynamic.text '^ *anonymous '
says text-who dynamic.text 'touch_64_mib'
says text-more dynamic.text 'more, see --top'
says text-blocks dynamic.text 'memoir attach|attach --pages'
equal top-is-few 1 "$("$MEMOIR" explain dynamic.memoir --top 1 --json | jq '[.owners[] | select(.metric == "pages.anon") | .rows[]
    | select(.stack[0].function | startswith("[") | not)] | length')"
"$MEMOIR" explain dynamic.memoir --csv --top 100000 >dynamic.csv
equal csv "$(jq '[.owners[].value] | add' dynamic.later.json)" "$(awk -F, 'NR > 1 { sum += $2 } END { printf "%.0f\n", sum }' dynamic.csv)"
equal report "$(jq .residency.resident_bytes dynamic.later.json)" "$(total dynamic.memoir pages.resident)"

# Nothing of ours can be brought into this one.
if gcc -D_GNU_SOURCE -O1 -g -static -o touches_static "$TOP/tests/subjects/touches_pages.c" 2>gcc.err; then
    explain_steps static ./touches_static
    begin_subject ./touches_static
    step anon
    "$MEMOIR" explain "$subject" --json >alone.json 2>alone.err
    equal alone-status 0 $?
    if jq -re '.notes[]' alone.json | grep -q "static.*memoir pages $subject"; then ok alone-says; else not_ok alone-says "$(jq .notes alone.json)"; fi
    # A process that ran before: what it had is under its name, and said so.
    "$MEMOIR" pages --agent "$socket" --quiet --every 200ms -o late.memoir "$subject" 2>late.err &
    recorder=$!
    started+=("$recorder")
    for _ in $(seq 200); do
        "$MEMOIR" explain late.memoir >late.text 2>/dev/null && break
        sleep 0.05
    done
    step share
    "$MEMOIR" explain "$subject" --json --top 100000 >late.json 2>late.err
    adds_up late "$subject"
    at_least late-before $((64 * mib)) "$(owned late.json pages.anon '[resident before attach]')"
    equal late-shared $((6 * mib)) "$(owned late.json pages.shmem share_6_mib)"
    at_least late-advice $((64 * mib)) "$(jq '.advice[] | select(.kind == "earlier") | .bytes' late.json)"
    "$MEMOIR" explain "$subject" --top 0 >late.text 2>late.err
    says late-shown late.text 'resident before attach'
    kill -INT "$recorder"
    wait "$recorder"
    equal late-status 0 $?
    end_subject
else
    skip static "no static libc"
fi

# With hooks in it as well: free pages of the heap by who touched just these, all of them and to the byte.
touched() { # touched NAME METRIC: in all
    jq --arg metric "$2" '[.owners[] | select(.metric == $metric) | .touched[]?.value] | add // 0' "$1.json"
}
touched_by() { # touched_by NAME METRIC FUNCTION
    jq --arg metric "$2" --arg function "$3" '[.owners[] | select(.metric == $metric) | .touched[]?
        | select(any(.stack[]; .function == $function)) | .value] | add // 0' "$1.json"
}
"$MEMOIR" run --quiet --agent "$socket" -o pins.memoir -- "$subjects/subject-pins_pages" >pins.out 2>pins.err 7>&- &
recorder=$!
started+=("$recorder")
wait_until 30 has_line pins.out ready
pid=$(descendants "$recorder" | head -n 1)
started+=("$pid")
"$MEMOIR" explain "$pid" --json --top 100000 >pins.json 2>pins.err
equal pins-status 0 $?
equal pins-owners "$(jq .residency.walked_bytes pins.json)" "$(jq '[.owners[].value] | add' pins.json)"
at_least pins-kept 100000000 "$(owner pins.json heap.kept)"
equal pins-kept-touched "$(owner pins.json heap.kept)" "$(touched pins heap.kept)"
equal pins-unexplained-touched "$(owner pins.json unexplained.resident)" "$(touched pins unexplained.resident)"
at_least pins-large $((80 * mib)) "$(touched_by pins heap.kept large_site)"
at_least pins-middle $((25 * mib)) "$(touched_by pins heap.kept middle_site)"
"$MEMOIR" explain "$pid" >pins.text 2>&1
says pins-text pins.text 'touched first by'
kill -9 "$pid"
wait "$recorder"
equal pins-metric "$(touched pins heap.kept)" "$(total pins.memoir heap.kept.touched)"

# Memory that no hook saw because it came before, or by a system call of its own, after the pages were watched.
begin_subject "$subjects/subject-touches_pages"
step anon
"$MEMOIR" attach --quiet --agent "$socket" -o attached.memoir "$subject" >attached.out 2>attached.err 7>&- &
recorder=$!
started+=("$recorder")
for _ in $(seq 200); do
    "$MEMOIR" explain attached.memoir --json >attached.json 2>/dev/null && [ "$(touched attached before.resident)" -gt 0 ] && break
    sleep 0.1
done
at_least attached-before $((64 * mib)) "$(touched_by attached before.resident '[resident before attach]')"
at_most attached-before-most "$(owner attached.json before.resident)" "$(touched attached before.resident)"
kill -INT "$recorder"
wait "$recorder"
end_subject

# Go: no libc, no malloc, its own stacks.
cat >fill.go <<'EOF'
package main

import (
	"fmt"
	"os"
	"time"
)

var kept [][]byte

//go:noinline
func fill40Mib() {
	for i := 0; i < 40; i++ {
		block := make([]byte, 1<<20)
		for at := range block {
			block[at] = 1
		}
		kept = append(kept, block)
	}
}

func main() {
	fill40Mib()
	fmt.Println("ready")
	for len(kept) > 0 {
		time.Sleep(time.Second)
	}
	os.Exit(1)
}
EOF
if command -v go >/dev/null && CGO_ENABLED=0 GOCACHE="$PWD/gocache" GOFLAGS=-mod=mod go build -o fill fill.go 2>go.err; then
    "$MEMOIR" pages --agent "$socket" --quiet -o go.memoir -- ./fill >go.out 2>go.err &
    recorder=$!
    started+=("$recorder")
    for _ in $(seq 400); do
        grep -q ready go.out && break
        sleep 0.05
    done
    pid=$(pgrep -P "$recorder" | head -n 1)
    started+=("$pid")
    "$MEMOIR" explain "$pid" --json --top 100000 >go.json 2>go.explain.err
    equal go-status 0 $?
    equal go-parts "$(jq .residency.walked_bytes go.json)" "$(jq '[.owners[].value] | add' go.json)"
    at_least go-fill $((40 * mib)) "$(owned go.json pages.anon main.fill40Mib)"
    at_most go-fill-most $((44 * mib)) "$(owned go.json pages.anon main.fill40Mib)"
    kill "$pid"
    wait "$recorder"
else
    skip go "no Go compiler"
fi
end_agent
equal agent-ends 0 $?
