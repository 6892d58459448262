"""Trains a small language model on bytes of text, on one core, and leaves a checkpoint series: weights, gradient
averages, eval set, ONNX graph.

    train_gpt.py OUT --text FILE [FILE ...] [--steps N] [--checkpoints N] [--width N] [--layers N] [--batch N]
        [--optimizer sgd] [--masters]

The series has the layout of examples/lm-small. Equal arguments give an equal series on one machine with one build of
PyTorch.
"""
import argparse
import inspect
import json
import math
import os
import warnings

import numpy
import torch
from torch import nn
from torch.nn import functional

from optimizers import add_optimizer_options, optimizer_of, set_rate
from safetensors_file import Bfloat16, write_safetensors

CONTEXT = 64  # bytes a sequence
VOCABULARY = 256
HEADS = 4
PEAK_RATE = 4e-3
FINAL_RATE = 0.02  # of the peak: a run ends in a phase in which an error hardly heals any more
WARM_UP_STEPS = 20
GRADIENT_NORM_MAX = 1.0
AVERAGE_KEEPS = 0.9  # of an average of gradients, a step
HELD_OUT_PLACES = 32  # stretches of the text, evenly spread
HELD_OUT_SEQUENCES = 4  # of each


class Mixer(nn.Module):
    """Self-attention; causal by default."""

    def __init__(self, width, causal=True):
        super().__init__()
        self.causal = causal
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        future = torch.ones(CONTEXT, CONTEXT).triu(1) * -1e9
        self.register_buffer("future", future, persistent=False)

    def forward(self, x):
        count, length, width = x.shape
        query, key, value = (
            part(x).reshape(count, length, HEADS, width // HEADS).permute(0, 2, 1, 3)
            for part in (self.query, self.key, self.value)
        )
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(width // HEADS)
        if self.causal:
            scores = scores + self.future[:length, :length]
        mixed = torch.matmul(torch.softmax(scores, -1), value)
        return self.out(mixed.permute(0, 2, 1, 3).reshape(count, length, width))


class Block(nn.Module):
    def __init__(self, width, causal=True):
        super().__init__()
        self.mixer_norm, self.mixer = nn.LayerNorm(width), Mixer(width, causal)
        self.feed_norm, self.widen, self.narrow = (
            nn.LayerNorm(width),
            nn.Linear(width, 4 * width),
            nn.Linear(4 * width, width),
        )

    def forward(self, x):
        x = x + self.mixer(self.mixer_norm(x))
        return x + self.narrow(functional.gelu(self.widen(self.feed_norm(x))))


class Gpt(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.symbols, self.positions = nn.Embedding(VOCABULARY, width), nn.Embedding(CONTEXT, width)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY, bias=False)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.04)

    def forward(self, symbols):
        x = self.symbols(symbols) + self.positions.weight[: symbols.shape[1]]
        return self.head(self.norm(self.blocks(x)))


class SeriesWriter:
    """Writes checkpoints into a directory and keeps its series.json up to date. Narrow weights are in bfloat16."""

    def __init__(self, directory, about, narrow=False):
        os.makedirs(directory, exist_ok=True)
        self.dir, self.info, self.narrow = directory, {**about, "checkpoints": []}, narrow

    def write(self, model, averages, step, metrics):
        index = len(self.info["checkpoints"])
        name = f"ckpt_{index:02}"
        weights = {key: tensor.detach().numpy() for key, tensor in model.state_dict().items()}
        write_safetensors(
            os.path.join(self.dir, f"{name}.safetensors"), narrowed(weights) if self.narrow else weights
        )
        write_safetensors(
            os.path.join(self.dir, f"{name}.grad.safetensors"),
            {key: tensor.numpy() for key, tensor in averages.items()},
        )
        self.info["checkpoints"].append({"index": index, "step": step, "file": f"{name}.safetensors", **metrics})
        with open(os.path.join(self.dir, "series.json"), "w") as file:
            json.dump(self.info, file, indent=1)


def narrowed(arrays):
    """Arrays by name, those of fp32 as bfloat16."""
    return {key: Bfloat16(array) if array.dtype == numpy.float32 else array for key, array in arrays.items()}


def split_text(paths):
    """The bytes to train on, and held-out sequences of one byte more than the context."""
    text = numpy.concatenate([numpy.fromfile(path, numpy.uint8) for path in paths])
    held_bytes = HELD_OUT_SEQUENCES * (CONTEXT + 1)
    stretches = numpy.array_split(text, HELD_OUT_PLACES)
    if min(map(len, stretches)) < 2 * held_bytes:
        raise SystemExit(f"train_gpt.py: {len(text)} bytes of text are too few")
    train = numpy.concatenate([stretch[held_bytes:] for stretch in stretches])
    held = numpy.concatenate([stretch[:held_bytes] for stretch in stretches]).reshape(-1, CONTEXT + 1)
    return torch.from_numpy(train.astype(numpy.int64)), torch.from_numpy(held.astype(numpy.int64))


def loss_of(model, sequences):
    return functional.cross_entropy(model(sequences[:, :-1]).flatten(0, 1), sequences[:, 1:].flatten())


def measure(model, held):
    with torch.no_grad():
        parts = [loss_of(model, part).item() * len(part) for part in held.split(16)]
    return {"loss": sum(parts) / len(held)}


def rate_at(step, steps):
    """Warm-up, then half a cosine."""
    falling = 0.5 * (1 + math.cos(math.pi * step / steps))
    return PEAK_RATE * min(1, step / WARM_UP_STEPS) * (FINAL_RATE + (1 - FINAL_RATE) * falling)


def write_graph(path, width, layers, example):
    """
    Random weights stand in: a hub takes those of checkpoints, by name, and an exporter merges tensors that happen to be
    equal.
    """
    model = Gpt(width, layers).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_()
    options = {"opset_version": 13, "do_constant_folding": False, "training": torch.onnx.TrainingMode.PRESERVE}
    # Later versions have a second exporter, which renames weights, as the default.
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        options["dynamo"] = False
    sizes = {"symbols": {0: "count"}, "logits": {0: "count"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model, example, path, input_names=["symbols"], output_names=["logits"], dynamic_axes=sizes, **options
        )


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--text", nargs="+", required=True)
    for name, value in (("steps", 480), ("checkpoints", 20), ("width", 64), ("layers", 2), ("batch", 8)):
        parser.add_argument(f"--{name}", type=int, default=value)
    add_optimizer_options(parser)
    return parser.parse_args()


def main():
    options = read_arguments()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    train, held = split_text(options.text)
    model = Gpt(options.width, options.layers)
    optimizer = optimizer_of(model, options)
    averages = {name: torch.zeros_like(parameter) for name, parameter in model.named_parameters()}
    writer = SeriesWriter(
        options.out,
        {
            "name": f"gpt-{sum(parameter.numel() for parameter in model.parameters())}",
            "metric": "loss",
            "metric_higher_is_better": False,
            "onnx": "model.onnx",
            "onnx_input": "symbols",
            "onnx_output": "logits",
            "eval": "eval.safetensors",
        },
        narrow=options.masters,
    )
    write_safetensors(
        os.path.join(options.out, "eval.safetensors"), {"inputs": held[:, :-1].numpy(), "labels": held[:, 1:].numpy()}
    )
    write_graph(os.path.join(options.out, "model.onnx"), options.width, options.layers, held[:2, :-1])
    marks = {options.steps * (k + 1) // options.checkpoints for k in range(options.checkpoints)}
    for step in range(1, options.steps + 1):
        set_rate(optimizer, rate_at(step, options.steps))
        starts = torch.randint(len(train) - CONTEXT, (options.batch,))
        loss = loss_of(model, torch.stack([train[start : start + CONTEXT + 1] for start in starts.tolist()]))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), GRADIENT_NORM_MAX)
        for name, parameter in model.named_parameters():
            averages[name].mul_(AVERAGE_KEEPS).add_(parameter.grad, alpha=1 - AVERAGE_KEEPS)
        optimizer.step()
        if step in marks:
            writer.write(model, averages, step, measure(model, held))


if __name__ == "__main__":
    main()
