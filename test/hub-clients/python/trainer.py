"""
A Trainer that pushes at every save, and goes on from what comes back, with each hub_strategy. Arguments: beginning of
the repositories' names, folder. One process for all, because importing takes longer than training.
"""

import sys
import time
from pathlib import Path

import torch
from huggingface_hub import HfApi, snapshot_download
from transformers import AutoModelForCausalLM, GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

texts = torch.randint(0, 64, (64, 16), generator=torch.Generator().manual_seed(1))
rows = [{"input_ids": text, "labels": text} for text in texts]


class SlowSteps(TrainerCallback):
    """Steps of a real model take longer than a push: these wait until it has ended."""

    pushing: Trainer

    def on_step_begin(self, args, state, control, **_) -> None:
        while self.pushing.push_in_progress is not None and not self.pushing.push_in_progress.is_done():
            time.sleep(0.05)


def trainer(folder: Path, steps: int, **more) -> Trainer:
    torch.manual_seed(1)
    arguments = TrainingArguments(
        output_dir=str(folder),
        max_steps=steps,
        save_steps=2,
        per_device_train_batch_size=4,
        save_strategy="steps",
        report_to=[],
        disable_tqdm=True,
        logging_steps=1,
        lr_scheduler_type="constant",
        use_cpu=True,
        dataloader_num_workers=0,
        **more,
    )
    model = GPT2LMHeadModel(GPT2Config(n_layer=1, n_head=2, n_embd=32, n_positions=16, vocab_size=64))
    return Trainer(model, arguments, train_dataset=rows)


def push_and_resume(repo: str, strategy: str, folders: list[str], work: Path) -> None:
    """`folders` are those with the state of the training that the strategy pushes."""
    pushing = trainer(work / "out", 4, push_to_hub=True, hub_model_id=repo, hub_strategy=strategy)
    slow_steps = SlowSteps()
    slow_steps.pushing = pushing
    pushing.add_callback(slow_steps)
    pushing.train()
    pushing.push_to_hub(commit_message="The end")

    api = HfApi()
    files = set(api.list_repo_files(repo))
    tags = {tag.name for tag in api.list_repo_refs(repo).tags}
    trained = pushing.model.state_dict()
    pulled = AutoModelForCausalLM.from_pretrained(repo).state_dict()
    assert all(torch.equal(trained[name], pulled[name]) for name in trained)
    assert {"step-2", "step-4"} <= tags, tags
    for folder in folders:
        assert {f"{folder}/model.safetensors", f"{folder}/optimizer.pt", f"{folder}/trainer_state.json"} <= files, files

    if folders:
        back = Path(snapshot_download(repo, local_dir=work / "back"))
        last = str(back / "last-checkpoint") if strategy == "checkpoint" else get_last_checkpoint(str(back))
        resumed = trainer(work / "resumed", 6)
        resumed.train(resume_from_checkpoint=last)
        straight = trainer(work / "straight", 6)
        straight.train()
        assert resumed.state.global_step == 6
        assert all(torch.equal(a, b) for a, b in zip(resumed.model.parameters(), straight.model.parameters()))


repositories, work = sys.argv[1], Path(sys.argv[2])
push_and_resume(f"{repositories}-every-save", "every_save", [], work / "every_save")
push_and_resume(f"{repositories}-checkpoint", "checkpoint", ["last-checkpoint"], work / "checkpoint")
push_and_resume(
    f"{repositories}-all-checkpoints", "all_checkpoints", ["checkpoint-2", "checkpoint-4"], work / "all_checkpoints"
)
