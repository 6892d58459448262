"""Types of the bodies of the API."""
# Generated from openapi/firn.json: node --import tsx scripts/write-python-client.ts

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union


class Repository(TypedDict):
    namespace: str
    name: str
    type: Literal["model", "dataset", "space"]
    visibility: Literal["private", "public"]
    hub: HubSettings
    createdAt: str


class _HubSettingsRequired(TypedDict):
    fidelity: Literal["exact", "lossy"]
    shows: Literal["compressed", "uploaded"]


class HubSettings(_HubSettingsRequired, total=False):
    """How weights that hub clients push are kept."""
    evalSet: str
    thresholds: Dict[str, Union[float, ThresholdBounds]]


class ThresholdBounds(TypedDict, total=False):
    """Bounds on one metric, of which the tightest holds."""
    relative: float
    absolute: float
    progress: float


class Problem(TypedDict):
    """RFC 9457 problem details."""
    type: str
    title: str
    status: int
    code: Literal["invalid-request", "unauthenticated", "forbidden", "rate-limited", "quota-exceeded", "not-found", "conflict", "method-not-allowed", "payload-too-large", "length-required", "length-mismatch", "digest-mismatch", "checksum-mismatch", "range-not-satisfiable", "precondition-failed", "idempotency-conflict", "upload-incomplete", "upload-aborted", "upload-busy", "body-too-slow", "empty-body", "unsupported-media-type", "header-truncated", "header-too-large", "header-invalid", "tensor-overlap", "tensor-gap", "tensor-size-mismatch", "tensor-duplicate", "dtype-unknown", "not-safetensors", "layout-mismatch", "step-exists", "run-not-ready", "run-closed", "checkpoint-not-ready", "checkpoint-failed", "graph-invalid", "graph-external-data", "graph-missing-weights", "eval-input-mismatch", "eval-label-mismatch", "eval-timeout", "eval-memory", "eval-crashed", "eval-device", "eval-set-not-ready", "metric-unknown", "corrupt-object", "corrupt-package", "unsupported-format", "storage-full", "unavailable", "overloaded", "cancelled", "native-failure", "internal"]
    detail: str
    requestId: str


class _RepositoryInputRequired(TypedDict):
    namespace: str
    name: str


class RepositoryInput(_RepositoryInputRequired, total=False):
    type: Literal["model", "dataset", "space"]
    visibility: Literal["private", "public"]


class _RepositoryListRequired(TypedDict):
    items: List[Repository]


class RepositoryList(_RepositoryListRequired, total=False):
    next: str


class RepositoryChange(TypedDict, total=False):
    visibility: Literal["private", "public"]
    hub: HubSettingsInput


class _HubSettingsInputRequired(TypedDict):
    fidelity: Literal["exact", "lossy"]


class HubSettingsInput(_HubSettingsInputRequired, total=False):
    """How weights that hub clients push (`push_to_hub`, `hf upload`) are kept from now on; replaces the settings as a whole."""
    evalSet: str
    thresholds: Dict[str, Union[float, ThresholdBounds]]
    allowLarge: bool
    shows: Literal["compressed", "uploaded"]


class EvalSetGraph(TypedDict):
    sizeBytes: int
    sha256: str


class EvalSetBatches(TypedDict):
    sizeBytes: int
    sha256: str


class EvalSetError(TypedDict):
    code: Literal["invalid-request", "unauthenticated", "forbidden", "rate-limited", "quota-exceeded", "not-found", "conflict", "method-not-allowed", "payload-too-large", "length-required", "length-mismatch", "digest-mismatch", "checksum-mismatch", "range-not-satisfiable", "precondition-failed", "idempotency-conflict", "upload-incomplete", "upload-aborted", "upload-busy", "body-too-slow", "empty-body", "unsupported-media-type", "header-truncated", "header-too-large", "header-invalid", "tensor-overlap", "tensor-gap", "tensor-size-mismatch", "tensor-duplicate", "dtype-unknown", "not-safetensors", "layout-mismatch", "step-exists", "run-not-ready", "run-closed", "checkpoint-not-ready", "checkpoint-failed", "graph-invalid", "graph-external-data", "graph-missing-weights", "eval-input-mismatch", "eval-label-mismatch", "eval-timeout", "eval-memory", "eval-crashed", "eval-device", "eval-set-not-ready", "metric-unknown", "corrupt-object", "corrupt-package", "unsupported-format", "storage-full", "unavailable", "overloaded", "cancelled", "native-failure", "internal"]
    message: str


class _EvalSetRequired(TypedDict):
    name: str
    state: Literal["open", "ready", "failed"]
    spec: EvalSetSpec
    createdAt: str


class EvalSet(_EvalSetRequired, total=False):
    graph: EvalSetGraph
    batches: EvalSetBatches
    error: EvalSetError


class _EvalSetSpecMetricsItemRequired(TypedDict):
    name: str
    kind: Literal["loss", "cross-entropy", "perplexity", "accuracy", "top-k-accuracy", "f1", "binary-cross-entropy", "binary-accuracy", "mse", "pearson", "kl-divergence", "agreement", "deviation"]
    output: str


class EvalSetSpecMetricsItem(_EvalSetSpecMetricsItemRequired, total=False):
    labels: str
    classAxis: Literal["last", "second"]
    k: int


class _EvalSetSpecTensorMapValueRequired(TypedDict):
    tensor: str


class EvalSetSpecTensorMapValue(_EvalSetSpecTensorMapValueRequired, total=False):
    transpose: bool


class _EvalSetSpecRequired(TypedDict):
    inputs: Dict[str, str]
    metrics: List[EvalSetSpecMetricsItem]


