#!/usr/bin/env bash
# perf.data: perf's own files of real programs, read by memoir, beside what perf itself says about them.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

command -v perf >/dev/null || { skip all "perf is not installed" && exit; }
perf record -o try.data -e cpu-clock true >/dev/null 2>try.err || { skip all "perf may not record here: $(tail -n 1 try.err)" && exit; }

query='select sum(x) from (with recursive t(x) as (select 1 union all select x+1 from t where x<1500000) select x from t);'
script='print(sum(hash(str(i)) % 7 for i in range(900000)))'
python=/usr/bin/python3

take() { # take NAME OPTIONS… -- PROGRAM…: leaves NAME.data
    local name=$1
    shift
    perf record -q -e cpu-clock -F 997 -o "$name.data" "$@" >"$name.out" 2>"$name.err" || cat "$name.err"
}

# What perf counts, without processors that had nothing to do: samples, and the sum of their periods.
perf_samples() { # perf_samples FILE
    perf script -i "$1" -F pid,period -G 2>/dev/null | awk 'NF == 2 && $1 != 0 { n++; s += $2 } END { printf "%d %.0f\n", n, s }'
}


totals_agree() { # totals_agree NAME
    local theirs ours
    theirs=$(perf_samples "$1.data")
    ours=$("$MEMOIR" export "$1.data" --to folded --metric cpu.on -o "$1.folded" 2>"$1.notes" &&
        awk '{ s += $NF } END { printf "%.0f", s }' "$1.folded")
    equal "$1-total" "${theirs#* }" "$ours"
    equal "$1-samples" "${theirs%% *}" "$("$MEMOIR" info --json "$1.data" | jq -r '.. | .events? // empty' | head -n 1)"
}

# The function that most samples are in, as perf names it.  Where two have nearly the same number either may come first, so
# it is asked whether it is among our largest.
perf_top() { # perf_top FILE
    perf report -i "$1" --stdio --no-children --no-inline -g none -s sym 2>/dev/null |
        awk '$1 ~ /%$/ && $2 ~ /^\[/ && $3 !~ /^(\[|0x)/ { print $3; exit }'
}

our_top() { # our_top FOLDED HOW_MANY
    awk '{ v = $NF; sub(/ [0-9]+$/, ""); n = split($0, f, ";"); sum[f[n]] += v } END { for (k in sum) print sum[k], k }' "$1" |
        sort -rn | head -n "$2" | cut -d' ' -f2-
}

top_agrees() { # top_agrees NAME
    local top
    top=$(perf_top "$1.data")
    if our_top "$1.folded" 5 | grep -qF -- "$top"; then ok "$1-top"; else not_ok "$1-top" "perf has $top, we have $(our_top "$1.folded" 5 | tr '\n' ' ')"; fi
}

take fp -g -- sqlite3 :memory: "$query"
totals_agree fp
top_agrees fp
take flat -- $python -c "$script"
totals_agree flat
top_agrees flat
take dwarf --call-graph dwarf,8192 -- sqlite3 :memory: "$query"
totals_agree dwarf
top_agrees dwarf
take python --call-graph dwarf,16384 -- $python -c "$script"
totals_agree python
at_least python-stacks-complete 0.9 "$(awk '{ n += $NF } /(^|;)_start;|(^|;)_start / { c += $NF } END { print n ? c / n : 0 }' python.folded)"
# Processes are outermost frames where there are several: on a quiet machine there would be one.
# shellcheck disable=SC2016 # the inner shell's
take everything -a -g -- sh -c 'sha256sum /dev/zero & beside=$!; sqlite3 :memory: "$0"; kill $beside' "$query"
totals_agree everything
equal everything-has-a-root 1 "$(cut -d';' -f1 everything.folded | grep -c '^sqlite3 [0-9]* *$' | awk '{ print ($1 > 0) }')"
if perf record -z -o z.data true >/dev/null 2>&1 && perf report --header-only -i z.data 2>/dev/null | grep -q 'compressed *:'; then
    take packed -z -g -- sqlite3 :memory: "$query"
    totals_agree packed
else
    skip packed "this perf cannot pack"
