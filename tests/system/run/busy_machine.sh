#!/usr/bin/env bash
# A machine with more to do than it can: nothing becomes false.  The subject frees all that it takes but a known rest, and keeps
# its own books; what memoir says is compared with those.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

crowd=$subjects/subject-crowd
loops=()

begin_load() { # begin_load COUNT: busy loops beside us
    local i
    for ((i = 0; i < $1; i++)); do
        (while :; do :; done) &
        loops+=($!)
    done
}

end_load() {
    local loop
    for loop in "${loops[@]}"; do kill "$loop" && wait "$loop" 2>/dev/null; done
    loops=()
}
trap end_load EXIT

ask() { # ask FILE QUERY
    "$MEMOIR" report "$1" --json | jq -r "$2"
}

# The program's own numbers: what it printed, and what the loader and libc allocate besides is not in them.
is_true() { # is_true CASE FILE PRINTED KEPT_BYTES: nothing lost, and every number the program's own
    local calls bytes frees
    read -r calls bytes frees <"$3"
    equal "$1-lost" 0 "$(ask "$2" .quality.lost_events)"
    at_least "$1-calls" "$calls" "$(ask "$2" .summary.heap.calls)"
    at_least "$1-bytes" "$bytes" "$(ask "$2" .summary.heap.allocated_bytes)"
    at_least "$1-frees" "$frees" "$(ask "$2" .summary.heap.freed_calls)"
    equal "$1-leaked" "$4" "$("$MEMOIR" report "$2" --metric heap.leaked --filter '^makes$' --json | jq '[.rows[].value] | add // 0')"
    equal "$1-sure" "$(ask "$2" .summary.heap.leaked_bytes)" "$(ask "$2" .summary.heap.leaked_bytes_high)"
    equal "$1-not-estimated" 0 "$(ask "$2" .quality.sample_rate_bytes)"
}

# What is true lies in what is said.
is_in_range() { # is_in_range CASE FILE LEAKED
    at_most "$1-low" "$3" "$(ask "$2" .summary.heap.leaked_bytes_low)"
    at_least "$1-high" "$3" "$(ask "$2" .summary.heap.leaked_bytes_high)"
    at_most "$1-peak-low" "$(ask "$2" .summary.heap.peak_bytes_high)" "$(ask "$2" .summary.heap.peak_bytes_low)"
}

begin_load 3
# A thousand threads that begin at once have to wait for each other, and for their rings.
"$MEMOIR" run --quiet -o thousand.memoir -- "$crowd" 1000 300 1 >thousand.books
is_true thousand thousand.memoir thousand.books 1000000
"$MEMOIR" run --quiet -o many.memoir -- "$crowd" 16 100000 10 >many.books
is_true threads many.memoir many.books $((16 * 10 * 1000))
"$MEMOIR" run --quiet -o one.memoir -- "$crowd" 1 500000 10 >one.books
is_true one-thread one.memoir one.books 10000
nice -n 19 "$MEMOIR" run --quiet -o low.memoir -- "$crowd" 8 50000 10 >low.books
is_true nice-19 low.memoir low.books 80000
if nice -n -12 true 2>/dev/null && [ "$(nice -n -12 nice)" = -12 ]; then
    nice -n -12 "$MEMOIR" run --quiet -o high.memoir -- "$crowd" 16 50000 10 >high.books
    is_true nice-minus-12 high.memoir high.books 160000
else
    skip nice-minus-12 "a negative nice value is not permitted here"
fi

# In production: nobody waits, numbers are estimates and say so, the totals are exact.
"$MEMOIR" run --quiet --never-wait=1ms -o never.memoir -- "$crowd" 16 100000 10 >never.books
read -r calls bytes _ <never.books
at_least never-wait-calls "$calls" "$(ask never.memoir .summary.heap.calls)"
at_least never-wait-bytes "$bytes" "$(ask never.memoir .summary.heap.allocated_bytes)"
if [ "$(ask never.memoir .quality.sample_rate_bytes)" = 0 ]; then
    is_in_range never-wait never.memoir 160000
else
    "$MEMOIR" report never.memoir >never.txt
    at_least never-wait-thinned 1 "$(ask never.memoir .quality.thinned_calls)"
    at_least never-wait-says-so 1 "$(grep -c 'estimated from samples' never.txt)"
fi
end_load

# The recorder stands still for five seconds: a gap, with its bounds, and the program goes on; then tracing does.
"$MEMOIR" run --quiet -o stopped.memoir -- "$crowd" 8 1500000 0 >stopped.books &
recorder=$!
sleep 0.5
kill -STOP $recorder
sleep 5
kill -CONT $recorder
wait $recorder
equal stopped-status 0 $?
"$MEMOIR" report stopped.memoir >stopped.txt
if [ "$(ask stopped.memoir .quality.lost_events)" = 0 ]; then
    skip stopped-gap "the program was done before its recorder was stopped"
