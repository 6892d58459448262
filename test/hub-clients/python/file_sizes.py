"""Files of sizes at which clients and servers cut. Arguments: repository, folder for files, sizes in bytes."""

import sys
from pathlib import Path

from huggingface_hub import HfApi
from made_files import check_same, write_file

repo, work, sizes = sys.argv[1], Path(sys.argv[2]), [int(size) for size in sys.argv[3:]]
api = HfApi()
api.create_repo(repo)
for seed, size in enumerate(sizes):
    write_file(work / "source" / f"{size}.bin", size, seed)
api.upload_folder(repo_id=repo, folder_path=work / "source")
check_same(work / "source", Path(api.snapshot_download(repo, local_dir=work / "back")))