class EvalSetSpec(_EvalSetSpecRequired, total=False):
    labels: Literal["indices", "probabilities"]
    ignoreLabel: int
    batchRows: int
    tensorMap: Dict[str, EvalSetSpecTensorMapValue]
    constants: List[str]
    unused: List[str]
    allowDoubted: bool


class EvalSetInput(TypedDict):
    name: str
    spec: EvalSetSpec


class _EvalSetListRequired(TypedDict):
    items: List[EvalSet]


class EvalSetList(_EvalSetListRequired, total=False):
    next: str


class CheckedEvalSetGraph(TypedDict):
    sizeBytes: int
    sha256: str


class CheckedEvalSetBatches(TypedDict):
    sizeBytes: int
    sha256: str


class CheckedEvalSetError(TypedDict):
    code: Literal["invalid-request", "unauthenticated", "forbidden", "rate-limited", "quota-exceeded", "not-found", "conflict", "method-not-allowed", "payload-too-large", "length-required", "length-mismatch", "digest-mismatch", "checksum-mismatch", "range-not-satisfiable", "precondition-failed", "idempotency-conflict", "upload-incomplete", "upload-aborted", "upload-busy", "body-too-slow", "empty-body", "unsupported-media-type", "header-truncated", "header-too-large", "header-invalid", "tensor-overlap", "tensor-gap", "tensor-size-mismatch", "tensor-duplicate", "dtype-unknown", "not-safetensors", "layout-mismatch", "step-exists", "run-not-ready", "run-closed", "checkpoint-not-ready", "checkpoint-failed", "graph-invalid", "graph-external-data", "graph-missing-weights", "eval-input-mismatch", "eval-label-mismatch", "eval-timeout", "eval-memory", "eval-crashed", "eval-device", "eval-set-not-ready", "metric-unknown", "corrupt-object", "corrupt-package", "unsupported-format", "storage-full", "unavailable", "overloaded", "cancelled", "native-failure", "internal"]
    message: str


class _CheckedEvalSetRequired(TypedDict):
    name: str
    state: Literal["open", "ready", "failed"]
    spec: EvalSetSpec
    createdAt: str


class CheckedEvalSet(_CheckedEvalSetRequired, total=False):
    graph: CheckedEvalSetGraph
    batches: CheckedEvalSetBatches
    error: CheckedEvalSetError
    check: EvalSetReport


class EvalSetReport(TypedDict):
    values: Dict[str, Union[float, None]]
    understood: List[str]
    warnings: List[str]
    secondsPerEvaluation: float


class RunCheckpointCounts(TypedDict, total=False):
    """How many checkpoints of it are in each state."""
    open: int
    queued: int
    working: int
    ready: int
    failed: int
    cancelled: int


class RunForkedFrom(TypedDict):
    run: str
    step: int


class _RunRequired(TypedDict):
    name: str
    fidelity: Literal["exact", "lossy"]
    thresholds: Dict[str, Union[float, ThresholdBounds]]
    thresholdsInWords: List[str]
    search: SearchOptions
    state: StateOptions
    device: DeviceWish
    layerTypes: Dict[str, Literal["embedding", "linear", "convolution", "norm", "bias", "buffer"]]
    seed: str
    checkpointCounts: RunCheckpointCounts
    final: bool
    createdAt: str


class Run(_RunRequired, total=False):
    evalSet: str
    forkedFrom: RunForkedFrom
    closedAt: str


class _SearchOptionsRequired(TypedDict):
    method: Literal["inshrinkerator", "residual", "lc-checkpoint", "bitsnap"]
    trialsMax: int
    evalBatches: Literal["all", "halves"]
    bins: List[int]
    embeddingBins: List[int]
    pruneFractions: List[float]
    protectFractions: List[float]
    neighbourhoodRadius: int
    neverMoreAggressive: bool
    clustering: Literal["kmeanspp", "optimal", "entropy"]
    rounding: Literal["nearest", "archive"]


class SearchOptions(_SearchOptionsRequired, total=False):
    """How the checkpoints of a run are searched. Axes are those of the method `inshrinkerator` and go from most to least aggressive; together they may span at most 8192 configs, the two prune metrics counted."""
    weightErrorMax: float
    standardErrors: float
    divergenceMax: float
    expectsWithin: float
    bitPrices: List[float]
    codebookSeed: Literal["run", "checkpoint"]
    hysteresis: Literal["fixed", "priced"]
    fixedConfig: QuantizationConfig


class _InshrinkeratorConfigRequired(TypedDict):
    method: Literal["inshrinkerator"]
    bins: int
    embeddingBins: int
    pruneFraction: float
    protectFraction: float
    pruneMetric: Literal["magnitude", "sensitivity"]


class InshrinkeratorConfig(_InshrinkeratorConfigRequired, total=False):
    bitPrice: float


class _ResidualConfigRequired(TypedDict):
    method: Literal["residual"]
    step: int


class ResidualConfig(_ResidualConfigRequired, total=False):
    stepSize: float


class LcCheckpointConfig(TypedDict):
    method: Literal["lc-checkpoint"]
    bits: int


class BitsnapConfig(TypedDict):
    method: Literal["bitsnap"]
    baseEvery: int


