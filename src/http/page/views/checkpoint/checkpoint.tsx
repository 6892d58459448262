import type { Checkpoint } from '../../../../catalog/contract/checkpoint-records.ts';
import type { EncodedOn } from '../../../../checkpoint/device-kind.ts';
import { bytesInWords } from '../../../../checkpoint/words/bytes-in-words.ts';
import { stateInWords } from '../../../../checkpoint/words/state-in-words.ts';
import { whyExact } from '../../../../checkpoint/words/why-exact.ts';
import { methodConfigOf } from '../../../../checkpoint/options/quantization-config.ts';
import { scopeOn } from '../../../../access/principal.ts';
import { includesScope } from '../../../../checkpoint/grant.ts';
import { checkConfirmed, ConfirmedForm } from '../../parts/confirmed-form.tsx';
import type { View } from '../../page-context.ts';
import { pagePaths, type StepAddress } from '../../page-paths.ts';
import { ratioInWords, secondsInWords, valueInWords } from '../../parts/amounts.ts';
import { Crumbs } from '../../parts/crumbs.tsx';
import { Facts } from '../../parts/facts.tsx';
import { kindsOf, sharesOf } from '../../parts/sampled-run.ts';
import { readQuery } from '../../parts/read-query.ts';
import { Snippets } from '../../parts/snippets.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { When } from '../../parts/when.tsx';
import { CheckpointFiles } from './checkpoint-files.tsx';
import { CheckpointLayers, layersField, readLayers } from './checkpoint-layers.tsx';
import { CheckpointLineage, readChain } from './checkpoint-lineage.tsx';
import { CheckpointQuality } from './checkpoint-quality.tsx';
import { CheckpointTrials } from './checkpoint-trials.tsx';

/** The phases of the work on a checkpoint, in their order. */
const phases: readonly string[] = ['read', 'search', 'encode', 'verify'];

/** Of the processor nothing is said: it is the rule. */
const encodedOnInWords: Readonly<Record<EncodedOn, string | undefined>> = {
  cpu: undefined,
  cuda: 'a GPU',
  emulated: 'an emulated GPU',
  mixed: 'a GPU, and where it failed the processor',
};

/** One checkpoint: how it is kept, why so, and what it lost. */
export function checkpointView(address: StepAddress): View {
  return async ({ c, gateway, viewer, locate, origin, form }) => {
    const { catalog } = gateway;
    if (form !== undefined) {
      const { checkpoint: deleted } = await locate('write').checkpoint(address);
      checkConfirmed(form, `${address.run}@${deleted.step}`);
      await gateway.checkpoints.delete(deleted);
      return { goTo: pagePaths.run(address) };
    }
    const { repository, run, checkpoint } = await locate('read').checkpoint(address);
    const { step, state, packageId } = checkpoint;
    const evalSetId = checkpoint.evalSetId ?? run.evalSetId;
    const asksForLayers = readQuery(c, layersField) === 'all';
    const [files, trials, chain, evalSet, layers, waiting] = await Promise.all([
      catalog.files.list(checkpoint.id),
      catalog.trials.list(checkpoint.id),
      packageId === undefined || state !== 'ready' ? undefined : readChain(catalog, repository, packageId),
      evalSetId === undefined ? undefined : catalog.evalSets.get(evalSetId),
      readLayers(gateway, checkpoint, asksForLayers),
      gateway.checkpoints.waitsFor(checkpoint),
    ]);
    const isInWork = state === 'queued' || state === 'working' || state === 'open';
    return {
      title: `${address.run}@${step} of ${address.namespace}/${address.name}`,
      content: (
        <>
          <Crumbs repository={address} run={address.run} />
          <h1>
            {`${address.run}@${step}`} <StateMark state={state} />
          </h1>
          {isInWork && (
            <>
              <p>
                {'Now: '}
                <span
                  data-events={pagePaths.events({ ...address, step })}
                  data-shares={JSON.stringify(sharesOf(evalSet))}
                  role="status"
                >
                  {stateInWords(state, waiting)}
                </span>
              </p>
              <ul id="live-trials" class="plain dim"></ul>
            </>
          )}
          {checkpoint.errorMessage !== undefined && <p class="note bad">{checkpoint.errorMessage}</p>}
          <CheckpointFacts checkpoint={checkpoint} address={address} evalSet={evalSet?.name} />
          {checkpoint.result?.warnings.map((warning) => (
            <p class="note">{warning}</p>
          ))}
          <CheckpointQuality checkpoint={checkpoint} evalSet={evalSet} />
          <CheckpointTrials trials={trials} chosen={checkpoint.result?.config} kindOf={kindsOf(evalSet)} />
          {layers !== undefined && (
            <CheckpointLayers
              found={layers}
              address={{ ...address, step }}
              storedBytes={chain?.at(-1)?.storedBytes}
              isAsked={asksForLayers}
            />
          )}
          <CheckpointFiles
            files={files}
            address={{ ...address, step }}
            isReady={state === 'ready'}
            hasLinks={viewer.isOpenHub || repository.visibility === 'public'}
          />
          {chain !== undefined && <CheckpointLineage chain={chain} address={address} />}
          <Understood sentences={checkpoint.result?.understood ?? []} />
          <Snippets
            origin={origin}
            repository={repository}
            run={address.run}
            step={step}
            files={files}
            needsToken={!viewer.isOpenHub}
            canBePulled={state === 'ready'}
          />
          {includesScope(scopeOn(viewer.principal, repository), 'write') && (
            <ConfirmedForm
              viewer={viewer}
              path={pagePaths.checkpoint({ ...address, step })}
              action="delete"
              words="Delete the checkpoint"
              name={`${address.run}@${step}`}
            >
              <p>Its step may be pushed again. Its bytes stay, out of sight, while other checkpoints build on it.</p>
            </ConfirmedForm>
          )}
        </>
      ),
    };
  };
}

