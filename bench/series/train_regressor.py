"""Trains a regressor with BatchNorm on decaying oscillations.

    train_regressor.py OUT [--steps N] [--seed N] [--bf16]
"""
import numpy
import torch
from torch import nn

from write_series import REGRESSED, Recipe, read_options, write_series

SAMPLES = 96  # of a signal
WIDTH, LAYERS = 48, 3
TRAINED, EVAL, FRESH = 6000, 400, 4000  # signals
BATCH = 32
NOISE = 0.25  # standard deviation


class Layer(nn.Module):
    def __init__(self, stride):
        super().__init__()
        self.first, self.first_norm = nn.Conv1d(WIDTH, WIDTH, 5, stride, 2), nn.BatchNorm1d(WIDTH)
        self.second, self.second_norm = nn.Conv1d(WIDTH, WIDTH, 5, 1, 2), nn.BatchNorm1d(WIDTH)
        self.skip = nn.Conv1d(WIDTH, WIDTH, 1, stride)

    def forward(self, x):
        inner = torch.relu(self.first_norm(self.first(x)))
        return torch.relu(self.skip(x) + self.second_norm(self.second(inner)))


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.stem_norm = nn.Conv1d(1, WIDTH, 7, 2, 3), nn.BatchNorm1d(WIDTH)
        self.layers = nn.Sequential(*(Layer(2) for _ in range(LAYERS)))
        self.hidden, self.hidden_norm = nn.Linear(WIDTH * SAMPLES // 2 ** (LAYERS + 1), 128), nn.BatchNorm1d(128)
        self.head = nn.Linear(128, 3)

    def forward(self, signals):
        x = self.layers(torch.relu(self.stem_norm(self.stem(signals))))
        return self.head(torch.relu(self.hidden_norm(self.hidden(x.flatten(1)))))


def draw(count, random):
    """
    Two decaying oscillations with drift and noise. Signals [count, 1, SAMPLES]; targets are both frequencies and the
    decay rate of the first, from -1 to 1.
    """

    def each(low, high):
        return random.uniform(low, high, (count, 1))

    time = numpy.arange(SAMPLES)[None] / SAMPLES
    targets = [each(-1, 1) for _ in range(3)]
    slow, fast, decay = 5 + 2 * targets[0], 14 + 5 * targets[1], 2.5 + 2 * targets[2]
    phases = [each(0, 2 * numpy.pi) for _ in range(2)]
    signals = numpy.exp(-decay * time) * numpy.sin(2 * numpy.pi * slow * time + phases[0])
    signals += each(0.3, 0.9) * numpy.exp(-each(0, 2) * time) * numpy.sin(2 * numpy.pi * fast * time + phases[1])
    signals += each(-0.5, 0.5) + each(-1, 1) * time + NOISE * random.standard_normal(signals.shape)
    inputs, labels = signals[:, None], numpy.hstack(targets)
    return torch.from_numpy(inputs.astype(numpy.float32)), torch.from_numpy(labels.astype(numpy.float32))


def main():
    options = read_options(__doc__, 1500)
    random = numpy.random.default_rng(options.seed)
    train, held, fresh = (draw(count, random) for count in (TRAINED, EVAL, FRESH))

    def batch():
        rows = torch.randint(TRAINED, (BATCH,))
        return train[0][rows], train[1][rows]

    recipe = Recipe(
        model=Regressor(),
        input="signals",
        output="values",
        eval=held,
        fresh=fresh,
        train=(train[0][:FRESH], train[1][:FRESH]),
        draw=batch,
        steps=options.steps,
        peak_rate=3e-3,
        measures=REGRESSED,
    )
    write_series("regressor", recipe, options)


if __name__ == "__main__":
    main()
