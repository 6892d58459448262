#!/usr/bin/env -S node --max-semi-space-size=4 --no-parallel-scavenge
// `firn [serve|work|migrate|unpack ...]` from the sources, without a build: see src/main.ts.
import { register } from 'tsx/esm/api';

register();
await import('../src/main.ts');
