import type { CheckpointFile } from '../../../catalog/contract/file-records.ts';
import type { Repository } from '../../../catalog/contract/repository-records.ts';
import { resourcePaths } from '../../answer/resource-paths.ts';
import { Snippet } from './snippet.tsx';

export interface SnippetNames {
  readonly origin: string;
  readonly repository: Pick<Repository, 'namespace' | 'name' | 'type'>;
  readonly run: string;
  readonly step: number | 'latest';
  /** Files of that step, by path; absent if there is no checkpoint yet. */
  readonly files?: readonly CheckpointFile[] | undefined;
  /** Whether requests need a token. */
  readonly needsToken: boolean;
  /** Whether that step is ready. */
  readonly canBePulled?: boolean;
}

/** The name that Firn gives a file that is pushed without one, and the one that most models have. */
const usualPath = 'model.safetensors';

/** How to push to a run and pull from it, with the names of this page: by `firn`, curl and hub clients. */
export function Snippets({ origin, repository, run, step, files = [], needsToken, canBePulled = true }: SnippetNames) {
  const { namespace, name, type } = repository;
  const id = `${namespace}/${name}`;
  const address = { namespace, name, run };
  const next = step === 'latest' ? 100 : step + 100;
  const token = needsToken ? ['-H "Authorization: Bearer $FIRN_TOKEN"'] : [];
  const revision = run === 'default' ? 'main' : run;
  const at = step === 'latest' ? revision : `${run === 'default' ? '' : `${run}/`}step-${step}`;
  const kind = type === 'model' ? '' : ` --repo-type ${type}`;
  return (
    <details class="snippets" open>
      <summary>{canBePulled ? 'Push and pull' : 'Push'}</summary>
      {!canBePulled && <p class="dim">Only a checkpoint that is ready can be pulled.</p>}
      <div class="columns">
        <Snippet
          title="Command line"
          lines={[
            `firn login ${origin}`,
            `firn push ${id}/${run} output --wait`,
            ...(canBePulled ? [`firn pull ${id}/${run}@${step} model`] : []),
          ]}
        />
        <Snippet
          title="curl"
          lines={[
            ['curl -T', usualPath, ...token, origin + resourcePaths.checkpoint({ ...address, step: next })].join(' '),
            ...(canBePulled
              ? [['curl -O', ...token, shellWord(origin + resourcePaths.file({ ...address, step }, pathToPull(files)))]]
              : []
            ).map((words) => words.join(' ')),
          ]}
        />
        <Snippet
          title="Hugging Face clients"
          lines={[
            `export HF_ENDPOINT=${origin}`,
            ...(needsToken ? ['export HF_TOKEN=$FIRN_TOKEN'] : []),
            `hf upload ${id} output .${kind}${revision === 'main' ? '' : ` --revision ${revision}`}`,
            ...(canBePulled ? [`hf download ${id}${kind} --revision ${at}`] : []),
          ]}
        />
      </div>
    </details>
  );
}

/** The file to pull as an example: the usual one, else the first with weights, else the first that is kept. */
function pathToPull(files: readonly CheckpointFile[]): string {
  const models = files.filter(({ role }) => role === 'model');
  const kept = files.find(({ role }) => role !== 'sensitivity');
  const chosen = models.find(({ path }) => path === usualPath) ?? models[0] ?? kept;
  return chosen?.path ?? usualPath;
}

/** A text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w%+,./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
