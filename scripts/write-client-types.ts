import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';

const description = new URL('../openapi/firn.json', import.meta.url);
/** Types of the TypeScript client, which describe every operation of the document. */
export const clientTypes = new URL('../clients/typescript/src/firn-api.ts', import.meta.url);

/** The types that openapi/firn.json comes to. */
export async function clientTypesText(): Promise<string> {
  const document = JSON.parse(await readFile(description, 'utf8')) as Parameters<typeof openapiTS>[0];
  return `// Generated from openapi/firn.json: npm run client-types\n${astToString(await openapiTS(document))}`;
}

if (process.argv[1] !== undefined && import.meta.url === new URL(process.argv[1], 'file:').href)
  await writeFile(clientTypes, await clientTypesText());
