"""Evaluates checkpoints with torch, on the eval set of the folder that make_models.py made.

    evaluate_with_torch.py

Reads lines of a model folder and a checkpoint folder, with a tab between them, and answers each with one line of JSON:
metric name to value. So all models share one start of torch. The checkpoint folder's name (step-60) says which
uploaded checkpoint it is compared with, by metrics that compare.
"""
import json
import sys
from pathlib import Path

import torch
from export_cases import CASES, load_checkpoint, logits_of
from measure import measure
from safetensors.torch import load_file

ROWS_AT_ONCE = 32


def evaluate(model_folder, checkpoint_folder):
    """Metric name to value for the weights in a folder."""
    model_folder, checkpoint_folder = Path(model_folder).resolve(), Path(checkpoint_folder)
    case, spec = CASES[model_folder.name], json.loads((model_folder / "spec.json").read_text())
    batches = load_file(str(model_folder / "batches.safetensors"))
    outputs = _outputs(case, spec, batches, checkpoint_folder)
    uploaded = _outputs(case, spec, batches, model_folder / checkpoint_folder.name)
    return measure(spec, outputs, batches, uploaded)


def _outputs(case, spec, batches, checkpoint_folder):
    model = load_checkpoint(case, checkpoint_folder)
    inputs = {name: batches[tensor] for name, tensor in spec["inputs"].items()}
    rows = len(next(iter(inputs.values())))
    with torch.no_grad():
        parts = [
            logits_of(model, {name: tensor[at : at + ROWS_AT_ONCE] for name, tensor in inputs.items()})
            for at in range(0, rows, ROWS_AT_ONCE)
        ]
    return {metric["output"]: torch.cat(parts) for metric in spec["metrics"]}


if __name__ == "__main__":
    torch.set_num_threads(1)
    for line in sys.stdin:
        print(json.dumps(evaluate(*line.rstrip("\n").split("\t"))), flush=True)
