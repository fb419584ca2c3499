#!/usr/bin/env bash
# A dozen and a half of Debian's programs, each natively, under run, cpu and pages, and attached to: the same output and status every
# time, and nothing lost, or what is lost is told.  Each reads its work from its input, so that it waits to be attached to.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

started=()
trap 'for pid in "${started[@]}"; do kill -9 "$pid"; done 2>/dev/null' EXIT

# Nobody's settings but the ones here.
export HOME=$PWD PYTHONHASHSEED=1 GIT_CONFIG_NOSYSTEM=1 XDG_CONFIG_HOME=$PWD

# Words that look drawn, the same each time.
seq 1 4000 | awk '{ printf "%d word%d %d\n", $1, $1 * 7919 % 4001, $1 * $1 % 977 }' >lines
awk '{ printf "%s{\"n\": %d, \"s\": \"%s\"}", (NR > 1 ? ",\n" : "["), $1, $2 } END { print "]" }' lines >lines.json
{
    echo 'create table t(n integer primary key, s text, v real); begin;'
    awk '{ printf "insert into t values(%d, \"%s\", %d.5);\n", $1, $2, $3 }' lines
    echo 'commit; create index i on t(s); select count(*), sum(v), max(s) from t; select s from t order by v, s limit 20;'
} >work.sql
cat >Work.java <<'END'
import java.util.*;

public class Work {
    public static void main(String[] words) {
        Map<String, Integer> seen = new TreeMap<>();
        for (Scanner in = new Scanner(System.in); in.hasNext();)
            seen.merge(in.next(), 1, Integer::sum);
        System.out.println(seen.size() + " " + seen.hashCode());
    }
}
END
awk 'BEGIN { for (i = 0; i < 60; i++) printf "int f%d(int n) { int r = %d; for (int i = 0; i < n; i++) r = r * 31 + i %% %d; return r; }\n", i, i, i + 2 }' >work.c
sed -e 's/^int \(f[0-9]*\)(int n)/pub fn \1(n: i32) -> i32/' -e 's/{ int r = \([0-9]*\);.*/{ (0..n).fold(\1, |r, i| r ^ i) }/' work.c >work.rs
{
    echo 'graph g {'
    awk 'NR <= 60 { printf "n%d -- n%d;\n", $1, $3 % 50 }' lines
    echo '}'
} >work.dot
{
    echo '<all>'
    awk '{ printf "<line n=\"%d\">%s</line>\n", $1, $2 }' lines
    echo '</all>'
} >work.xml
echo 'let () = let t = Hashtbl.create 7 in (try while true do Hashtbl.replace t (input_line stdin) 1 done with End_of_file -> ()); print_int (Hashtbl.length t)' >work.ml
# shellcheck disable=SC2016 # the inner shell's
echo 'declare -A seen; while read -r a b c; do seen[$b]+=$c; [ $((a % 500)) != 0 ] || (echo "$a $b"); done; echo ${#seen[@]}; exit 3' >work.sh

input_of() { # input_of NAME
    case $1 in
        sqlite3) echo work.sql ;;
        jq) echo lines.json ;;
        clang) echo work.c ;;
        rustc) echo work.rs ;;
        dot) echo work.dot ;;
        xmllint) echo work.xml ;;
        gdb) echo gdb.in ;;
        *) echo lines ;;
    esac
}
printf 'print 6*7\nptype struct { int a; }\nprint "word" "s"\nquit 4\n' >gdb.in

# The program of a row, and its words; all of them end with what their input says.
# shellcheck disable=SC2016 # dollars of other languages
command_of() { # command_of NAME: in $command
    case $1 in
        sqlite3) command=(sqlite3 -batch :memory:) ;;
        python3) command=(/usr/bin/python3 -c 'import sys, json; d = {l.split()[1]: l for l in sys.stdin}; print(len(json.dumps(d)), sorted(d)[:9]); sys.exit(5)') ;;
        perl) command=(perl -e 'while (<STDIN>) { push @{$h{(split)[2]}}, $_ } print scalar(keys %h), " ", join(",", map { scalar @{$h{$_}} } sort keys %h), "\n"; exit 7') ;;
        node) command=(node -e 'let t = ""; process.stdin.on("data", d => t += d).on("end", () => { const m = new Map(t.split("\n").map(l => [l.split(" ")[1], l])); console.log(m.size, [...m.keys()].sort().slice(0, 9).join()); })') ;;
        java) command=(java -Xshare:auto -XX:+UseSerialGC -cp . Work) ;;
        bash) command=(bash work.sh) ;;
        jq) command=(jq -c 'map({key: .s, value: .n}) | from_entries | [length, keys[:9]]') ;;
        xz) command=(xz -6 -c) ;;
        zstd) command=(zstd -9 -c -q) ;;
        bzip2) command=(bzip2 -c) ;;
        openssl) command=(openssl enc -aes-256-cbc -pbkdf2 -nosalt -pass pass:x) ;;
        clang) command=(clang -O1 -S -x c -o - -) ;;
        rustc) command=(rustc --crate-type lib --crate-name work --emit=llvm-ir -o /dev/stdout -) ;;
        ocaml) command=(ocaml work.ml) ;;
        gawk) command=(awk '{ s[$3] = s[$3] $2 } END { for (i = 0; i < 977; i++) n += length(s[i]); print n, length(s) }') ;;
        git) command=(git hash-object --stdin) ;;
        gdb) command=(gdb -q -nx) ;;
        dot) command=(dot -Tplain) ;;
        xmllint) command=(xmllint --format -) ;;
        sort) command=(sort -k 2) ;;
    esac
}

