#!/usr/bin/env bash
# In and out again and again, of programs that are busy meanwhile; CYCLES=200 for a long run.  After the last cycle they
# are as large as after the first, and nobody has noticed anything.  Their sizes are told in lines that begin with #.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"
cycles=${CYCLES:-40}

# One cycle; false when it failed.
cycle() { # cycle NAME PID
    "$MEMOIR" attach --quiet --for 30ms -o "$1.memoir" "$2" 2>"$1.said" || {
        not_ok "$1-cycle" "$(cat "$1.said")"
        return 1
    }
    rm -f "$1.memoir"
}

cycle_many() { # cycle_many NAME PID
    local name=$1 pid=$2 first i
    cycle "$name" "$pid" || return
    first=$(size_of "$pid")
    echo "# $name after cycle 1: $first"
    for ((i = 1; i < cycles; i++)); do
        cycle "$name" "$pid" || return
    done
    echo "# $name after cycle $cycles: $(size_of "$pid")"
    equal "$name-same-size" "$first" "$(size_of "$pid")"
}

# Recorders that are killed at any moment.
kill_many() { # kill_many NAME PID
    local name=$1 pid=$2 i victim
    for ((i = 0; i < cycles; i++)); do
        "$MEMOIR" attach --quiet -o "$name.memoir" "$pid" 2>/dev/null &
        victim=$!
        sleep "0.$((RANDOM % 3))$((RANDOM % 10))$((RANDOM % 10))"
        kill -9 "$victim"
        wait "$victim" 2>/dev/null
    done
    "$MEMOIR" detach "$pid" 2>/dev/null
    cycle "$name" "$pid"
}

begin watchful "$subjects/subject-notices_everything" $((cycles * 14 + 60))
wait_until 10 has_line watchful.out ready
cycle_many watchful "$target"
kill_many watchful "$target"
kill -TERM "$target"
wait "$target"
equal watchful-noticed-nothing "0 unharmed" "$? $(tail -n 1 watchful.out)"

# A program that works until there is a file "stop", and then says whether all went well.
cycle_worker() { # cycle_worker NAME PROGRAM…
    local name=$1
    shift
    begin "$name" "$@"
    wait_until 20 has_line "$name.out" ready || not_ok "$name-begins" "$(cat "$name.out")"
    wait_until 20 settled "$target"
    cycle_many "$name" "$target"
    touch stop
    wait "$target"
    equal "$name-worked" "0 all well" "$? $(tail -n 1 "$name.out")"
    rm stop
}

# Whether it has stopped growing by itself.
settled() { # settled PID
    local before
    before=$(size_of "$1")
    sleep 1
    [ "$before" = "$(size_of "$1")" ]
}

cat >works.cc <<'END'
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>
static std::atomic<bool> wrong{false};
static void work(int number)
{
    while (access("stop", F_OK) != 0) {
        std::map<std::string, std::unique_ptr<std::string>> kept;
        for (int i = 0; i < 200; i++) {
            std::string key = std::to_string(i * 7919 + number);
            kept[key] = std::make_unique<std::string>(100, static_cast<char>('a' + i % 26));
            try {
                if (i % 10 == 0)
                    throw std::runtime_error(key);
            } catch (const std::exception &error) {
                wrong = wrong || error.what() != key;
            }
        }
        for (auto &[key, text] : kept)
            wrong = wrong || text->size() != 100 || text->find_first_not_of((*text)[0]) != std::string::npos;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}
int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(work, i);
    puts("ready");
    fflush(stdout);
    for (auto &thread : threads)
        thread.join();
    puts(wrong ? "something was wrong" : "all well");
}
END
if g++ -O1 -std=c++17 -pthread -o works works.cc 2>works.log; then
    cycle_worker cplusplus ./works
else
    skip cplusplus "cannot be built here: $(head -n 1 works.log)"
fi
cycle_worker python /usr/bin/python3 -c '
import os, threading, zlib
wrong = []
def work(number):
    while not os.path.exists("stop"):
        kept = {str(i): bytes([i % 256]) * 3000 for i in range(300)}
        if zlib.crc32(b"".join(zlib.decompress(zlib.compress(text, 1)) for text in kept.values())) != zlib.crc32(b"".join(kept.values())):
            wrong.append(number)
threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
for thread in threads: thread.start()
print("ready", flush=True)
for thread in threads: thread.join()
print("something was wrong" if wrong else "all well")'

begin redis redis-server --port 0 --unixsocket "$PWD/redis.sock" --save '' --appendonly no
server=$target
wait_until 20 test -S redis.sock || not_ok redis-begins "it did not begin"
# One long round: between two rounds of -l it closes its connections, and the server is smaller for a moment.
redis-benchmark -s redis.sock -n 2000000000 -r 1000 -t set -q >bench.out 2>&1 &
bench=$!
started+=("$bench")
# Its keys are all there soon, and its size is steady then.
wait_until 20 settled "$server" || not_ok redis-settles "it grows by itself"
cycle_many redis "$server"
lives redis-clients-go-on "$bench"
kill "$bench"
wait "$bench" 2>/dev/null
equal redis-no-client-error 0 "$(grep -ciE 'error|lost|closed' bench.out)"
equal redis-answers PONG "$(redis-cli -s redis.sock ping)"
redis-cli -s redis.sock shutdown nosave
wait "$server"
equal redis-ends 0 $?

# A program that executes another while we look for a thread: the kernel lets nobody in then, and it waits for threads that we trace.
begin execs "$subjects/subject-execs_itself" 300
program=$target
stuck=0
for ((i = 0; i < cycles; i++)); do
    timeout -s KILL 40 "$MEMOIR" attach --quiet --for 30ms -o execs.memoir "$program" 2>/dev/null
    [ $? != 137 ] || stuck=$((stuck + 1))
    [ -e "/proc/$program" ] || break
done
equal execs-never-stuck 0 "$stuck"
wait "$program"
equal execs-ends 0 $?
