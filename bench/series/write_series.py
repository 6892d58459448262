"""Trains a model and writes its checkpoints as a series: what all scripts of this folder share.

A script makes a Recipe and calls write_series. README.md says what a series holds.
"""
import argparse
import copy
import dataclasses
import os
import sys
import warnings
from typing import Callable

import numpy
import torch
from torch import nn
from torch.nn import functional

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "restart"))
import train_gpt  # noqa: E402
from optimizers import add_optimizer_options, optimizer_of, set_rate  # noqa: E402
from safetensors_file import read_safetensors, write_safetensors  # noqa: E402, F401

IGNORED = -100  # label of a position that counts nowhere
MEASURED_ROWS = 16  # at once; what they make fits a cache
# Shares of the training at which checkpoints are taken: ever closer, while the learning rate falls.
MARKS = (0.04, 0.1, 0.18, 0.27, 0.36, 0.46, 0.56, 0.66, 0.75, 0.82, 0.88, 0.92, 0.95, 0.98, 1.0)


@dataclasses.dataclass
class Recipe:
    """The training of one script. Pairs are inputs and labels, rows first."""

    model: nn.Module
    input: str
    output: str
    eval: tuple
    fresh: tuple
    # Rows of the training set, at most as many as held-out ones: the gap between them shows overfitting.
    train: tuple
    draw: Callable  # the pair of one step
    steps: int
    peak_rate: float
    measures: "Measures"


@dataclasses.dataclass
class Measures:
    """Metrics of outputs, given labels."""

    loss: Callable  # of outputs and labels: the mean to minimize
    positions: Callable  # of some rows' outputs and labels: a row of numbers for each position that counts
    metrics: Callable  # of all these: metrics by name; the first bounds the series
    directions: dict  # metrics by name: whether more is better


def classified(outputs, labels):
    """Mean cross-entropy of logits whose last axis is the class."""
    return functional.cross_entropy(outputs.flatten(0, -2), labels.flatten(), ignore_index=IGNORED)


def classified_positions(outputs, labels):
    """Loss of each position that counts, and whether its answer is right."""
    counted = labels != IGNORED
    outputs, labels = outputs[counted], labels[counted]
    return torch.stack(
        [functional.cross_entropy(outputs, labels, reduction="none"), (outputs.argmax(-1) == labels).float()], 1
    )


def classified_metrics(positions):
    loss, accuracy = positions.double().mean(0).tolist()
    return {"loss": loss, "accuracy": accuracy}


CLASSIFIED = Measures(classified, classified_positions, classified_metrics, {"loss": False, "accuracy": True})


def regressed_positions(outputs, labels):
    return torch.stack([outputs.flatten(), labels.flatten()], 1)


def regressed_metrics(positions):
    outputs, labels = positions.double().unbind(1)
    return {
        "mse": (outputs - labels).square().mean().item(),
        "pearson": torch.corrcoef(torch.stack([outputs, labels]))[0, 1].item(),
    }


REGRESSED = Measures(functional.mse_loss, regressed_positions, regressed_metrics, {"mse": False, "pearson": True})


