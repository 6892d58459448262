"""Training text that is the same in every checkout, as bytes or as words, and its held-out stretches."""
import glob
import os
import re
from collections import Counter

import numpy
import torch

MODULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "node_modules")
# A word with the space before it, a number, an indent, or one other character.
WORD = re.compile(r" ?[A-Za-z]+| ?\d+|\n *| +|.", re.DOTALL)
UNKNOWN, MASK = 0, 1
PLACES = 32  # stretches of the text, evenly spread
EVAL_ROWS, FRESH_ROWS = 4, 40  # of each stretch


def documentation():
    """Node's documentation: the type declarations whose version package-lock.json pins."""
    return read_files(os.path.join(MODULES, "@types", "node", "**", "*.d.ts"))


def source_code():
    """ESLint's sources, pinned likewise: another kind of text."""
    return read_files(os.path.join(MODULES, "eslint", "lib", "**", "*.js"))


def read_files(pattern):
    paths = sorted(glob.glob(pattern, recursive=True))
    if not paths:
        raise SystemExit(f"no files {os.path.normpath(pattern)}: run npm ci first")
    parts = []
    for path in paths:
        with open(path, "rb") as file:
            parts.append(file.read())
    return b"\n".join(parts)


def bytes_of(text):
    return torch.from_numpy(numpy.frombuffer(text, numpy.uint8).astype(numpy.int64))


def words_of(text, vocabulary):
    """Word numbers below `vocabulary`, the most frequent first; all others are UNKNOWN."""
    words = WORD.findall(text.decode("utf-8", "replace"))
    counted = sorted(Counter(words).items(), key=lambda item: (-item[1], item[0]))
    numbers = {word: number for number, (word, _) in enumerate(counted[: vocabulary - 2], 2)}
    return torch.tensor([numbers.get(word, UNKNOWN) for word in words])


class SplitText:
    """
    Tokens to train on, and rows of `length` tokens for the eval set and, ten times as many, fresh ones. They come from
    the same stretches, in turn.
    """

    def __init__(self, tokens, length):
        rows = EVAL_ROWS + FRESH_ROWS
        stretches = torch.tensor_split(tokens, PLACES)
        if min(map(len, stretches)) < 4 * rows * length:
            raise SystemExit(f"{len(tokens)} tokens of text are too few")
        held = torch.stack([stretch[: rows * length].reshape(rows, length) for stretch in stretches])
        is_eval = torch.arange(rows) % (rows // EVAL_ROWS) == 0
        self.eval, self.fresh = (held[:, chosen].reshape(-1, length) for chosen in (is_eval, ~is_eval))
        self.train = torch.cat([stretch[rows * length :] for stretch in stretches])
        self.length = length

    def draw(self, count):
        """Rows of the training text from random places."""
        starts = torch.randint(len(self.train) - self.length, (count,))
        return self.train[starts[:, None] + torch.arange(self.length)]
