#!/bin/sh
# Builds the image and starts it for real, against a Discord on loopback: from nothing to a first answer, with a file
# system that can only be read, to its end by SIGTERM. Needs root for that, buildah, and the extra test in .venv.
# Arguments go to `buildah build`, such as `--pull-never --from IMAGE` where no registry is reached.
set -eu
cd "$(dirname "$0")/.."
buildah build --layers --format docker --file .deploy/Dockerfile --tag fracas "$@" .
container=$(buildah from --pull-never fracas)
trap 'buildah rm "$container" >/dev/null' EXIT
IMAGE_ROOT=$(buildah mount "$container")
IMAGE_CONFIG=$(buildah inspect "$container" |
    python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["Docker"]["config"]))')
export IMAGE_ROOT IMAGE_CONFIG
"${PYTHON:-.venv/bin/python}" -m pytest -m live -q -s -p no:cacheprovider tests/live/test_deployment.py -k first_answer
