"""What huggingface_hub does with repositories, commits and refs. Arguments: repository, folder for files."""

import sys
from pathlib import Path

import huggingface_hub as hub
import numpy
from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, RepositoryNotFoundError, RevisionNotFoundError
from made_files import check_same, made_bytes
from safetensors.numpy import save_file

repo, work = sys.argv[1], Path(sys.argv[2])
api = hub.HfApi()
home = api.whoami()["name"]
assert repo.startswith(home + "/")


def refused(error: type[Exception], call, *args, **kwargs) -> Exception:
    try:
        call(*args, **kwargs)
    except error as raised:
        return raised
    raise AssertionError(f"{call.__name__} does not raise {error.__name__}")


# Repositories
assert not api.repo_exists(repo)
assert str(api.create_repo(repo, private=True)).endswith("/" + repo)
assert str(api.create_repo(repo, exist_ok=True)).endswith("/" + repo)
assert refused(HfHubHTTPError, api.create_repo, repo).response.status_code == 409
api.auth_check(repo)
assert refused(RepositoryNotFoundError, api.model_info, f"{home}/absent")

# A folder becomes a commit, and the commit a folder
source = work / "source"
(source / "sub" / "deep").mkdir(parents=True)
weights = {"w": numpy.linspace(-1, 1, 120_000, dtype=numpy.float32).reshape(300, 400)}
save_file(weights, source / "model.safetensors")
(source / "config.json").write_text('{"a": 1}')
(source / "README.md").write_text("---\nlicense: mit\n---\nA tiny model.\n")
(source / "empty.txt").write_bytes(b"")
(source / "sub" / "data.bin").write_bytes(made_bytes(5000, 1))
(source / "sub" / "deep" / "a name with spaces, ünïcödé and #?%.txt").write_text("text")
first = api.upload_folder(repo_id=repo, folder_path=source, commit_message="step 10")
assert len(first.oid) == 40
check_same(source, Path(api.snapshot_download(repo, local_dir=work / "first")))
check_same(source, Path(api.snapshot_download(repo)))
assert set(api.list_repo_files(repo)) == {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
again = api.upload_folder(repo_id=repo, folder_path=source, commit_message="step 10")
assert again.oid == first.oid, "an unchanged folder makes no commit"

# Files
weights["w"] += 0.001
save_file(weights, work / "next.safetensors")
second = api.upload_file(
    path_or_fileobj=work / "next.safetensors", path_in_repo="model.safetensors", repo_id=repo, commit_message="step 20"
)
with open(work / "next.safetensors", "rb") as file:
    api.upload_file(path_or_fileobj=file, path_in_repo="stream.safetensors", repo_id=repo)
newest = Path(hub.hf_hub_download(repo, "model.safetensors"))
assert newest.read_bytes() == (work / "next.safetensors").read_bytes()
for revision in [first.oid, "step-10"]:
    old = Path(hub.hf_hub_download(repo, "model.safetensors", revision=revision))
    assert old.read_bytes() == (source / "model.safetensors").read_bytes(), revision
assert api.file_exists(repo, "sub/data.bin") and not api.file_exists(repo, "sub/absent.bin")
metadata = hub.get_hf_file_metadata(hub.hf_hub_url(repo, "config.json"))
assert (metadata.size, metadata.commit_hash is not None) == (8, True)
refused(EntryNotFoundError, hub.hf_hub_download, repo, "absent.txt")
refused(RevisionNotFoundError, hub.hf_hub_download, repo, "config.json", revision="absent")
refused(RepositoryNotFoundError, hub.hf_hub_download, f"{home}/absent", "config.json")

# The card, and weights on a branch whose name no run can have
card = b"---\npipeline_tag: text-generation\ntags: [tiny]\n---\n# Tiny\n"
api.create_branch(repo, branch="feature/card")
api.upload_file(path_or_fileobj=card, path_in_repo="README.md", repo_id=repo, revision="feature/card")
shown = api.model_info(repo, revision="feature/card")
assert (shown.pipeline_tag, shown.card_data.tags) == ("text-generation", ["tiny"])
api.delete_branch(repo, branch="feature/card")

# What is there
info = api.model_info(repo, files_metadata=True)
sizes = {file.rfilename: file.size for file in info.siblings}
assert sizes["sub/data.bin"] == 5000 and sizes["empty.txt"] == 0
assert info.private is True and len(info.sha) == 40
assert [model.id for model in api.list_models(author=home, search=repo.split("/")[1])] == [repo]
assert api.repo_info(repo, revision=first.oid).sha == first.oid
tree = {entry.path: entry for entry in api.list_repo_tree(repo, recursive=True)}
assert tree["model.safetensors"].lfs.size == tree["model.safetensors"].size
assert {entry.path for entry in api.list_repo_tree(repo, "sub")} == {"sub/data.bin", "sub/deep"}
refused(EntryNotFoundError, lambda: list(api.list_repo_tree(repo, "absent")))
paths = api.get_paths_info(repo, ["sub", "config.json", "absent", "empty.txt"])
assert {entry.path for entry in paths} == {"sub", "config.json", "empty.txt"}
expanded = {entry.path: entry for entry in api.list_repo_tree(repo, recursive=True, expand=True)}
assert expanded["model.safetensors"].last_commit.title == "step 20"
assert expanded["model.safetensors"].last_commit.oid == second.oid
assert expanded["sub"].last_commit.oid == first.oid == expanded["sub/data.bin"].last_commit.oid
assert expanded["config.json"].security.status == "unscanned" and not expanded["config.json"].security.safe
expanded = {entry.path: entry for entry in api.get_paths_info(repo, ["sub", "model.safetensors"], expand=True)}
assert {path: entry.last_commit.title for path, entry in expanded.items()} == {
    "sub": "step 10",
    "model.safetensors": "step 20",
}
titles = [commit.title for commit in api.list_repo_commits(repo)]
assert titles == ["Upload stream.safetensors with huggingface_hub", "step 20", "step 10", "initial commit"], titles
assert {"step-10", "step-20"} <= {tag.name for tag in api.list_repo_refs(repo).tags}

# Branches and tags
api.create_branch(repo, branch="trial/one", revision="step-10")
assert api.revision_exists(repo, "trial/one") and not api.revision_exists(repo, "trial/two")
api.upload_file(path_or_fileobj=b"hello", path_in_repo="a/b.txt", repo_id=repo, revision="trial/one")
api.create_tag(repo, tag="v1", revision="trial/one")
refused(HfHubHTTPError, api.create_tag, repo, tag="v1")
assert Path(hub.hf_hub_download(repo, "a/b.txt", revision="trial/one")).read_text() == "hello"
assert Path(hub.hf_hub_download(repo, "a/b.txt", revision="v1")).read_text() == "hello"
refused(EntryNotFoundError, hub.hf_hub_download, repo, "a/b.txt")
api.delete_file("sub/data.bin", repo_id=repo, revision="trial/one")
api.delete_folder("sub", repo_id=repo, revision="trial/one")
assert "sub/data.bin" not in api.list_repo_files(repo, revision="trial/one")
assert "sub/data.bin" in api.list_repo_files(repo, revision="v1")
api.super_squash_history(repo, branch="trial/one")
assert len(api.list_repo_commits(repo, revision="trial/one")) == 1
api.delete_tag(repo, tag="v1")
api.delete_branch(repo, branch="trial/one")
assert not api.revision_exists(repo, "v1") and not api.revision_exists(repo, "trial/one")

# Commits of several operations
stale = first.oid
adding = [hub.CommitOperationAdd("late.txt", b"1")]
error = refused(HfHubHTTPError, api.create_commit, repo, adding, commit_message="late", parent_commit=stale)
assert error.response.status_code == 412, error
api.create_commit(
    repo,
    [
        hub.CommitOperationCopy("model.safetensors", "copies/model.safetensors"),
        hub.CommitOperationCopy("config.json", "copies/config.json"),
        hub.CommitOperationDelete("sub/"),
        hub.CommitOperationDelete("empty.txt"),
        hub.CommitOperationAdd("new.txt", b"new"),
    ],
    commit_message="Copies and deletions",
    commit_description="In one commit.",
)
files = set(api.list_repo_files(repo))
assert {"copies/model.safetensors", "copies/config.json", "new.txt"} <= files
assert not {"empty.txt", "sub/data.bin"} & files
copied = Path(hub.hf_hub_download(repo, "copies/model.safetensors"))
assert copied.read_bytes() == newest.read_bytes()
api.upload_folder(
    repo_id=repo, folder_path=source, path_in_repo="again", allow_patterns=["*.json"], delete_patterns=["*"]
)
assert "again/config.json" in api.list_repo_files(repo)

# Data sets and spaces, as far as files go
for kind in ["dataset", "space"]:
    other = f"{repo}-{kind}"
    api.create_repo(other, repo_type=kind, **({"space_sdk": "static"} if kind == "space" else {}))
    api.upload_file(path_or_fileobj=b"1,2\n", path_in_repo="data/rows.csv", repo_id=other, repo_type=kind)
    assert Path(hub.hf_hub_download(other, "data/rows.csv", repo_type=kind)).read_text() == "1,2\n"
    assert "data/rows.csv" in api.list_repo_files(other, repo_type=kind)
    refused(RepositoryNotFoundError, api.model_info, other)
    api.delete_repo(other, repo_type=kind)

# A repository's settings, its name, its end
api.update_repo_settings(repo, private=False)
assert api.model_info(repo, token=False).private is False
anonymous = hub.hf_hub_download(repo, "config.json", token=False, local_dir=work / "anonymous")
assert Path(anonymous).read_text() == '{"a": 1}'
api.move_repo(repo, repo + "-moved")
assert not api.repo_exists(repo) and api.repo_exists(repo + "-moved")
api.delete_repo(repo + "-moved")
assert not api.repo_exists(repo + "-moved")
api.delete_repo(repo + "-moved", missing_ok=True)