def read_options(description, default_steps, add=lambda parser: None):
    """The command line; also fixes threads and seeds, so call it before anything is drawn."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("out", help="folder of the series; it is made")
    parser.add_argument("--steps", type=int, default=default_steps)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--bf16", action="store_true", help="also write each checkpoint rounded, as NAME.bf16.safetensors"
    )
    parser.add_argument("--eval-only", action="store_true", help="measure on the eval set alone, which is much faster")
    parser.add_argument("--checkpoints", type=int, help="so many at equal distances, for a long run; 15 without it")
    add_optimizer_options(parser)
    add(parser)
    options = parser.parse_args()
    if options.checkpoints is not None and options.checkpoints < 2:
        parser.error("--checkpoints wants 2 at least")
    marks = marks_of(options)
    if options.steps < 2 * len(marks):
        parser.error(f"--steps wants {2 * len(marks)} at least")
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    numpy.random.seed(options.seed)
    return options


def marks_of(options):
    """Shares of the training at which checkpoints are taken."""
    count = options.checkpoints
    return MARKS if count is None else tuple((number + 1) / count for number in range(count))


class SeriesWriter(train_gpt.SeriesWriter):
    """Writes like the GPT of the restart bench, and adds rounded copies."""

    def __init__(self, directory, about, options):
        super().__init__(directory, about, narrow=options.masters)
        self.rounded = options.bf16

    def write(self, model, averages, step, metrics):
        super().write(model, averages, step, metrics)
        if self.rounded:
            arrays = {name: tensor.detach().numpy() for name, tensor in model.state_dict().items()}
            name = self.info["checkpoints"][-1]["file"].replace(".safetensors", ".bf16.safetensors")
            write_safetensors(os.path.join(self.dir, name), train_gpt.narrowed(arrays))


def write_series(name, recipe, options):
    """Trains with warm-up and half a cosine, and writes the whole series into options.out."""
    model = recipe.model
    moving = {key: parameter for key, parameter in model.named_parameters() if parameter.requires_grad}
    writer = SeriesWriter(options.out, describe(name, recipe, moving), options)
    for file, (inputs, labels) in (("eval", recipe.eval), ("fresh", recipe.fresh)):
        write_safetensors(
            os.path.join(options.out, f"{file}.safetensors"), {"inputs": inputs.numpy(), "labels": labels.numpy()}
        )
    write_graph(os.path.join(options.out, "model.onnx"), recipe)
    optimizer = optimizer_of(model, options)
    # Frozen weights have no gradient, and no average of it.
    averages = {key: torch.zeros_like(parameter) for key, parameter in moving.items()}
    marks = {max(1, round(options.steps * mark)) for mark in marks_of(options)}
    for step in range(1, options.steps + 1):
        set_rate(optimizer, recipe.peak_rate * train_gpt.rate_at(step, options.steps) / train_gpt.PEAK_RATE)
        model.train()
        inputs, labels = recipe.draw()
        optimizer.zero_grad()
        recipe.measures.loss(model(inputs), labels).backward()
        nn.utils.clip_grad_norm_(moving.values(), train_gpt.GRADIENT_NORM_MAX)
        for key, parameter in moving.items():
            averages[key].mul_(train_gpt.AVERAGE_KEEPS).add_(parameter.grad, alpha=1 - train_gpt.AVERAGE_KEEPS)
        optimizer.step()
        if step in marks:
            found = measure(model, recipe.eval, recipe.measures)
            others = {} if options.eval_only else {"fresh": recipe.fresh, "train": recipe.train}
            rest = {key: measure(model, pair, recipe.measures) for key, pair in others.items()}
            writer.write(model, averages, step, {**found, **rest})
            print(name, step, found, rest, flush=True)


def describe(name, recipe, moving):
    directions = recipe.measures.directions
    metric = next(iter(directions))
    numbers = [parameter.numel() for parameter in recipe.model.parameters()]
    about = {
        "name": name,
        "params": sum(numbers),
        "moving_params": sum(parameter.numel() for parameter in moving.values()),
        "torch": torch.__version__,
        "metric": metric,
        "metric_higher_is_better": directions[metric],
        "metrics": directions,
        "onnx": "model.onnx",
        "onnx_input": recipe.input,
        "onnx_output": recipe.output,
        "eval": "eval.safetensors",
        "fresh": "fresh.safetensors",
    }
    return {**about, "ignore_label": IGNORED} if (recipe.eval[1] == IGNORED).any() else about


def measure(model, pair, measures):
    """Metrics of one pass over all rows."""
    model.eval()
    with torch.no_grad():
        parts = zip(*(part.split(MEASURED_ROWS) for part in pair))
        positions = torch.cat([measures.positions(model(inputs), labels) for inputs, labels in parts])
    return measures.metrics(positions)


def write_graph(path, recipe):
    """
    As docs/guide/eval-sets.md has it: no folding, and weights that are inputs too, which keeps apart those that happen
    to be equal.
    """
    sizes = {recipe.input: {0: "rows"}, recipe.output: {0: "rows"}}
    options = {"do_constant_folding": False, "keep_initializers_as_inputs": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            copy.deepcopy(recipe.model).eval(),
            (recipe.eval[0][:2],),
            path,
            input_names=[recipe.input],
            output_names=[recipe.output],
            dynamic_axes=sizes,
            dynamo=False,
            **options,
        )
