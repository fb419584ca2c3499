# Turns the results of bench/run (workload, tool, round, key, value) into markdown.
BEGIN { FS = "\t" }
{
    n = ++many[$1, $2, $4]
    values[$1, $2, $4, n] = $5 + 0
    if ($4 == "wall") values[$1, $2, "wall_ms", many[$1, $2, "wall_ms"] = n] = $5 * 1000
    if ($4 == "target_cpu") pending = $5
    if ($4 == "recorder_cpu") values[$1, $2, "all_cpu_ms", many[$1, $2, "all_cpu_ms"] = n] = (pending + $5) * 1000
    if (!($1 in known)) { known[$1] = 1; order[++workloads] = $1 }
}

# The quantile p of a key; "" when it was not measured.
function quantile(w, t, k, p,    n, i, j, x, sorted) {
    n = many[w, t, k]
    if (!n) return ""
    for (i = 1; i <= n; i++) {
        x = values[w, t, k, i]
        for (j = i - 1; j >= 1 && sorted[j] > x; j--) sorted[j + 1] = sorted[j]
        sorted[j + 1] = x
    }
    return sorted[int((n - 1) * p) + 1]
}
function low(w, t, k) { return quantile(w, t, k, 0.25) }
function high(w, t, k) { return quantile(w, t, k, 0.75) }
function show(x, format) { return x == "" ? "-" : sprintf(format, x) }
function both(w, t, k, format) { return low(w, t, k) == "" ? "-" : sprintf(format " (" format ")", low(w, t, k), high(w, t, k)) }
function minus(a, b) { return a == "" || b == "" ? "" : a - b }
function over(a, b) { return a == "" || b == "" || b <= 0 ? "" : a / b }
function is_micro(w) { return w ~ /^micro-/ }
function is_latency(w) { return w ~ /^redis-/ }

function micro_table(    i, w, raw, ours, base) {
    print "### malloc+free pairs, ns per pair: lower (upper) quartile\n"
    print "Name: frames - threads; random57: a new depth of 8 to 57 for each pair; live1000: freed 1000 pairs later.\n"
    print "| workload | native | heaptrack | heaptrack raw | memoir | memoir adds | raw adds | memoir / raw |"
    print "|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= workloads; i++) {
        w = order[i]
        if (!is_micro(w)) continue
        base = low(w, "none", "ns_per_pair")
        raw = minus(low(w, "heaptrack-raw", "ns_per_pair"), base)
        ours = minus(low(w, "memoir", "ns_per_pair"), base)
        printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", substr(w, 7), both(w, "none", "ns_per_pair", "%.0f"),
            both(w, "heaptrack", "ns_per_pair", "%.0f"), both(w, "heaptrack-raw", "ns_per_pair", "%.0f"),
            both(w, "memoir", "ns_per_pair", "%.0f"), show(ours, "%.0f"), show(raw, "%.0f"), show(over(ours, raw), "%.3f")
    }
    print ""
}

function cpu(w, t,    a, b) {
    a = low(w, t, "target_cpu"); b = low(w, t, "recorder_cpu")
    return a == "" ? "" : a + b
}

function cost_row(w, t,    base, events, added, raw) {
    if (low(w, t, "wall") == "") return
    events = low(w, "none", "events")
    base = low(w, "none", "target_cpu")
    added = minus(low(w, t, "target_cpu"), base)
    raw = minus(low(w, "heaptrack-raw", "target_cpu"), base)
    printf "| %s | %s | %s | %s | %s |", w, t, both(w, t, "program_wall", "%.2f"),
        show(over(low(w, t, "program_wall"), low(w, "none", "program_wall")), "%.2f"), both(w, t, "target_cpu", "%.2f")
    if (t == "none") {
        printf " - | - | - | - | - | - | %s | - | - | - |\n", show(low(w, t, "target_rss_kb") / 1024, "%.1f")
        return
    }
    printf " %s | %s | %s | %s | %s | %s |", show(over(added * 1e9, events), "%.0f"), show(over(added, raw), "%.3f"),
        show(over(low(w, t, "program_wall") - low(w, "none", "program_wall"), low(w, "heaptrack-raw", "program_wall") - low(w, "none", "program_wall")), "%.3f"),
        show(over(low(w, t, "recorder_cpu") * 1e9, events), "%.0f"),
        show(over(minus(cpu(w, t), base), minus(cpu(w, "heaptrack-raw"), base)), "%.3f"),
        show(over(minus(cpu(w, t), base), minus(cpu(w, "heaptrack"), base)), "%.3f")
    printf " +%s | %s | %s | %s |\n", show((low(w, t, "target_rss_kb") - low(w, "none", "target_rss_kb")) / 1024, "%.1f"),
        show(low(w, t, "recorder_rss_kb") / 1024, "%.1f"), show(over(low(w, t, "file_bytes"), 1024), "%.0f"),
        show(low(w, t, "report_s"), "%.3f")
}

