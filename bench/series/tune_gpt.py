"""Fine-tunes some tensors of the GPT on source code.

    tune_gpt.py OUT --from GPT_SERIES --moving 40|2 [--steps N] [--seed N] [--bf16]

With 40 the last layers move, some 40 % of the weights; with 2 one matrix and the norms of the last layer, as an adapter
would.
"""
import json
import os

import torch

import corpus
from train_byte_gpt import LAYERS, WIDTH, gpt_recipe
from write_series import read_options, read_safetensors, train_gpt, write_series

# Prefixes of names.
MOVING = {
    40: ("blocks.2.feed_norm", "blocks.2.widen", "blocks.2.narrow", "blocks.3.", "norm.", "head."),
    2: ("blocks.3.mixer.value.", "blocks.3.mixer_norm.", "blocks.3.feed_norm.", "norm."),
}
FROZEN = {40: ("blocks.3.mixer.query.",), 2: ()}


def read_weights(series):
    """Weights of the last checkpoint of a series."""
    with open(os.path.join(series, "series.json")) as file:
        last = json.load(file)["checkpoints"][-1]["file"]
    arrays = read_safetensors(os.path.join(series, last))
    return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}


def main():
    def add(parser):
        parser.add_argument("--from", dest="origin", required=True, help="what train_byte_gpt.py wrote")
        parser.add_argument("--moving", type=int, choices=sorted(MOVING), required=True, help="per cent of the weights")

    options = read_options(__doc__, 600, add)
    model = train_gpt.Gpt(WIDTH, LAYERS)
    model.load_state_dict(read_weights(options.origin))
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(
            name.startswith(MOVING[options.moving]) and not name.startswith(FROZEN[options.moving])
        )
    write_series(f"gpt-tuned-{options.moving}", gpt_recipe(model, corpus.source_code(), options.steps, 1e-3), options)


if __name__ == "__main__":
    main()
