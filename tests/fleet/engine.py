"""Runs a query in DuckDB or ClickHouse (chDB) as a process of its own, and writes its rows as CSV.

    engine.py duckdb|clickhouse QUERY.sql OUT.csv
"""

import sys
from pathlib import Path


def statements(path):
    return [it for it in Path(path).read_text().split(";\n") if it.strip()]


def duckdb(query, out):
    import duckdb

    *before, last = statements(query)
    connection = duckdb.connect()
    for statement in before:
        connection.execute(statement)
    connection.execute(f"COPY ({last.rstrip().rstrip(';')}) TO '{out}' (FORMAT csv, HEADER)")


def clickhouse(query, out):
    from chdb.session import Session

    *before, last = statements(query)
    session = Session()
    for statement in before:
        session.query(statement)
    head, _, rest = session.query(last, "CSVWithNames").bytes().partition(b"\n")
    Path(out).write_bytes(head.replace(b'"', b"") + b"\n" + rest)


if __name__ == "__main__":
    engine, query, out = sys.argv[1:]
    {"duckdb": duckdb, "clickhouse": clickhouse}[engine](query, out)
