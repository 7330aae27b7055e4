"""Whether a lake and `proflens report --all --limit 0 --format json` over the same shards have the same sums, to the nanosecond.
The lake is read by DuckDB, and by no code of this project.

    ledger.py LAKE REPORT.json RELEASE
"""

import json
import sys

import duckdb


def main(lake, report, release):
    report = json.load(open(report))
    db = duckdb.connect()
    for table in ["sessions", "stacks", "costs", "nodes", "functions", "symbols"]:
        files = f"{lake}/{table}/**/*.parquet"
        types = "{'release': VARCHAR, 'date': VARCHAR}" if table not in ("functions", "symbols") else "{'release': VARCHAR}"
        parts = f"read_parquet('{files}', hive_partitioning = true, hive_types = {types})"
        db.execute(f"CREATE VIEW {table} AS SELECT * FROM {parts} WHERE release = '{release}'")
    same("sessions and samples", db, "SELECT count(*), sum(samples) FROM sessions", [
        (sum(it["sessions"] for it in report["traces"]), sum(it["samples"] for it in report["traces"])),
    ])
    ledger = report["ledger"]
    same("all time, idle, without a stack", db, "SELECT sum(total_ns), sum(idle_ns), sum(no_stack_ns) FROM sessions", [
        (ledger["totalNs"], ledger["idleNs"], ledger["noStackNs"]),
    ])
    same("all time is that of the stacks", db, "SELECT sum(ns), sum(samples) FROM stacks", [
        (ledger["totalNs"], sum(it["samples"] for it in report["traces"])),
    ])
    same("each definition", db, """
        SELECT file, name, line + 1, self_ns, total_ns, self_samples, total_samples
        FROM (SELECT definition, sum(self_ns) AS self_ns, sum(total_ns) AS total_ns, sum(self_samples) AS self_samples,
                     sum(total_samples) AS total_samples FROM costs GROUP BY definition)
        JOIN (SELECT DISTINCT definition, file, name, line FROM symbols WHERE definition <> 0) USING (definition)
        """, [
        (it["file"], it["name"], it["line"], it["selfNs"], it["totalNs"], it["selfSamples"], it["totalSamples"])
        for it in report["functions"]
    ])
    same("each reason", db, """
        SELECT reason, sum(ns) FROM (
            SELECT CASE WHEN kind = 2 THEN 'gc' WHEN kind = 1 THEN 'native' ELSE reason END AS reason, ns
            FROM stacks
            JOIN (SELECT DISTINCT node, function FROM nodes) ON stack = node
            JOIN (SELECT DISTINCT function, kind FROM functions) USING (function)
            LEFT JOIN (SELECT DISTINCT function, definition, reason FROM symbols) USING (function)
            WHERE coalesce(definition, 0) = 0
            UNION ALL SELECT 'program', program_ns FROM sessions UNION ALL SELECT 'gc', gc_ns FROM sessions
            UNION ALL SELECT 'native', native_ns FROM sessions UNION ALL SELECT 'unsampled', unsampled_ns FROM sessions
            UNION ALL SELECT 'unknown', unknown_ns FROM sessions)
        GROUP BY reason HAVING sum(ns) > 0
        """, [(it["why"], it["ns"]) for it in ledger["unplaced"] if it["ns"] > 0])


def same(what, db, sql, expected):
    found = sorted(db.execute(sql).fetchall(), key=repr)
    expected = sorted(expected, key=repr)
    if found == expected:
        print(f"ok   {what}: {len(found)} {'row' if len(found) == 1 else 'rows'}")
        return
    only = [[it for it in a if it not in b][:5] for a, b in [(found, expected), (expected, found)]]
    sys.exit(f"FAIL {what}: only the lake has {only[0]}, only the report {only[1]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
