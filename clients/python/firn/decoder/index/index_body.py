"""The body of an index (format.md, "Index")."""

from dataclasses import replace

from .block_plan import (
    BITMASK_CODING,
    BUCKET_CODING,
    CODEBOOK_CODING,
    COPY_CODING,
    INHERITED_CODING,
    MASTER_CODING,
    RESIDUAL_CODING,
    STATE_CODINGS,
    WIDENED_CODING,
    BlockPlan,
    plan_blocks,
)
from ..bytes.byte_reader import ByteReader
from ..coders.context_tables import SLOTS_MAX
from ..bytes.element_kinds import element_bytes
from ..bytes.errors import check, fail
from .file_path import read_path
from ..bytes.inflate import inflate
from .namesakes import Namesakes, read_namesakes
from ..methods.lattice import LatticeRecord
from ..bytes.limits import (
    BLOCK_ELEMENTS_MAX,
    COPIED_BLOCKS_MAX,
    HEADER_BYTES_MAX,
    INFLATED_INDEX_BYTES_MAX,
    PREFIX_BYTES,
)
from .package_index import BLOB, EXTERNAL, SAFETENSORS, Codebook, PackageFile, PackageIndex, StoredBlock
from .residual_records import read_residual_records
from .safetensors_header import Tensor, parse_safetensors_header
from ..methods.state_blocks import FIRST, ENCODINGS
from ..coders.stored_tables import StoredContextTables, StoredTokenTables

_CODEBOOKS_MAX = 9
_FILES_MAX = 65_536
_FLOATS = ("F32", "F16", "BF16")
_DICTIONARY_BYTES = 32_768
_SCALE_MAX = 4096
_CONTEXT_TABLES_BYTES_MAX = 16 << 20
_BLOCK_INDEX_BYTES_MIN = 5
_JOINT_SYMBOLS_MAX = 4096
# Blocks of a merged package whose payload is that of all its checkpoints.
_SHARED_KINDS = ("residual", "buckets")

# By tensor number: another tensor, as number of its file and number there.
_Named = dict[int, tuple[int, int]]


