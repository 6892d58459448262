import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isName } from '../../checkpoint/names.ts';
import { parseHubPath } from '../hub/parse-hub-path.ts';
import { pagePaths, parsePagePath } from './page-paths.ts';

const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/).filter(isName);
const anyName = fc.oneof(name, fc.constantFrom('api', 'hub', 'v1', 'metrics', 'datasets', 'spaces', 'runs', 'compare'));

describe('parsePagePath', () => {
  it.each([
    ['/', { at: 'home' }],
    ['/-/usage', { at: 'usage' }],
    ['/-/style.css', { at: 'asset', name: 'style.css' }],
    ['/acme/gpt', { at: 'repository', namespace: 'acme', name: 'gpt' }],
    ['/acme/gpt/', { at: 'repository', namespace: 'acme', name: 'gpt' }],
    ['/datasets/acme/text', { at: 'repository', namespace: 'acme', name: 'text' }],
    ['/acme/gpt/compare', { at: 'compare', namespace: 'acme', name: 'gpt' }],
    ['/acme/gpt/runs/train', { at: 'run', namespace: 'acme', name: 'gpt', run: 'train' }],
    ['/acme/gpt/runs/train/900', { at: 'checkpoint', namespace: 'acme', name: 'gpt', run: 'train', step: 900 }],
    ['/acme/gpt/runs/train/latest', { at: 'checkpoint', namespace: 'acme', name: 'gpt', run: 'train', step: 'latest' }],
  ])('reads %s', (path, address) => {
    expect(parsePagePath(path)).toEqual(address);
  });

  it.each([
    '/v1/repositories',
    '/healthz',
    '/openapi.json',
    '/problems/not-found',
    '/acme',
    '/acme/gpt/runs',
    '/acme/gpt/runs/train/-1',
    '/acme/gpt/runs/train/1/2',
    '/acme/gpt/other',
    '/a%2fb/c',
    '/../etc',
    '/-/nothing',
    '/-/usage/more',
    `/${'a/'.repeat(400)}`,
  ])('leaves %s to others', (path) => {
    expect(parsePagePath(path)).toBeUndefined();
  });

  it('reads every address that links have', () => {
    fc.assert(
      fc.property(anyName, anyName, name, fc.nat(), (namespace, repository, run, step) => {
        const address = { namespace, name: repository };
        expect(parsePagePath(pagePaths.repository(address))).toEqual({ at: 'repository', ...address });
        expect(parsePagePath(pagePaths.compare(address))).toEqual({ at: 'compare', ...address });
        expect(parsePagePath(pagePaths.run({ ...address, run }))).toEqual({ at: 'run', ...address, run });
        const checkpoint = { ...address, run, step };
        expect(parsePagePath(pagePaths.checkpoint(checkpoint))).toEqual({ at: 'checkpoint', ...checkpoint });
        expect(parsePagePath(pagePaths.events(checkpoint))).toEqual({ at: 'events', ...checkpoint });
      }),
    );
  });

  it('claims no path of a hub client', () => {
    fc.assert(
      fc.property(
        anyName,
        anyName,
        fc.constantFrom('resolve', 'raw'),
        fc.constantFrom('main', 'runs', '900'),
        fc.constantFrom('model.safetensors', 'compare', '7'),
        (namespace, repository, verb, revision, file) => {
          const path = `/${namespace}/${repository}/${verb}/${revision}/${file}`;
          if (parseHubPath(path) !== undefined) expect(parsePagePath(path)).toBeUndefined();
        },
      ),
    );
  });

  it('throws for no text', () => {
    fc.assert(fc.property(fc.string({ maxLength: 600 }), (text) => void parsePagePath(`/${text}`)));
  });
});
