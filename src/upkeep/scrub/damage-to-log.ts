import type { Logger } from 'pino';
import { affectedNames } from './describe-damage.ts';
import type { ScrubContext } from './examine-object.ts';

/** Tells the log what is damaged, with everything that is lost by it. */
export function damageToLog(log: Logger): Pick<ScrubContext, 'onDamage' | 'onRepaired' | 'onUnread'> {
  return {
    onDamage: (found, isNew) => {
      const { key, what, detail } = found;
      // Told once: a round after the other would repeat it.
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
