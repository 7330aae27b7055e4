"""Ingests shards of sessions on the executors of a Spark cluster: a task for each shard, which runs proflens-fleet there.

    spark-submit spark_ingest.py --lake /data/lake --release 42 /data/shards/*.ndjson

All machines see the shards and the lake by the same paths, and have proflens-fleet. A task that is run twice, because its
executor was lost or slow, writes the same files again: nothing is counted twice.
"""

import argparse
import subprocess
import sys

from pyspark.sql import SparkSession


def ingest(shard, program, lake, release):
    """Runs on an executor. Gives what proflens-fleet could not use."""
    command = [program, "ingest", "--out", lake, *(["--release", release] if release else []), shard]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: all but what stderr names is in the lake
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return done.stderr.splitlines() if done.returncode == 1 else []


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="proflens-fleet")
    parser.add_argument("--lake", required=True)
    parser.add_argument("--release", help="of all sessions; without it the dimension release of each")
    parser.add_argument("shards", nargs="+")
    options = parser.parse_args(arguments)
    program, lake, release = options.program, options.lake, options.release
    spark = SparkSession.builder.appName("proflens-fleet ingest").getOrCreate()
    shards = spark.sparkContext.parallelize(options.shards, len(options.shards))
    problems = shards.flatMap(lambda shard: ingest(shard, program, lake, release)).collect()
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