function cost_table(    i, w, m) {
    print "### Whole programs: lower (upper) quartile\n"
    print "Wall: of the program itself, s.  CPU: user + system, s.  Added per event: target CPU over native, per allocation or free.\n"
    print "| workload | tool | wall | ratio | target CPU | ns added per event | added CPU / raw's | added wall / raw's | recorder ns per event | added CPU of all / raw's | ... / heaptrack's | target RSS MiB | recorder RSS MiB | file KiB | report s |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= workloads; i++) {
        w = order[i]
        if (is_latency(w)) continue
        cost_row(w, "none"); cost_row(w, "heaptrack"); cost_row(w, "heaptrack-raw"); cost_row(w, "memoir")
    }
    print "\nEvents (allocations + frees), counted by a library of our own in a run of its own:"
    for (i = 1; i <= workloads; i++)
        if (low(order[i], "none", "events") != "") printf("%s %s %d", (i > 1 ? "," : ""), order[i], low(order[i], "none", "events"))
    print ".\n"
}

# Short programs: what start and end cost.  All CPU together, for who has a tick is not told well in so little time.
function is_short(w) { return w == "ls" || w == "shell300" }
function short_row(w, t) {
    if (low(w, t, "wall") == "") return
    printf "| %s | %s | %s | %s | %s | %s |\n", w, t, both(w, t, "all_cpu_ms", "%.1f"), show(minus(low(w, t, "all_cpu_ms"), low(w, "none", "all_cpu_ms")), "%.1f"),
        both(w, t, "wall_ms", "%.1f"), show((low(w, t, "target_rss_kb") - low(w, "none", "target_rss_kb")) / 1024, "%+.1f")
}
function short_table(    i, w, any) {
    for (i = 1; i <= workloads; i++) any = any || is_short(order[i])
    if (!any) return
    print "### Short programs: lower (upper) quartile\n"
    print "shell300: a shell that starts 300 programs, each recorded by memoir (--children); heaptrack records the shell alone.\n"
    print "| workload | tool | CPU of all, ms | added | wall until all is written, ms | target RSS MiB more |"
    print "|---|---|---|---|---|---|"
    for (i = 1; i <= workloads; i++) {
        w = order[i]
        if (!is_short(w)) continue
        short_row(w, "none"); short_row(w, "heaptrack"); short_row(w, "heaptrack-raw"); short_row(w, "memoir")
    }
    print ""
}

# Where raw adds less than this, its cost is no measure.
function ratio(w, what,    raw) {
    raw = minus(value(w, "heaptrack-raw", what), value(w, "none", what))
    return raw == "" || raw < 0.005 ? "" : over(minus(value(w, "memoir", what), value(w, "none", what)), raw)
}
function value(w, t, what) { return what == "all" ? cpu(w, t) : low(w, t, what) }
function worst_of(what, title,    i, x, most, who, rows) {
    most = ""
    for (i = 1; i <= workloads; i++) {
        x = is_latency(order[i]) ? "" : ratio(order[i], what)
        if (x == "") continue
        rows++
        if (most == "" || x > most) { most = x; who = order[i] }
    }
    if (most != "") printf "- %s: %.2f of heaptrack raw\047s, %s, of %d rows\n", title, most, who, rows
}
function worst() {
    print "### The worst rows\n"
    worst_of("target_cpu", "added CPU of the program")
    worst_of("all", "added CPU of all together")
    worst_of("program_wall", "added wall")
    print ""
}

function latency_row(w, t) {
    if (low(w, t, "rps") == "") return
    printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", substr(w, 7), t, both(w, t, "rps", "%.0f"),
        show(over(low(w, t, "rps"), low(w, "none", "rps")), "%.2f"), show(low(w, t, "p50"), "%.3f"),
        show(low(w, t, "p95"), "%.3f"), show(low(w, t, "p99"), "%.3f"), show(low(w, t, "max"), "%.3f")
}

function latency_table(    i, any) {
    for (i = 1; i <= workloads; i++) any = any || is_latency(order[i])
    if (!any) return
    print "### redis-server under redis-benchmark, 20 clients on the same CPUs\n"
    print "Requests per second: lower (upper) quartile; latencies in ms, lower quartile.\n"
    print "| command | tool | requests/s | ratio | p50 | p95 | p99 | max |"
    print "|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= workloads; i++) {
        if (!is_latency(order[i])) continue
        latency_row(order[i], "none"); latency_row(order[i], "heaptrack")
        latency_row(order[i], "heaptrack-raw"); latency_row(order[i], "memoir")
    }
    print ""
}

END { micro_table(); cost_table(); short_table(); latency_table(); worst() }