function CheckpointFacts({
  checkpoint,
  address,
  evalSet,
}: {
  readonly checkpoint: Checkpoint;
  readonly address: StepAddress;
  readonly evalSet: string | undefined;
}) {
  const { result, revision, createdAt, finishedAt } = checkpoint;
  const config = result?.config;
  const asked = { hasEvalSet: checkpoint.evalSetId !== undefined, hasConfig: checkpoint.fixedConfig !== undefined };
  const big = (text: string) => <span class="big">{text}</span>;
  const seconds = Object.entries(result?.seconds ?? {})
    .toSorted(([a], [b]) => phases.indexOf(a) - phases.indexOf(b))
    .map(([phase, spent]) => `${phase} ${secondsInWords(spent)}`);
  return (
    <Facts
      facts={[
        ['Stored', result && big(bytesInWords(result.storedBytes))],
        ['Uploaded', result && big(bytesInWords(result.rawBytes))],
        ['Ratio', result && big(ratioInWords(result.rawBytes, result.storedBytes))],
        ['Kept', result && <Kept checkpoint={checkpoint} address={address} />],
        ['Why', whyExact({ fidelity: result?.fidelity, ...asked }), 'wide'],
        ['Config', config && `${config.method}: ${methodConfigOf(config.method).describe(config)}`],
        ['As good as', result?.asGoodAs && asGoodAsInWords(result.asGoodAs)],
        ['Changed weights', result?.migration === undefined ? undefined : `${valueInWords(100 * result.migration)} %`],
        ['Eval set', evalSet],
        ['Measured on', result?.measuredOn === 'cuda' ? 'a GPU' : undefined],
        ['Compressed on', result?.encodedOn && encodedOnInWords[result.encodedOn]],
        ['Time spent', seconds.length > 0 ? seconds.join(', ') : undefined, 'wide'],
        ['Created (UTC)', <When at={createdAt} />],
        ['Finished (UTC)', finishedAt && <When at={finishedAt} />],
        ['Revision', revision && <span class="hash">{revision}</span>, 'wide'],
      ]}
    />
  );
}

function Kept({
  checkpoint: { result, packageId },
  address,
}: {
  readonly checkpoint: Checkpoint;
  readonly address: StepAddress;
}) {
  const { fidelity, kind, ancestorRun, ancestorStep, chainLength } = result!;
  if (packageId === undefined) return <>{fidelity}, as uploaded</>;
  if (kind === 'base' || ancestorStep === undefined) return <>{`${fidelity}, ${kind}`}</>;
  const run = ancestorRun ?? address.run;
  return (
    <>
      {`${fidelity}, delta to `}
      <a href={pagePaths.checkpoint({ ...address, run, step: ancestorStep })}>{`${run}@${ancestorStep}`}</a>
      {`, chain of ${chainLength}`}
    </>
  );
}

function asGoodAsInWords({ step, beforeFirst, lagSteps }: NonNullable<NonNullable<Checkpoint['result']>['asGoodAs']>) {
  const lag = Math.round(lagSteps);
  if (!beforeFirst) return `step ${Math.round(step)} as uploaded: ${lag} ${lag === 1 ? 'step' : 'steps'} behind`;
  const behind = lag > 0 ? `: at least ${lag} ${lag === 1 ? 'step' : 'steps'} behind` : '';
  return `a step before ${Math.round(step)}, the first that is known${behind}`;
}

function Understood({ sentences }: { readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return <></>;
  return (
    <details>
      <summary>How eval set and checkpoint were read</summary>
      <ul>
        {sentences.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
    </details>
  );
}
