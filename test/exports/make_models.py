"""Makes small models, trains each for seconds, and exports it as docs/guide/eval-sets.md describes.

    make_models.py OUT [--only NAME,NAME]
    make_models.py --check

Leaves a folder a model: graph.onnx, batches.safetensors, spec.json, step-30/ to step-90/ (checkpoints of one
training) and expected.json (step to metrics, by torch). With --check it only says which packages are missing. Nothing
is downloaded; equal versions of PyTorch and transformers give equal folders.
"""
import argparse
import contextlib
import importlib.util
import io
import json
import os
import sys
import time
from pathlib import Path

MISSING_EXIT_CODE = 3
CHECKPOINT_STEPS = (30, 60, 90)
TRAINING_ROWS = 12  # a step
HELD_OUT_ROWS = 128
LEARNING_RATE = 5e-3
DIFFERENCE_MAX = 1e-4  # between logits of the graph and of the model, both in float32

os.environ.update(HF_HUB_OFFLINE="1", HF_HUB_DISABLE_PROGRESS_BARS="1", TRANSFORMERS_VERBOSITY="error")


def require_packages():
    """Exits with one sentence if a package is missing."""
    wanted = ("torch", "transformers", "safetensors", "onnx", "onnxscript", "onnxruntime")
    missing = [package for package in wanted if importlib.util.find_spec(package) is None]
    if missing:
        print(f"make_models.py needs Python packages that are not installed: {', '.join(missing)}", file=sys.stderr)
        raise SystemExit(MISSING_EXIT_CODE)


def train(case, model, folder):
    import torch
    from export_cases import training_loss

    random = torch.Generator().manual_seed(100 + case.seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
    model.train()
    losses = []
    for step in range(1, CHECKPOINT_STEPS[-1] + 1):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - step / (CHECKPOINT_STEPS[-1] + 20))
        optimizer.zero_grad()
        loss = training_loss(model, case.rows(TRAINING_ROWS, random))
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
        if step in CHECKPOINT_STEPS:
            checkpoint = folder / f"step-{step}"
            checkpoint.mkdir()
            case.save(model.eval(), checkpoint)
            model.train()
    return losses[0], losses[-1]


def export(case, model, rows, folder):
    """Runs the guide's code in the folder; `model` and the held-out tensors are its only surroundings."""
    from guide_blocks import guide_block

    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # the exporter tells its steps
            exec(compile(guide_block("export", case.export), f"export={case.export}", "exec"), {"model": model, **rows})
    finally:
        os.chdir(before)
    spec = json.loads(guide_block("spec", case.spec))
    if (folder / "tensor-map.json").exists():
        spec["tensorMap"] = json.loads((folder / "tensor-map.json").read_text())
    (folder / "spec.json").write_text(json.dumps(spec, indent=1) + "\n")
    return spec


def largest_difference(model, spec, folder):
    """Between the graph run by onnxruntime and the model run by torch, on all batches."""
    import onnxruntime
    import torch
    from export_cases import logits_of
    from safetensors.torch import load_file

    batches = load_file(str(folder / "batches.safetensors"))
    inputs = {name: batches[tensor] for name, tensor in spec["inputs"].items()}
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 3, 1
    session = onnxruntime.InferenceSession(str(folder / "graph.onnx"), options, providers=["CPUExecutionProvider"])
    (output,) = session.run([spec["metrics"][0]["output"]], {name: tensor.numpy() for name, tensor in inputs.items()})
    with torch.no_grad():
        return float((torch.from_numpy(output) - logits_of(model, inputs)).abs().max())


def make(name, folder):
    import torch
    from evaluate_with_torch import evaluate
    from export_cases import CASES

    case, started = CASES[name], time.monotonic()
    folder.mkdir(parents=True)
    torch.manual_seed(case.seed)
    model = case.build().eval()
    rows = case.rows(HELD_OUT_ROWS, torch.Generator().manual_seed(200 + case.seed))
    spec = export(case, model, rows, folder)
    difference = largest_difference(model, spec, folder)
    if not difference <= DIFFERENCE_MAX:
        raise SystemExit(f"{name}: the graph's logits differ from the model's by {difference}")
    first, last = train(case, model, folder)
    expected = {str(step): evaluate(folder, folder / f"step-{step}") for step in CHECKPOINT_STEPS}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    seconds = time.monotonic() - started
    print(
        f"{name}: loss {first:.3f} to {last:.3f}, graph within {difference:.1e} of torch, {seconds:.1f} s", flush=True
    )


def main():
    require_packages()
    if sys.argv[1:] == ["--check"]:
        return
    import logging
    import warnings

    import torch
    from export_cases import CASES

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(CASES), help="comma-separated names")
    options = parser.parse_args()
    for name in options.only:
        make(name, (options.out / name).resolve())


if __name__ == "__main__":
    main()
