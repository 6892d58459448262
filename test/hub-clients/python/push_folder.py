"""Pushes a folder of made files: for a process that is killed. Arguments: repository, folder for files, size, count."""

import sys
from pathlib import Path

from huggingface_hub import HfApi
from made_files import write_file

repo, work, size, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
for number in range(count):
    path = work / "source" / f"{number}.bin"
    if not path.exists():
        write_file(path, size, number)
api = HfApi()
api.create_repo(repo, exist_ok=True)
api.upload_folder(repo_id=repo, folder_path=work / "source")
