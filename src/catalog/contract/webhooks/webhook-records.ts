import type { WebhookEvent } from '../../../checkpoint/webhook-events.ts';
import type { Page } from '../page.ts';
import type { VisibleRepositories } from '../repository-records.ts';

/** An address that gets messages about the checkpoints of a repository, or of all repositories of a namespace. */
export interface Webhook {
  readonly id: string;
  readonly namespace: string;
  /** Name of the repository; absent for messages about all in the namespace. */
  readonly repository?: string;
  readonly url: string;
  /** Key of the signatures, as text: `whsec_` and base64. */
  readonly secret: string;
  readonly events: readonly WebhookEvent[];
  /** False: nothing is written for it, and nothing is sent. */
  readonly active: boolean;
  readonly createdAt: Date;
}

/** Most webhooks of one namespace, those of its repositories included. */
export const webhooksOfNamespaceMax = 100;

export interface WebhookRecords {
  /** `conflict` if the namespace has as many as it may; `not-found` without that live repository. */
  create(
    input: Pick<Webhook, 'namespace' | 'url' | 'secret' | 'events'> & { readonly repositoryId?: string },
  ): Promise<Webhook>;
  get(id: string): Promise<Webhook | undefined>;
  /** The webhook, its row locked until the transaction ends. `not-found`. */
  lock(id: string): Promise<Webhook>;
  /** By id; `after` is an id. Only those of the places in `of`, whether repositories there are public or not. */
  list(page: Page, of: VisibleRepositories): Promise<Webhook[]>;
  /** What is not given stays. `not-found`. */
  change(id: string, change: Partial<Pick<Webhook, 'url' | 'secret' | 'events' | 'active'>>): Promise<Webhook>;
  /** With everything that was sent to it. `not-found`. */
  delete(id: string): Promise<void>;
}
