"""upload_large_folder, where the client still has it. Arguments: repository, folder for files, count."""

import sys
from pathlib import Path

from huggingface_hub import HfApi
from made_files import check_same, write_file

repo, work, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
api = HfApi()
if hasattr(api, "upload_large_folder"):
    for number in range(count):
        write_file(work / "source" / f"{number}.{'bin' if number % 5 == 0 else 'txt'}", 10 + 13 * number, number)
    api.upload_large_folder(repo, work / "source", repo_type="model", num_workers=4, print_report=False)
    check_same(work / "source", Path(api.snapshot_download(repo, local_dir=work / "back")))