class StateOptionsNames(TypedDict, total=False):
    """What marks tensors of a role besides the usual words, before which it decides. An entry is a part of dotted names (`mu`), a whole name (`opt.first.layer1.weight`), or a pattern of whole names, in which `*` is any characters (`m_*`, `exp_avg/*`). A first moment belongs to the second moment whose name is the same without the part; of whole names and patterns, to that of the entry at the same place in the list of `secondMoment`, each `*` standing for the same. The usual words are `exp_avg`, `exp_avg_sq`, `momentum_buffer`, `master_param`, `main_param`, `fp32_params` and the like, anywhere in a dotted name, and after these `m`, `v`, `momentum`, `master`, `fp32` as its first or last part. Where a name says two things at once, the tensor stays exact, and a warning says so."""
    firstMoment: List[str]
    secondMoment: List[str]
    momentum: List[str]
    master: List[str]


class _StateOptionsRequired(TypedDict):
    firstMoment: Literal["exact", "bitsnap", "bounded"]
    secondMoment: Literal["exact", "bitsnap", "bounded"]
    momentum: Literal["exact", "bitsnap", "bounded"]


class StateOptions(_StateOptionsRequired, total=False):
    """How the tensors of optimizer files are kept: `exact` byte for byte; `bounded` so that no element of the next update of Adam moves by more than a tenth of the learning rate and a fifth of itself (before the correction of bias, which in the first ten steps of a run can make more of it; at an epsilon of 1e-8 or more, second moments of at most 1e38), and momentum by no more than a fifth of the root mean square of its row or so; `bitsnap` by the clusters of that paper, twelve bits an element. Tensors that are no moments, of one number, or not F32, stay exact, and so does a first moment that is to be `bounded` without its second moments as F32 in the same file and shape; warnings say of which, and of roles that no tensor has. Independent of `fidelity`, which is of the weights. `master` is of F32 copies of the weights, which training in 16 bits keeps: `exact` (the default), or `weights`: they come back as the weights of the model do, and take no bytes; where the uploaded weights are not rounded from them they stay exact, and a warning says so."""
    master: Literal["exact", "weights"]
    names: StateOptionsNames


class RunInputForkFrom(TypedDict):
    """Start from this checkpoint; whatever is not given is inherited."""
    run: str
    step: int


class _RunInputRequired(TypedDict):
    name: str


class RunInput(_RunInputRequired, total=False):
    fidelity: Literal["exact", "lossy"]
    evalSet: str
    thresholds: Dict[str, Union[float, ThresholdBounds]]
    allowLarge: bool
    search: SearchOptionsInput
    state: StateOptionsInput
    device: DeviceWish
    layerTypes: Dict[str, Literal["embedding", "linear", "convolution", "norm", "bias", "buffer"]]
    forkFrom: RunInputForkFrom
    baseModel: BaseModel


class SearchOptionsInput(TypedDict, total=False):
    """How the checkpoints of a run are searched. Axes are those of the method `inshrinkerator` and go from most to least aggressive; together they may span at most 8192 configs, the two prune metrics counted. What is not given keeps its default."""
    method: Literal["inshrinkerator", "residual", "lc-checkpoint", "bitsnap"]
    trialsMax: int
    evalBatches: Literal["all", "halves"]
    weightErrorMax: Union[float, None]
    standardErrors: float
    divergenceMax: Union[float, None]
    expectsWithin: float
    bins: List[int]
    embeddingBins: List[int]
    pruneFractions: List[float]
    protectFractions: List[float]
    bitPrices: List[float]
    neighbourhoodRadius: int
    neverMoreAggressive: bool
    clustering: Literal["kmeanspp", "optimal", "entropy"]
    codebookSeed: Literal["run", "checkpoint"]
    rounding: Literal["nearest", "archive", "dead-zone"]
    hysteresis: Literal["fixed", "priced"]
    fixedConfig: QuantizationConfigInput


class _InshrinkeratorConfigInputRequired(TypedDict):
    bins: int
    embeddingBins: int
    pruneFraction: float
    protectFraction: float


class InshrinkeratorConfigInput(_InshrinkeratorConfigInputRequired, total=False):
    method: Literal["inshrinkerator"]
    bitPrice: float
    pruneMetric: Literal["magnitude", "sensitivity"]


class _ResidualConfigInputRequired(TypedDict):
    method: Literal["residual"]
    step: int


class ResidualConfigInput(_ResidualConfigInputRequired, total=False):
    stepSize: float


class LcCheckpointConfigInput(TypedDict):
    method: Literal["lc-checkpoint"]
    bits: int


class BitsnapConfigInput(TypedDict):
    method: Literal["bitsnap"]
    baseEvery: int


class StateOptionsInputNames(TypedDict, total=False):
    """What marks tensors of a role besides the usual words, before which it decides. An entry is a part of dotted names (`mu`), a whole name (`opt.first.layer1.weight`), or a pattern of whole names, in which `*` is any characters (`m_*`, `exp_avg/*`). A first moment belongs to the second moment whose name is the same without the part; of whole names and patterns, to that of the entry at the same place in the list of `secondMoment`, each `*` standing for the same. The usual words are `exp_avg`, `exp_avg_sq`, `momentum_buffer`, `master_param`, `main_param`, `fp32_params` and the like, anywhere in a dotted name, and after these `m`, `v`, `momentum`, `master`, `fp32` as its first or last part. Where a name says two things at once, the tensor stays exact, and a warning says so."""
    firstMoment: List[str]
    secondMoment: List[str]
    momentum: List[str]
    master: List[str]


