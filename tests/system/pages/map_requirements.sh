#!/usr/bin/env bash
# memoir map against what such a breakdown must do, and the mistakes that others made; a case for each.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

ended=
end_all() {
    local pid
    for pid in $ended; do kill -KILL "$pid" 2>/dev/null; done
    leave_house
    [ -z "${own:-}" ] || rmdir "$own" 2>/dev/null
}
trap end_all EXIT

mkfifo hold
"$subjects/subject-memory_of_every_kind" "$PWD" <hold >said &
subject=$!
ended="$ended $subject"
exec 9>hold
wait_until 20 has_line said ready
kill -STOP "$subject"
"$MEMOIR" map "$subject" --json -o whole.json
"$MEMOIR" map "$subject" --csv --all -o mappings.csv
"$MEMOIR" map "$subject" >text

# ---- mistakes that others made ----
# D1: a mapping without rights takes nothing from the one before it; each mapping has what the kernel says.
cat >compare.py <<'END'
import csv, re, sys
kernel, start = {}, None
for line in open(f'/proc/{sys.argv[1]}/smaps'):
    head = re.match(r'([0-9a-f]+)-[0-9a-f]+ (....) ', line)
    if head:
        start = head[1]
        kernel[start] = [head[2], 0]
    elif line.startswith('Rss:'):
        kernel[start][1] = int(line.split()[1]) * 1024
ours = {row['start']: int(row['rss_bytes']) for row in csv.DictReader(open('mappings.csv'))}
wrong = [s for s, (rights, rss) in kernel.items() if s in ours and ours[s] > rss]
missing = [s for s in kernel if s not in ours]
starts = list(kernel)
before_none = sum(1 for a, b in zip(starts, starts[1:]) if kernel[b][0][:3] == '---' and kernel[a][1] and ours[a] == kernel[a][1])
print(len(wrong), len(missing), sum(ours.values()) == sum(rss for _, rss in kernel.values()), before_none > 0)
END
equal defect-1-no-access-mappings "0 0 True True" "$(python3 compare.py "$subject")"
equal defect-2-inside-is-not-added "true true" \
    "$(jq -r '"\(([.leaves[].bytes.rss] | add) == .total.bytes.rss) \([.inside[].numbers[]] | length > 0)"' whole.json)"
equal defect-3-residual-is-shown 1 "$(grep -c "^Sum of all parts: $(awk '/^VmRSS/ { print $2 }' "/proc/$subject/status") kB; the kernel's VmRSS: " text)"
equal defect-4-lib-in-a-path "Other Files" "$(jq -r '.leaves[] | select(.item == "library of things") | .label' whole.json)"
"$MEMOIR" map $$ --json -o shell.json
equal defect-5-brk-and-stack "allocator stacks" "$(jq -r '[.leaves[] | select(.label == "Heap (brk)" or .label == "Main") | .section] | join(" ")' shell.json)"
equal defect-6-numbered-names 1 "$(jq '[.leaves[] | select(.item | startswith("ring-"))] | length' whole.json)"
equal defect-7-addresses 0 "$("$MEMOIR" map "$subject" --json --all --no-addresses | jq '[.regions[] | select(has("start") or has("end"))] | length')"
equal defect-8-cost "true true" "$(jq -r '.capture | "\(.took_ns > 0) \(.predicted_ns > 0)"' whole.json)"
# (What is shared with others is the others' affair: PSS, and which pages are private.)
# (The kernel may take pages of a busy machine's programs at any time: then the two looks do not see the same.)
for _ in 1 2 3 4 5; do
    resident=$(awk '/^VmRSS/ { print $2 }' "/proc/$subject/status")
    "$MEMOIR" map "$subject" --csv | cut -d , -f 1-7,13- >again.csv
    "$MEMOIR" map "$subject" --csv | cut -d , -f 1-7,13- >once.csv
    [ "$resident" != "$(awk '/^VmRSS/ { print $2 }' "/proc/$subject/status")" ] || break
    sleep 0.5
done
same_text defect-9-same-every-time once.csv again.csv
equal defect-9-to-the-kilobyte "$(awk '/^VmRSS/ { print $2 }' "/proc/$subject/status")" "$(sed -n 's/^RSS (Resident):.*(\([0-9]*\) kB.*/\1/p' text)"
equal defect-10-side-figures "huge lazy_free locked private_hugetlb shared_hugetlb swap" \
    "$(jq -r '.leaves[0].bytes | keys[] | select(IN("huge", "lazy_free", "locked", "private_hugetlb", "shared_hugetlb", "swap"))' whole.json | xargs)"