fi
perf record -q -e cpu-clock -F 997 -g -o - -- sqlite3 :memory: "$query" 2>/dev/null >piped.all
# What the program printed came first.
LC_ALL=C grep -aobF PERFILE2 piped.all | head -n 1 | cut -d: -f1 >piped.at
tail -c "+$(($(cat piped.at) + 1))" piped.all >piped.data
totals_agree piped

# Code made at run time has the names that its runtime lists.
if command -v node >/dev/null; then
    cat >hot.js <<'END'
function hotInner(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
let t = 0; for (let k = 0; k < 900; k++) t += hotInner(100000); console.log(t);
END
    take node -g -- node --perf-basic-prof hot.js
    totals_agree node
    list=/tmp/perf-$("$MEMOIR" info --json node.data | jq -r .recording.pid).map
    at_least node-names 0.5 "$(awk '{ n += $NF } /hotInner/ { c += $NF } END { print n ? c / n : 0 }' node.folded)"
    rm -f "$list"
    "$MEMOIR" export node.data --to folded --metric cpu.on -o nameless.folded 2>/dev/null
    at_least node-without-its-list 0.5 "$(awk '{ n += $NF } /\[jit\]/ { c += $NF } END { print n ? c / n : 0 }' nameless.folded)"
else
    skip node "node is not installed"
fi

# A recorder that was killed, and a file that lost its end.
cp dwarf.data killed.data
printf '\0\0\0\0\0\0\0\0' | dd of=killed.data bs=1 seek=48 conv=notrunc 2>/dev/null
"$MEMOIR" export killed.data --to folded --metric cpu.on -o killed.folded 2>/dev/null
equal killed-is-read "$(awk '{ s += $NF } END { printf "%.0f", s }' dwarf.folded)" "$(awk '{ s += $NF } END { printf "%.0f", s }' killed.folded)"
"$MEMOIR" report killed.data >killed.txt 2>&1
equal killed-is-told 1 "$(grep -c 'perf was killed' killed.txt)"
head -c $(($(stat -c %s dwarf.data) / 2)) dwarf.data >half.data
"$MEMOIR" report half.data >half.txt 2>&1
equal half-is-read "0 1" "$? $(grep -c 'the end of the file is gone' half.txt)"

# The other order of bytes is refused in one sentence.
(printf 2ELIFREP && tail -c +9 fp.data) >other.data
"$MEMOIR" report other.data >other.out 2>other.err
equal other-order-status 1 "$?"
one_sentence other-order other.err 'byte order'

# Without its binary: what the file knows, and the sentence that says what is missing.
cp "$(readlink -f $python)" ./gone-program
take gone -- ./gone-program -c "$script"
rm -f gone-program
"$MEMOIR" report gone.data >gone.txt 2>&1
equal gone-is-told 1 "$(grep -c 'not on this machine' gone.txt)"
"$MEMOIR" export gone.data --to folded --metric cpu.on -o gone.folded 2>/dev/null
equal gone-total "$(perf_samples gone.data | cut -d' ' -f2)" "$(awk '{ s += $NF } END { printf "%.0f", s }' gone.folded)"

cp "$(command -v sqlite3)" gone-program
"$MEMOIR" report gone.data >other.txt 2>&1
equal other-build-is-told 1 "$(grep -c 'other builds than those that ran' other.txt)"
rm -f gone-program
equal gone-offsets 1 "$(awk '/^gone-program\+0x/ { n++ } END { print (n > 0) }' gone.folded)"

# Every picture and export is as for our own.
"$MEMOIR" flame dwarf.data -o dwarf.svg 2>flame.err
equal flame "0 1" "$? $(grep -c '</svg>' dwarf.svg)"
"$MEMOIR" export dwarf.data --to pprof -o dwarf.pb.gz 2>/dev/null
equal pprof 0 $?

# And back: what memoir writes, in perf and in Hotspot's parser, with the same totals; read again, it is the same.
sum_of() { # sum_of FOLDED
    awk '{ s += $NF } END { printf "%.0f", s }' "$1"
}
perf_total() { # perf_total FILE: what perf report says
    perf report -i "$1" --stdio --no-children -g none 2>/dev/null | sed -n 's/^# Event count (approx.): //p' | head -n 1
}
# Code in no file is what it is: that of another program under memoir, beside this test, has lost its own name.
stacks_of() { # stacks_of FOLDED
    cut -d';' -f2- "$1" | sed 's/\[memoir\]/[jit]/g' | sort | md5sum
}
parser=$(dpkg -L hotspot 2>/dev/null | grep '/hotspot-perfparser$')
for name in dwarf python everything; do
    "$MEMOIR" export $name.data --to perf -o $name.ours.data 2>$name.ours.notes
    equal $name-written 0 $?
    equal $name-written-total "$(sum_of $name.folded)" "$(perf_total $name.ours.data)"
    equal $name-written-samples "$(perf_samples $name.data)" "$(perf_samples $name.ours.data)"
    "$MEMOIR" export $name.ours.data --to folded --metric cpu.on -o $name.again.folded 2>/dev/null
    equal $name-written-and-read "$(stacks_of $name.folded)" "$(stacks_of $name.again.folded)"
    if [ -n "$parser" ]; then
        "$parser" --input $name.ours.data --print-stats >$name.stats 2>$name.stats.err
        equal $name-hotspot "0 $(perf_samples $name.data | cut -d' ' -f1)" "$? $(sed -n 's/^samples: //p' $name.stats)"
    fi
done
[ -n "$parser" ] || skip hotspot "hotspot is not installed"
equal written-top "$(perf_top dwarf.data)" "$(perf_top dwarf.ours.data)"
# Any metric of a recording of ours: bytes by stack.
record heap.memoir -- "$subjects/subject-leaks_100_blocks"
"$MEMOIR" export heap.memoir --to perf --metric heap.leaked -o heap.data 2>heap.notes
equal heap-written-total 100000 "$(perf_total heap.data)"
perf report -i heap.data --stdio --no-children -g caller 2>/dev/null >heap.txt
at_least heap-written-names 1 "$(grep -c ' main$' heap.txt)"
# Names that the file cannot hold, only when asked for.
if [ ! -e node.data ]; then
    skip name-list "node is not installed"
    exit
fi
"$MEMOIR" export node.data --to perf -o node.ours.data 2>node.ours.notes
equal names-are-told 1 "$(grep -c -- --name-list node.ours.notes)"
"$MEMOIR" export node.data --to perf --name-list -o node.ours.data 2>/dev/null
list=/tmp/perf-$("$MEMOIR" info --json node.data | jq -r .recording.pid).map
at_least names-are-listed 0.5 "$(perf report -i node.ours.data --stdio --no-children -g none -s sym 2>/dev/null | awk '$3 == "[jit]" { s += $1 } END { print s / 100 }')"
"$MEMOIR" export node.data --to perf --name-list -o node.ours.data 2>list.err
equal list-is-not-overwritten 1 $?
one_sentence list-is-there list.err 'remove it if the process has ended'
rm -f "$list"

# A recording of our own: in perf the same time; and code made at run time has its names while it runs.
if "$MEMOIR" cpu --source perf --hz 499 --quiet -o own.memoir -- sqlite3 :memory: "$query" >/dev/null 2>own.err; then
    "$MEMOIR" export own.memoir --to perf -o own.data 2>/dev/null
    "$MEMOIR" export own.memoir --to folded --metric cpu.on -o own.folded 2>/dev/null
    equal own-written-total "$(sum_of own.folded)" "$(perf_total own.data)"
    equal own-program sqlite3 "$(perf script -i own.data -F comm -G 2>/dev/null | awk 'NF { print $1; exit }')"
    "$MEMOIR" cpu --source perf --hz 499 --quiet -o live.memoir -- node --perf-basic-prof hot.js >/dev/null 2>&1
    "$MEMOIR" export live.memoir --to folded --metric cpu.on -o live.folded 2>/dev/null
    at_least live-node-names 0.5 "$(awk '{ n += $NF } /hotInner/ { c += $NF } END { print n ? c / n : 0 }' live.folded)"
    rm -f "/tmp/perf-$("$MEMOIR" info --json live.memoir | jq -r .recording.pid).map"
else
    skip own "memoir cpu may not record here: $(cat own.err)"
fi
true
