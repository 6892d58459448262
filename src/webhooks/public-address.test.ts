import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { isPublicAddress, PrivateAddress, publicLookup, refusePrivateHost } from './public-address.ts';

const publicOnes = ['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.0', '2606:4700::1111', '::ffff:8.8.8.8'];
const others = [
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '169.254.169.254',
  '100.64.0.1',
  '192.0.0.8',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '64:ff9b::a00:1',
  '2002:a00:1::',
  '2001::1',
  '2001:db8::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'ff02::1',
  'example.com',
  '',
];

test.each(publicOnes)('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
test.each(others)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

test.each([
  'https://127.0.0.1/',
  'https://127.1/',
  'https://0x7f.1/',
  'https://2130706433/',
  'https://017700000001/',
  'https://[::1]/',
  'https://[::ffff:7f00:1]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://hub.localhost:8080/',
])('%s is refused as it stands', (url) => {
  expect(() => refusePrivateHost(new URL(url))).toThrow(PrivateAddress);
});

test.each(['https://8.8.8.8/', 'https://[2606:4700::1111]/', 'https://ci.example/', 'https://localhost.example/'])(
  '%s may be public',
  (url) => expect(() => refusePrivateHost(new URL(url))).not.toThrow(),
);

const looked = (found: LookupAddress[] | Error, all: boolean) =>
  new Promise((resolve, reject) => {
    const resolver = ((
      _name: string,
      _options: object,
      done: (error: Error | null, found?: LookupAddress[]) => void,
    ) => (found instanceof Error ? done(found) : done(null, found))) as never;
    publicLookup(resolver)('ci.example', { all }, (error, address, family) =>
      error === null ? resolve(all ? address : { address, family }) : reject(error),
    );
  });

test('a name leads to its public addresses only, and to none is an error', async () => {
  const mixed = [
    { address: '10.0.0.1', family: 4 },
    { address: '8.8.8.8', family: 4 },
  ];
  expect(await looked(mixed, true)).toEqual([{ address: '8.8.8.8', family: 4 }]);
  expect(await looked(mixed, false)).toEqual({ address: '8.8.8.8', family: 4 });
  await expect(looked([{ address: '::1', family: 6 }], true)).rejects.toThrow(PrivateAddress);
  await expect(looked([], false)).rejects.toThrow(PrivateAddress);
  await expect(looked(new Error('ENOTFOUND'), true)).rejects.toThrow('ENOTFOUND');
});
