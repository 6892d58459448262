"""
Two writers commit to one branch from one parent; who comes second gets 412 and repeats. Arguments: repository, rounds.
"""

import multiprocessing
import sys

from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import HfHubHTTPError


def write(repo: str, name: str, rounds: int, meeting, refused) -> None:
    api = HfApi()
    for number in range(rounds):
        adding = [CommitOperationAdd(f"{name}/{number}.txt", f"{name} {number}".encode())]
        parent = api.model_info(repo).sha
        meeting.wait()
        while True:
            try:
                api.create_commit(repo, adding, commit_message=f"{name} {number}", parent_commit=parent)
                break
            except HfHubHTTPError as error:
                assert error.response.status_code == 412, error
                refused.value += 1
                parent = api.model_info(repo).sha
        meeting.wait()


if __name__ == "__main__":
    repo, rounds = sys.argv[1], int(sys.argv[2])
    api = HfApi()
    api.create_repo(repo)
    api.upload_file(path_or_fileobj=b"", path_in_repo="begin", repo_id=repo)
    meeting, counts = multiprocessing.Barrier(2), [multiprocessing.Value("i", 0) for _ in range(2)]
    writers = [
        multiprocessing.Process(target=write, args=(repo, name, rounds, meeting, count))
        for name, count in zip("ab", counts)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert sum(count.value for count in counts) == rounds, "in each round one of both is refused, once"
    wanted = {"begin"} | {f"{name}/{number}.txt" for name in "ab" for number in range(rounds)}
    assert set(api.list_repo_files(repo)) == wanted
    assert len(api.list_repo_commits(repo)) == 2 + 2 * rounds
