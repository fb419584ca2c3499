#!/usr/bin/env bash
# memoir map on real programs: the runtime is known, its numbers are those it tells itself, and the parts add up.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

ended=
end_all() {
    local pid
    for pid in $ended; do kill -CONT "$pid" 2>/dev/null; kill -KILL "$pid" 2>/dev/null; done
}
trap end_all EXIT

vm_rss() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$1/status"; }

# Stopped, the parts add up to the kernel's counter to the page; the answer is in NAME.json.
look() { # look NAME PID
    kill -STOP "$2"
    "$MEMOIR" map "$2" --json --deep >"$1.json" 2>"$1.err"
    equal "$1-status" 0 $?
    equal "$1-sum" "$(vm_rss "$2")" "$(jq '[.leaves[].bytes.rss] | add / 1024' "$1.json")"
    kill -CONT "$2"
}

inside() { # inside FILE RUNTIME NUMBER
    jq --arg runtime "$2" --arg name "$3" '.inside[] | select(.runtime == $runtime) | .numbers[] | select(.name == $name) | .value' "$1"
}

section() { # section FILE SECTION: MiB
    jq --arg section "$2" '.sections[] | select(.section == $section) | .bytes.rss / 1048576' "$1"
}

title() { jq -r --arg section "$2" '.sections[] | select(.section == $section) | .title' "$1"; }

near() { # near CASE EXPECTED ACTUAL PERCENT
    if awk -v a="$2" -v b="$3" -v p="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && b != "" && d <= a * p / 100) }'; then
        ok "$1"
    else
        not_ok "$1" "$3 is not within $4 % of $2"
    fi
}

