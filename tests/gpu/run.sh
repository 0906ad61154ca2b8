#!/usr/bin/env bash
# Runs what needs a GPU on a host that has one, python3 with torch and Triton, and nothing else to fetch from.
#
#   tests/gpu/run.sh [SITE [DEPENDENCIES [MODELS]]]
#
# SITE: a folder with vLLM 0.22.1 and gguf unpacked for that python3. DEPENDENCIES: one with necropsy's own, unpacked
# from wheels (the project's own and those of its dependencies). MODELS: what tests/vllm/make_models.py wrote elsewhere.
# Writes OUT/probes.json, OUT/summary.txt and OUT/sweep.json (OUT: the environment's, else ./gpu-results) and prints a
# summary; with DEPENDENCIES also what tests/gpu/product.py writes, into OUT/product, and with MODELS what
# tests/gpu/server.py writes, into OUT/server. Without SITE what needs vLLM says "blocked", and what it would have been
# compared with is missing.
# NECROPSY_GPU_ONLY=dequant,kv runs some families (none: no probe by itself, server: nothing but the servers);
# NECROPSY_GPU_SWEEP=0 leaves out the sweep over sizes of programs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT:-gpu-results}
if [ $# -ge 1 ]; then
  PYTHONPATH=$(cd "$1" && pwd)${PYTHONPATH:+:$PYTHONPATH}
  export PYTHONPATH
fi
export VLLM_NO_USAGE_STATS=1 VLLM_LOGGING_LEVEL=ERROR PYTHONDONTWRITEBYTECODE=1
mkdir -p "$out"
if [ $# -ge 2 ]; then
  tools=$(cd "$2" && pwd)
  export PATH=$tools/bin:$PATH
  if [ $# -ge 3 ]; then
    models=$(mktemp -d)
    for model in "$3"/deepseek*; do python3 "$here/pad_heads.py" "$model" "$models/${model##*/}"; done
    PYTHONPATH=$tools:$PYTHONPATH python3 "$here/server.py" "$out/server" --site "$1" --models "$models"
    [ "${NECROPSY_GPU_ONLY:-}" != server ] || exit 0
  fi
  PYTHONPATH=$tools:$PYTHONPATH python3 "$here/product.py" "$out/product" --site "$1"
fi
[ "${NECROPSY_GPU_ONLY:-}" = none ] || python3 "$here/collect.py" "$out" --only "${NECROPSY_GPU_ONLY:-}"
if [ "${NECROPSY_GPU_SWEEP:-1}" != 0 ]; then
  python3 "$here/bench_dequant.py" --json "$out/sweep.json"
fi
