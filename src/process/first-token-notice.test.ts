import { expect, test } from 'vitest';
import { firstTokenNotice } from './first-token-notice.ts';

test('the token stands alone in a box, as the last thing that is said', () => {
  const token = `hf_${'a'.repeat(44)}`;
  const lines = firstTokenNotice(token).split('\n');
  const box = lines.slice(-3);
  expect(box).toEqual([`+${'-'.repeat(49)}+`, `| ${token} |`, `+${'-'.repeat(49)}+`]);
  expect(lines.slice(0, -3).join('\n')).not.toContain('hf_');
});
