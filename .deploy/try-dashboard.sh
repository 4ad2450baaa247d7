#!/bin/sh
# Asks a running Prometheus for every panel of the dashboard while people play, on a Discord on loopback. Takes two
# minutes. Needs the extra test, and Prometheus in the PATH or named by PROMETHEUS.
set -eu
cd "$(dirname "$0")/.."
PROMETHEUS=${PROMETHEUS:-$(command -v prometheus)} || {
    echo "There is no prometheus in the PATH: apt install prometheus, or set PROMETHEUS to the program." >&2
    exit 1
}
export PROMETHEUS
exec "${PYTHON:-.venv/bin/python}" -m pytest -m live -q -s tests/live/test_deployment.py -k panel