at_least defect-10-lazily-freed $((5 * 1024 * 1024)) "$(jq .total.bytes.lazy_free whole.json)"
equal defect-10-shared-memory "memfd Shared anonymous" "$(jq -r '[.leaves[] | select(.section == "shared" and .bytes.rss > 0) | .label] | unique | sort | reverse | join(" ")' whole.json)"
"$BUILD/examples/debug-memory" 26061 >service.out 2>service.err 9>&- &
service=$!
ended="$ended $service"
wait_until 10 has_line service.out ready
equal defect-11-one-answer "$(curl -s http://127.0.0.1:26061/debug/memory | awk '/^  page cache / { print $3 }')" \
    "$("$MEMOIR" map "$service" | awk '/^  page cache / { print $3 }')"
kill "$service"

# ---- requirements ----
equal requirement-1-one-leaf "$(jq .total.bytes.rss whole.json)" "$(jq '[.sections[].bytes.rss] | add' whole.json)"
equal requirement-2-columns "RSS PSS private swap virtual" "$(grep -m 1 'RSS kB.*PSS kB' text | sed 's/ kB//g' | xargs)"
equal requirement-2-virtual "$(jq .total.bytes.virtual whole.json)" "$(jq '[.leaves[].bytes.virtual] | add' whole.json)"
equal requirement-3-inside "true" "$(jq '[.inside[].numbers[] | .source | length > 0] | all' whole.json)"
equal requirement-4-own-rules 10 "$("$MEMOIR" map "$subject" --json --group 'chain=*/chain.*' | jq '[.leaves[] | select(.label == "chain") | .bytes.rss] | add / 1048576')"
equal requirement-5-registry registry "$(jq -r '.leaves[] | select(.label == "cache/told") | .evidence' whole.json)"
equal requirement-6-budget pagemap "$("$MEMOIR" map "$subject" --budget 1us --json | jq -r .capture.source)"
equal requirement-6-enough smaps "$("$MEMOIR" map "$subject" --budget 10s --json | jq -r .capture.source)"
equal requirement-7-folded "$(jq .total.bytes.rss whole.json)" "$("$MEMOIR" map "$subject" --folded | awk '{ sum += $NF } END { printf "%.0f\n", sum }')"
equal requirement-7-sort "$("$MEMOIR" map "$subject" --sort virtual --top 5 --json | jq -c '[.regions[].bytes.virtual]')" \
    "$("$MEMOIR" map "$subject" --sort virtual --top 5 --json | jq -c '[.regions[].bytes.virtual] | sort | reverse')"
equal requirement-7-sort-differs false "$(jq -n --argjson a "$("$MEMOIR" map "$subject" --sort virtual --top 5 --json | jq -c '[.regions[].start]')" \
    --argjson b "$("$MEMOIR" map "$subject" --top 5 --json | jq -c '[.regions[].start]')" '$a == $b')"
equal requirement-7-by-perm "$(awk '/^[0-9a-f]+-[0-9a-f]+ / { perm = $2 } /^Rss:/ { sum[perm] += $2 } END { print sum["rw-p"] * 1024 }' "/proc/$subject/smaps")" \
    "$("$MEMOIR" map "$subject" --by perm --csv | awk -F , '$2 == "rw-p" { print $7 }')"
equal requirement-7-by-file "$(jq .total.bytes.rss whole.json)" "$("$MEMOIR" map "$subject" --by file --json | jq '[.leaves[].bytes.rss] | add')"
equal requirement-7-by-name 1 "$("$MEMOIR" map "$subject" --by name --json | jq '[.leaves[] | select(.label == "[heap]")] | length')"
equal requirement-7-unit "$(awk '/^VmRSS/ { print $2 }' "/proc/$subject/status") kB" "$("$MEMOIR" map "$subject" --unit kB | awk '/^RSS \(Resident\)/ { print $3, $4 }')"
equal requirement-7-min "true $(jq .total.bytes.rss whole.json)" \
    "$("$MEMOIR" map "$subject" --min 2M --json | jq -r '"\([.regions[].bytes.rss] | min >= 2097152) \([.leaves[].bytes.rss] | add)"')"
