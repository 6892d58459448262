"""Trains a GRU language model on words of documentation.    train_gru.py OUT [--steps N] [--seed N] [--bf16]"""
from torch import nn

import corpus
from write_series import CLASSIFIED, Recipe, read_options, write_series

VOCABULARY, WIDTH, HIDDEN, LAYERS = 1024, 96, 160, 2
LENGTH = 48  # words a row
BATCH = 16


class GruModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.gru = nn.GRU(WIDTH, HIDDEN, LAYERS, batch_first=True)
        self.head = nn.Linear(HIDDEN, VOCABULARY)

    def forward(self, words):
        return self.head(self.gru(self.words(words))[0])


def main():
    options = read_options(__doc__, 1000)
    text = corpus.SplitText(corpus.words_of(corpus.documentation(), VOCABULARY), LENGTH + 1)

    def shifted(rows):
        return rows[:, :-1].contiguous(), rows[:, 1:].contiguous()

    recipe = Recipe(
        model=GruModel(),
        input="words",
        output="logits",
        eval=shifted(text.eval),
        fresh=shifted(text.fresh),
        train=shifted(text.draw(256)),
        draw=lambda: shifted(text.draw(BATCH)),
        steps=options.steps,
        peak_rate=5e-3,
        measures=CLASSIFIED,
    )
    write_series("gru", recipe, options)


if __name__ == "__main__":
    main()
