"""Runs a query of `proflens-fleet sql --dialect spark` and keeps its rows as one Parquet file, for `proflens-fleet slice --rows`.

    proflens-fleet sql slice --dialect spark --lake /data/lake --where 'release=42' > slice.sql
    spark-submit spark_query.py slice.sql rows.parquet
"""

import sys
from pathlib import Path

from pyspark.sql import SparkSession


def main(query, out):
    spark = SparkSession.builder.appName("proflens-fleet query").getOrCreate()
    folder = Path(out + ".parts")
    spark.sql(Path(query).read_text()).coalesce(1).write.mode("overwrite").parquet(str(folder))
    [part] = folder.glob("*.parquet")
    part.rename(out)
    for rest in folder.iterdir():
        rest.unlink()
    folder.rmdir()


if __name__ == "__main__":
    main(*sys.argv[1:])
