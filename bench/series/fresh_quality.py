"""Degradation of rebuilt checkpoints on fresh examples, by ONNX Runtime alone.

    fresh_quality.py SERIES KEPT [--json FILE]

KEPT is what `npm run demo -- SERIES --keep KEPT` left. Metrics of the uploads are those that training recorded by
PyTorch; the graph has to agree with them.
"""
import argparse
import json
import os

import numpy
import onnxruntime
import torch

from write_series import CLASSIFIED, REGRESSED, read_safetensors

ROWS = 16  # at once
TOLERANCE = 1e-3  # relative difference of the same weights by PyTorch and by the graph


class Graph:
    """The eval graph of a series, whose weights are inputs."""

    def __init__(self, series, info):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(
            os.path.join(series, info["onnx"]), options, ["CPUExecutionProvider"]
        )
        self.input = info["onnx_input"]
        self.weights = {entry.name for entry in self.session.get_overridable_initializers()}
        self.measures = REGRESSED if info["metric"] == "mse" else CLASSIFIED

    def measure(self, path, pair):
        tensors = read_safetensors(path)
        missing = self.weights - tensors.keys()
        if missing:
            raise SystemExit(f"{path} lacks {sorted(missing)}")
        weights = {name: numpy.ascontiguousarray(tensors[name]) for name in self.weights}
        positions = []
        for start in range(0, len(pair["inputs"]), ROWS):
            (outputs,) = self.session.run(None, {self.input: pair["inputs"][start : start + ROWS], **weights})
            labels = torch.from_numpy(pair["labels"][start : start + ROWS].copy())
            positions.append(self.measures.positions(torch.from_numpy(outputs), labels))
        return self.measures.metrics(torch.cat(positions))


def worse_by(before, after, higher_is_better):
    """Relative change for the worse."""
    return (before - after if higher_is_better else after - before) / abs(before)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("series")
    parser.add_argument("kept")
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with open(os.path.join(options.series, "series.json")) as file:
        info = json.load(file)
    sets = {name: read_safetensors(os.path.join(options.series, info[name])) for name in ("eval", "fresh")}
    graph = Graph(options.series, info)
    first = info["checkpoints"][0]
    for name, recorded in (("eval", first), ("fresh", first["fresh"])):
        found = graph.measure(os.path.join(options.series, first["file"]), sets[name])
        for metric, value in found.items():
            if abs(value - recorded[metric]) > TOLERANCE * abs(recorded[metric]):
                raise SystemExit(f"{metric} on {name} is {value} by the graph, {recorded[metric]} by PyTorch")
    steps = {entry["step"]: entry for entry in info["checkpoints"]}
    rows = []
    for folder in sorted(os.listdir(options.kept), key=lambda name: (int(name.rsplit("-", 1)[1]), name)):
        entry = steps[int(folder.rsplit("-", 1)[1])]
        row = {"name": folder}
        for name, recorded in (("eval", entry), ("fresh", entry["fresh"])):
            found = graph.measure(os.path.join(options.kept, folder, "model.safetensors"), sets[name])
            row[name] = {
                metric: worse_by(recorded[metric], value, info["metrics"][metric]) for metric, value in found.items()
            }
        rows.append(row)
        words = [
            f"{name} {metric} {100 * value:+.3f} %" for name in ("eval", "fresh") for metric, value in row[name].items()
        ]
        print(f"{folder:22}", "  ".join(words), flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
