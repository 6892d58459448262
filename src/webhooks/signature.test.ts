import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSecretText, newSecret, signedHeaders } from './signature.ts';

/** The example of the Standard Webhooks specification, whose libraries all have it in their tests. */
test('a message is signed as the specification shows', () => {
  const headers = signedHeaders(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' },
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    1_614_265_330_999,
  );
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('new secrets are secrets, and no two are the same', () => {
  const made = Array.from({ length: 50 }, newSecret);
  expect(new Set(made).size).toBe(50);
  expect(made.every(isSecretText)).toBe(true);
});

test('a secret has 24 to 64 bytes in base64, and nothing else is one', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      const text = `whsec_${Buffer.from(bytes).toString('base64')}`;
      expect(isSecretText(text)).toBe(bytes.length >= 24 && bytes.length <= 64);
      expect(isSecretText(text.slice(6))).toBe(false);
      expect(isSecretText(`${text}\n`)).toBe(false);
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => void expect(isSecretText(text)).toBe(false)));
});
