"""Trains the GPT of the restart bench on bytes of documentation.

    train_byte_gpt.py OUT [--steps N] [--seed N] [--bf16]
"""
import corpus
from write_series import CLASSIFIED, Recipe, read_options, train_gpt, write_series

WIDTH, LAYERS = 96, 4
BATCH = 12


def shifted(rows):
    return rows[:, :-1].contiguous(), rows[:, 1:].contiguous()


def gpt_recipe(model, content, steps, peak_rate):
    """Training of the GPT on a text; tune_gpt.py uses it, too."""
    text = corpus.SplitText(corpus.bytes_of(content), train_gpt.CONTEXT + 1)
    return Recipe(
        model=model,
        input="symbols",
        output="logits",
        eval=shifted(text.eval),
        fresh=shifted(text.fresh),
        train=shifted(text.draw(256)),
        draw=lambda: shifted(text.draw(BATCH)),
        steps=steps,
        peak_rate=peak_rate,
        measures=CLASSIFIED,
    )


def main():
    options = read_options(__doc__, 1000)
    model = train_gpt.Gpt(WIDTH, LAYERS)
    write_series("gpt", gpt_recipe(model, corpus.documentation(), options.steps, 3e-3), options)


if __name__ == "__main__":
    main()