# What a recording says of itself: nothing was lost, or a sentence of its report says so.
is_honest() { # is_honest CASE FILE
    local lost
    lost=$("$MEMOIR" info "$2" --json 2>said | jq '.quality.lost_events')
    case $lost in
        0) ok "$1" ;;
        "") not_ok "$1" "$(head -n 1 said)" ;;
        *) if "$MEMOIR" report "$2" 2>&1 | grep -Eqi '(lost|found no room|not read in time)'; then ok "$1"; else not_ok "$1" "$lost events are lost, and nobody says so"; fi ;;
    esac
}

judge() { # judge CASE STATUS FILE: against what it did natively
    equal "$1-status" "$native" "$2"
    same_text "$1-output" "$name.native" "$name.out"
    is_honest "$1-honest" "$3"
}

# What the tracer cannot be in is said in a sentence, and is not run.
run_it() {
    "$MEMOIR" run --quiet -o "$name.run.memoir" -- "${command[@]}" <"$input" >"$name.out" 2>"$name.err"
    status=$?
    if [ ! -e "$name.run.memoir" ] && grep -q 'static' "$name.err"; then
        one_sentence "$name-run-refused" "$name.err" 'memoir (cpu|pages|attach|explain|map|watch)'
        return
    fi
    judge "$name-run" $status "$name.run.memoir"
    equal "$name-run-nothing-lost" 0 "$(quality "$name.run.memoir" lost_events)"
    at_least "$name-run-calls" 1 "$(summary "$name.run.memoir" calls)"
}

cpu_it() {
    "$MEMOIR" cpu --quiet -o "$name.cpu.memoir" -- "${command[@]}" <"$input" >"$name.out" 2>"$name.err"
    judge "$name-cpu" $? "$name.cpu.memoir"
}

pages_it() {
    "$MEMOIR" pages --quiet --source perf -o "$name.pages.memoir" -- "${command[@]}" <"$input" >"$name.out" 2>"$name.err"
    judge "$name-pages" $? "$name.pages.memoir"
}

is_inside() { # is_inside PID: our library, or the recorder has ended
    grep -q libmemoir "/proc/$1/maps" || is_gone "$recorder"
}

waits_for_input() { # waits_for_input PID: it has begun, and stands in read or poll on something that is empty
    case $(cat "/proc/$1/wchan" 2>/dev/null) in *pipe* | *poll* | *futex* | *wait*) true ;; *) grep -q '^State:.S' "/proc/$1/status" ;; esac
}

attach_it() {
    local target recorder
    rm -f "$name.fifo"
    mkfifo "$name.fifo"
    "${command[@]}" <"$name.fifo" >"$name.out" 2>"$name.err" &
    target=$!
    started+=("$target")
    exec 8>"$name.fifo"
    wait_until 20 waits_for_input $target
    "$MEMOIR" attach --quiet --wait -o "$name.attach.memoir" $target >"$name.attach.out" 2>"$name.attach.err" 8>&- &
    recorder=$!
    started+=("$recorder")
    wait_until 30 is_inside $target
    cat "$input" >&8
    exec 8>&-
    wait $target
    status=$?
    wait $recorder # its status is the program's, where the kernel tells that
    if [ ! -e "$name.attach.memoir" ]; then
        one_sentence "$name-attach-refused" "$name.attach.err" .
        equal "$name-attach-unharmed" "$native" $status
        same_text "$name-attach-unharmed-output" "$name.native" "$name.out"
        return
    fi
    judge "$name-attach" $status "$name.attach.memoir"
}

may_see_pages() {
    "$MEMOIR" pages --quiet --source perf -o try.memoir -- true 2>pages.err
}

! command -v javac >/dev/null || javac Work.java 2>javac.err
may_see_pages && sees_pages=yes || sees_pages=
[ -n "$sees_pages" ] || skip pages "$(head -n 1 pages.err)"

for name in sqlite3 python3 perl node java bash jq xz zstd bzip2 openssl clang rustc ocaml gawk git gdb dot xmllint sort; do
    command_of $name
    input=$(input_of $name)
    if ! command -v "${command[0]}" >/dev/null; then
        skip $name "not installed"
        continue
    fi
    timeout 60 "${command[@]}" <"$input" >"$name.native" 2>"$name.native.err"
    native=$?
    run_it
    cpu_it
    [ -z "$sees_pages" ] || pages_it
    attach_it
done
