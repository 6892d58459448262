import { readFile, writeFile } from 'node:fs/promises';
import type { OpenApi } from '../test/api-changes/openapi-types.ts';
import { pythonMethods } from './python-client/python-methods.ts';
import { pythonClasses } from './python-client/python-types.ts';

const description = new URL('../openapi/firn.json', import.meta.url);
const folder = new URL('../clients/python-api/firn_api/', import.meta.url);

const note = '# Generated from openapi/firn.json: node --import tsx scripts/write-python-client.ts';

/** The generated modules of the Python client, by file. */
export async function pythonClientTexts(): Promise<ReadonlyMap<URL, string>> {
  const document = JSON.parse(await readFile(description, 'utf8')) as OpenApi;
  const classes = pythonClasses(document);
  const methods = pythonMethods(document, classes);
  const schemas = [
    [
      `"""Types of the bodies of the API."""\n${note}`,
      'from __future__ import annotations',
      'from typing import Any, Dict, List, Literal, TypedDict, Union',
    ].join('\n\n'),
    ...classes.definitions(),
  ].join('\n\n\n');
  const operations = [
    [
      `"""A method for each operation of the API."""\n${note}`,
      'from __future__ import annotations',
      'from typing import Any, Dict, Literal, Optional, Union, cast',
      'import httpx',
      'from .schemas import *  # noqa: F403\nfrom .transport import Bytes, Transport, segment',
    ].join('\n\n'),
    [
      'class Operations:\n    """Every operation of the API. Refusals are raised as `HubRefused`."""',
      '    def __init__(self, transport: Transport) -> None:\n        self._send = transport.send',
      ...methods,
    ].join('\n\n'),
  ].join('\n\n\n');
  return new Map([
    [new URL('schemas.py', folder), `${schemas}\n`],
    [new URL('operations.py', folder), `${operations}\n`],
  ]);
}

if (process.argv[1] !== undefined && import.meta.url === new URL(process.argv[1], 'file:').href)
  for (const [file, text] of await pythonClientTexts()) await writeFile(file, text);