class StateOptionsInput(TypedDict, total=False):
    """How the tensors of optimizer files are kept: `exact` byte for byte; `bounded` so that no element of the next update of Adam moves by more than a tenth of the learning rate and a fifth of itself (before the correction of bias, which in the first ten steps of a run can make more of it; at an epsilon of 1e-8 or more, second moments of at most 1e38), and momentum by no more than a fifth of the root mean square of its row or so; `bitsnap` by the clusters of that paper, twelve bits an element. Tensors that are no moments, of one number, or not F32, stay exact, and so does a first moment that is to be `bounded` without its second moments as F32 in the same file and shape; warnings say of which, and of roles that no tensor has. Independent of `fidelity`, which is of the weights. `master` is of F32 copies of the weights, which training in 16 bits keeps: `exact` (the default), or `weights`: they come back as the weights of the model do, and take no bytes; where the uploaded weights are not rounded from them they stay exact, and a warning says so. What is not given is exact."""
    firstMoment: Literal["exact", "bitsnap", "bounded"]
    secondMoment: Literal["exact", "bitsnap", "bounded"]
    momentum: Literal["exact", "bitsnap", "bounded"]
    master: Literal["exact", "weights"]
    names: StateOptionsInputNames


class _BaseModelRequired(TypedDict):
    namespace: str
    name: str


class BaseModel(_BaseModelRequired, total=False):
    """A checkpoint that a fine-tune begins from, in this repository or another that the token may read. The first checkpoint of the run is stored against it, so it must have the same tensors. `run` is the one that the main branch shows, if it is not given, and `step` its newest that is ready. Nothing else is inherited."""
    run: str
    step: int


class _RunListRequired(TypedDict):
    items: List[Run]


class RunList(_RunListRequired, total=False):
    next: str


class RunChange(TypedDict, total=False):
    evalSet: str
    thresholds: Dict[str, Union[float, ThresholdBounds]]
    allowLarge: bool
    device: DeviceWish
    final: Union[bool, FinalQuality]


class FinalQuality(TypedDict, total=False):
    """How the last checkpoint of a run is to be kept; as the others where nothing is said."""
    exact: bool
    thresholds: Dict[str, Union[float, ThresholdBounds]]


class ReservedCheckpointMissingItem(TypedDict):
    path: str
    href: str


class ReservedCheckpointFinal(TypedDict, total=False):
    """There if it was said to be the last of its run, with what was asked of it."""
    exact: bool
    thresholds: Dict[str, Union[float, ThresholdBounds]]


class ReservedCheckpointError(TypedDict):
    code: Literal["invalid-request", "unauthenticated", "forbidden", "rate-limited", "quota-exceeded", "not-found", "conflict", "method-not-allowed", "payload-too-large", "length-required", "length-mismatch", "digest-mismatch", "checksum-mismatch", "range-not-satisfiable", "precondition-failed", "idempotency-conflict", "upload-incomplete", "upload-aborted", "upload-busy", "body-too-slow", "empty-body", "unsupported-media-type", "header-truncated", "header-too-large", "header-invalid", "tensor-overlap", "tensor-gap", "tensor-size-mismatch", "tensor-duplicate", "dtype-unknown", "not-safetensors", "layout-mismatch", "step-exists", "run-not-ready", "run-closed", "checkpoint-not-ready", "checkpoint-failed", "graph-invalid", "graph-external-data", "graph-missing-weights", "eval-input-mismatch", "eval-label-mismatch", "eval-timeout", "eval-memory", "eval-crashed", "eval-device", "eval-set-not-ready", "metric-unknown", "corrupt-object", "corrupt-package", "unsupported-format", "storage-full", "unavailable", "overloaded", "cancelled", "native-failure", "internal"]
    message: str


class _ReservedCheckpointRequired(TypedDict):
    run: str
    step: int
    sequence: int
    state: Literal["open", "queued", "working", "ready", "failed", "cancelled"]
    cancelRequested: bool
    createdAt: str
    href: str
    missing: List[ReservedCheckpointMissingItem]


class ReservedCheckpoint(_ReservedCheckpointRequired, total=False):
    revision: str
    config: Union[InshrinkeratorConfig, ResidualConfig, LcCheckpointConfig, BitsnapConfig]
    layerTypes: Dict[str, Literal["embedding", "linear", "convolution", "norm", "bias", "buffer"]]
    expects: Dict[str, float]
    final: ReservedCheckpointFinal
    thresholds: Dict[str, Union[float, ThresholdBounds]]
    waitsFor: Waiting
    expiresAt: str
    result: CheckpointResult
    error: ReservedCheckpointError
    committedAt: str
    finishedAt: str


class _WaitingRequired(TypedDict):
    inWords: str


class Waiting(_WaitingRequired, total=False):
    """Of a checkpoint that is `queued`, in its description, in lists and in its events."""
    step: int
    state: Literal["open", "queued", "working"]
    reservedAt: str
    expiresAt: str


class _CheckpointResultRequired(TypedDict):
    fidelity: Literal["exact", "lossy"]
    warnings: List[str]
    kind: Literal["base", "delta"]
    chainLength: int
    rawBytes: int
    storedBytes: int
    trialCount: int
    seconds: Dict[str, float]


class CheckpointResult(_CheckpointResultRequired, total=False):
    config: QuantizationConfig
    baseline: Dict[str, Union[float, None]]
    measured: Dict[str, Union[float, None]]
    degradation: Dict[str, Union[float, None]]
    limits: Dict[str, MetricLimit]
    asGoodAs: AsGoodAs
    observed: Dict[str, ObservedMetric]
    understood: List[str]
    measuredOn: DeviceKind
    encodedOn: Literal["cpu", "cuda", "emulated", "mixed"]
    ancestorRun: str
    ancestorStep: int
    migration: float
    roundingError: float
    resumed: bool


class MetricLimitGain(TypedDict):
    """What `progress` is a share of: the gain since this upload, divided by `checkpoints`. Absent where nothing was gained."""
    run: str
    step: int
    value: float
    checkpoints: int
    perCheckpoint: float


