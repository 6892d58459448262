"""A folder of many files, pushed at once. Arguments: repository, folder for files, count."""

import sys
from pathlib import Path

from huggingface_hub import HfApi
from made_files import check_same, write_file

repo, work, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
api = HfApi()
source = work / "source"
for number in range(count):
    kind = "bin" if number % 5 == 0 else "txt"
    write_file(source / f"part-{number % 7}" / f"{number}.{kind}", 10 + 13 * number, number)
api.create_repo(repo)
api.upload_folder(repo_id=repo, folder_path=source)
check_same(source, Path(api.snapshot_download(repo, local_dir=work / "back")))
