"""The parameters of all residual tensors of a file, from which blocks take those of their runs."""

from collections.abc import Sequence

import numpy as np

from ..index.block_plan import Run
from ..index.package_index import PackageFile, PackageIndex
from ..methods.lattice import lattice_segments


class LatticeTable:
    """
    One row for each residual tensor of a file. Made once: what Python does for a tensor takes longer than the core does
    for a small one.
    """

    def __init__(self, index: PackageIndex, file: PackageFile) -> None:
        tensors = list(file.records)
        records = list(file.records.values())
        is_matrix = [sum(size > 1 for size in file.tensors[tensor].shape) >= 2 for tensor in tensors]
        scales = [index.matrix_scale if matrix else index.vector_scale for matrix in is_matrix]
        self._rows = {tensor: row for row, tensor in enumerate(tensors)}
        self._later = lattice_segments(records, scales)
        # In a block without a previous one no shift applies.
        self._first = self._later.copy()
        self._first["shift"] = 0
        self._slots = np.array([file.slots[tensor] for tensor in tensors], np.uint32)
        self._origins = np.array([record.origin for record in records], np.int32)

    def segments(self, runs: Sequence[Run], has_previous: bool) -> np.ndarray:
        """A segment for each run, of SEGMENT."""
        found = (self._later if has_previous else self._first)[self._rows_of(runs)]
        found["count"] = [run.count for run in runs]
        return found

    def slots(self, runs: Sequence[Run]) -> np.ndarray:
        """The slot of each run in the context tables."""
        return self._slots[self._rows_of(runs)]

    def origins(self, runs: Sequence[Run]) -> np.ndarray:
        """What the values of each run start from in a block without a previous one."""
        return self._origins[self._rows_of(runs)]

    def _rows_of(self, runs: Sequence[Run]) -> list[int]:
        return [self._rows[run.tensor] for run in runs]
