import type { Child } from 'hono/jsx';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { Viewer } from '../viewer.ts';
import { FormToken } from './form-token.tsx';

export interface ConfirmedFormProps {
  readonly viewer: Viewer;
  /** The page that has the form, and takes it. */
  readonly path: string;
  /** What the form does; the view reads it. */
  readonly action: string;
  /** The button, in words. */
  readonly words: string;
  /** What is to be typed. */
  readonly name: string;
  readonly children: Child;
}

/** A form for what cannot be undone, or is seen by others: the name has to be typed again. */
export function ConfirmedForm({ viewer, path, action, words, name, children }: ConfirmedFormProps) {
  return (
    <details class="actions">
      <summary>{words}</summary>
      {children}
      <form class="row" method="post" action={path}>
        <FormToken viewer={viewer} />
        <input type="hidden" name="action" value={action} />
        <div>
          <label for={`confirm-${action}`}>Type {name} to confirm</label>
          <input id={`confirm-${action}`} type="text" name="confirm" required autocomplete="off" />
        </div>
        <button class="danger" type="submit">
          {words}
        </button>
      </form>
    </details>
  );
}

/** Throws `invalid-request` unless the name was typed. */
export function checkConfirmed(form: ReadonlyMap<string, string>, name: string): void {
  if (form.get('confirm')?.trim() !== name)
    throw new FirnError('invalid-request', `Nothing was changed: type ${name} to confirm.`);
}
