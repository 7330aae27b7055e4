"""Runs a query of `proflens-fleet sql` in an engine and prints its result as CSV, as `proflens-fleet rows` does.

    engines.py duckdb|clickhouse|spark QUERY_FILE [RESULT.parquet]

With a third argument the engine writes its result to this file (Spark: to a folder of this name) instead. The engines are the
packages duckdb, chdb and pyspark of PyPI; Spark needs Java 17.
"""

import sys
from pathlib import Path


def duckdb(query, parquet):
    import duckdb as engine

    if parquet:
        engine.sql(f"copy (\n{query}\n) to '{parquet}' (format parquet)")
        return None
    result = engine.sql(query)
    return [(name, str(kind)) for name, kind in zip(result.columns, result.types)], result.fetchall()


def clickhouse(query, parquet):
    import json

    import chdb

    if parquet:
        Path(parquet).write_bytes(chdb.query(query, "Parquet").bytes())
        return None
    names, types, *rows = chdb.query(query, "JSONCompactEachRowWithNamesAndTypes").data().splitlines()
    # Integers of 64 bits are texts in its JSON.
    columns = list(zip(json.loads(names), json.loads(types)))
    return columns, [[int(value) for value in json.loads(row)] for row in rows]


def spark(query, parquet):
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    result = session.sql(query)
    if parquet:
        result.coalesce(1).write.mode("overwrite").parquet(parquet)
        return None
    return result.dtypes, [tuple(row) for row in result.collect()]


ENGINES = {
    "duckdb": (duckdb, "BIGINT"),
    "clickhouse": (clickhouse, "Int64"),
    "spark": (spark, "bigint"),
}


def main(name, query_file, parquet=None):
    engine, integer = ENGINES[name]
    result = engine(Path(query_file).read_text(encoding="utf-8"), parquet)
    if result is None:
        return
    columns, rows = result
    other = [column for column in columns if column[1] != integer]
    if other:
        sys.exit(f"{name}: not all columns are {integer}: {other}")
    lines = [",".join(column[0] for column in columns)]
    lines += [",".join(str(value) for value in row) for row in rows]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
