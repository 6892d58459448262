"""The marked code blocks of docs/guide/eval-sets.md, so that the tests run the code of the guide."""
import re
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "eval-sets.md"
_BLOCK = re.compile(
    r"^```(?P<language>\w+) (?P<kind>export|spec)=(?P<name>[\w-]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


def guide_block(kind, name):
    """The text of a block; of several with one name, all of them in order."""
    blocks = [match for match in _BLOCK.finditer(GUIDE.read_text()) if (match["kind"], match["name"]) == (kind, name)]
    if not blocks:
        raise SystemExit(f"{GUIDE} has no block {kind}={name}")
    return "\n".join(match["text"] for match in blocks)
