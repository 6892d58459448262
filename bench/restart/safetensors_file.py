"""Reads and writes safetensors files with numpy alone: an 8-byte length, a JSON header, the tensors' bytes."""
import json
import struct

import numpy

_DTYPES = {
    "F32": "<f4",
    "F64": "<f8",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U8": "u1",
    "BOOL": "?",
}
_NAMES = {numpy.dtype(code): name for name, code in _DTYPES.items()}


class Bfloat16:
    """An fp32 array that is written as bfloat16, rounded to nearest, ties to even. Values are finite."""

    def __init__(self, array):
        words = numpy.ascontiguousarray(array, "<f4").view("<u4").astype("<u8")
        self.words = ((words + 0x7FFF + (words >> 16 & 1)) >> 16).astype("<u2")
        self.shape = array.shape


def write_safetensors(path, tensors):
    """Writes arrays by name, in their order."""
    header, position, bodies = {}, 0, []
    for name, array in tensors.items():
        narrow = isinstance(array, Bfloat16)
        body = numpy.ascontiguousarray(array.words if narrow else array).tobytes()
        header[name] = {
            "dtype": "BF16" if narrow else _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [position, position + len(body)],
        }
        position += len(body)
        bodies.append(body)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(bodies))


def read_safetensors(path):
    """Arrays by name. bfloat16 comes back as fp32, which holds all its values."""
    with open(path, "rb") as file:
        content = file.read()
    header_end = 8 + struct.unpack_from("<Q", content)[0]
    tensors = {}
    for name, entry in json.loads(content[8:header_end]).items():
        if name == "__metadata__":
            continue
        start, end = (header_end + offset for offset in entry["data_offsets"])
        if entry["dtype"] == "BF16":
            array = (numpy.frombuffer(content[start:end], "<u2").astype("<u4") << 16).view("<f4")
        else:
            array = numpy.frombuffer(content[start:end], _DTYPES[entry["dtype"]])
        tensors[name] = array.reshape(entry["shape"])
    return tensors
