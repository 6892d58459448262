"""
Pulls what push_folder.py pushed and compares: for a process that is killed. Arguments: repository, folder for files.
"""

import sys
from pathlib import Path

from huggingface_hub import snapshot_download
from made_files import check_same

repo, work = sys.argv[1], Path(sys.argv[2])
check_same(work / "source", Path(snapshot_download(repo, local_dir=work / "back")))
