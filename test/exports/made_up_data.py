"""
Made-up data that small models learn in seconds, and never perfectly: a metric with nothing left to lose would say
nothing about stored weights.
"""
import torch

VOCABULARY = 96
MASK_TOKEN = VOCABULARY - 1
PADDING_TOKEN = 0
IGNORED_LABEL = -100
LENGTH = 32  # positions of a sequence
NOISE = 0.15  # share of tokens or labels that follow no rule
MASKED = 0.2  # share of positions that a masked language model has to fill
PIXELS = 16  # edge of an image


def token_rows(rows, random, length=LENGTH):
    """Sequences in which each token has one likely successor."""
    successor = torch.randperm(VOCABULARY - 2, generator=torch.Generator().manual_seed(7)) + 1
    tokens = torch.randint(1, VOCABULARY - 1, (rows, length), generator=random)
    follows = torch.rand(rows, length, generator=random) > NOISE
    for at in range(1, length):
        tokens[:, at] = torch.where(follows[:, at], successor[tokens[:, at - 1] - 1], tokens[:, at])
    return tokens


def attention_masks(rows, random):
    """Ones over each sequence, zeros over its padding at the end."""
    lengths = torch.randint(LENGTH // 2, LENGTH + 1, (rows, 1), generator=random)
    return (torch.arange(LENGTH) < lengths).long()


def causal_rows(rows, random):
    return {"tokens": token_rows(rows, random, LENGTH + 1)}


def masked_rows(rows, random):
    """Sequences with some tokens hidden; labels only where one is."""
    tokens, mask = token_rows(rows, random), attention_masks(rows, random)
    hidden = (torch.rand(rows, LENGTH, generator=random) < MASKED) & mask.bool()
    hidden[:, 1] = True
    labels = tokens.masked_fill(~hidden, IGNORED_LABEL)
    tokens = tokens.masked_fill(hidden, MASK_TOKEN).masked_fill(mask == 0, PADDING_TOKEN)
    return {"input_ids": tokens, "attention_mask": mask, "labels": labels}


def sentence_rows(rows, random, classes=6):
    """The class of a sequence is that of most of its tokens, which come in one class more often than in others."""
    labels = torch.randint(0, classes, (rows,), generator=random)
    tokens = torch.randint(1, MASK_TOKEN, (rows, LENGTH), generator=random)
    ours = torch.rand(rows, LENGTH, generator=random) < 0.2
    tokens = torch.where(
        ours, 1 + labels[:, None] + classes * torch.randint(0, 5, (rows, LENGTH), generator=random), tokens
    )
    mask = attention_masks(rows, random)
    return {
        "input_ids": tokens.masked_fill(mask == 0, PADDING_TOKEN),
        "attention_mask": mask,
        "labels": mislabelled(labels, classes, random),
    }


def feature_rows(rows, random, features=24, classes=10):
    centres = torch.randn(classes, features, generator=torch.Generator().manual_seed(8))
    labels = torch.randint(0, classes, (rows,), generator=random)
    return {
        "features": centres[labels] + 1.2 * torch.randn(rows, features, generator=random),
        "labels": mislabelled(labels, classes, random),
    }


def image_rows(rows, random, classes=6):
    shapes = torch.randn(classes, 3, PIXELS, PIXELS, generator=torch.Generator().manual_seed(9))
    labels = torch.randint(0, classes, (rows,), generator=random)
    return {
        "pixel_values": shapes[labels] + 2 * torch.randn(rows, 3, PIXELS, PIXELS, generator=random),
        "labels": mislabelled(labels, classes, random),
    }


def segment_rows(rows, random, classes=4):
    """Patches of four by four pixels, each of one class and of its brightness; a label for each pixel."""
    patches = torch.randint(0, classes, (rows, PIXELS // 4, PIXELS // 4), generator=random)
    labels = patches.repeat_interleave(4, 1).repeat_interleave(4, 2)
    images = labels[:, None] + 0.8 * torch.randn(rows, 1, PIXELS, PIXELS, generator=random)
    return {"images": images, "labels": mislabelled(labels, classes, random)}


def regression_rows(rows, random, features=24):
    direction = torch.randn(features, 2, generator=torch.Generator().manual_seed(10)) / features**0.5
    x = torch.randn(rows, features, generator=random)
    return {"features": x, "targets": (x @ direction).tanh() + 0.2 * torch.randn(rows, 2, generator=random)}


def mislabelled(labels, classes, random):
    wrong = torch.rand(labels.shape, generator=random) < NOISE / 2
    return torch.where(wrong, torch.randint(0, classes, labels.shape, generator=random), labels)