class _MetricLimitRequired(TypedDict):
    degradationMax: float
    boundBy: Literal["relative", "absolute", "progress"]


class MetricLimit(_MetricLimitRequired, total=False):
    withoutProgress: float
    gain: MetricLimitGain


class AsGoodAs(TypedDict):
    """The step of training at which the uploaded model was as good as what a download returns, by the measured metric of the uploads that it was trained through. Absent if that is not known."""
    metric: str
    step: float
    beforeFirst: bool
    lagSteps: float


class ObservedMetric(TypedDict):
    kind: Literal["loss", "cross-entropy", "perplexity", "accuracy", "top-k-accuracy", "f1", "binary-cross-entropy", "binary-accuracy", "mse", "pearson", "kl-divergence", "agreement", "deviation"]
    baseline: Union[float, None]
    measured: Union[float, None]
    degradation: Union[float, None]


class CheckpointFinal(TypedDict, total=False):
    """There if it was said to be the last of its run, with what was asked of it."""
    exact: bool
    thresholds: Dict[str, Union[float, ThresholdBounds]]


class CheckpointError(TypedDict):
    code: Literal["invalid-request", "unauthenticated", "forbidden", "rate-limited", "quota-exceeded", "not-found", "conflict", "method-not-allowed", "payload-too-large", "length-required", "length-mismatch", "digest-mismatch", "checksum-mismatch", "range-not-satisfiable", "precondition-failed", "idempotency-conflict", "upload-incomplete", "upload-aborted", "upload-busy", "body-too-slow", "empty-body", "unsupported-media-type", "header-truncated", "header-too-large", "header-invalid", "tensor-overlap", "tensor-gap", "tensor-size-mismatch", "tensor-duplicate", "dtype-unknown", "not-safetensors", "layout-mismatch", "step-exists", "run-not-ready", "run-closed", "checkpoint-not-ready", "checkpoint-failed", "graph-invalid", "graph-external-data", "graph-missing-weights", "eval-input-mismatch", "eval-label-mismatch", "eval-timeout", "eval-memory", "eval-crashed", "eval-device", "eval-set-not-ready", "metric-unknown", "corrupt-object", "corrupt-package", "unsupported-format", "storage-full", "unavailable", "overloaded", "cancelled", "native-failure", "internal"]
    message: str


class _CheckpointRequired(TypedDict):
    run: str
    step: int
    sequence: int
    state: Literal["open", "queued", "working", "ready", "failed", "cancelled"]
    cancelRequested: bool
    createdAt: str
    href: str


class Checkpoint(_CheckpointRequired, total=False):
    revision: str
    config: Union[InshrinkeratorConfig, ResidualConfig, LcCheckpointConfig, BitsnapConfig]
    layerTypes: Dict[str, Literal["embedding", "linear", "convolution", "norm", "bias", "buffer"]]
    expects: Dict[str, float]
    final: CheckpointFinal
    thresholds: Dict[str, Union[float, ThresholdBounds]]
    waitsFor: Waiting
    expiresAt: str
    result: CheckpointResult
    error: CheckpointError
    committedAt: str
    finishedAt: str


class _CheckpointInputFilesItemRequired(TypedDict):
    path: str


class CheckpointInputFilesItem(_CheckpointInputFilesItemRequired, total=False):
    role: Literal["model", "sensitivity", "optimizer", "other"]
    sizeBytes: int
    sha256: str
    content: str


class _CheckpointInputRequired(TypedDict):
    step: int


class CheckpointInput(_CheckpointInputRequired, total=False):
    files: List[CheckpointInputFilesItem]
    commit: bool
    config: Union[InshrinkeratorConfigInput, ResidualConfigInput, LcCheckpointConfigInput, BitsnapConfigInput]
    layerTypes: Dict[str, Literal["embedding", "linear", "convolution", "norm", "bias", "buffer"]]
    expects: Dict[str, float]
    final: Union[Literal[True], FinalQuality]


class _CheckpointListRequired(TypedDict):
    items: List[Checkpoint]


class CheckpointList(_CheckpointListRequired, total=False):
    next: str


class _CheckpointDetailsLinksRequired(TypedDict):
    trials: str
    events: str


class CheckpointDetailsLinks(_CheckpointDetailsLinksRequired, total=False):
    retry: str


class CheckpointDetailsFinal(TypedDict, total=False):
    """There if it was said to be the last of its run, with what was asked of it."""
    exact: bool
    thresholds: Dict[str, Union[float, ThresholdBounds]]


class CheckpointDetailsError(TypedDict):
    code: Literal["invalid-request", "unauthenticated", "forbidden", "rate-limited", "quota-exceeded", "not-found", "conflict", "method-not-allowed", "payload-too-large", "length-required", "length-mismatch", "digest-mismatch", "checksum-mismatch", "range-not-satisfiable", "precondition-failed", "idempotency-conflict", "upload-incomplete", "upload-aborted", "upload-busy", "body-too-slow", "empty-body", "unsupported-media-type", "header-truncated", "header-too-large", "header-invalid", "tensor-overlap", "tensor-gap", "tensor-size-mismatch", "tensor-duplicate", "dtype-unknown", "not-safetensors", "layout-mismatch", "step-exists", "run-not-ready", "run-closed", "checkpoint-not-ready", "checkpoint-failed", "graph-invalid", "graph-external-data", "graph-missing-weights", "eval-input-mismatch", "eval-label-mismatch", "eval-timeout", "eval-memory", "eval-crashed", "eval-device", "eval-set-not-ready", "metric-unknown", "corrupt-object", "corrupt-package", "unsupported-format", "storage-full", "unavailable", "overloaded", "cancelled", "native-failure", "internal"]
    message: str


