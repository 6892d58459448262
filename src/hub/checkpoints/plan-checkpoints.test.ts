import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRunName } from '../../checkpoint/names.ts';
import { planCheckpoints, stepOfTitle } from './plan-checkpoints.ts';

const added = (path: string, sizeBytes = 9) => ({ path, sha256: 'a'.repeat(64), sizeBytes });

describe('the step in the first line of a commit', () => {
  it.each<[string, number | undefined]>([
    ['Training in progress, step 1200', 1200],
    ['Training in progress, step 1200, checkpoint', 1200],
    ['Training in progress, epoch 3, step 40', 40],
    ['step=7', 7],
    ['checkpoint-500', 500],
    ['global_step 900', 900],
    ['global_step900', 900],
    ['Global Step: 12', 12],
    ['Upload steps 8', 8],
    ['Checkpoint #3', 3],
    ['step 1,200', 1200],
    ['Training in progress, step 1,200,300, checkpoint', 1_200_300],
    ['step 1.8k', 1800],
    ['checkpoint-12K', 12_000],
    ['step 1,200.5k', 1_200_500],
    ['step 3, 400 samples', 3],
    ['step 1200.', 1200],
    ['checkpoint-7.safetensors', 7],
    ['step 7kb', 7],
    ['step 1.5', undefined],
    ['step 1.50', undefined],
    ['step 1.2345k', undefined],
    ['step 1.200.300', undefined],
    ['step 1,5', undefined],
    ['step 1,2000', undefined],
    ['step 0,200', undefined],
    ['step 999999999999999k', undefined],
    ['version 1.5, step 20', 20],
    ['step 1.5 of 3, step 20', 20],
    ['End of training', undefined],
    ['Upload folder using huggingface_hub', undefined],
    ['footstep 4', undefined],
    ['step', undefined],
    ['two-step process', undefined],
    ['step 1234567890123456', undefined],
    ['', undefined],
  ])('%j is %j', (title, step) => expect(stepOfTitle(title)).toBe(step));

  it('is read of any text without failing, as a safe number', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }),
        fc.bigInt({ min: 0n, max: 10n ** 20n }),
        (text, number) => {
          for (const title of [text, `step ${number}${text}`]) {
            const step = stepOfTitle(title);
            expect(step === undefined || Number.isSafeInteger(step)).toBe(true);
          }
        },
      ),
    );
  });
});

describe('the checkpoints of a commit', () => {
  it.each<[string, string[], { folder: string; runSuffix: string; step?: number }[]]>([
    ['none without weights', ['README.md', 'config.json'], []],
    ['none for optimizer state alone', ['optimizer.safetensors'], []],
    ['one at the root', ['model.safetensors', 'config.json'], [{ folder: '', runSuffix: '' }]],
    [
      'shards and optimizer state are one',
      ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors', 'optimizer.safetensors'],
      [{ folder: '', runSuffix: '' }],
    ],
    [
      'folders of a Trainer are steps of one run, in the order of the steps',
      ['checkpoint-1000/model.safetensors', 'checkpoint-200/model.safetensors', 'checkpoint-30/model.safetensors'],
      [
        { folder: 'checkpoint-30', runSuffix: '', step: 30 },
        { folder: 'checkpoint-200', runSuffix: '', step: 200 },
        { folder: 'checkpoint-1000', runSuffix: '', step: 1000 },
      ],
    ],
    [
      'the final weights at the root come last',
      ['model.safetensors', 'checkpoint-5/model.safetensors'],
      [
        { folder: 'checkpoint-5', runSuffix: '', step: 5 },
        { folder: '', runSuffix: '' },
      ],
    ],
    [
      'parts of a pipeline have runs of their own',
      ['unet/diffusion_pytorch_model.safetensors', 'vae/diffusion_pytorch_model.safetensors'],
      [
        { folder: 'unet', runSuffix: '.unet' },
        { folder: 'vae', runSuffix: '.vae' },
      ],
    ],
    [
      'a job in a folder of its own',
      ['jobs/lm/step_7/model.safetensors'],
      [{ folder: 'jobs/lm/step_7', runSuffix: '.jobs.lm', step: 7 }],
    ],
    [
      'DeepSpeed folders',
      ['global_step1200/model.safetensors'],
      [{ folder: 'global_step1200', runSuffix: '', step: 1200 }],
    ],
    [
      'last-checkpoint is no step',
      ['last-checkpoint/model.safetensors'],
      [{ folder: 'last-checkpoint', runSuffix: '.last-checkpoint' }],
    ],
    ['a folder that gives no name', ['漢字/model.safetensors'], [{ folder: '漢字', runSuffix: '.files' }]],
  ])('%s', (_, paths, expected) => {
    expect(planCheckpoints(paths.map((path) => added(path))).map(({ files: _files, ...plan }) => plan)).toEqual(
      expected,
    );
  });

  it('leave out empty files', () => {
    expect(planCheckpoints([added('model.safetensors', 0)])).toEqual([]);
  });

  it('take each safetensors file at most once, under names that runs may have, whatever the paths', () => {
    const part = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).map((text) => text.replaceAll('/', '_')),
      fc.constantFrom('checkpoint-1', 'step-2', 'a', '--', '..', 'x.lock', 'x'.repeat(90)),
    );
    const path = fc
      .tuple(fc.array(part, { maxLength: 3 }), fc.constantFrom('model.safetensors', 'optimizer.safetensors', 'x.bin'))
      .map(([folders, name]) => [...folders, name].join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 12 }), (paths) => {
        const plans = planCheckpoints(paths.map((each) => added(each)));
        const taken = plans.flatMap(({ files }) => files.map((file) => file.path));
        expect(new Set(taken).size).toBe(taken.length);
        expect(taken.every((each) => paths.includes(each) && each.endsWith('.safetensors'))).toBe(true);
        for (const { runSuffix, step } of plans) {
          if (!runSuffix.endsWith('.lock')) expect(() => checkRunName(`run${runSuffix}`)).not.toThrow();
          expect(step === undefined || Number.isSafeInteger(step)).toBe(true);
        }
      }),
    );
  });
});
