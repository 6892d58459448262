"""Single tensors of a safetensors file that is never downloaded whole. Arguments: repository, folder for files."""

import json
import struct
import sys
from pathlib import Path

import numpy
from huggingface_hub import HfApi, HfFileSystem
from safetensors.numpy import load, save_file

repo, work = sys.argv[1], Path(sys.argv[2])
api = HfApi()
api.create_repo(repo)
rows = 512
tensors = {
    f"layer.{n}": numpy.full((rows, rows), n, dtype=numpy.float32) + numpy.arange(rows, dtype=numpy.float32)
    for n in range(8)
}
save_file(tensors, work / "model.safetensors")
api.upload_file(path_or_fileobj=work / "model.safetensors", path_in_repo="model.safetensors", repo_id=repo)

metadata = api.get_safetensors_metadata(repo)
assert metadata.parameter_count == {"F32": 8 * rows * rows}
assert set(metadata.files_metadata["model.safetensors"].tensors) == set(tensors)

files = HfFileSystem()
assert files.ls(repo, detail=False) == [f"{repo}/model.safetensors"]
with files.open(f"{repo}/model.safetensors", "rb", block_size=1 << 16) as file:
    (length,) = struct.unpack("<Q", file.read(8))
    header = json.loads(file.read(length))
    for name in ["layer.5", "layer.0", "layer.7"]:
        begin, end = header[name]["data_offsets"]
        file.seek(8 + length + begin)
        found = numpy.frombuffer(file.read(end - begin), dtype=numpy.float32).reshape(rows, rows)
        assert (found == tensors[name]).all(), name

# The same file system writes, too.
with files.open(f"{repo}/notes/a.txt", "w") as file:
    file.write("written as a file")
assert files.read_text(f"{repo}/notes/a.txt") == "written as a file"
assert (load(files.cat_file(f"{repo}/model.safetensors"))["layer.3"] == tensors["layer.3"]).all()
files.rm(f"{repo}/notes/a.txt")
assert not files.exists(f"{repo}/notes/a.txt")