class _CheckpointDetailsRequired(TypedDict):
    run: str
    step: int
    sequence: int
    state: Literal["open", "queued", "working", "ready", "failed", "cancelled"]
    cancelRequested: bool
    createdAt: str
    href: str
    files: List[CheckpointFile]
    links: CheckpointDetailsLinks


class CheckpointDetails(_CheckpointDetailsRequired, total=False):
    revision: str
    config: Union[InshrinkeratorConfig, ResidualConfig, LcCheckpointConfig, BitsnapConfig]
    layerTypes: Dict[str, Literal["embedding", "linear", "convolution", "norm", "bias", "buffer"]]
    expects: Dict[str, float]
    final: CheckpointDetailsFinal
    thresholds: Dict[str, Union[float, ThresholdBounds]]
    waitsFor: Waiting
    expiresAt: str
    result: CheckpointResult
    error: CheckpointDetailsError
    committedAt: str
    finishedAt: str
    package: PackageSummary
    damaged: Literal[True]
    damagedFiles: List[str]
    evalSet: str


class CheckpointFileUploaded(TypedDict, total=False):
    """As announced, or as it arrived. `href` is there while the bytes are kept."""
    sizeBytes: int
    sha256: str
    href: str


class CheckpointFileRebuilt(TypedDict):
    """What a download returns once the checkpoint is ready."""
    sizeBytes: int
    sha256: str
    href: str


class _CheckpointFileRequired(TypedDict):
    path: str
    role: Literal["model", "sensitivity", "optimizer", "other"]
    received: bool
    uploaded: CheckpointFileUploaded


class CheckpointFile(_CheckpointFileRequired, total=False):
    rebuilt: CheckpointFileRebuilt


class PackageSummaryMergedPackage(TypedDict):
    """The package that holds this checkpoint with others of the run, and which of them it is. `sizeBytes` is its size, `storedBytes` this one’s share."""
    id: str
    position: int


class PackageSummarySuperStep(TypedDict):
    """The same as `mergedPackage`, under its earlier name."""
    id: str
    position: int


class _PackageSummaryRequired(TypedDict):
    id: str
    kind: Literal["base", "delta"]
    sizeBytes: int
    storedBytes: int
    chainLength: int
    href: str


class PackageSummary(_PackageSummaryRequired, total=False):
    """Absent, too, if it builds on a repository that you may not read, such as a private base model."""
    ancestorId: str
    mergedPackage: PackageSummaryMergedPackage
    superStep: PackageSummarySuperStep
    ancestorHref: str


class TrialList(TypedDict):
    items: List[Trial]


class _TrialRequired(TypedDict):
    number: int
    ordinal: int
    search: int
    config: QuantizationConfig
    estimatedBytes: float
    measuredOn: DeviceKind
    metrics: Dict[str, Union[float, None]]
    degradation: Dict[str, Union[float, None]]
    passed: bool
    seconds: float


class Trial(_TrialRequired, total=False):
    halves: List[Dict[str, Union[float, None]]]
    standardError: Dict[str, Union[float, None]]
    observed: Dict[str, Union[float, None]]


class RetryInput(TypedDict, total=False):
    """What it is measured with this time. By default what the run has now."""
    evalSet: str
    thresholds: Dict[str, Union[float, ThresholdBounds]]
    allowLarge: bool


class _EstimateResultRequired(TypedDict):
    fidelity: Literal["exact", "lossy"]
    warnings: List[str]
    kind: Literal["base", "delta"]
    chainLength: int
    rawBytes: int
    storedBytes: int
    trialCount: int
    seconds: Dict[str, float]


class EstimateResult(_EstimateResultRequired, total=False):
    """Once it is `done`: what the checkpoint would have if it came now. Nothing of it is stored."""
    config: QuantizationConfig
    baseline: Dict[str, Union[float, None]]
    measured: Dict[str, Union[float, None]]
    degradation: Dict[str, Union[float, None]]
    limits: Dict[str, MetricLimit]
    asGoodAs: AsGoodAs
    observed: Dict[str, ObservedMetric]
    understood: List[str]
    measuredOn: DeviceKind
    encodedOn: Literal["cpu", "cuda", "emulated", "mixed"]
    ancestorRun: str
    ancestorStep: int
    migration: float
    roundingError: float
    resumed: bool


class EstimateError(TypedDict):
    code: Literal["invalid-request", "unauthenticated", "forbidden", "rate-limited", "quota-exceeded", "not-found", "conflict", "method-not-allowed", "payload-too-large", "length-required", "length-mismatch", "digest-mismatch", "checksum-mismatch", "range-not-satisfiable", "precondition-failed", "idempotency-conflict", "upload-incomplete", "upload-aborted", "upload-busy", "body-too-slow", "empty-body", "unsupported-media-type", "header-truncated", "header-too-large", "header-invalid", "tensor-overlap", "tensor-gap", "tensor-size-mismatch", "tensor-duplicate", "dtype-unknown", "not-safetensors", "layout-mismatch", "step-exists", "run-not-ready", "run-closed", "checkpoint-not-ready", "checkpoint-failed", "graph-invalid", "graph-external-data", "graph-missing-weights", "eval-input-mismatch", "eval-label-mismatch", "eval-timeout", "eval-memory", "eval-crashed", "eval-device", "eval-set-not-ready", "metric-unknown", "corrupt-object", "corrupt-package", "unsupported-format", "storage-full", "unavailable", "overloaded", "cancelled", "native-failure", "internal"]
    message: str


