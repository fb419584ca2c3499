#!/usr/bin/env bash
# Commands that read files of strangers: by the time they look at one, they are confined.  strace shows the order of things: the filter
# of system calls is in place and Landlock restricts the process, and only then is more of the input read than the 16 bytes that tell
# whether it is a recording.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

if ! strace -o probe true 2>/dev/null; then
    skip confined-readers "processes cannot be traced here"
    exit 0
fi

# order CASE INPUT PROGRAM…: `first` bytes read of INPUT before the sandbox, `then` after it, of the process that enters it
order() {
    local name=$1 input=$2 result
    shift 2
    rm -f trace.*
    MEMOIR_SANDBOX=strict strace -ff -y -e trace=read,pread64,readv,preadv,mmap,seccomp,landlock_restrict_self,capset -o trace "$@" >out 2>err
    status=$?
    result=$(grep -l '^seccomp(SECCOMP_SET_MODE_FILTER.* = 0$' trace.* | head -n 1 | xargs cat /dev/null | awk -v input="$input" '
        /^landlock_restrict_self.* = 0$/ { landlock = 1 }
        /^capset.* = 0$/ { bare = 1 }
        /^seccomp\(SECCOMP_SET_MODE_FILTER.* = 0$/ { on = 1; if (!landlock || !bare) bad = 1; next }
        index($0, input) && / = [0-9]+$/ { if (on) later++; else first += $NF }
        index($0, input) && /^mmap/ { if (on) later++; else first += 1000000 }
        END { print (on && !bad && first + 0 <= 16 && later > 0) ? "confined" : "on=" on + 0 " bad=" bad + 0 " before=" first + 0 " after=" later + 0 }')
    equal "$name" "0 confined" "$status $result"
    [ "$status" = 0 ] || sed 's/^/    /' err
}

"$MEMOIR" run --quiet -o a.memoir --map-every 1 -- "$subjects/subject-grows" 3 2>err
"$MEMOIR" run --quiet -o b.memoir --history h.db --history-every 1s --history-name grower -- "$subjects/subject-grows" 3 2>err
mkdir run
for i in 0 1 2 3; do
    printf '# TYPE algod_network_sent_bytes_total counter\nalgod_network_sent_bytes_total %s\n' $((5000 + 10000 * i)) >"run/n1.20261116_0100${i}0.metrics"
    printf '{"block":{"rnd":%s,"tc":%s,"ts":1},"cert":{}}\n' $((100 + i)) $((1000 + i)) >"run/n1.20261116_0100${i}0.blockinfo.json"
    "$MEMOIR" export a.memoir --to pprof -o "run/n1.20261116_0100${i}0.heap" 2>/dev/null
done
mkdir logs
printf '{"Context":"Agreement","Type":"RoundStart","Round":7,"Period":0,"Step":1,"level":"info","msg":"x","time":"2026-05-28T10:00:01Z"}\n' >logs/relay1-node.log
printf '{"directed":true,"nodes":["a","b"],"edges":[["a","b"]]}\n' >t.json

order report a.memoir "$MEMOIR" report a.memoir
order report-output a.memoir "$MEMOIR" report a.memoir -o report.txt
order report-json a.memoir "$MEMOIR" report a.memoir --json
order flame a.memoir "$MEMOIR" flame a.memoir -o a.svg
order flame-png a.memoir "$MEMOIR" flame a.memoir -o a.png
order flame-diff b.memoir "$MEMOIR" flame b.memoir --diff a.memoir -o d.svg
order plot a.memoir "$MEMOIR" plot a.memoir -o p.html
order info a.memoir "$MEMOIR" info a.memoir
order explain a.memoir "$MEMOIR" explain a.memoir
order diff b.memoir "$MEMOIR" diff a.memoir b.memoir
order export a.memoir "$MEMOIR" export a.memoir --to perf -o perf.data
order export-packed a.memoir "$MEMOIR" export a.memoir --to heaptrack -o h.zst
order perf-data perf.data "$MEMOIR" report perf.data
order packed h.zst "$MEMOIR" report h.zst
order graph a.memoir "$MEMOIR" graph a.memoir -o g.svg
order graph-png a.memoir "$MEMOIR" graph a.memoir -o g.png
order history h.db "$MEMOIR" history h.db
order ram .heap "$MEMOIR" ram run
order metrics .metrics "$MEMOIR" metrics run --list
order bandwidth .metrics "$MEMOIR" bandwidth run
order agreement node.log "$MEMOIR" agreement logs
order topology t.json "$MEMOIR" topology t.json
order run-of-heaps .heap "$MEMOIR" report run

# What a pipe gives is copied before, and looked at afterwards.
mkfifo pipe
(sleep 0.2 && cat a.memoir) >pipe &
equal a-pipe-is-read 0 "$("$MEMOIR" report pipe >pipe.txt 2>err; echo $?)"
wait

# The kernel's word for it, of a process that has read its input and waits for someone to read its answer.
mkfifo answer
exec 9<>answer
head -c 65536 /dev/zero >&9 # it is full
"$MEMOIR" export a.memoir --to heaptrack -o answer 2>err &
waits=$!
says() { grep -q "^$1:[[:space:]]*$2\$" "/proc/$waits/status" 2>/dev/null; }
if wait_until 20 says Seccomp 2; then
    equal status-rights "1 0000000000000000" \
        "$(awk '/^NoNewPrivs:/ { rights = $2 } /^CapEff:/ { print $2 > "effective" } END { print rights }' "/proc/$waits/status") $(cat effective)"
else
    [ -d "/proc/$waits" ] && not_ok status-rights "no filter of system calls: $(grep Seccomp: "/proc/$waits/status")"
fi
exec 9<&-
kill "$waits" 2>/dev/null
wait "$waits" 2>/dev/null
true

# What root may read and replace is not less: a recording of somebody else, in a folder that is his alone.
if [ "$(id -u)" = 0 ]; then
    mkdir -m 700 theirs
    cp a.memoir theirs/b.memoir
    chmod 600 theirs/b.memoir
    chown -R 65534 theirs
    "$MEMOIR" report theirs/b.memoir >ours.txt 2>err
    equal of-another-user 0 $?
    "$MEMOIR" export theirs/b.memoir --to folded -o theirs/out.folded 2>err
    equal in-the-folder-of-another-user "0 yes" "$? $([ -s theirs/out.folded ] && echo yes)"
else
    skip of-another-user "it needs root"
fi