class BodyReader:
    """Reads the body; `payloads_end` is where the payloads end in the package."""

    def __init__(self, body: bytes, version: int, ancestor: PackageIndex | None, payloads_end: int) -> None:
        self.reader = ByteReader(body)
        self.version = version
        self.ancestor = ancestor
        self.payloads_end = payloads_end
        self.payload_at = PREFIX_BYTES
        self.bytes_left = INFLATED_INDEX_BYTES_MAX - len(body)
        self.residual_count = 0
        self.copied_blocks = 0
        self.position = 0  # of the checkpoint in its merged package
        self.codebooks: list[Codebook] = []

    def read(self, package_id: bytes, ancestor_id: bytes | None) -> PackageIndex:
        self._read_codebooks()
        context_bytes, vector_scale, matrix_scale = b"", 0, 0
        if self.version != 1:
            context_bytes = self.reader.take(self.reader.varint(_CONTEXT_TABLES_BYTES_MAX + 1))
            if context_bytes:
                vector_scale, matrix_scale = self._read_scale(), self._read_scale()
        files = self._read_files()
        self._finish()
        check(
            bool(context_bytes) == (self.residual_count > 0), "context tables without residual tensors, or the reverse"
        )
        tables = StoredContextTables(context_bytes, min(self.residual_count, SLOTS_MAX))
        return PackageIndex(
            self.version, package_id, ancestor_id, self.codebooks, tables, vector_scale, matrix_scale, files
        )

    def read_merged(self, package_ids: list[bytes]) -> list[PackageIndex]:
        """The checkpoints of a merged package (format.md, "Merged packages"); each becomes the ancestor of the next."""
        has_residuals = self.version == 3
        joint_symbols, context_bytes = self._read_joint_symbols(len(package_ids)) if has_residuals else (None, b"")
        indexes: list[PackageIndex] = []
        tables = None
        for position, package_id in enumerate(package_ids):
            self.position = position
            self.residual_count = 0
            vector_scale, matrix_scale = (self._read_scale(), self._read_scale()) if has_residuals else (0, 0)
            files = self._read_files()
            check(
                (self.residual_count > 0) == has_residuals,
                "a checkpoint of a merged package has no residual tensors, or some where none may be",
            )
            in_buckets = any(BUCKET_CODING in file.codings for file in files)
            check(has_residuals or in_buckets, "a checkpoint of a merged package has no tensors in buckets")
            if tables is None:
                tables = StoredContextTables(context_bytes, min(self.residual_count, SLOTS_MAX))
            before = self.ancestor.package_id if self.ancestor else None
            self.ancestor = PackageIndex(
                self.version,
                package_id,
                before,
                [],
                tables,
                vector_scale,
                matrix_scale,
                files,
                joint_symbols,
                position,
                len(package_ids),
            )
            indexes.append(self.ancestor)
        self._finish()
        return indexes

    def _read_joint_symbols(self, width: int) -> tuple[list[bytes], bytes]:
        """
        What residual blocks of a merged package share: the symbols of each checkpoint by joint symbol, and context
        tables.
        """
        joint_count = self.reader.varint(_JOINT_SYMBOLS_MAX + 1)
        check(joint_count > 0, "a merged package lists no joint_symbols")
        symbols = self.reader.take(joint_count * width)
        check(max(symbols) < 32, "a joint symbol has a symbol that does not exist")
        joint_symbols = [symbols[j * joint_count : (j + 1) * joint_count] for j in range(width)]
        context_bytes = self.reader.take(self.reader.varint(_CONTEXT_TABLES_BYTES_MAX + 1))
        check(len(context_bytes) > 0, "a merged package has no context tables")
        return joint_symbols, context_bytes

    def _read_scale(self) -> int:
        scale = self.reader.zigzag()
        check(abs(scale) <= _SCALE_MAX, "a step scale is out of range")
        return scale

    def _finish(self) -> None:
        self.reader.finish("the last file")
        check(self.payload_at == self.payloads_end, "the payloads do not fill the package")

    def _read_files(self) -> list[PackageFile]:
        file_count = self.reader.varint()
        check(file_count <= _FILES_MAX, "a package has too many files")
        files: list[PackageFile] = []
        paths: set[str] = set()
        for _ in range(file_count):
            files.append(self._read_file(files))
            check(files[-1].path not in paths, "a path appears twice")
            paths.add(files[-1].path)
        for file in files:
            _check_named(files, file)
        return files

    def _read_codebooks(self) -> None:
        reader = self.reader
        count = reader.varint()
        set_count = reader.varint()
        check(count <= _CODEBOOKS_MAX and set_count <= count, "a package has too many codebooks or table sets")
        heads: list[tuple[Codebook, int]] = []
        for _ in range(count):
            bits = reader.unsigned(1)
            check(bits < 64 and bits & 3 < 3 and bits >> 2 & 3 < 3, "a codebook is damaged")
            level_count, set_number = reader.varint(), reader.varint()
            check(1 <= level_count <= 256 and set_number < set_count, "a codebook is damaged")
            has_pruned, has_protected = bool(bits & 16), bool(bits & 32)
            centroid_count = level_count - has_pruned - has_protected
            check(centroid_count >= 1, "a codebook has no centroids")
            dtype = _FLOATS[bits >> 2 & 3]
            check(
                all((head.layer_type, head.dtype) != (bits & 3, dtype) for head, _ in heads),
                "two codebooks serve the same tensors",
            )
            centroids = reader.take(centroid_count * element_bytes(dtype))
            tables = StoredTokenTables(b"")
            codebook = Codebook(bits & 3, dtype, has_pruned, has_protected, level_count, centroids, tables)
            heads.append((codebook, set_number))
        sets = [StoredTokenTables(reader.take(reader.varint())) for _ in range(set_count)]
        self.codebooks = [replace(head, codes=sets[number]) for head, number in heads]

    def _read_file(self, earlier: list[PackageFile]) -> PackageFile:
        reader = self.reader
        bits = reader.unsigned(1)
        check(bits < 8 and bits & 3 < 3, "a file is damaged")
        content = bits & 3
        before: PackageFile | None = None
        if bits & 4:
            number = reader.varint()
            if self.ancestor is None or number >= len(self.ancestor.files):
                fail("a file refers to a file that is not there")
            before = self.ancestor.files[number]
        path = before.path if before else read_path(reader.take(reader.varint()))
        sha256 = reader.take(32)
        if content == EXTERNAL:
            return PackageFile(content, path, sha256, reader.varint(), b"", b"", [], [], {}, {}, [])
        if content == BLOB:
            size = reader.varint()
            return PackageFile(content, path, sha256, size, b"", b"", *self._read_blob(size))
        reference = before if before and before.content == SAFETENSORS else None
        text, header = self._read_header(reference.text if reference else b"")
        # Along a chain headers rarely change.
        tensors = reference.tensors if reference and reference.header == header else parse_safetensors_header(header)
        codings = self._read_codings(tensors, reference)
        copies, named, kept = self._read_copies(tensors, codings, earlier)
        blockless = [
            tensor.elements
            for number, tensor in enumerate(tensors)
            if codings[number] in (COPY_CODING, WIDENED_CODING, INHERITED_CODING)
        ]
        self.copied_blocks += sum(
            -(-elements // BLOCK_ELEMENTS_MAX) for elements in blockless if elements > BLOCK_ELEMENTS_MAX
        )
        check(self.copied_blocks <= COPIED_BLOCKS_MAX, "a package has too many copies")
        seconds = self._read_seconds(tensors, codings)
        namesakes: Namesakes = {}
        if self.version >= 10 and self.ancestor is not None:
            namesakes = read_namesakes(self.reader, tensors, self.ancestor)
        residual = [i for i, coding in enumerate(codings) if coding == RESIDUAL_CODING]
        found = read_residual_records(self.reader, self._records_before(tensors, residual, namesakes, before))
        records = dict(zip(residual, found, strict=True))
        slots = {tensor: min(self.residual_count + i, SLOTS_MAX - 1) for i, tensor in enumerate(residual)}
        self.residual_count += len(residual)
        blocks = self._read_blocks(tensors, codings, path)
        size = 8 + len(header) + sum(tensor.elements * element_bytes(tensor.dtype) for tensor in tensors)
        return PackageFile(
            content,
            path,
            sha256,
            size,
            text,
            header,
            tensors,
            codings,
            records,
            slots,
            blocks,
            copies,
            seconds,
            named,
            kept,
            namesakes,
        )

    def _records_before(
        self, tensors: list[Tensor], residual: list[int], namesakes: Namesakes, before: PackageFile | None
    ) -> list[LatticeRecord | None]:
        """For each residual tensor, the record of its namesake in the ancestor's file of the same path."""
        if before is None or before.content != SAFETENSORS or self.ancestor is None:
            return [None] * len(residual)
        by_name = {before.tensors[i].name: record for i, record in before.records.items()}
        found = []
        for tensor in residual:
            if tensor not in namesakes:
                found.append(by_name.get(tensors[tensor].name))
                continue
            file, number = namesakes[tensor]
            found.append(before.records.get(number) if self.ancestor.files[file] is before else None)
        return found

    def _read_seconds(self, tensors: list[Tensor], codings: list[int]) -> dict[int, int]:
        """By tensor of first moments: the tensor of its second moments (format.md, "State tensors")."""
        first_coding = STATE_CODINGS.start + ENCODINGS.index(FIRST)
        seconds = {}
        for tensor, coding in enumerate(codings):
            if coding != first_coding:
                continue
            second = self.reader.varint(len(tensors))
            fits = tensors[second].dtype == "F32" and tensors[second].elements == tensors[tensor].elements
            known = (
                codings[second] < CODEBOOK_CODING
                or codings[second] == MASTER_CODING
                or (codings[second] in STATE_CODINGS and codings[second] != first_coding)
            )
            check(fits and known, "the reference tensor of first moments cannot be their second moments")
            seconds[tensor] = second
        return seconds

    def _read_blob(
        self, size: int
    ) -> tuple[list[Tensor], list[int], dict[int, LatticeRecord], dict[int, int], list[StoredBlock]]:
        tensors = [Tensor("", "U8", (size,), 0, size)]
        return tensors, [0], {}, {}, self._read_blocks(tensors, [0], "")

    def _read_header(self, reference: bytes) -> tuple[bytes, bytes]:
        """The text and the whole JSON."""
        reader = self.reader
        spaces, head, tail, middle_length = (reader.varint() for _ in range(4))
        check(head + tail <= len(reference), "a header shares more than there is")
        total = spaces + head + tail + middle_length
        check(total <= HEADER_BYTES_MAX, "a header is too large")
        self.bytes_left -= total
        check(self.bytes_left >= 0, "the headers are too large")
        middle = b""
        if middle_length > 0:
            dictionary = reference[head : len(reference) - tail][-_DICTIONARY_BYTES:]
            middle = inflate(reader.take(reader.varint()), middle_length, dictionary)
        text = reference[:head] + middle + reference[len(reference) - tail :]
        return text.rstrip(b" "), text + b" " * spaces

    def _read_codings(self, tensors: list[Tensor], reference: PackageFile | None) -> list[int]:
        run_count = self.reader.varint()
        if run_count == 0 and tensors:
            return self._inherit_codings(tensors, reference)
        codings: list[int] = []
        for _ in range(run_count):
            code, count = self.reader.unsigned(1), self.reader.varint()
            known = code < CODEBOOK_CODING + len(self.codebooks) or self._is_of_version(code)
            check(known, "a tensor has an unknown coding")
            check(1 <= count <= len(tensors) - len(codings), "codings do not fit the tensors")
            codings += [code] * count
        check(len(codings) == len(tensors), "codings do not fit the tensors")
        self._check_codings(tensors, codings)
        return codings

    def _inherit_codings(self, tensors: list[Tensor], reference: PackageFile | None) -> list[int]:
        if reference is None or self.ancestor is None or len(reference.tensors) != len(tensors):
            fail("codings are inherited from a file that does not fit")
        numbers = {(book.layer_type, book.dtype): i for i, book in enumerate(self.codebooks)}
        codings = []
        for coding in reference.codings:
            if CODEBOOK_CODING <= coding < RESIDUAL_CODING:
                book = self.ancestor.codebooks[coding - CODEBOOK_CODING]
                check((book.layer_type, book.dtype) in numbers, "a codebook is inherited that is not there")
                coding = CODEBOOK_CODING + numbers[book.layer_type, book.dtype]
            check(
                coding < RESIDUAL_CODING or self._is_of_version(coding),
                "codings are inherited that this version does not have",
            )
            codings.append(coding)
        self._check_codings(tensors, codings)
        return codings

    def _is_of_version(self, code: int) -> bool:
        if code == RESIDUAL_CODING:
            return self.version >= 2
        if code == COPY_CODING or code in STATE_CODINGS:
            return self.version >= 4
        if code == INHERITED_CODING:
            return self.version >= 6
        if code == BUCKET_CODING:
            return self.version >= 7
        if code == BITMASK_CODING:
            return self.version >= 8
        return code in (MASTER_CODING, WIDENED_CODING) and self.version >= 5

    def _read_copies(
        self, tensors: list[Tensor], codings: list[int], earlier: list[PackageFile]
    ) -> tuple[_Named, _Named, _Named]:
        """What copies are of, what masters and widened copies name, and what kept tensors do."""
        copies: _Named = {}
        named: _Named = {}
        kept: _Named = {}
        for number, (tensor, coding) in enumerate(zip(tensors, codings, strict=True)):
            if coding in (MASTER_CODING, WIDENED_CODING, INHERITED_CODING):
                file = self.reader.varint()
                check(file < _FILES_MAX, "a tensor names one in a file that cannot be")
                (kept if coding == INHERITED_CODING else named)[number] = (file, self.reader.varint())
            if coding == INHERITED_CODING:
                self._check_kept(tensor, *kept[number])
            if coding != COPY_CODING:
                continue
            distance, original = self.reader.varint(), self.reader.varint()
            check(distance <= len(earlier), "a copy is of a tensor in a file that is not there")
            file = len(earlier) - distance
            check(distance > 0 or original < number, "a copy is of a tensor that comes after it")
            check(
                distance == 0 or earlier[file].content == SAFETENSORS, "a copy is of a tensor in a file that has none"
            )
            there, codings_there = (
                (tensors, codings) if distance == 0 else (earlier[file].tensors, earlier[file].codings)
            )
            check(
                original < len(there)
                and codings_there[original] not in (COPY_CODING, WIDENED_CODING, INHERITED_CODING),
                "a copy is of a tensor that is not there, or of one that is a copy or kept",
            )
            same = there[original].dtype == tensor.dtype and there[original].elements == tensor.elements > 0
            check(same, "a copy is of a tensor of another dtype or size")
            copies[number] = (file, original)
        return copies, named, kept

    def _check_kept(self, tensor: Tensor, file: int, number: int) -> None:
        if self.ancestor is None:
            fail("a base has a kept tensor")
        files = self.ancestor.files
        check(
            file < len(files) and files[file].content == SAFETENSORS and number < len(files[file].tensors),
            "a kept tensor names one that the ancestor does not have",
        )
        there = files[file].tensors[number]
        check(
            there.dtype == tensor.dtype and there.elements == tensor.elements > 0,
            "a kept tensor names one of another dtype or size",
        )

    def _check_codings(self, tensors: list[Tensor], codings: list[int]) -> None:
        for tensor, coding in zip(tensors, codings, strict=True):
            if coding == RESIDUAL_CODING:
                check(tensor.dtype in _FLOATS, "a residual tensor is of a dtype that cannot be")
            elif coding == BUCKET_CODING:
                check(tensor.dtype in _FLOATS, "a tensor in buckets is of a dtype that cannot be")
            elif coding == BITMASK_CODING:
                check(tensor.dtype in ("F16", "BF16"), "a bitmask is of a tensor that is not of 16-bit floats")
            elif coding in STATE_CODINGS:
                check(tensor.dtype == "F32", "a state tensor is of a dtype that cannot be")
            elif CODEBOOK_CODING <= coding < RESIDUAL_CODING:
                check(
                    self.codebooks[coding - CODEBOOK_CODING].dtype == tensor.dtype,
                    "a codebook is of another dtype than a tensor",
                )

    def _read_blocks(self, tensors: list[Tensor], codings: list[int], path: str) -> list[StoredBlock]:
        shared = self._shared_payloads(path) if self.position > 0 else None
        blocks = []
        # Blocks that share payloads have no entries; there are no more of them than in the checkpoint before.
        blocks_max = self.reader.left // _BLOCK_INDEX_BYTES_MIN + len(shared or {})
        for plan in plan_blocks(tensors, codings, blocks_max):
            if shared is not None and plan.block_class[0] in _SHARED_KINDS:
                before = shared.get(_runs_key(tensors, plan))
                if before is None:
                    fail("a shared block of a merged package has no previous block")
                blocks.append(replace(before, plan=plan))
                continue
            length, checksum = self.reader.varint(), self.reader.unsigned(4)
            check(1 <= length <= self.payloads_end - self.payload_at, "a payload is not in the package")
            element = element_bytes(tensors[plan.runs[0].tensor].dtype)
            kind = plan.block_class[0]
            length_max = {
                "exact": 1 + plan.count * element,
                "bitmask": 1 + plan.count * element,
                "buckets": (4 if self.version == 9 else 1) * (2048 + plan.count * element),
                "levels": 8 + 5 * plan.count,
                "residual": 256 + (30 if self.version == 3 else 10) * plan.count,
                "state": 256 + 160 * len(plan.runs) + 20 * plan.count,
            }[kind]
            check(length <= length_max, "a payload is too long")
            blocks.append(StoredBlock(plan, self.payload_at, length, checksum))
            self.payload_at += length
        return blocks

    def _shared_payloads(self, path: str) -> dict[tuple[object, ...], StoredBlock]:
        """The shared blocks of the file of this path in the checkpoint before, by what makes them previous ones."""
        files = self.ancestor.files if self.ancestor else []
        return {
            _runs_key(file.tensors, block.plan): block
            for file in files
            if file.path == path and file.content == SAFETENSORS
            for block in file.blocks
            if block.plan.block_class[0] in _SHARED_KINDS
        }


def _check_named(files: list[PackageFile], file: PackageFile) -> None:
    """
    What masters and widened copies name has to be a tensor that can be their reference (format.md, "Copies, masters and
    kept tensors").
    """
    for number, (owner, tensor) in file.named.items():
        check(
            owner < len(files) and files[owner].content == SAFETENSORS and tensor < len(files[owner].tensors),
            "a tensor names one that is not there",
        )
        here, there, coding = file.tensors[number], files[owner].tensors[tensor], files[owner].codings[tensor]
        check(
            here.dtype == "F32" and here.elements == there.elements > 0,
            "a tensor names one of another size, or is not F32",
        )
        if file.codings[number] == MASTER_CODING:
            check(
                coding < CODEBOOK_CODING and there.dtype in ("F16", "BF16"),
                "a master names a tensor that is not exact, or not of 16-bit floats",
            )
        else:
            check(
                coding not in (COPY_CODING, WIDENED_CODING, INHERITED_CODING) and there.dtype in _FLOATS,
                "a widened copy names a copy, a kept tensor, or another dtype",
            )


def _runs_key(tensors: list[Tensor], plan: BlockPlan) -> tuple[object, ...]:
    return plan.block_class, tuple((tensors[run.tensor].name, run.first, run.count) for run in plan.runs)
