"""transformers: a model and a tokenizer are pushed and loaded, at given revisions too. Arguments: repository name."""

import sys

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GPT2Config, GPT2LMHeadModel
from transformers import PreTrainedTokenizerFast

repo = sys.argv[1]
torch.manual_seed(1)
words = ["[UNK]", "the", "snow", "is", "old"]
written = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="[UNK]"))
written.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=written, unk_token="[UNK]")
model = GPT2LMHeadModel(GPT2Config(n_layer=2, n_head=2, n_embd=32, n_positions=16, vocab_size=len(words)))


def same(one: torch.nn.Module, other: torch.nn.Module) -> bool:
    left, right = one.state_dict(), other.state_dict()
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


# A name without a namespace goes to the namespace of the token.
model.push_to_hub(repo.split("/")[1], commit_message="step 1", private=True)
tokenizer.push_to_hub(repo)
assert same(AutoModelForCausalLM.from_pretrained(repo), model)
assert AutoConfig.from_pretrained(repo).n_embd == 32
assert AutoTokenizer.from_pretrained(repo)("the snow is old")["input_ids"] == [1, 2, 3, 4]

old = {name: tensor.clone() for name, tensor in model.state_dict().items()}
with torch.no_grad():
    for weight in model.parameters():
        weight.add_(0.01)
model.push_to_hub(repo, commit_message="step 2")
assert same(AutoModelForCausalLM.from_pretrained(repo), model)
before = AutoModelForCausalLM.from_pretrained(repo, revision="step-1").state_dict()
assert all(torch.equal(before[name], old[name]) for name in old), "the tag of step 1"
half = AutoModelForCausalLM.from_pretrained(repo, revision="step-1", dtype=torch.bfloat16)
assert half.dtype == torch.bfloat16

model.push_to_hub(repo + "-shards", max_shard_size="20KB")
assert same(AutoModelForCausalLM.from_pretrained(repo + "-shards"), model), "in shards"
