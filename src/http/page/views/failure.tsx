import { anonymous } from '../../../access/principal.ts';
import { pagePaths } from '../page-paths.ts';
import type { Viewer } from '../viewer.ts';

/** Says what went wrong, and what to do. */
export function FailureView({
  title,
  sentence,
  requestId,
  viewer,
}: {
  readonly title: string;
  readonly sentence: string;
  readonly requestId: string;
  readonly viewer: Viewer | undefined;
}) {
  const mayHelp = viewer?.isOpenHub === false && viewer.principal.id === anonymous.id;
  return (
    <>
      <h1>{title}</h1>
      <p>{sentence}</p>
      {mayHelp && (
        <p>
          What is private is shown only to who may read it: <a href={pagePaths.signIn}>sign in with a token</a>.
        </p>
      )}
      <p>
        <a href={pagePaths.home}>All repositories</a>
      </p>
      <p class="dim">Request {requestId}</p>
    </>
  );
}
