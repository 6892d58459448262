"""
The metrics of an eval set, computed by torch: float32 logits, everything after them in float64 and over the whole set.
"""
import torch
from torch.nn import functional

TOP_K_DEFAULT = 5


def measure(spec, outputs, batches, uploaded=None):
    """
    Metric name to value. `outputs` and `uploaded` (those of the model as it was uploaded) are by name of the graph's
    output.
    """
    values = {}
    for metric in spec["metrics"]:
        output = outputs[metric["output"]].double()
        labels = batches[metric["labels"]] if "labels" in metric else None
        reference = None if uploaded is None else uploaded[metric["output"]].double()
        values[metric["name"]] = float(_value(metric, spec, output, labels, reference))
    return values


def _value(metric, spec, output, labels, reference):
    kind = metric["kind"]
    if kind == "mse":
        return (output - labels.double()).square().mean()
    if kind == "pearson":
        return torch.corrcoef(torch.stack([output.flatten(), labels.double().flatten()]))[0, 1]
    if kind in ("kl-divergence", "agreement"):
        return _compared(kind, _rows(output, None), _rows(output if reference is None else reference, None))
    logits, classes = _rows(output, labels), labels.flatten()
    counted = classes != spec.get("ignoreLabel", float("nan"))
    return _of_classes(metric, logits[counted], classes[counted])


def _rows(output, labels):
    """Logits with a row for each position; the classes are the second axis where labels leave no other reading."""
    if labels is not None and output.dim() > 2 and output.shape[:-1] != labels.shape:
        output = output.movedim(1, -1)
    return output.reshape(-1, output.shape[-1])


def _compared(kind, logits, reference):
    if kind == "agreement":
        return (logits.argmax(-1) == reference.argmax(-1)).double().mean()
    ours, theirs = logits.log_softmax(-1), reference.log_softmax(-1)
    return (theirs.exp() * (theirs - ours)).sum(-1).mean()


def _of_classes(metric, logits, classes):
    kind, answers = metric["kind"], logits.argmax(-1)
    if kind == "cross-entropy":
        return functional.cross_entropy(logits, classes)
    if kind == "perplexity":
        return functional.cross_entropy(logits, classes).exp()
    if kind == "accuracy":
        return (answers == classes).double().mean()
    if kind == "top-k-accuracy":
        best = logits.topk(metric.get("k", TOP_K_DEFAULT), -1).indices
        return (best == classes[:, None]).any(-1).double().mean()
    if kind == "f1":
        seen = torch.cat([answers, classes]).unique()
        return torch.stack(
            [
                2 * ((answers == c) & (classes == c)).sum() / ((answers == c).sum() + (classes == c).sum()).double()
                for c in seen
            ]
        ).mean()
    raise SystemExit(f"measure.py knows no metric of kind {kind}")
