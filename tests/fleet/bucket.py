"""Runs a command while moto, which is a whole S3 in Python, serves the files of a folder from a bucket. Requests are signed.

    bucket.py FOLDER COMMAND...
"""

import logging
import os
import subprocess
import sys

import boto3
from moto.server import ThreadedMotoServer


def main(folder, *command):
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    service = f"http://{host}:{port}"
    credentials = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
    os.environ |= credentials | {"AWS_ENDPOINT_URL": service, "AWS_ALLOW_HTTP": "true"}
    client = boto3.client("s3", region_name="us-east-1", endpoint_url=service)
    client.create_bucket(Bucket="traces")
    for name in sorted(os.listdir(folder)):
        client.upload_file(os.path.join(folder, name), "traces", f"day one/{name}")
    ended = subprocess.run(command)
    server.stop()
    sys.exit(ended.returncode)


main(*sys.argv[1:])