else
    at_least stopped-gap 1 "$(ask stopped.memoir .quality.gaps)"
    at_least stopped-frees 1 "$(ask stopped.memoir .quality.lost_frees)"
    is_in_range stopped stopped.memoir 0
    equal stopped-sums "$(ask stopped.memoir '.summary.heap | .leaked_bytes + .suppressed_bytes')" \
        "$(ask stopped.memoir '.summary.heap | .allocated_bytes - .freed_bytes')"
    at_least stopped-allocated-says-so 1 \
        "$("$MEMOIR" report stopped.memoir --metric heap.allocated | grep -c '^warning: .* were lost: they are missing')"
    at_least stopped-temporary-says-so 1 "$(grep -c 'of those recorded) temporary' stopped.txt)"
    at_least stopped-says-so 2 "$(grep -c 'between .* and .*: events were lost' stopped.txt)"
    read -r calls _ <stopped.books
    at_least stopped-calls "$calls" "$(ask stopped.memoir .summary.heap.calls)"
fi

# A disk that stands still for three seconds: the recorder reads on.
frozen=$PWD/frozen
try_frozen() {
    mkdir -p "$frozen"
    truncate -s 64M disk.img && mkfs.ext4 -q disk.img && mount -o loop disk.img "$frozen"
}
if [ "$(id -u)" = 0 ] && try_frozen >frozen.log 2>&1; then
    "$MEMOIR" run --quiet -o "$frozen/disk.memoir" -- "$crowd" 4 1500000 10 >disk.books &
    recorder=$!
    sleep 0.3
    fsfreeze -f "$frozen"
    (
        sleep 3
        fsfreeze -u "$frozen"
    )
    wait $recorder
    equal frozen-status 0 $?
    is_true frozen "$frozen/disk.memoir" disk.books 40000
    umount "$frozen"
else
    skip frozen "no file system can be mounted here: $(tail -n 1 frozen.log 2>/dev/null)"
fi

# The recorder's terminal is served by the program itself, which reads it only when all is done, and it is full.
cat >serves.py <<'END'
import os, pty, subprocess, sys, time
master, slave = pty.openpty()
os.set_blocking(slave, False)
try:
    while True:
        os.write(slave, b"x" * 512)
except BlockingIOError:
    pass
os.set_blocking(slave, True)
recorder = subprocess.Popen([os.environ["MEMOIR"], "attach", "--wait", "-o", "serves.memoir", str(os.getpid())],
                            stderr=slave, stdout=slave, stdin=subprocess.DEVNULL)
end = time.time() + 60
while "libmemoir" not in open("/proc/self/maps").read() and time.time() < end:
    time.sleep(0.05)
time.sleep(0.5)
made = [bytearray(600 + i % 100) for k in range(20) for i in range(20000)]
del made
os.set_blocking(master, False)
recorder.send_signal(2)
while recorder.poll() is None and time.time() < end:
    try:
        os.read(master, 65536)
    except BlockingIOError:
        time.sleep(0.01)
print(recorder.poll())
END
timeout 100 python3 serves.py >serves.out
equal serves-terminal-ends 0 "$(cat serves.out)"
equal serves-terminal-lost 0 "$(ask serves.memoir .quality.lost_events)"
at_least serves-terminal-calls 400000 "$(ask serves.memoir .summary.heap.calls)"

# The disk that the recorder writes to is served by the program that it records.
mkdir -p served origin
bindfs -f origin served >bindfs.log 2>&1 &
server=$!
for _ in $(seq 100); do
    mountpoint -q served && break
    sleep 0.1
done
if mountpoint -q served; then
    timeout 60 "$MEMOIR" attach --quiet --wait --for 4s -o served/own.memoir $server &
    recorder=$!
    sleep 1
    for i in $(seq 100); do
        dd if=/dev/zero of="served/file$i" bs=64k count=2 2>/dev/null
        ls -la served >/dev/null
    done
    wait $recorder
    equal serves-disk-ends 0 $?
    equal serves-disk-lost 0 "$(ask origin/own.memoir .quality.lost_events)"
    at_least serves-disk-calls 1000 "$(ask origin/own.memoir .summary.heap.calls)"
    fusermount3 -u served
else
    kill $server
    skip serves-disk "no file system of a program can be mounted here: $(tail -n 1 bindfs.log)"
fi
wait $server
