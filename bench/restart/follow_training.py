"""Runs a training script and lets a bench decide at each of its checkpoints how it goes on.

    follow_training.py SOCKET SEED_SHIFT SCRIPT [argument ...]

The script stays as it is. It has a `main` that reads sys.argv, and writes its checkpoints with `write(model, ...)` of a
class `SeriesWriter`, its own, imported, or that of a module it imports something from, which keeps the directory as
`dir` and the series so far as `info`. Every seed that it gives to PyTorch, numpy or Python is shifted.

After each checkpoint a line of JSON goes to the socket, `{"branch", "step", "file", "metrics"}`, and the answer is
awaited:

    {}                                                  trains on
    {"load": FILE}                                      trains on from these weights: a restart
    {"fork": [{"branch", "directory", "load"}, ...]}    trains on, and so does a copy of the process for each branch,
                                                        from weights of its own
    {"stop": true}                                      ends
    {"saveState": FILE}                                 writes what the optimizers hold to a file, and asks again with
                                                        "state" true

With "loadState" beside "load" the optimizers' tensors are taken from that file, as saveState wrote them:
`exp_avg.<parameter>` and so on. With "freshState" beside it the optimizers begin with no state. With neither they go on
with what they hold, but for master weights, which are the loaded weights.

A copy has all of the trainer's state: optimizer, averages of gradients, random numbers, the place in the schedule. Only
the weights are others, and what the optimizer holds where that is given. It greets with `{"branch"}` on a connection of
its own, and begins when it is answered.
"""
import importlib
import json
import os
import random
import socket
import sys

import numpy
import torch

from safetensors_file import read_safetensors, write_safetensors

SEED_RANGE = 2**32


class Dialogue:
    """Lines of JSON with the bench, one answer a question."""

    def __init__(self, path, branch):
        self.path, self.branch = path, branch
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        self.lines = connection.makefile("rw")
        connection.close()
        self.ask({})

    def ask(self, question):
        self.lines.write(json.dumps({"branch": self.branch, **question}) + "\n")
        self.lines.flush()
        answer = self.lines.readline()
        # The bench has ended: nobody waits for the rest.
        return json.loads(answer) if answer else {"stop": True}


class Follower:
    def __init__(self, socket_path):
        self.socket_path = socket_path
        self.dialogue = Dialogue(socket_path, "trunk")
        self.optimizers = []

    def notice_optimizers(self):
        """Makes the state of every later optimizer available to requests."""
        make, optimizers = torch.optim.Optimizer.__init__, self.optimizers

        def noticed(optimizer, *rest, **named):
            make(optimizer, *rest, **named)
            optimizers.append(optimizer)

        torch.optim.Optimizer.__init__ = noticed

    def state_tensors(self, model):
        """Optimizer state of the model's parameters, by name; single numbers such as counts of steps are left out."""
        for name, parameter in model.named_parameters():
            for optimizer in self.optimizers:
                for key, value in optimizer.state.get(parameter, {}).items():
                    if torch.is_tensor(value) and value.shape == parameter.shape and value.dim() > 0:
                        yield f"{key}.{name}", value

    def wrap(self, writer_class):
        write = writer_class.write

        def followed(writer, model, *rest, **named):
            write(writer, model, *rest, **named)
            self.at_checkpoint(writer, model)

        writer_class.write = followed

    def at_checkpoint(self, writer, model):
        newest = writer.info["checkpoints"][-1]
        metrics = {name: value for name, value in newest.items() if isinstance(value, float)}
        file = os.path.join(os.path.abspath(writer.dir), newest["file"])
        question = {"step": newest["step"], "file": file, "metrics": metrics}
        answer = self.dialogue.ask(question)
        if "saveState" in answer:
            tensors = {name: tensor.detach().numpy() for name, tensor in self.state_tensors(model)}
            write_safetensors(answer["saveState"], tensors)
            answer = self.dialogue.ask({**question, "state": True})
        for branch in answer.get("fork", []):
            if os.fork() == 0:
                self.dialogue.lines.close()
                self.dialogue = Dialogue(self.socket_path, branch["branch"])
                writer.dir = branch["directory"]
                self.restart(model, branch)
                return
        if answer.get("stop"):
            self.end()
        if "load" in answer:
            self.restart(model, answer)

    def restart(self, model, answer):
        load_weights(model, answer["load"])
        if "loadState" in answer:
            self.load_state(model, answer["loadState"])
            return
        for optimizer in self.optimizers:
            if answer.get("freshState"):
                optimizer.state.clear()
            for parameter, held in optimizer.state.items():
                if "master" in held:
                    held["master"].copy_(parameter.detach())

    def load_state(self, model, path):
        stored, held = read_safetensors(path), dict(self.state_tensors(model))
        if stored.keys() != held.keys():
            raise SystemExit(
                f"follow_training.py: {path} has other state than the optimizers: {sorted(stored.keys() ^ held.keys())}"
            )
        with torch.no_grad():
            for name, tensor in held.items():
                tensor.copy_(torch.from_numpy(stored[name].copy()))

    def end(self):
        """Ends once all copies have ended, so that waiting for this process waits for all."""
        try:
            while True:
                os.wait()
        except ChildProcessError:
            sys.stdout.flush()
            # Skip the rest of the script: the unbroken run has done its final work already.
            os._exit(0)


def load_weights(model, path):
    tensors = read_safetensors(path)
    state = model.state_dict()
    if state.keys() != tensors.keys():
        raise SystemExit(
            f"follow_training.py: {path} has other tensors than the model: {sorted(state.keys() ^ tensors.keys())}"
        )
    with torch.no_grad():
        for name, tensor in state.items():
            tensor.copy_(torch.from_numpy(tensors[name].copy()))


def shift_seeds(shift):
    def shifted(take):
        return lambda seed=None, *rest, **named: take(
            seed if seed is None else (seed + shift) % SEED_RANGE, *rest, **named
        )

    class RandomState(numpy.random.RandomState):
        def __init__(self, seed=None):
            super().__init__(seed if seed is None else (seed + shift) % SEED_RANGE)

    torch.manual_seed = shifted(torch.manual_seed)
    numpy.random.seed = shifted(numpy.random.seed)
    numpy.random.default_rng = shifted(numpy.random.default_rng)
    numpy.random.RandomState = RandomState
    random.seed = shifted(random.seed)


def writer_class_of(script):
    sources = [
        script,
        *(
            sys.modules[part.__module__]
            for part in vars(script).values()
            if getattr(part, "__module__", None) in sys.modules
        ),
    ]
    for source in sources:
        if hasattr(source, "SeriesWriter"):
            return source.SeriesWriter
    raise SystemExit(f"follow_training.py: neither {script.__name__} nor what it imports has a class SeriesWriter")


def main():
    socket_path, shift, script, *arguments = sys.argv[1:]
    if int(shift) != 0:
        shift_seeds(int(shift))
    directory, name = os.path.split(os.path.abspath(script))
    sys.path.insert(0, directory)
    sys.argv = [script, *arguments]
    module = importlib.import_module(os.path.splitext(name)[0])
    follower = Follower(socket_path)
    follower.notice_optimizers()
    follower.wrap(writer_class_of(module))
    module.main()
    follower.end()


if __name__ == "__main__":
    main()
