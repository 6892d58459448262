"""Trains a BERT-like masked language model on words of documentation.

    train_masked_lm.py OUT [--steps N] [--seed N] [--bf16]
"""
import torch
from torch import nn
from torch.nn import functional

import corpus
from write_series import CLASSIFIED, IGNORED, Recipe, read_options, train_gpt, write_series

VOCABULARY, WIDTH, LAYERS = 1024, 96, 3
LENGTH = 48  # words a row
BATCH = 16
CHOSEN, MASKED, SWAPPED = 0.15, 0.8, 0.1  # of all words; of the chosen ones; the rest stay as they are


class MaskedModel(nn.Module):
    """Attention in both directions; the head shares the embedding's weights."""

    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.words_norm = nn.LayerNorm(WIDTH)
        self.blocks = nn.Sequential(*(train_gpt.Block(WIDTH, causal=False) for _ in range(LAYERS)))
        self.turn, self.norm = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
        self.bias = nn.Parameter(torch.zeros(VOCABULARY))
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.04)

    def forward(self, words):
        x = self.blocks(self.words_norm(self.words(words) + self.positions.weight[: words.shape[1]]))
        return torch.matmul(self.norm(functional.gelu(self.turn(x))), self.words.weight.t()) + self.bias


def masked(rows):
    """Inputs in which words are hidden, and labels of the hidden ones only."""
    chosen, fate = torch.rand(rows.shape) < CHOSEN, torch.rand(rows.shape)
    inputs = torch.where(chosen & (fate < MASKED), corpus.MASK, rows)
    inputs = torch.where(chosen & (fate > 1 - SWAPPED), torch.randint(2, VOCABULARY, rows.shape), inputs)
    return inputs, torch.where(chosen, rows, IGNORED)


def main():
    options = read_options(__doc__, 1500)
    text = corpus.SplitText(corpus.words_of(corpus.documentation(), VOCABULARY), LENGTH)
    recipe = Recipe(
        model=MaskedModel(),
        input="words",
        output="logits",
        eval=masked(torch.cat([text.eval] * 2)),  # each row twice, hidden anew: few positions count
        fresh=masked(torch.cat([text.fresh] * 2)),
        train=masked(text.draw(256)),
        draw=lambda: masked(text.draw(BATCH)),
        steps=options.steps,
        peak_rate=3e-3,
        measures=CLASSIFIED,
    )
    write_series("masked-lm", recipe, options)


if __name__ == "__main__":
    main()
