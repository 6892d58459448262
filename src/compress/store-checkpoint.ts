import type { Ancestor } from './ancestor/ancestor.ts';
import { chooseExternal } from './encode/choose-external.ts';
import { unplacedStateWarning } from './plan/state-warnings.ts';
import type { Decision } from './decide-config.ts';
import { pace, type EncodeAttempt } from './encode-attempt.ts';
import { digestQuantized, type QuantizedDigest } from './encode/digest-quantized.ts';
import { encodePackage, type EncodedCheckpoint } from './encode/encode-package.ts';
import { findOrigins, referencesBeside } from './lineage/file-references.ts';
import { copiedFiles, type CodingPlan } from './plan/plan-codings.ts';
import type { QuantizedModel } from './method/quantized-model.ts';

/** A checkpoint in the store, not yet verified. */
export interface StoredCheckpoint extends EncodedCheckpoint {
  /** By file number: stored as the raw object or as a reference, not in the package. */
  readonly external: ReadonlySet<number>;
  /** By file number: id of the repository's file with the same bytes. */
  readonly references: ReadonlyMap<number, string>;
  /** By file number: digest of the bytes that a download returns. */
  readonly sha256: readonly string[];
  /**
   * By path, for files that do not decode to the upload: checksums of the decoded bytes, as `checksumBytes` computes
   * them.
   */
  readonly checksums: ReadonlyMap<string, Uint8Array>;
  /** Whether a download differs from the upload. */
  readonly lossy: boolean;
}

/**
 * Room for a package beyond twice the raw bytes. Twice, because a level block takes more than its tensor if most
 * weights are protected.
 */
const packageSlackBytes = 64 * 1024 * 1024;

/**
 * Encodes a checkpoint as decided and puts its package. Files that the repository already has become references. Files
 * that turn out larger than their raw objects are left out in a second pass; the sample of `chooseExternal` usually
 * finds them before. Rejects with the errors of store and core.
 */
export async function storeCheckpoint(
  attempt: EncodeAttempt,
  { plan, ...decision }: Pick<Decision, 'plan' | 'quantized'>,
  ancestor: Ancestor | undefined,
): Promise<StoredCheckpoint> {
  const quantized = decision.quantized?.model;
  const digests = await digestQuantized(
    { source: attempt.source, plan, quantized, core: attempt.ctx.core, trial: decision.quantized?.measured?.digests },
    attempt.signal,
  );
  const origins = await findOrigins(attempt, plan);
  const parts = { plan, quantized, digests };
  const stored = await storeBehind(attempt, {
    ...parts,
    ancestor,
    references: referencesBeside(attempt, { plan, origins, ancestor }),
  });
  if (ancestor === undefined || stored.kind === 'delta') return stored;
  // As a base, the package would store the ancestor's bytes again, so more files may become references.
  const references = referencesBeside(attempt, { plan, origins, ancestor: undefined });
  return references.size > stored.references.size
    ? storeBehind(attempt, { ...parts, ancestor: undefined, references })
    : stored;
}

interface Parts {
  readonly plan: CodingPlan;
  readonly quantized: QuantizedModel | undefined;
  readonly digests: ReadonlyMap<number, QuantizedDigest>;
  readonly ancestor: Ancestor | undefined;
  readonly references: ReadonlyMap<number, string>;
}

async function storeBehind(
  attempt: EncodeAttempt,
  { quantized, digests, references, ...given }: Parts,
): Promise<StoredCheckpoint> {
  const { source, ctx, packageId, packageKey, signal } = attempt;
  const ancestor = await given.ancestor?.keeping(signal);
  const plan = ancestor?.plan ?? given.plan;
  const { files } = source;
  const external = await chooseExternal({ source, plan, ancestor, references }, ctx.core, signal);
  const rawBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  // Each iteration leaves out at least one more file.
  for (;;) {
    const sha256 = files.map(
      (file, number) => (external.has(number) ? undefined : digests.get(number)?.sha256) ?? file.sha256,
    );
    const encoded = await encodePackage(
      {
        packageId,
        source,
        plan,
        external,
        sha256,
        ...(quantized === undefined ? {} : { quantized }),
        ...(ancestor === undefined ? {} : { ancestor }),
      },
      { store: ctx.store, key: packageKey, replace: true, sizeMaxBytes: 2 * rawBytes + packageSlackBytes },
      ctx.core,
      pace(attempt),
    );
    const copied = copiedFiles(plan, external);
    const grown = [...files.keys()].filter(
      (number) =>
        !external.has(number) && !copied.has(number) && encoded.payloadBytes[number]! > files[number]!.sizeBytes,
    );
    if (grown.length === 0) {
      if (encoded.unplacedState.size > 0) attempt.warn(unplacedStateWarning([...encoded.unplacedState]));
      const quantizedFiles = [...digests].filter(([number]) => !external.has(number));
      const checksums = new Map(quantizedFiles.map(([number, digest]) => [files[number]!.path, digest.checksums]));
      return { ...encoded, external, references, sha256, checksums, lossy: checksums.size > 0 };
    }
    for (const number of grown) external.add(number);
  }
}
