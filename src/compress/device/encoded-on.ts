import type { EncodedOn } from '../../checkpoint/device-kind.ts';
import type { AccountedCore } from '../../native/core.ts';

/** What the calls of a core that counts were done on; without one the processor did all. */
export function encodedOn(account: Pick<AccountedCore, 'kind' | 'deviceWork'> | undefined): EncodedOn {
  if (account === undefined) return 'cpu';
  const { works, failures, afterLoss } = account.deviceWork();
  if (works === 0) return 'cpu';
  return failures + afterLoss > 0 ? 'mixed' : account.kind;
}
