#!/usr/bin/env bash
# Samples: estimates that are right on average, and a recording that changes its mode while it runs.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

runs=10 rate=524288
for ((i = 0; i < runs; i++)); do
    "$MEMOIR" run --quiet --heap sample -o "s$i.memoir" -- "$subjects/subject-many_sizes" || not_ok run "$?"
    for function in small medium large passing growing; do
        echo "$function $(site "s$i.memoir" heap.leaked "${function}_here") $(site "s$i.memoir" heap.allocated "${function}_here")"
    done
done >estimates
# Each mean against the truth, in standard deviations: n blocks of s bytes are estimated with variance n s^2 (1 - p) / p, p
# the chance of a block to be taken; their number with n (1 - p) / p.  Beyond 5.5 (once in 26 million) something is
# wrong; there are 17 comparisons, so this test is wrong once in a million runs.
awk -v runs=$runs -v rate=$rate '
    function taken(s) { return 1 - exp(-(s + 1) / rate) }
    function judge(what, sum, expected, variance,    off) {
        off = variance > 0 ? (sum / runs - expected) / sqrt(variance / runs + 1) : (sum / runs - expected) / (expected / 1e9 + 1e-9)
        printf("%s %s: %.0f, is %.0f (%.1f standard deviations)\n", (off > 5.5 || off < -5.5 ? "not ok" : "ok"), what, sum / runs, expected, off)
    }
    { live[$1] += $2; live_calls[$1] += $3; all[$1] += $4; all_calls[$1] += $5; rows++ }
    END {
        split("small 120000 48 1 medium 1200 20000 1 large 16 1000000 1 passing 600000 100 0", t, " ")
        for (i = 1; i <= 16; i += 4) {
            name = t[i]; n = t[i + 1]; s = t[i + 2]; kept = t[i + 3]; p = taken(s)
            judge("allocated-" name, all[name], n * s, n * s * s * (1 - p) / p)
            judge("calls-" name, all_calls[name], n, n * (1 - p) / p + n / 4)
            judge("live-" name, live[name], kept * n * s, kept ? n * s * s * (1 - p) / p : 0)
            judge("live-calls-" name, live_calls[name], kept * n, kept ? n * (1 - p) / p + n / 4 : 0)
        }
        for (s = 1000; s <= 2000000; s += 1000) { p = taken(s); sum += 2 * s; variance += 2 * s * s * (1 - p) / p }
        judge("allocated-growing", all["growing"], sum, variance)
    }' estimates >judged
while IFS=: read -r verdict why; do
    case $verdict in
        "ok "*) ok "${verdict#ok }" ;;
        *) not_ok "${verdict#not ok }" "$why" ;;
    esac
done <judged
equal says-rate 524288 "$("$MEMOIR" info --json s0.memoir | jq .quality.sample_rate_bytes)"
"$MEMOIR" report s0.memoir >s0.txt
if grep -q 'sampled  *one block in 512 KiB' s0.txt && grep -q '± ' s0.txt; then ok says-error; else not_ok says-error "$(head -n 12 s0.txt)"; fi
if has_line s0.txt '^ *peak  .*\(between .* and .*: it is estimated\)'; then ok says-range-of-peak; else not_ok says-range-of-peak "$(head -n 12 s0.txt)"; fi
equal rows-sum-to-peak "$(summary s0.memoir peak_bytes)" "$("$MEMOIR" report s0.memoir --json --metric heap.peak | jq '[.rows[].value] | add')"
"$MEMOIR" diff s0.memoir s1.memoir --fail-if 'heap.peak>1' >/dev/null 2>gate.err
if grep -q 'heap.peak went from .* (between .*) to .* (between .* and .*)' gate.err; then ok gate-range; else not_ok gate-range "$(cat gate.err)"; fi
if [ "$(du -k s0.memoir | cut -f1)" -le 256 ]; then ok small-file; else not_ok small-file "$(du -k s0.memoir)"; fi

# Full, off, full again: what happened while it was off is not there, all else is exact.
coproc steps { exec "$MEMOIR" run --quiet -o steps.memoir -- "$subjects/subject-steps_on_request"; }
recorder=$steps_PID
to=${steps[1]} from=${steps[0]}
ask() { # ask LINE
    echo "$1" >&"$to"
    read -r -t 20 answer <&"$from" || answer=none
    [ "$answer" = "done" ] || not_ok "ask-$1" "the program says '$answer'"
}
ask "make 100"
target=$(pgrep -P "$recorder" | head -n 1)
set_heap() {
    "$MEMOIR" set "$target" --heap "$1" || not_ok "set-$1" "status $?"
}
set_heap off
ask "make 1000"
set_heap full
ask "make 50"
ask "free 20"
exec {to}>&-
wait "$recorder"
equal steps-status 0 $?
equal steps-made "150000 150" "$(site steps.memoir heap.allocated make_here)"
equal steps-freed "20000 20" "$(site steps.memoir heap.freed make_here)"
equal steps-says-off '["off"]' "$("$MEMOIR" info --json steps.memoir | jq -c '[.quality.doubts[].kind]')"
"$MEMOIR" run --heap off -o off.memoir -- true 2>off.err
one_sentence off off.err 'the heap was not traced'
# Said also when no sample was taken.
"$MEMOIR" run --heap sample=64M -o rare.memoir -- true 2>rare.err
one_sentence rare rare.err 'no sample was taken'

# Samples begin in the middle: what was live then is said to be out of sight.
coproc steps { exec "$MEMOIR" run --quiet -o later.memoir -- "$subjects/subject-steps_on_request"; }
recorder=$steps_PID
to=${steps[1]} from=${steps[0]}
ask "make 100"
target=$(pgrep -P "$recorder" | head -n 1)
set_heap sample=64
ask "make 500"
ask "free 550"
set_heap full
ask "make 10"
exec {to}>&-
wait "$recorder"
equal later-status 0 $?
equal later-unfollowed-at-least 100000 "$("$MEMOIR" info --json later.memoir | jq 'if .quality.unfollowed_bytes >= 100000 then 100000 else .quality.unfollowed_bytes end')"
# With 64 bytes to a sample a block of 1000 is taken all but certainly, and stands for itself.
equal later-live "10000 10" "$(site later.memoir heap.leaked make_here)"

"$MEMOIR" set $$ --heap full 2>nobody.err
equal nobody-status 1 $?
one_sentence nobody nobody.err 'is not being recorded'
"$MEMOIR" set $$ --heap some 2>mode.err
equal mode-status 2 $?
"$MEMOIR" run --heap sample=3 -- true 2>rate.err
equal rate-status 2 $?
one_sentence rate rate.err 'between 64 and 64M'

# Of children that allocate too little for a sample there is no file, and a word.
cat >children.sh <<END
/bin/true
/bin/true
"$subjects/subject-many_sizes" >/dev/null
END
"$MEMOIR" run --children --heap sample -o children.memoir -- sh children.sh 2>children.err
if grep -q '[2-9] processes have nothing to record and no file: no sample was taken' children.err; then
    ok silent-children
else
    not_ok silent-children "$(cat children.err)"
fi
