"""
Runs examples/decode-package/decode_package.py again and again in one process: the arguments come as a line of JSON on
standard input, and a line goes back with the exit status and what was written to standard error.
"""

import contextlib
import io
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "decode-package"))

import decode_package

for line in sys.stdin:
    said = io.StringIO()
    sys.argv = ["decode_package.py", *json.loads(line)]
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        status = decode_package.main()
    print(json.dumps({"status": status, "said": said.getvalue()}), flush=True)
