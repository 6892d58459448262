"""Which elements make which block (format.md, "Block plan")."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..bytes.element_kinds import KIND_OF_DTYPE
from ..bytes.errors import check
from ..bytes.limits import BLOCK_ELEMENTS_MAX
from .safetensors_header import Tensor

CODEBOOK_CODING = 6
RESIDUAL_CODING = 32
STATE_CODINGS = range(33, 37)
BUCKET_CODING = 37
BITMASK_CODING = 38
COPY_CODING = 40
MASTER_CODING = 41
WIDENED_CODING = 42
INHERITED_CODING = 43

# A class of blocks: ("levels", codebook number), ("residual", dtype), ("state", encoding number), ("buckets", dtype),
# ("bitmask", dtype) or ("exact", name of the element kind).
BlockClass = tuple[str, int | str]


@dataclass(frozen=True)
class Run:
    """`count` elements of tensor number `tensor` from element `first` on."""

    tensor: int
    first: int
    count: int


@dataclass
class BlockPlan:
    """The runs of a block, all of one class."""

    block_class: BlockClass
    runs: list[Run]
    count: int


def block_class(coding: int, dtype: str) -> BlockClass:
    """The class of a tensor with this coding and dtype."""
    if coding == RESIDUAL_CODING:
        return "residual", dtype
    if coding == BUCKET_CODING:
        return "buckets", dtype
    if coding == BITMASK_CODING:
        return "bitmask", dtype
    if coding in STATE_CODINGS:
        return "state", coding - STATE_CODINGS.start
    if CODEBOOK_CODING <= coding < RESIDUAL_CODING:
        return "levels", coding - CODEBOOK_CODING
    return "exact", KIND_OF_DTYPE[dtype].name


def plan_blocks(tensors: Sequence[Tensor], codings: Sequence[int], blocks_max: int) -> list[BlockPlan]:
    """
    The blocks in order. More than `blocks_max` are refused before they are made: that is what the index has room for.
    """
    plans: list[BlockPlan] = []
    open_blocks: dict[BlockClass, BlockPlan] = {}
    for number, tensor in enumerate(tensors):
        if tensor.elements == 0 or codings[number] in (COPY_CODING, WIDENED_CODING, INHERITED_CODING):
            continue
        class_ = block_class(codings[number], tensor.dtype)
        if tensor.elements > BLOCK_ELEMENTS_MAX:
            check(
                len(plans) + -(-tensor.elements // BLOCK_ELEMENTS_MAX) <= blocks_max,
                "an index has fewer blocks than its files need",
            )
            for first in range(0, tensor.elements, BLOCK_ELEMENTS_MAX):
                count = min(BLOCK_ELEMENTS_MAX, tensor.elements - first)
                plans.append(BlockPlan(class_, [Run(number, first, count)], count))
            continue
        block = open_blocks.get(class_)
        if block is None or block.count + tensor.elements > BLOCK_ELEMENTS_MAX:
            check(len(plans) < blocks_max, "an index has fewer blocks than its files need")
            block = open_blocks[class_] = BlockPlan(class_, [], 0)
            plans.append(block)
        block.runs.append(Run(number, 0, tensor.elements))
        block.count += tensor.elements
    return plans
