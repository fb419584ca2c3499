#!/usr/bin/env bash
# The same programs sampled by perf and by memoir at the same time: the same functions, as many samples, complete stacks.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
if [ "$(id -u)" != 0 ] || ! command -v perf >/dev/null; then
    skip cpu_against_perf "needs root and perf"
    exit 0
fi

cat >load.sql <<'SQL'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) INSERT INTO t SELECT i, hex(i * 7919), i * 31 % 1009 FROM n;
SELECT count(*) FROM t x JOIN t y ON y.a = x.c WHERE x.a < 200000;
SELECT sum(length(b)) FROM t ORDER BY c;
SQL
cat >load.go <<'GO'
package main

import (
	"crypto/sha256"
	"fmt"
)

//go:noinline
func round(x [32]byte) [32]byte { return sha256.Sum256(x[:]) }

func main() {
	var x [32]byte
	for i := 0; i < 3000000; i++ {
		x = round(x)
	}
	fmt.Println(x[0])
}
GO
cat >load.ml <<'ML'
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let () = print_int (fib 39)
ML

against() { # against NAME COMM COMMAND...
    local name=$1 comm=$2 total seen found
    shift 2
    perf record -q -F 499 -o "$name.data" -- "$MEMOIR" cpu --hz 499 --source perf --quiet -o "$name.memoir" -- "$@" >"$name.out" 2>"$name.err"
    equal "$name-status" 0 $?
    # Of the functions where perf saw it most: our share of each, and ours of perf's.
    perf report -i "$name.data" --comm "$comm" --no-children --stdio -F overhead,sym --percentage relative 2>/dev/null |
        awk '/%/ && $2 ~ /^\[/ { sub("%", "", $1); print $1, $3 }' | head -n 3 >"$name.perf"
    total=$("$MEMOIR" report "$name.memoir" --json | jq .total.value)
    at_least "$name-perf-saw-some" 1 "$(wc -l <"$name.perf")"
    while read -r seen function; do
        case $function in 0x*) continue ;; esac # without a name for perf
        function=$(sed -E 's/\.abi0$//; s/^([A-Z].*)_[0-9]+$/\1/' <<<"$function") # as Go and OCaml number theirs
        found=$("$MEMOIR" report "$name.memoir" --by function --top 500 --json |
            jq --arg f "$function" --argjson total "$total" '[.rows[] | select((.stack[0].function // .function // .name) | . == $f or startswith($f + ".")) | .value] | (add // 0) * 100 / $total')
        at_least "$name-$function-least" "$(echo "$seen" | awk '{ print $1 - 15 }')" "$found"
        at_most "$name-$function-most" "$(echo "$seen" | awk '{ print $1 + 15 }')" "$found"
    done <"$name.perf"
    at_least "$name-complete" 0.95 "$("$MEMOIR" report "$name.memoir" --json | jq .quality.complete_stacks_share)"
    at_least "$name-samples" 0.7 "$("$MEMOIR" report "$name.memoir" --json | jq '.quality.time | .samples * 1e9 / .hz / .cpu_ns')"
    at_most "$name-samples-not-more" 1.4 "$("$MEMOIR" report "$name.memoir" --json | jq '.quality.time | .samples * 1e9 / .hz / .cpu_ns')"
    equal "$name-lost" 0 "$("$MEMOIR" report "$name.memoir" --json | jq .quality.time.lost_samples)"
}

against sqlite3 sqlite3 sqlite3 :memory: '.read load.sql'
against python3 python3 python3 -c 'import json
for i in range(40): json.loads(json.dumps(list(range(60000))))'
if go build -o load-go load.go 2>go.err; then
    against go load-go ./load-go
else
    skip go "no Go compiler: $(head -n 1 go.err)"
fi
if ocamlfind ocamlopt -package unix -o load-ocaml load.ml 2>/dev/null || ocamlopt -o load-ocaml load.ml 2>ocaml.err; then
    against ocaml load-ocaml ./load-ocaml
else
    skip ocaml "no OCaml compiler"
fi
if command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null; then
    (
        until redis-cli -s ./r.sock ping >/dev/null 2>&1; do sleep 0.05; done
        redis-benchmark -s ./r.sock -t set,get -n 200000 -q >/dev/null 2>&1
        redis-cli -s ./r.sock shutdown nosave >/dev/null 2>&1
    ) &
    against redis redis-server redis-server --port 0 --unixsocket ./r.sock --save '' --appendonly no
    wait
else
    skip redis "no redis-server"
fi
true
