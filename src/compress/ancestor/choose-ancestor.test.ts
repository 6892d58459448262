import { describe, expect, test } from 'vitest';
import type { SafetensorsLayout } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { chooseAncestor, type AncestorOption } from './choose-ancestor.ts';
import { chainBytesMax, chainPackagesMax, fullBytes as fullBytesOf } from './restore-budget.ts';

const fullBytes = 2000;
const chain = (bytes: number, baseBytes = 400, packages = 2): AncestorOption<string>['chain'] => ({
  packages,
  bytes,
  baseBytes,
});

interface Case {
  readonly options: Readonly<Record<string, AncestorOption<string>['chain']>>;
  readonly deltas: Readonly<Record<string, number | undefined>>;
  readonly base?: number;
  readonly sequence?: number;
  readonly leastBytes?: number;
}

async function choose({ options, deltas, base = 500, sequence = 5, leastBytes }: Case) {
  const asked: string[] = [];
  const chosen = await chooseAncestor({
    options: Object.entries(options).map(([candidate, cost]) => ({ candidate, chain: cost })),
    fullBytes,
    sequence,
    ...(leastBytes !== undefined && { leastBytes }),
    estimate: async (candidate) => {
      asked.push(candidate ?? 'base');
      return candidate === undefined ? base : deltas[candidate];
    },
  });
  return { chosen, asked };
}

describe('the ancestor', () => {
  test('is the previous checkpoint if its chain has room', async () => {
    expect(
      (await choose({ options: { near: chain(600), far: chain(560) }, deltas: { near: 100, far: 150 } })).chosen,
    ).toBe('near');
  });

  test('is taken without an estimate if its chain is short', async () => {
    const asked: unknown[] = [];
    const options = [{ candidate: 'near', chain: chain(250, 200), deltaBytes: 50 }];
    const estimate = async (candidate: unknown) => asked.push(candidate);
    expect(await chooseAncestor({ options, fullBytes, sequence: 5, estimate })).toBe('near');
    expect(asked).toEqual([]);
  });

  test('is an earlier one if that shortens the chain by more than it enlarges the delta', async () => {
    expect(
      (await choose({ options: { near: chain(800), far: chain(450) }, deltas: { near: 100, far: 150 } })).chosen,
    ).toBe('far');
    expect(
      (await choose({ options: { near: chain(800), far: chain(450) }, deltas: { near: 100, far: 420 } })).chosen,
    ).toBe('near');
  });

  test('is an earlier one if the nearest chain has no room left', async () => {
    const { chosen } = await choose({
      options: { near: chain(950), far: chain(700) },
      deltas: { near: 100, far: 180 },
      base: 600,
    });
    expect(chosen).toBe('far');
  });

  test('is none if a base costs less, later chains included', async () => {
    expect((await choose({ options: { near: chain(800) }, deltas: { near: 150 }, base: 400 })).chosen).toBeUndefined();
    expect((await choose({ options: { near: chain(800) }, deltas: { near: 150 }, base: 600 })).chosen).toBe('near');
  });

  test('is none if no chain has room, or all have the largest length', async () => {
    expect(
      (await choose({ options: { near: chain(995), far: chain(980) }, deltas: { near: 100, far: 150 } })).chosen,
    ).toBeUndefined();
    expect(
      (await choose({ options: { near: chain(500, 400, chainPackagesMax) }, deltas: { near: 1 } })).chosen,
    ).toBeUndefined();
  });

  test('is none once a delta behind the longest chains takes more than half a base', async () => {
    const options = { near: chain(500, 400, chainPackagesMax), far: chain(480, 400, chainPackagesMax - 1) };
    expect((await choose({ options, deltas: { far: 190 }, base: 400 })).chosen).toBe('far');
    expect((await choose({ options, deltas: { far: 210 }, base: 400 })).chosen).toBeUndefined();
    // One that leaves room in its chain.
    const roomy = { ...options, far: chain(480, 400, chainPackagesMax - 2) };
    expect((await choose({ options: roomy, deltas: { far: 210 }, base: 400 })).chosen).toBe('far');
  });

  test('is not one that cannot be read, nor one whose chain has less room than the nearest delta takes', async () => {
    const unread = await choose({
      options: { near: chain(500), far: chain(500) },
      deltas: { near: undefined, far: 150 },
    });
    expect(unread.chosen).toBe('far');
    const { asked } = await choose({
      options: { near: chain(950), mid: chain(920), far: chain(600) },
      deltas: { near: 100, far: 180 },
    });
    expect(asked).toEqual(['base', 'near', 'far']);
  });

  test('is looked for beyond those that have less room than a nearer one takes', async () => {
    const options = { near: chain(900), a: chain(870), b: chain(840), c: chain(830), far: chain(600) };
    const { chosen, asked } = await choose({
      options,
      deltas: { near: 110, a: 160, b: 165, c: 170, far: 200 },
      base: 600,
    });
    expect({ chosen, asked }).toEqual({ chosen: 'far', asked: ['base', 'near', 'a', 'far'] });
  });

  test('costs a bounded number of estimates', async () => {
    const options = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`c${i}`, chain(700)]));
    const deltas = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`c${i}`, 290 + i]));
    expect((await choose({ options, deltas })).asked.length).toBeLessThanOrEqual(4);
  });
});

