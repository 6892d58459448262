"""What a file lists of its tensors that the ancestor calls by other names (format.md, "Namesakes")."""

from ..bytes.byte_reader import ByteReader
from ..bytes.errors import check
from .package_index import SAFETENSORS, PackageIndex
from .safetensors_header import Tensor

# By tensor number: the tensor of the ancestor, as number of its file and number there.
Namesakes = dict[int, tuple[int, int]]


def stands_for(there: Tensor, tensor: Tensor) -> bool:
    """Whether a tensor of the ancestor has as many elements, or rows of the same shape."""
    if there.dtype != tensor.dtype:
        return False
    if there.elements == tensor.elements:
        return True
    return len(there.shape) == len(tensor.shape) and there.shape[1:] == tensor.shape[1:]


def read_namesakes(reader: ByteReader, tensors: list[Tensor], ancestor: PackageIndex) -> Namesakes:
    """The list of a file with these tensors, each tensor of the ancestor checked."""
    count = reader.varint()
    check(count <= len(tensors), "more namesakes are listed than there are tensors")
    listed: list[int] = []
    for _ in range(count):
        tensor = (listed[-1] + 1 if listed else 0) + reader.varint()
        check(tensor < len(tensors), "a namesake is listed of a tensor that is not there")
        listed.append(tensor)
    files = [reader.varint() for _ in listed]
    namesakes: Namesakes = {}
    for tensor, file in zip(listed, files, strict=True):
        number = tensor + reader.zigzag()
        check(
            file < len(ancestor.files)
            and ancestor.files[file].content == SAFETENSORS
            and 0 <= number < len(ancestor.files[file].tensors),
            "a namesake is listed that the ancestor does not have",
        )
        check(
            stands_for(ancestor.files[file].tensors[number], tensors[tensor]),
            "a namesake of another dtype or shape is listed",
        )
        namesakes[tensor] = (file, number)
    return namesakes