at_least requirement-7-min-lines 1 "$("$MEMOIR" map "$subject" --min 2M | grep -c ' smaller ')"
for option in --sort --by --unit --min --budget; do
    "$MEMOIR" map "$subject" $option nonsense 2>err
    equal "requirement-7-wrong$option" 2 $?
    one_sentence "requirement-7-wrong$option-sentence" err "[-]${option#-} cannot be \"nonsense\""
done

# diff: of two files, and of a file and a process.
kill -CONT "$subject"
"$MEMOIR" map diff whole.json "$subject" --json -o none.json
equal requirement-7-diff-same "0 0" "$(jq -r '"\(.after.total.rss - .before.total.rss) \([.changes[].change] | add)"' none.json)"
# shellcheck disable=SC2016
jq '(.leaves[] | select(.label == "Databases") | .bytes.rss) += 4096 | .total.bytes.rss += 4096 | (.leaves[] | select(.label == "cache/told") | .label) = "elsewhere"' whole.json >grown.json
"$MEMOIR" map diff whole.json grown.json --json -o diff.json
equal requirement-7-diff-grew 4096 "$(jq '.changes[] | select(.label == "Databases") | .change' diff.json)"
equal requirement-7-diff-moved "-4194304 4194304" "$(jq -r '[.changes[] | select(.label == "cache/told" or .label == "elsewhere") | .change] | sort | join(" ")' diff.json)"
equal requirement-7-diff-order true "$(jq '[.changes[].change | fabs] | . == (sort | reverse)' diff.json)"
equal requirement-7-diff-text "+4" "$("$MEMOIR" map diff whole.json grown.json | awk '/^Total/ { print $NF }')"
equal requirement-7-diff-csv 4096 "$("$MEMOIR" map diff whole.json grown.json --csv | awk -F , '$2 == "Databases" { print $6 }')"
equal requirement-7-diff-min 2 "$("$MEMOIR" map diff whole.json grown.json --min 1M --json | jq '.changes | length')"
head -c 500 whole.json >cut.json
"$MEMOIR" map diff cut.json whole.json >out 2>err
equal requirement-7-diff-cut-status 1 $?
one_sentence requirement-7-diff-cut err 'cut.json is not a complete breakdown'
"$MEMOIR" map diff whole.json >out 2>err
equal requirement-7-diff-one-status 2 $?
"$MEMOIR" map "$subject" --gentle --json -o gentle.json
"$MEMOIR" map diff gentle.json whole.json --sort pss >out 2>err
one_sentence requirement-7-diff-gentle err 'does not measure pss'

# Any process: by number, name and cgroup.
one=/sys/fs/cgroup
[ -e $one/cgroup.controllers ] || one=$one/unified
if mkdir "$one/memoir-test-$$" 2>/dev/null; then
    own=$one/memoir-test-$$
    sleep 60 9>&- &
    sleeper=$!
    ended="$ended $sleeper"
    echo $sleeper >"$own/cgroup.procs"
    equal by-cgroup "$sleeper" "$("$MEMOIR" map "/memoir-test-$$" --json | jq .process.pid)"
    equal by-mounted-cgroup "$sleeper" "$("$MEMOIR" map "$own/" --json | jq .process.pid)"
    equal by-cgroup-name "$sleeper" "$("$MEMOIR" map --container "memoir-test-$$" --json | jq .process.pid)"
    "$MEMOIR" map "/memoir-test-$$-not" >out 2>err
    equal by-no-cgroup-status 1 $?
    one_sentence by-no-cgroup err 'no process is in cgroup /memoir-test-'
    kill $sleeper
else
    skip by-cgroup "may not make a cgroup"
fi

# Which check refused.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    open_house
    "${nobody[@]}" /usr/bin/python3 -c '
import ctypes, time
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
print("ready", flush=True)
time.sleep(60)' >shy.out 9>&- &
    shy=$!
    ended="$ended $shy"
    wait_until 10 has_line shy.out ready
    as_nobody "$house/memoir" map "$shy" >out 2>err
    equal requirement-9-undumpable-status 1 $?
    one_sentence requirement-9-undumpable err 'undumpable'
    kill "$shy"
    unshare -m sh -c "umount -l /proc && \"$MEMOIR\" map $subject" >out 2>err
    one_sentence requirement-9-no-proc err '/proc is not mounted here'
else
    skip requirement-9-undumpable "needs root"
fi
exec 9>&-
wait "$subject"
equal subject-unharmed 0 $?