class _EstimateRequired(TypedDict):
    run: str
    step: int
    thresholds: Dict[str, Union[float, ThresholdBounds]]
    state: Literal["queued", "working", "done", "failed", "cancelled"]
    createdAt: str
    href: str


class Estimate(_EstimateRequired, total=False):
    result: EstimateResult
    error: EstimateError
    finishedAt: str


class _EstimateInputRequired(TypedDict):
    thresholds: Dict[str, Union[float, ThresholdBounds]]


class EstimateInput(_EstimateInputRequired, total=False):
    allowLarge: bool


class FileReceiptCheckpointFinal(TypedDict, total=False):
    """There if it was said to be the last of its run, with what was asked of it."""
    exact: bool
    thresholds: Dict[str, Union[float, ThresholdBounds]]


class FileReceiptCheckpointError(TypedDict):
    code: Literal["invalid-request", "unauthenticated", "forbidden", "rate-limited", "quota-exceeded", "not-found", "conflict", "method-not-allowed", "payload-too-large", "length-required", "length-mismatch", "digest-mismatch", "checksum-mismatch", "range-not-satisfiable", "precondition-failed", "idempotency-conflict", "upload-incomplete", "upload-aborted", "upload-busy", "body-too-slow", "empty-body", "unsupported-media-type", "header-truncated", "header-too-large", "header-invalid", "tensor-overlap", "tensor-gap", "tensor-size-mismatch", "tensor-duplicate", "dtype-unknown", "not-safetensors", "layout-mismatch", "step-exists", "run-not-ready", "run-closed", "checkpoint-not-ready", "checkpoint-failed", "graph-invalid", "graph-external-data", "graph-missing-weights", "eval-input-mismatch", "eval-label-mismatch", "eval-timeout", "eval-memory", "eval-crashed", "eval-device", "eval-set-not-ready", "metric-unknown", "corrupt-object", "corrupt-package", "unsupported-format", "storage-full", "unavailable", "overloaded", "cancelled", "native-failure", "internal"]
    message: str


class _FileReceiptCheckpointRequired(TypedDict):
    run: str
    step: int
    sequence: int
    state: Literal["open", "queued", "working", "ready", "failed", "cancelled"]
    cancelRequested: bool
    createdAt: str
    href: str


class FileReceiptCheckpoint(_FileReceiptCheckpointRequired, total=False):
    """With `commit=true`: as it was committed."""
    revision: str
    config: Union[InshrinkeratorConfig, ResidualConfig, LcCheckpointConfig, BitsnapConfig]
    layerTypes: Dict[str, Literal["embedding", "linear", "convolution", "norm", "bias", "buffer"]]
    expects: Dict[str, float]
    final: FileReceiptCheckpointFinal
    thresholds: Dict[str, Union[float, ThresholdBounds]]
    waitsFor: Waiting
    expiresAt: str
    result: CheckpointResult
    error: FileReceiptCheckpointError
    committedAt: str
    finishedAt: str


class _FileReceiptRequired(TypedDict):
    path: str
    role: Literal["model", "sensitivity", "optimizer", "other"]
    sizeBytes: int
    sha256: str
    href: str


class FileReceipt(_FileReceiptRequired, total=False):
    checkpoint: FileReceiptCheckpoint


class _UploadRequired(TypedDict):
    id: str
    href: str
    state: Literal["open", "complete"]
    sizeBytes: int
    receivedBytes: int
    expiresAt: str


class Upload(_UploadRequired, total=False):
    path: str
    part: Literal["graph", "batches"]
    sha256: str
    partBytes: int
    partCount: int


class _FileUploadInputRequired(TypedDict):
    sizeBytes: int
    path: str


class FileUploadInput(_FileUploadInputRequired, total=False):
    sha256: str
    partBytes: int
    role: Literal["model", "sensitivity", "optimizer", "other"]


class _EvalSetUploadInputRequired(TypedDict):
    sizeBytes: int
    part: Literal["graph", "batches"]


class EvalSetUploadInput(_EvalSetUploadInputRequired, total=False):
    sha256: str
    partBytes: int


class UploadPart(TypedDict):
    number: int
    sizeBytes: int
    sha256: str


class _UploadPartListRequired(TypedDict):
    items: List[UploadPart]


class UploadPartList(_UploadPartListRequired, total=False):
    next: str


class Pull(TypedDict):
    revision: str
    files: List[PullFile]
    packages: List[PullPackage]


class PullFilePackage(TypedDict):
    """The checkpoint’s package that holds the bytes, one of `holds` below, and the path they have in it. Absent for a file that is stored as it is, and for one whose packages lead to a repository that you may not read, such as a private base model: download it by `href`."""
    id: str
    path: str


class _PullFileRequired(TypedDict):
    path: str
    sizeBytes: int
    sha256: str
    href: str


class PullFile(_PullFileRequired, total=False):
    package: PullFilePackage


class _PullPackageRequired(TypedDict):
    id: str
    holds: List[str]
    sizeBytes: int
    etag: str
    href: str
    held: bool


class PullPackage(_PullPackageRequired, total=False):
    ancestorId: str


class _NamespaceUsageListRequired(TypedDict):
    items: List[NamespaceUsage]


class NamespaceUsageList(_NamespaceUsageListRequired, total=False):
    next: str


class NamespaceUsageStored(TypedDict):
    """With frames and checksums."""
    packageBytes: int
    stagedBytes: int
    rawBytes: int
    hubBytes: int
    evalSetBytes: int
    hiddenBytes: int
    pendingDeletionBytes: int


class _NamespaceUsageCompressedRequired(TypedDict):
    checkpointCount: int
    rawBytes: int
    storedBytes: int


