import type { Viewer } from '../viewer.ts';

/** Name of the field that proves that a form came from a page of this hub. */
export const formTokenField = 'form-token';

/** The field of every form that changes something. */
export function FormToken({ viewer }: { readonly viewer: Viewer }) {
  return <input type="hidden" name={formTokenField} value={viewer.formToken} />;
}