# ---- Go, stripped, of Debian, against its own /metrics ----
go_program() { # go_program NAME URL COMMAND…
    local name=$1 url=$2 pid metric key
    shift 2
    if ! command -v "$1" >/dev/null; then
        skip "$name" "$1 is not installed"
        return
    fi
    "$@" >"$name.log" 2>&1 &
    pid=$!
    ended="$ended $pid"
    if ! wait_until 60 curl -sf -o /dev/null "$url"; then
        not_ok "$name" "it does not answer: $(tail -n 1 "$name.log")"
        return
    fi
    sleep 1
    look "$name" "$pid"
    curl -sf "$url" >"$name.metrics"
    equal "$name-title" "Go Runtime" "$(title "$name.json" runtime)"
    for pair in sys_bytes:sys heap_inuse_bytes:heap.inuse stack_inuse_bytes:stacks heap_alloc_bytes:heap.live; do
        metric=$(awk -v key="go_memstats_${pair%%:*}" '$1 == key { printf "%.0f", $2 }' "$name.metrics")
        key=${pair#*:}
        near "$name-$key" "$metric" "$(inside "$name.json" Go "$key")" 30
    done
    equal "$name-version" "$(awk -F'"' '/^go_info/ { print $2 }' "$name.metrics")" "$(jq -r '.inside[] | select(.runtime == "Go") | .version' "$name.json")"
    # What only a collection or growth changes is the same to the byte.
    equal "$name-next-gc" "$(awk '$1 == "go_memstats_next_gc_bytes" { printf "%.0f", $2 }' "$name.metrics")" "$(inside "$name.json" Go next_gc)"
    equal "$name-metadata" "$(awk '$1 ~ /^go_memstats_(mspan_sys|mcache_sys|buck_hash_sys|gc_sys|other_sys)_bytes$/ { sum += $2 } END { printf "%.0f", sum }' "$name.metrics" | cut -c 1-3)" \
        "$(inside "$name.json" Go metadata | cut -c 1-3)"
    at_least "$name-heap-is-mapped" "$(inside "$name.json" Go heap.inuse | awk '{ print $1 / 1048576 / 3 }')" "$(section "$name.json" runtime)"
    kill "$pid"
}
mkdir etcd-data prometheus-data
echo 'global: {scrape_interval: 60s}' >prometheus.yml
go_program etcd http://127.0.0.1:23790/metrics etcd --data-dir etcd-data --listen-client-urls http://127.0.0.1:23790 \
    --advertise-client-urls http://127.0.0.1:23790 --listen-peer-urls http://127.0.0.1:23800 --initial-advertise-peer-urls http://127.0.0.1:23800 \
    --initial-cluster default=http://127.0.0.1:23800
go_program prometheus http://127.0.0.1:29090/metrics prometheus --config.file=prometheus.yml \
    --storage.tsdb.path=prometheus-data --web.listen-address=127.0.0.1:29090

# ---- others: who holds what ----
begin() { # begin NAME COMMAND…: runs until "ready"
    local name=$1
    shift
    "$@" >"$name.out" 2>"$name.log" &
    pid=$!
    ended="$ended $pid"
    wait_until 60 has_line "$name.out" ready
}

if command -v java >/dev/null; then
    cat >Hold.java <<'END'
public class Hold {
    public static void main(String[] arguments) throws Exception {
        byte[][] kept = new byte[64][];
        for (int i = 0; i < 64; i++) { kept[i] = new byte[900000]; java.util.Arrays.fill(kept[i], (byte) 1); }
        System.gc();
        System.out.println("ready");
        Thread.sleep(600000);
        System.out.println(kept.length);
    }
}
END
    begin java java -Xmx256m -XX:+UseSerialGC Hold.java
    look java "$pid"
    equal java-title "Java Runtime" "$(title java.json runtime)"
    at_least java-heap 54 "$(jq '[.leaves[] | select(.section == "runtime" and .label == "Heap") | .bytes.rss] | add / 1048576' java.json)"
    at_least java-used 57600000 "$(inside java.json Java heap.used)"
    at_most java-used-at-most 90000000 "$(inside java.json Java heap.used)"
    # Nobody records it: explain knows of its heap what map knows.
    "$MEMOIR" explain "$pid" --json >java.explain 2>/dev/null
    owner() { jq "[.owners[] | select(.name == \"$1\").value] | add // 0 | . / 1048576 | floor" java.explain; }
    at_least java-explained-as-the-runtime 54 "$(owner runtime)"
    at_most java-little-is-from-before 20 "$(owner before)"
else
    skip java "not installed"
fi

if command -v node >/dev/null; then
    # shellcheck disable=SC2016
    begin node node -e 'const kept = []; for (let i = 0; i < 400000; i++) kept.push({ number: i, text: "word " + i });
        const buffer = Buffer.alloc(20 << 20, 1); console.log("ready", process.memoryUsage().heapTotal);
        setInterval(() => kept.length + buffer.length, 1e6)'
    look node "$pid"
    equal node-title "V8 Runtime" "$(title node.json runtime)"
    near node-heap "$(awk '{ print $2 / 1048576 }' node.out)" "$(section node.json runtime)" 30
    at_least node-buffer 20 "$(section node.json allocator)"
fi

begin python /usr/bin/python3 -c 'kept = [str(i) * 3 for i in range(500000)]
import time; print("ready", flush=True); time.sleep(600)'
look python "$pid"
equal python-title "Python Runtime" "$(title python.json runtime)"
at_least python-arenas 25 "$(section python.json runtime)"

if command -v ocamlfind >/dev/null || command -v ocamlopt >/dev/null; then
    cat >hold.ml <<'END'
let kept = Array.init 300000 string_of_int
let () = Gc.full_major (); Printf.printf "ready %d\n%!" (8 * (Gc.quick_stat ()).Gc.heap_words);
  ignore (input_line stdin); print_int (Array.length kept)
END
    if ocamlopt hold.ml -o hold_ml 2>/dev/null; then
        mkfifo ocaml-hold
        ./hold_ml <ocaml-hold >ocaml.out 2>&1 &
        pid=$!
        ended="$ended $pid"
        exec 8>ocaml-hold
        wait_until 20 has_line ocaml.out ready
        look ocaml "$pid"
        equal ocaml-heap "$(awk '{ print $2 }' ocaml.out)" "$(inside ocaml.json OCaml heap.major)"
        at_least ocaml-mapped "$(awk '{ print $2 / 1048576 * 0.9 }' ocaml.out)" "$(section ocaml.json runtime)"
        exec 8>&-
    fi
fi

# Its allocator keeps what is freed: redis says how much that was some time ago.
MALLOC_CONF=dirty_decay_ms:-1,muzzy_decay_ms:-1 redis-server --port 0 --unixsocket "$PWD/redis.sock" --save '' --enable-debug-command yes --daemonize no >redis.log 2>&1 &
pid=$!
ended="$ended $pid"
wait_until 20 redis-cli -s "$PWD/redis.sock" ping
redis-cli -s "$PWD/redis.sock" debug populate 100000 key 100 >/dev/null
has_counted() { # redis asks its allocator ten times a second
    [ "$(redis-cli -s "$PWD/redis.sock" info memory | awk -F: '/^allocator_resident/ { print int($2 / 1048576) }')" -ge 10 ]
}
wait_until 20 has_counted
redis_resident() {
    redis-cli -s "$PWD/redis.sock" info memory | awk -F: '/^allocator_resident/ { print $2 / 1048576 }'
}
# It grows meanwhile: a look counts when redis says the same before and after it.
for _ in 1 2 3 4 5 6 7 8 9 10; do
    resident=$(redis_resident)
    look redis "$pid" >redis.look
    sleep 0.3
    [ "$resident" != "$(redis_resident)" ] || break
done
cat redis.look
equal redis-title "C Heap (jemalloc)" "$(title redis.json allocator)"
near redis-resident "$resident" "$(section redis.json allocator)" 15

# ---- allocators that were put before libc's ----
for allocator in jemalloc mimalloc tcmalloc; do
    library=$(find /usr/lib/x86_64-linux-gnu -name "lib$allocator.so*" | sort | head -n 1)
    if [ -z "$library" ]; then
        skip "$allocator" "no library of it"
        continue
    fi
    begin "$allocator" env LD_PRELOAD="$library" PYTHONMALLOC=malloc /usr/bin/python3 -c 'kept = [str(i) * 3 for i in range(500000)]
import time; print("ready", flush=True); time.sleep(600)'
    look "$allocator" "$pid"
    equal "$allocator-title" "C Heap ($allocator)" "$(title "$allocator.json" allocator)"
    at_least "$allocator-heap" 35 "$(section "$allocator.json" allocator)"
done

equal jemalloc-says-where "shape of mappings" "$(jq -r '.inside[] | select(.runtime == "jemalloc") | .source' jemalloc.json)"
equal mimalloc-says-where "shape of mappings" "$(jq -r '.inside[] | select(.runtime == "mimalloc") | .source' mimalloc.json)"

# tcmalloc's own numbers against those it tells.
cat >tcmalloc.py <<'END'
import ctypes, time
library = ctypes.CDLL(None)
names = [b"generic.heap_size", b"tcmalloc.pageheap_unmapped_bytes", b"tcmalloc.pageheap_free_bytes"]
values = [ctypes.c_size_t() for _ in names]
kept = [str(i) * 3 for i in range(300000)]
junk = [bytearray(5000) for _ in range(20000)]
del junk
library.MallocExtension_ReleaseFreeMemory()
more = [bytearray(300000) for _ in range(60)]
del more
for name, value in zip(names, values):
    library.MallocExtension_GetNumericProperty(name, ctypes.byref(value))
with open("tcmalloc.said", "w") as file:
    print(*[value.value for value in values], file=file)
print("ready", flush=True)
time.sleep(600)
END
for library in libtcmalloc.so.4 libtcmalloc_minimal.so.4; do
    path=/usr/lib/x86_64-linux-gnu/$library
    name=${library%.so.4}
    if [ ! -e "$path" ]; then
        skip "$name-numbers" "no library of it"
        continue
    fi
    begin "$name" env LD_PRELOAD="$path" PYTHONMALLOC=malloc /usr/bin/python3 tcmalloc.py
    read -r size released free <tcmalloc.said
    look "$name" "$pid"
    equal "$name-size" "$size" "$(inside "$name.json" tcmalloc system)"
    at_least "$name-released-some" 1000000 "$released"
    near "$name-released" "$released" "$(inside "$name.json" tcmalloc released)" 5
    near "$name-free" "$free" "$(inside "$name.json" tcmalloc free)" 10
    at_least "$name-inuse" 20000000 "$(inside "$name.json" tcmalloc inuse)"
done

# ---- without the right to read its memory: the kernel's view, and a sentence ----
begin plain /usr/bin/python3 -c 'import time; print("ready", flush=True); time.sleep(600)'
"$MEMOIR" map "$pid" --kernel-only --json >plain.json
equal kernel-only "[]" "$(jq -c .inside plain.json)"
ok finished
