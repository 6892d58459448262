import { writeFile } from 'node:fs/promises';
import { openApiText } from '../src/http/openapi-text.ts';

// Writes the OpenAPI document of the routes; src/http/openapi-text.test.ts fails while it is out of date.
await writeFile(new URL('../openapi/firn.json', import.meta.url), openApiText());
