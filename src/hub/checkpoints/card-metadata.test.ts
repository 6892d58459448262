import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cardMetadata, fieldsOfCard } from './card-metadata.ts';

const fields = (metadata: string): object => fieldsOfCard(cardMetadata(`---\n${metadata}\n---\n# Model\n`));

describe('the metadata of a card', () => {
  it('becomes what hubs say of a model', () => {
    const text = 'pipeline_tag: text-generation\nlibrary_name: transformers\nlicense: mit\ntags:\n- tiny\n- gpt';
    expect(fields(text)).toEqual({
      cardData: {
        pipeline_tag: 'text-generation',
        library_name: 'transformers',
        license: 'mit',
        tags: ['tiny', 'gpt'],
      },
      tags: ['tiny', 'gpt', 'transformers', 'text-generation', 'license:mit'],
      pipeline_tag: 'text-generation',
      library_name: 'transformers',
    });
    expect(fields('tags: one\nlicense: [a, b]')).toMatchObject({ tags: ['one'] });
  });

  it('is nothing where there is none, and says what is wrong with it', () => {
    for (const card of ['', '# Model', '---\nno end', '---\n\n---']) {
      expect(cardMetadata(card)).toEqual({ data: undefined, errors: [] });
      expect(fieldsOfCard(cardMetadata(card))).toEqual({});
    }
    for (const wrong of ['a: [', '- a', 'text', '"a": b: c'])
      expect(cardMetadata(`---\n${wrong}\n---`), wrong).toMatchObject({
        data: undefined,
        errors: [expect.any(String)],
      });
  });

  it('stays small and whole, whatever it holds', () => {
    const bomb = Array.from(
      { length: 12 },
      (_, at) => `a${at}: &a${at} [${'*a'.concat(String(at - 1), ',').repeat(9)}]`,
    );
    bomb[0] = 'a0: &a0 [x,x,x,x,x,x,x,x,x]';
    expect(cardMetadata(`---\n${bomb.join('\n')}\n---`).errors).toHaveLength(1);
    expect(cardMetadata(`---\n${'[ '.repeat(8_000)}\n---`).data).toBeUndefined();
    expect(cardMetadata(`---\n${'a: b\n'.repeat(20_000)}\n---`).errors).toEqual([
      'The metadata have more than 16384 characters.',
    ]);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab:-[]{}&*!|>\'"#%@`,? \n\t.0') }), (text) => {
        const { data } = cardMetadata(`---\n${text}\n---`);
        expect(() => JSON.stringify(data)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });
});
