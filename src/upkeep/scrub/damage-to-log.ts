import type { Logger } from 'pino';
import { affectedNames } from './describe-damage.ts';
import type { ScrubContext } from './examine-object.ts';

/** Logs damaged objects, with everything that they make unreadable. */
export function damageToLog(log: Logger): Pick<ScrubContext, 'onDamage' | 'onRepaired' | 'onUnread'> {
  return {
    onDamage: (found, isNew) => {
      const { key, what, detail } = found;
      // Logged once, not again in every round.
      if (isNew)
        log.error(
          { key, what, detail, affected: affectedNames(found) },
          'a stored object is damaged and now in quarantine',
        );
    },
    onRepaired: (key) => log.info({ key }, 'a stored object is whole again'),
    onUnread: (key, error) => log.error({ key, err: error }, 'a stored object could not be read'),
  };
}
