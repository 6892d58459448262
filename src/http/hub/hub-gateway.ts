import type { Gateway } from '../gateway.ts';
import type { BodyLimits } from '../request/body/gather-body.ts';

/** What the routes of hub clients stand on. */
export interface HubGateway extends Gateway {
  readonly bodies: BodyLimits;
}
