import { anonymous } from '../../../access/principal.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { formatGrant } from '../../../checkpoint/grant.ts';
import type { View } from '../page-context.ts';
import { pagePaths } from '../page-paths.ts';
import { FormToken } from '../parts/form-token.tsx';
import type { Viewer } from '../viewer.ts';

/** Signs in with a token, which the browser keeps sealed. */
export const signInView: View = async ({ c, form, sessions, viewer }) => {
  if (form !== undefined) {
    const token = form.get('token')?.trim() ?? '';
    try {
      await sessions.signIn(c, token);
      return { goTo: pagePaths.home };
    } catch (error) {
      if (!(error instanceof FirnError) || error.code !== 'unauthenticated') throw error;
      return { title: 'Sign in', status: 401, content: <SignIn viewer={viewer} complaint={error.message} /> };
    }
  }
  return { title: 'Sign in', content: <SignIn viewer={viewer} complaint={undefined} /> };
};

/** Signs out. Without a form it changes nothing. */
export const signOutView: View = async ({ c, form, sessions }) => {
  if (form !== undefined) sessions.signOut(c);
  return { goTo: pagePaths.home };
};

function SignIn({ viewer, complaint }: { readonly viewer: Viewer; readonly complaint: string | undefined }) {
  const { principal, isOpenHub } = viewer;
  if (isOpenHub)
    return (
      <>
        <h1>Sign in</h1>
        <p>This hub asks nobody for a token. Whoever reaches it may do everything.</p>
      </>
    );
  return (
    <>
      <h1>Sign in</h1>
      {principal.id !== anonymous.id && (
        <p>
          Signed in with the token {principal.name}, which allows {principal.grants.map(formatGrant).join(', ')}.
        </p>
      )}
      {complaint !== undefined && (
        <p class="note bad" role="alert">
          {complaint}
        </p>
      )}
      <form class="row" method="post" action={pagePaths.signIn}>
        <FormToken viewer={viewer} />
        <div>
          <label for="token">Token</label>
          <input id="token" type="password" name="token" required autocomplete="current-password" maxlength={200} />
        </div>
        <button class="main" type="submit">
          Sign in
        </button>
      </form>
      <p class="dim">
        The token stays in a cookie of this browser, encrypted, for a week. Pages read it; the API does not.
      </p>
    </>
  );
}
