"""datasets: pushed, loaded whole and as a stream. Arguments: repository."""

import sys

from datasets import Dataset, DatasetDict, load_dataset

repo = sys.argv[1]
rows = {"text": [f"row {n}" for n in range(1000)], "label": [n % 3 for n in range(1000)]}
whole = Dataset.from_dict(rows)
DatasetDict({"train": whole.select(range(900)), "test": whole.select(range(900, 1000))}).push_to_hub(repo)
back = load_dataset(repo)
assert {name: len(split) for name, split in back.items()} == {"train": 900, "test": 100}
assert back["train"]["text"][:] == rows["text"][:900]
assert back["test"]["label"][:] == rows["label"][900:]
assert [row["text"] for row in load_dataset(repo, split="test", streaming=True).take(3)] == [
    "row 900",
    "row 901",
    "row 902",
]
whole.select(range(10)).push_to_hub(repo, "small", num_shards=3)
assert load_dataset(repo, "small", split="train")["label"][:] == rows["label"][:10]
