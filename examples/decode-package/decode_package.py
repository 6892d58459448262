#!/usr/bin/env python3
"""Writes the files that a chain of Firn packages stands for. See README.md."""

import argparse
import sys
from pathlib import Path

from firn_decoder.chain import open_chain
from firn_decoder.errors import DamagedPackage, UnsupportedFormat
from firn_decoder.rebuild_files import rebuild_files


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Decodes a chain of Firn packages: its base first, the wanted checkpoint's package last."
    )
    parser.add_argument("--out", required=True, help="the folder that gets the files")
    parser.add_argument(
        "--package",
        type=bytes.fromhex,
        help="the id of the wanted checkpoint's package, if a file holds several; default: the last one",
    )
    parser.add_argument("packages", nargs="+", help="package files, base first")
    arguments = parser.parse_args()
    try:
        chain = open_chain([Path(path).read_bytes() for path in arguments.packages], arguments.package)
        for file, written in rebuild_files(chain, arguments.out):
            print(f"{file.sha256.hex()}  {file.path}{'' if written else '  (not in the package: kept as uploaded)'}")
    except DamagedPackage as error:
        print(f"damaged package: {error}", file=sys.stderr)
        return 3
    except UnsupportedFormat as error:
        print(f"unsupported format: {error}", file=sys.stderr)
        return 4
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
