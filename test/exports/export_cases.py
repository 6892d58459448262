"""
The exported models: each with its data, the blocks of the guide that export it, and the way its checkpoints are
written.
"""
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import made_up_data as data
import small_models as models
import torch
from safetensors.torch import load_file, save_file, save_model
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Case:
    build: Callable[[], nn.Module]
    rows: Callable  # (count, random) to the tensors that the guide's blocks speak of
    export: str  # the blocks ```python export=...
    spec: str  # the block ```json spec=...
    save: Callable[[nn.Module, Path], None]
    seed: int


def save_as_module(model, folder):
    save_model(model, str(folder / "model.safetensors"))


def save_compiled(model, folder):
    save_file(torch.compile(model).state_dict(), str(folder / "model.safetensors"))


def save_bfloat16(model, folder):
    tensors = {name: tensor.detach().to(torch.bfloat16).contiguous() for name, tensor in model.state_dict().items()}
    save_file(tensors, str(folder / "model.safetensors"))


def save_transformers(model, folder):
    model.save_pretrained(folder)


def save_shards(model, folder):
    model.save_pretrained(folder, max_shard_size="200KB")


CASES = {
    "mlp-torchscript": Case(models.Mlp, data.feature_rows, "module-torchscript", "classifier", save_as_module, 1),
    "mlp-dynamo": Case(models.Mlp, data.feature_rows, "module-dynamo", "no-labels", save_as_module, 2),
    "gpt2": Case(models.gpt2, data.causal_rows, "causal-lm", "causal-lm", save_transformers, 3),
    "llama": Case(models.llama, data.causal_rows, "causal-lm", "llama", save_shards, 4),
    "bert-masked": Case(models.bert_masked, data.masked_rows, "masked-lm", "masked-lm", save_transformers, 5),
    "distilbert": Case(
        models.distilbert, data.sentence_rows, "sequence-classifier", "sequence-classifier", save_transformers, 6
    ),
    "vit": Case(models.vit, data.image_rows, "vision-transformer", "vision-transformer", save_transformers, 7),
    "resnet": Case(models.ResNet, data.image_rows, "vision-module", "vision-module", save_as_module, 8),
    "gru": Case(models.GruLanguageModel, data.causal_rows, "recurrent", "causal-lm", save_as_module, 9),
    "segmenter": Case(models.Segmenter, data.segment_rows, "segmentation", "segmentation", save_as_module, 10),
    "regressor-bf16": Case(lambda: models.Mlp(2), data.regression_rows, "regression", "regression", save_bfloat16, 11),
    "compiled": Case(models.Mlp, data.feature_rows, "first", "classifier", save_compiled, 12),
    "wrapped-gpt2": Case(models.gpt2, data.causal_rows, "wrapped", "causal-lm", save_transformers, 13),
}


def logits_of(model, inputs):
    output = model(**inputs)
    return output if isinstance(output, torch.Tensor) else output.logits


def training_loss(model, rows):
    """The loss for the kind of rows: the next token, a class for each label, or values."""
    if "tokens" in rows:
        rows = {"input_ids": rows["tokens"][:, :-1], "labels": rows["tokens"][:, 1:]}
    inputs = {name: tensor for name, tensor in rows.items() if name not in ("labels", "targets")}
    output = logits_of(model, inputs)
    if "targets" in rows:
        return functional.mse_loss(output, rows["targets"])
    labels = rows["labels"]
    if output.shape[:-1] != labels.shape:
        output = output.movedim(1, -1)
    return functional.cross_entropy(
        output.reshape(-1, output.shape[-1]), labels.flatten(), ignore_index=data.IGNORED_LABEL
    )


def load_checkpoint(case, folder):
    """The model of a case with the weights of a folder, whatever wrote them."""
    model = case.build()
    if hasattr(model, "from_pretrained"):
        return type(model).from_pretrained(folder).eval()
    tensors = {}
    for path in sorted(Path(folder).glob("*.safetensors")):
        tensors.update({name.removeprefix("_orig_mod."): tensor for name, tensor in load_file(str(path)).items()})
    model.load_state_dict(tensors)
    return model.float().eval()