class NamespaceUsageCompressed(_NamespaceUsageCompressedRequired, total=False):
    """What compression made of the checkpoints. It is no part of its own: `stored` counts these bytes in `packageBytes` and `rawBytes`."""
    ratio: float


class NamespaceUsageTransferred(TypedDict):
    receivedBytes: int
    sentBytes: int


class NamespaceUsageQuota(TypedDict):
    storedBytesMax: int


class _NamespaceUsageRequired(TypedDict):
    logicalBytes: int
    storedBytes: int
    stored: NamespaceUsageStored
    compressed: NamespaceUsageCompressed
    reservedBytes: int
    transferred: NamespaceUsageTransferred
    namespace: str


class NamespaceUsage(_NamespaceUsageRequired, total=False):
    quota: NamespaceUsageQuota


class UsageStored(TypedDict):
    """With frames and checksums."""
    packageBytes: int
    stagedBytes: int
    rawBytes: int
    hubBytes: int
    evalSetBytes: int
    hiddenBytes: int
    pendingDeletionBytes: int


class _UsageCompressedRequired(TypedDict):
    checkpointCount: int
    rawBytes: int
    storedBytes: int


class UsageCompressed(_UsageCompressedRequired, total=False):
    """What compression made of the checkpoints. It is no part of its own: `stored` counts these bytes in `packageBytes` and `rawBytes`."""
    ratio: float


class UsageTransferred(TypedDict):
    receivedBytes: int
    sentBytes: int


class Usage(TypedDict):
    logicalBytes: int
    storedBytes: int
    stored: UsageStored
    compressed: UsageCompressed
    reservedBytes: int
    transferred: UsageTransferred


class QuotaInput(TypedDict):
    storedBytesMax: Union[int, None]


class _CreatedTokenRequired(TypedDict):
    id: str
    name: str
    grants: List[str]
    createdAt: str
    token: str


class CreatedToken(_CreatedTokenRequired, total=False):
    expiresAt: str
    revokedAt: str


class _TokenRequired(TypedDict):
    id: str
    name: str
    grants: List[str]
    createdAt: str


class Token(_TokenRequired, total=False):
    expiresAt: str
    revokedAt: str


class _TokenInputRequired(TypedDict):
    name: str
    grants: List[str]


class TokenInput(_TokenInputRequired, total=False):
    expiresAt: str


class _TokenListRequired(TypedDict):
    items: List[Token]


class TokenList(_TokenListRequired, total=False):
    next: str


class Whoami(TypedDict):
    id: str
    name: str
    grants: List[str]


class _CreatedWebhookRequired(TypedDict):
    id: str
    namespace: str
    url: str
    events: List[Literal["checkpoint.ready", "checkpoint.failed", "checkpoint.damaged"]]
    active: bool
    createdAt: str
    secret: str


class CreatedWebhook(_CreatedWebhookRequired, total=False):
    repository: str


class _WebhookRequired(TypedDict):
    id: str
    namespace: str
    url: str
    events: List[Literal["checkpoint.ready", "checkpoint.failed", "checkpoint.damaged"]]
    active: bool
    createdAt: str


class Webhook(_WebhookRequired, total=False):
    repository: str


class _WebhookInputRequired(TypedDict):
    namespace: str
    url: str


class WebhookInput(_WebhookInputRequired, total=False):
    repository: str
    events: List[Literal["checkpoint.ready", "checkpoint.failed", "checkpoint.damaged"]]
    secret: str


class _WebhookListRequired(TypedDict):
    items: List[Webhook]


class WebhookList(_WebhookListRequired, total=False):
    next: str


class WebhookChange(TypedDict, total=False):
    url: str
    events: List[Literal["checkpoint.ready", "checkpoint.failed", "checkpoint.damaged"]]
    secret: str
    active: bool


class _WebhookMessageListRequired(TypedDict):
    items: List[WebhookMessage]


class WebhookMessageList(_WebhookMessageListRequired, total=False):
    next: str


class _WebhookMessageRequired(TypedDict):
    id: str
    event: Literal["checkpoint.ready", "checkpoint.failed", "checkpoint.damaged", "ping"]
    body: str
    state: Literal["pending", "delivered", "failed"]
    attempts: int
    createdAt: str


class WebhookMessage(_WebhookMessageRequired, total=False):
    nextAt: str
    status: int
    error: str
    finishedAt: str


class _ReadinessWorkersRequired(TypedDict):
    living: int


class ReadinessWorkers(_ReadinessWorkersRequired, total=False):
    oldestSignSeconds: float
    newestSignSeconds: float


class ReadinessDevice(TypedDict):
    """The device that this process compresses with, if it has one."""
    name: str
    memoryBytes: int
    memoryUsedBytes: int
    busySeconds: float


class _ReadinessRequired(TypedDict):
    status: Literal["ready", "degraded", "not-ready"]
    checks: Dict[str, Literal["ok", "failed"]]


class Readiness(_ReadinessRequired, total=False):
    workers: ReadinessWorkers
    device: ReadinessDevice


class ProblemKind(TypedDict):
    code: str
    status: int
    title: str
    cause: str
    remedy: str
    example: str


class GetHealthAnswer(TypedDict):
    status: Literal["ok"]


QuantizationConfig = Union["InshrinkeratorConfig", "ResidualConfig", "LcCheckpointConfig", "BitsnapConfig"]
DeviceWish = Literal["preferred", "required", "none"]
QuantizationConfigInput = Union["InshrinkeratorConfigInput", "ResidualConfigInput", "LcCheckpointConfigInput", "BitsnapConfigInput"]
DeviceKind = Literal["cpu", "cuda"]
