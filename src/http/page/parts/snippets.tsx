import type { Repository } from '../../../catalog/contract/repository-records.ts';
import { resourcePaths } from '../../answer/resource-paths.ts';
import { Snippet } from './snippet.tsx';

export interface SnippetNames {
  readonly origin: string;
  readonly repository: Pick<Repository, 'namespace' | 'name' | 'type'>;
  readonly run: string;
  readonly step: number | 'latest';
  /** Whether requests need a token. */
  readonly needsToken: boolean;
}

/** How to push to a run and pull from it, with the names of this page: by `firn`, curl and hub clients. */
export function Snippets({ origin, repository, run, step, needsToken }: SnippetNames) {
  const { namespace, name, type } = repository;
  const id = `${namespace}/${name}`;
  const steps = `${origin}${resourcePaths.run({ namespace, name, run })}/checkpoints`;
  const next = step === 'latest' ? 100 : step + 100;
  const token = needsToken ? ['-H "Authorization: Bearer $FIRN_TOKEN"'] : [];
  const revision = run === 'default' ? 'main' : run;
  const at = step === 'latest' ? revision : `${run === 'default' ? '' : `${run}/`}step-${step}`;
  const kind = type === 'model' ? '' : ` --repo-type ${type}`;
  return (
    <details class="snippets" open>
      <summary>Push and pull</summary>
      <div class="columns">
        <Snippet
          title="Command line"
          lines={[
            `firn login ${origin}`,
            `firn push ${id}/${run} output --wait`,
            `firn pull ${id}/${run}@${step} model`,
          ]}
        />
        <Snippet
          title="curl"
          lines={[
            ['curl -T model.safetensors', ...token, `${steps}/${next}`].join(' '),
            ['curl -O', ...token, `${steps}/${step}/files/model.safetensors`].join(' '),
          ]}
        />
        <Snippet
          title="Hugging Face clients"
          lines={[
            `export HF_ENDPOINT=${origin}`,
            ...(needsToken ? ['export HF_TOKEN=$FIRN_TOKEN'] : []),
            `hf upload ${id} output .${kind}${revision === 'main' ? '' : ` --revision ${revision}`}`,
            `hf download ${id}${kind} --revision ${at}`,
          ]}
        />
      </div>
    </details>
  );
}
