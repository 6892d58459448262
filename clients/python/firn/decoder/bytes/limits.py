"""Sizes of format.md, the limits of its section "Limits", and one that this decoder adds for its own safety."""

STORED_INDEX_BYTES_MAX = 64 << 20
INFLATED_INDEX_BYTES_MAX = 128 << 20  # the inflated body and all headers together
HEADER_BYTES_MAX = 100_000_000
TENSORS_MAX = 1_000_000
CHAIN_PACKAGES_MAX = 1024
BLOCK_ELEMENTS_MAX = 131_072
GATHERINGS_MAX = 2  # a package that builds on as many of version 6 has no gathered blocks
GATHERED_BLOCKS_MAX = 8  # blocks in which the elements of a gathered block lie
COPIED_BLOCKS_MAX = 1 << 22  # of tensors larger than a block that have none of their own

PREFIX_BYTES = 24

# Not of the format: a damaged header can ask for any number of bytes; one file is written up to this size, and so is
# what blocks need of others.
FILE_BYTES_MAX = 1 << 38

# Versions of packages that hold several checkpoints: of residual tensors, and of tensors in buckets.
MERGED_VERSIONS = (3, 9)
