"""Dtypes and the element kinds of exact blocks (format.md, "Block plan"; format-blocks.md, section 6)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ElementKind:
    """How the elements of an exact block are seen: words of `bits` bits, floats with an exponent of `exponent_bits`."""

    name: str
    bits: int
    exponent_bits: int = 0

    @property
    def is_float(self) -> bool:
        """Whether the words are floating-point numbers."""
        return self.exponent_bits > 0


BYTES = ElementKind("bytes", 8)
_F16 = ElementKind("f16", 16, 5)
_BF16 = ElementKind("bf16", 16, 8)
_F32 = ElementKind("f32", 32, 8)
_F64 = ElementKind("f64", 64, 11)
_WORD16 = ElementKind("word16", 16)
_WORD32 = ElementKind("word32", 32)
_WORD64 = ElementKind("word64", 64)

KIND_OF_DTYPE = {
    **dict.fromkeys(
        ("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "F4", "F6_E2M3", "F6_E3M2"),
        BYTES,
    ),
    "F16": _F16,
    "BF16": _BF16,
    "F32": _F32,
    "F64": _F64,
    **dict.fromkeys(("I16", "U16"), _WORD16),
    **dict.fromkeys(("I32", "U32"), _WORD32),
    **dict.fromkeys(("I64", "U64", "C64"), _WORD64),
}

_PACKED_BITS = {"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}


def element_bits(dtype: str) -> int:
    """Bits of one number of `dtype`. Of those that are packed, whole bytes are counted as elements."""
    return _PACKED_BITS.get(dtype, KIND_OF_DTYPE[dtype].bits)


def element_bytes(dtype: str) -> int:
    """Bytes of one element of `dtype`."""
    return KIND_OF_DTYPE[dtype].bits // 8
