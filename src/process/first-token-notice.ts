/**
 * What the first start of a server says of its first token: one sentence, and the token alone in a box, as the last
 * thing that is printed, because it is shown nowhere else. Pure.
 */
export function firstTokenNotice(token: string): string {
  const edge = `+${'-'.repeat(token.length + 2)}+`;
  return [
    '',
    'firn: this is the first start. This token allows everything. It is shown only now:',
    edge,
    `| ${token} |`,
    edge,
  ].join('\n');
}
