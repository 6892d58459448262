"""The JSON header of a safetensors file and its tensors."""

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from ..bytes.element_kinds import KIND_OF_DTYPE, element_bits, element_bytes
from ..bytes.errors import DamagedPackage, check, fail
from ..bytes.limits import HEADER_BYTES_MAX, TENSORS_MAX

_RANK_MAX = 64
_NAME_UNITS_MAX = 1024
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class Tensor:
    """A tensor of a file; `offset` counts bytes from the end of the header."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    elements: int


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    check(len(found) == len(pairs), "a name appears twice in a header")
    return found


def _refuse_constant(name: str) -> None:
    fail(f"{name} is no JSON")


def _is_size(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 53


def _is_name(name: str) -> bool:
    return len(name.encode("utf-16-be")) // 2 <= _NAME_UNITS_MAX and _CONTROL.search(name) is None


def _tensor(name: str, entry: object) -> Tensor:
    check(isinstance(entry, dict) and set(entry) == {"dtype", "shape", "data_offsets"}, "a tensor has wrong fields")
    assert isinstance(entry, dict)
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    check(isinstance(dtype, str) and dtype in KIND_OF_DTYPE, "a tensor's dtype is not known")
    check(
        isinstance(shape, list) and len(shape) <= _RANK_MAX and all(map(_is_size, shape)), "a tensor's shape is wrong"
    )
    check(
        isinstance(offsets, list) and len(offsets) == 2 and all(map(_is_size, offsets)), "a tensor's offsets are wrong"
    )
    size = offsets[1] - offsets[0]
    check(8 * size == math.prod(shape) * element_bits(dtype), "a tensor's size does not fit its shape")
    return Tensor(name, dtype, tuple(shape), offsets[0], size // element_bytes(dtype))


def parse_safetensors_header(header: bytes) -> list[Tensor]:
    """The tensors in offset order; those at one offset with the empty ones first, then by name in UTF-16 order."""
    check(0 < len(header) <= HEADER_BYTES_MAX, "a header's length is out of range")
    check(header[:1] == b"{", "a header does not start with a brace")
    try:
        text = header.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
        keyed = [(name.encode("utf-16-be"), name) for name in value]
    except (ValueError, RecursionError) as error:
        raise DamagedPackage("a header is no JSON") from error
    metadata = value.pop("__metadata__", {})
    check(
        isinstance(metadata, dict) and all(isinstance(text, str) for text in metadata.values()),
        "metadata holds more than text",
    )
    check(len(value) <= TENSORS_MAX, "a header has too many tensors")
    check(all(map(_is_name, value)), "a tensor's name is not allowed")
    order = {name: key for key, name in keyed}
    tensors = [_tensor(name, entry) for name, entry in value.items()]
    tensors.sort(key=lambda tensor: (tensor.offset, tensor.elements > 0, order[tensor.name]))
    end = 0
    for tensor in tensors:
        check(tensor.offset == end, "tensors overlap, or leave a gap")
        end += tensor.elements * element_bytes(tensor.dtype)
    return tensors
