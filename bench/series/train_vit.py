"""Trains a small vision transformer on drawn shapes.    train_vit.py OUT [--steps N] [--seed N] [--bf16]"""
import numpy
import torch
from torch import nn

from write_series import CLASSIFIED, Recipe, read_options, train_gpt, write_series

SIDE, PATCH = 20, 4  # pixels
WIDTH, LAYERS = 96, 3
TRAINED, EVAL, FRESH = 8000, 400, 4000  # images
BATCH = 32
NOISE = 0.35  # standard deviation, of a shape's contrast


class VitModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(1, WIDTH, PATCH, PATCH)
        self.positions = nn.Parameter(0.04 * torch.randn((SIDE // PATCH) ** 2 + 1, WIDTH))
        self.summary = nn.Parameter(0.04 * torch.randn(1, 1, WIDTH))
        self.blocks = nn.Sequential(*(train_gpt.Block(WIDTH, causal=False) for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(SHAPES))

    def forward(self, pixels):
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.summary.expand(x.shape[0], -1, -1), x], 1) + self.positions
        return self.head(self.norm(self.blocks(x)[:, 0]))


def box(x, y, width, height):
    return numpy.maximum(abs(x) - width, abs(y) - height)


# Distance to the edge, negative inside, in a shape's own coordinates.
SHAPES = (
    lambda x, y: numpy.hypot(x, y) - 1,
    lambda x, y: abs(numpy.hypot(x, y) - 0.8) - 0.22,
    lambda x, y: box(x, y, 0.85, 0.85),
    lambda x, y: abs(box(x, y, 0.75, 0.75)) - 0.2,
    lambda x, y: numpy.maximum(0.87 * abs(x) + 0.5 * y, -y) - 0.5,
    lambda x, y: numpy.minimum(box(x, y, 1, 0.25), box(x, y, 0.25, 1)),
    lambda x, y: box(x, y, 1.1, 0.25),
    lambda x, y: numpy.hypot(abs(x) - 0.65, y) - 0.4,
    lambda x, y: numpy.maximum(numpy.hypot(x, y) - 1, 0.75 - numpy.hypot(x - 0.5, y)),
    lambda x, y: numpy.minimum(box(x + 0.6, y, 0.25, 1), box(x, y - 0.75, 0.85, 0.25)),
)


def draw(count, random):
    """
    Shapes of any size, place, angle and contrast, with a stripe of clutter and noise. Pixels [count, 1, SIDE, SIDE] and
    labels.
    """
    labels = random.integers(0, len(SHAPES), count)

    def each(low, high):
        return random.uniform(low, high, (count, 1, 1))

    rows, columns = numpy.mgrid[0:SIDE, 0:SIDE].astype(numpy.float64)
    size, angle, contrast = each(3.5, 7), each(0, 2 * numpy.pi), each(0.5, 1)
    x, y = columns - each(7, SIDE - 8), rows - each(7, SIDE - 8)
    x, y = (x * numpy.cos(angle) + y * numpy.sin(angle)) / size, (y * numpy.cos(angle) - x * numpy.sin(angle)) / size
    edges = numpy.empty((count, SIDE, SIDE))
    for label, distance in enumerate(SHAPES):
        chosen = labels == label
        edges[chosen] = distance(x[chosen], y[chosen])
    slant = each(0, numpy.pi)
    stripe = abs((columns - each(0, SIDE)) * numpy.cos(slant) + (rows - each(0, SIDE)) * numpy.sin(slant)) < 0.6
    pixels = (
        contrast * numpy.clip(0.5 - edges * size, 0, 1)
        + 0.5 * stripe
        + NOISE * contrast * random.standard_normal(edges.shape)
    )
    return torch.from_numpy((pixels - 0.3)[:, None].astype(numpy.float32)), torch.from_numpy(labels)


def main():
    options = read_options(__doc__, 1500)
    random = numpy.random.default_rng(options.seed)
    train, held, fresh = (draw(count, random) for count in (TRAINED, EVAL, FRESH))

    def batch():
        rows = torch.randint(TRAINED, (BATCH,))
        return train[0][rows], train[1][rows]

    recipe = Recipe(
        model=VitModel(),
        input="pixels",
        output="logits",
        eval=held,
        fresh=fresh,
        train=(train[0][:FRESH], train[1][:FRESH]),
        draw=batch,
        steps=options.steps,
        peak_rate=1.5e-3,
        measures=CLASSIFIED,
    )
    write_series("vit", recipe, options)


if __name__ == "__main__":
    main()
