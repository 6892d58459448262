import type { Principal } from '../../access/principal.ts';

/** Who looks at a page. */
export interface Viewer {
  readonly principal: Principal;
  /** Whether the hub asks nobody for a token. */
  readonly isOpenHub: boolean;
  /** Goes into every form, and comes back with it. */
  readonly formToken: string;
}
