"""A Spark cluster on this machine: a master and two workers, each a process of its own. Runs jobs on it, and kills a worker
with all that it has started while a job is half done.

    spark.py query WORK_FOLDER OUT_FOLDER QUERY.sql...   the rows of each query as CSV; in the first one a worker dies
    spark.py ingest WORK_FOLDER ARGUMENTS...             examples/fleet/spark_ingest.py with these arguments; a worker dies
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

sys.path.insert(0, str(Path(__file__).parents[2] / "examples/fleet"))
import spark_ingest
import spark_query

HOME = Path(pyspark.__file__).parent
PATIENCE = 120


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def start(folder, *arguments):
    """A process of Spark, which leads a group of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOG_DIR": str(folder)}
    command = [HOME / "bin/spark-class", *map(str, arguments)]
    with open(folder / "log", "w") as log:
        return subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log, start_new_session=True)


def until(what, holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not happen")
        time.sleep(0.02)


def listens(port):
    with socket.socket() as it:
        return it.connect_ex(("127.0.0.1", port)) == 0


class Cluster:
    def __init__(self, folder):
        port = free_port()
        self.url = f"spark://127.0.0.1:{port}"
        package = "org.apache.spark.deploy"
        host = ["--host", "127.0.0.1", "--port"]
        self.master = start(folder / "master", f"{package}.master.Master", *host, port, "--webui-port", free_port())
        until("a master", lambda: listens(port))
        own = ["--webui-port", 0, "--cores", 1, "--memory", "1g", "--work-dir"]
        self.workers = [
            start(folder / name, f"{package}.worker.Worker", *host, free_port(), *own, folder / name, self.url)
            for name in ["worker-1", "worker-2"]
        ]

    def session(self):
        os.environ["PYSPARK_PYTHON"] = sys.executable
        settings = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.executor.memory": "800m",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.files.maxPartitionBytes": "1m",  # more tasks, so that there is a middle
            "spark.sql.files.openCostInBytes": "64k",
            "spark.sql.adaptive.coalescePartitions.enabled": "false",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
        }
        builder = SparkSession.builder.master(self.url)
        for name, value in settings.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        until("two executors", lambda: executors(spark) == 2)
        return spark

    def kill_a_worker_in_the_middle(self, spark):
        """Kills the second worker as soon as a task has ended while others are still to run."""
        tracker = spark.sparkContext.statusTracker()

        def is_in_the_middle():
            stages = [tracker.getStageInfo(it) for it in tracker.getActiveStageIds()]
            return any(it and it.numCompletedTasks > 0 and it.numCompletedTasks + 1 < it.numTasks for it in stages)

        def watch():
            until("the middle of a job", is_in_the_middle)
            os.killpg(self.workers[1].pid, signal.SIGKILL)

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        return thread

    def stop(self):
        for it in [*self.workers, self.master]:
            try:
                os.killpg(it.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            it.wait()


def executors(spark):
    """How many there are: the driver is listed too."""
    return spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1


def csv(frame):
    lines = [",".join(frame.columns)] + [",".join(map(str, row)) for row in frame.collect()]
    return "\n".join(lines) + "\n"


def query(spark, kill, out, *queries):
    for path in map(Path, queries):
        begun = time.monotonic()
        if kill:
            killed = kill()
        text = csv(spark.sql(path.read_text()))
        Path(out, path.name).with_suffix(".csv").write_text(text)
        print(f"{path.stem}: {time.monotonic() - begun:.1f} s")
        if kill:
            killed.join()
            until("the loss of an executor", lambda: executors(spark) == 1)
            kill = None
    spark_query.main(queries[1], str(Path(out, "rows.parquet")))  # as users run it


def ingest(spark, kill, *arguments):
    spark.sparkContext.addPyFile(spark_ingest.__file__)
    killed = kill()
    problems = spark_ingest.main(arguments)
    killed.join()
    until("the loss of an executor", lambda: executors(spark) == 1)
    if problems:
        raise SystemExit("ingest had problems")


def main(what, folder, *arguments):
    cluster = Cluster(Path(folder))
    try:
        spark = cluster.session()
        kill = lambda: cluster.kill_a_worker_in_the_middle(spark)
        {"query": query, "ingest": ingest}[what](spark, kill, *arguments)
        print(f"a worker was killed in the middle: {executors(spark)} of 2 is left")
        spark.stop()
    finally:
        cluster.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
