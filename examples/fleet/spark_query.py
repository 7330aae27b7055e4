"""Runs a query of `proflens-fleet sql --dialect spark` and keeps its rows as one Parquet file, for `proflens-fleet slice --rows`.

    proflens-fleet sql slice --dialect spark --lake /data/lake --where 'release=42' > slice.sql
    spark-submit spark_query.py slice.sql rows.parquet
"""

import sys
from pathlib import Path

from pyspark.sql import SparkSession


def rows(spark, sql):
    """The rows of the last statement; those before it prepare it."""
    statements = [it for it in sql.split(";\n") if it.strip()]
    return [spark.sql(it) for it in statements][-1]


def main(query, out):
    spark = SparkSession.builder.appName("proflens-fleet query").getOrCreate()
    folder = Path(out + ".parts")
    rows(spark, Path(query).read_text()).coalesce(1).write.mode("overwrite").parquet(str(folder))
    [part] = folder.glob("*.parquet")
    part.rename(out)
    for rest in folder.iterdir():
        rest.unlink()
    folder.rmdir()


if __name__ == "__main__":
    main(*sys.argv[1:])