describe('a base to reuse', () => {
  const reusable = { candidate: 'first', chain: chain(400, 400, 1) };
  const withReusable = async (
    options: Case['options'],
    deltas: Case['deltas'],
    { base = 500, leastBytes = 0 }: Pick<Case, 'base' | 'leastBytes'> = {},
  ) => {
    const asked: string[] = [];
    const chosen = await chooseAncestor({
      options: Object.entries(options).map(([candidate, cost]) => ({ candidate, chain: cost })),
      fullBytes,
      sequence: 5,
      leastBytes,
      estimate: async (candidate) => {
        asked.push(candidate ?? 'base');
        return candidate === undefined ? base : deltas[candidate];
      },
      reusable: async () => reusable,
    });
    return { chosen, asked };
  };

  test('is taken instead of a new one if no chain has room, however far back it lies', async () => {
    const { chosen, asked } = await withReusable({ near: chain(1001) }, { near: 100, first: 200 });
    expect({ chosen, asked }).toEqual({ chosen: 'first', asked: ['base', 'first'] });
  });

  test('is not taken if a new one costs less, if it cannot be read, or if it exceeds the budget', async () => {
    const options = { near: chain(1001) };
    expect((await withReusable(options, { first: 450 }, { base: 440 })).chosen).toBeUndefined();
    expect((await withReusable(options, { first: undefined })).chosen).toBeUndefined();
    expect((await withReusable(options, { first: 590 }, { base: 900 })).chosen).toBeUndefined();
    expect((await withReusable(options, { first: 200 }, { leastBytes: 590 })).chosen).toBeUndefined();
  });

  test('comes later if the nearest chain has room and its delta is small', async () => {
    expect((await withReusable({ near: chain(600) }, { near: 50, first: 200 })).chosen).toBe('near');
  });

  test('is taken if a chain nears its most packages, although it has few bytes', async () => {
    const deltas = { near: 50, first: 80 };
    expect((await withReusable({ near: chain(410, 400, 2) }, deltas)).chosen).toBe('near');
    expect((await withReusable({ near: chain(410, 400, chainPackagesMax - 1) }, deltas)).chosen).toBe('first');
  });

  test('is estimated once if it is among the nearest', async () => {
    const options = Object.entries({ near: chain(900) }).map(([candidate, cost]) => ({ candidate, chain: cost }));
    const asked: (string | undefined)[] = [];
    await chooseAncestor({
      options: [...options, reusable],
      fullBytes,
      sequence: 5,
      estimate: async (candidate) => {
        asked.push(candidate);
        return candidate === undefined ? 500 : 90;
      },
      reusable: async () => reusable,
    });
    expect(asked).toEqual([undefined, 'first', 'near']);
  });

  test('is not looked for if the nearest chain is short', async () => {
    const options = [{ candidate: 'near', chain: chain(250, 200), deltaBytes: 50 }];
    const never = async (): Promise<never> => {
      throw new Error('it was looked for');
    };
    expect(await chooseAncestor({ options, fullBytes, sequence: 5, estimate: never, reusable: never })).toBe('near');
  });
});

describe('after a delta that exceeded the room of its chain', () => {
  const options = { near: chain(880), mid: chain(860), far: chain(600) };
  test('one with room for as much is taken', async () => {
    const { chosen, asked } = await choose({
      options,
      deltas: { near: 150, mid: 155, far: 270 },
      base: 800,
      leastBytes: 150,
    });
    expect({ chosen, asked }).toEqual({ chosen: 'far', asked: ['base', 'far'] });
  });
  test('none where none has', async () => {
    expect(
      (await choose({ options, deltas: { near: 150, mid: 155, far: 370 }, leastBytes: 150 })).chosen,
    ).toBeUndefined();
  });
});

describe('the restore budget', () => {
  test('is half of the full bytes, later in a run two bases', () => {
    expect(chainBytesMax(500, { fullBytes, sequence: 0 })).toBe(1000);
    expect(chainBytesMax(100, { fullBytes, sequence: 31 })).toBe(1000);
    expect(chainBytesMax(100, { fullBytes, sequence: 32 })).toBe(200);
  });

  test.each([501, 600, 750])(
    'is half of the full bytes as long as that is a base and a third: %i of 1000',
    (baseBytes) => {
      for (const sequence of [0, 40]) expect(chainBytesMax(baseBytes, { fullBytes, sequence })).toBe(1000);
    },
  );

  test.each([751, 800, 1000, 1001, 3000])(
    'is two bases if half of the full bytes has too little room: %i of 1000',
    (baseBytes) => {
      for (const sequence of [0, 40]) expect(chainBytesMax(baseBytes, { fullBytes, sequence })).toBe(2 * baseBytes);
    },
  );

  test('counts weights as fp32, whatever their width, and all else as it is', () => {
    const file = (role: 'model' | 'optimizer', dtype: 'BF16' | 'I64') => ({
      role,
      sizeBytes: 1000,
      layout: { tensors: [{ dtype, startBytes: 0, endBytes: 800 }] } as unknown as SafetensorsLayout,
    });
    expect(fullBytesOf([file('model', 'BF16')])).toBe(1000 + 800);
    expect(fullBytesOf([file('model', 'I64'), file('optimizer', 'BF16')])).toBe(2000);
  });

  test('always leaves room for deltas of a third of a base', () => {
    const cramped = Array.from({ length: 4000 }, (_, i) => i + 1).filter(
      (baseBytes) => chainBytesMax(baseBytes, { fullBytes, sequence: 40 }) < (4 / 3) * baseBytes,
    );
    expect(cramped).toEqual([]);
  });
});
