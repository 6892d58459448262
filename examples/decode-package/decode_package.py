#!/usr/bin/env python3
"""Writes the files that a chain of Firn packages stands for. See README.md."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "clients" / "python"))  # not needed where firn-hub is installed

import firn


def main() -> int:
    parser = argparse.ArgumentParser(description="Decodes a chain of Firn packages.")
    parser.add_argument("--out", required=True, help="the folder that gets the files")
    parser.add_argument(
        "--package",
        help="the id of the wanted checkpoint's package, where it is one of several in a file; "
        "the last one when absent",
    )
    parser.add_argument("packages", nargs="+", help="package files, in any order")
    arguments = parser.parse_args()
    try:
        for file in firn.unpack(arguments.packages, arguments.out, arguments.package):
            print(f"{file.sha256}  {file.path}{'' if file.written else '  (not in the package: kept as uploaded)'}")
    except firn.DamagedPackage as error:
        print(f"damaged package: {error}", file=sys.stderr)
        return 3
    except firn.UnsupportedFormat as error:
        print(f"unsupported format: {error}", file=sys.stderr)
        return 4
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
