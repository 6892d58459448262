import { describe, expect, it } from 'vitest';
import { allowedMethods } from './allowed-methods.ts';

describe('allowedMethods', () => {
  const methods = allowedMethods([
    { method: 'ALL', path: '/*' },
    { method: 'GET', path: '/a/:id' },
    { method: 'PUT', path: '/a/:id' },
    { method: 'POST', path: '/a' },
    { method: 'GET', path: '/f/:path{.+}' },
  ]);

  it.each([
    ['/a', ['POST']],
    ['/a/1', ['GET', 'HEAD', 'PUT']],
    ['/f/x/y', ['GET', 'HEAD']],
    ['/b', []],
    ['/a/1/2', []],
    ['/f', []],
  ])('knows the methods of %s', (path, expected) => {
    expect(methods.of(path)).toEqual(expected);
  });
});
