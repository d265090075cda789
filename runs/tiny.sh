#!/usr/bin/env bash
# The whole flow on a CPU in a few minutes: each line is one stage. Needs `make .venv/.train` once.
set -euo pipefail
cd "$(dirname "$0")/.."
proverl=.venv/bin/proverl
out=${1:-out/tiny}

$proverl synth --count 30 --seed 1 --out "$out/tasks.jsonl"          # graph, sample, converse
$proverl replay "$out/tasks.jsonl"                                   # every observation and final state again
$proverl data "$out/tasks.jsonl"                                     # what is in the file
$proverl rollout "$out/tasks.jsonl" --policy ground_truth --out "$out/truth.jsonl"
$proverl rollout "$out/tasks.jsonl" --policy first_call --out "$out/first.jsonl"
$proverl reward explain "$out/first.jsonl"                           # where the points went
$proverl train --engine trl --data "$out/tasks.jsonl" --model tiny --steps 2 --group 4 --batch 2 --out "$out/train"
