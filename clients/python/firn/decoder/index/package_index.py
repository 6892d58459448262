"""What an index says, as values (format.md, "Index")."""

from dataclasses import dataclass, field

from .block_plan import BlockPlan
from ..methods.lattice import LatticeRecord
from .safetensors_header import Tensor
from ..coders.stored_tables import StoredContextTables, StoredTokenTables

SAFETENSORS, BLOB, EXTERNAL = 0, 1, 2


@dataclass(frozen=True)
class Codebook:
    """A table from level to value; `centroids` are their bytes in `dtype`."""

    layer_type: int
    dtype: str
    has_pruned: bool
    has_protected: bool
    level_count: int
    centroids: bytes
    codes: StoredTokenTables

    @property
    def protected_level(self) -> int | None:
        """The level whose elements have values of their own."""
        return self.level_count - 1 if self.has_protected else None


@dataclass(frozen=True)
class StoredBlock:
    """A planned block and where its payload is in the package."""

    plan: BlockPlan
    offset: int
    length: int
    checksum: int


@dataclass(frozen=True)
class PackageFile:
    """
    One file of a checkpoint. Codings and records are by tensor; a coding is 0..5, 6 + codebook number, 32..36, or
    40..43. `copies`, `named` and `kept` say which tensor such a one is of, as number of its file and number there.
    """

    content: int
    path: str
    sha256: bytes
    size: int
    text: bytes
    header: bytes
    tensors: list[Tensor]
    codings: list[int]
    records: dict[int, LatticeRecord]
    slots: dict[int, int]
    blocks: list[StoredBlock]
    # By copy (coding 40): its original in this package.
    copies: dict[int, tuple[int, int]] = field(default_factory=dict)
    # By tensor of first moments: the tensor of its second moments.
    seconds: dict[int, int] = field(default_factory=dict)
    # By master or widened copy (codings 41 and 42): the tensor of this package that it names.
    named: dict[int, tuple[int, int]] = field(default_factory=dict)
    # By kept tensor (coding 43): the tensor of the ancestor that it names.
    kept: dict[int, tuple[int, int]] = field(default_factory=dict)
    # By tensor that was renamed since the ancestor: what it is there.
    namesakes: dict[int, tuple[int, int]] = field(default_factory=dict)

    def runs_in(self, file: int, plan: BlockPlan, ancestor: "PackageFile") -> tuple[tuple[str, int, int], ...] | None:
        """
        The runs that the previous block has in file number `file` of the ancestor: name, first element, count. None
        where a tensor's namesake is in another file.
        """
        runs = []
        for run in plan.runs:
            there, number = self.namesakes.get(run.tensor, (file, None))
            if there != file:
                return None
            name = self.tensors[run.tensor].name if number is None else ancestor.tensors[number].name
            runs.append((name, run.first, run.count))
        return tuple(runs)


@dataclass(frozen=True)
class PackageIndex:
    """The decoded index of one package, or of one checkpoint of a merged package."""

    version: int
    package_id: bytes
    ancestor_id: bytes | None
    codebooks: list[Codebook]
    tables: StoredContextTables
    vector_scale: int
    matrix_scale: int
    files: list[PackageFile]
    # Of a checkpoint in a merged package: the symbols of each of its checkpoints by joint symbol, and which of these
    # this one is.
    joint_symbols: list[bytes] | None = None
    position: int = 0
    # Checkpoints of the merged package; 0 in a package of one.
    width: int = 0
