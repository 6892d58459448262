import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Checkpoint, CheckpointFile, CheckpointResult, Run } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { MetricValues } from '../checkpoint/quality.ts';
import type { QuantizationConfig } from '../checkpoint/quantization-config.ts';
import { digestBytes } from '../restore/digest-bytes.ts';
import type { PackageChain } from '../restore/package-chain.ts';
import { Ancestor } from './ancestor.ts';
import { chooseExternal } from './choose-external.ts';
import type { CompressContext } from './compress-context.ts';
import { encodePackage, type EncodedCheckpoint } from './encode-package.ts';
import { ancestorCandidates, openCandidate, type AncestorCandidate } from './find-ancestor.ts';
import { degradations, judgeMetrics } from './judge-metrics.ts';
import type { QuantizedModel } from './level-block.ts';
import { loadSource } from './load-source.ts';
import { evalSetDirectory, localEvalSet } from './local-eval-set.ts';
import { ModelSource } from './model-source.ts';
import { gatherStatistics } from './model-statistics.ts';
import { planCodings, planExact, wouldBeQuantized, type CodingPlan } from './plan-codings.ts';
import { bindGraph, modelLayerTypes, QualityGate, unmeasuredTensors } from './quality-gate.ts';
import { Quantizer } from './quantizer.ts';
import { searchCheckpoint } from './search-checkpoint.ts';
import { verifyPackage } from './verify-package.ts';
import { writeCandidate } from './write-candidate.ts';

export interface CheckpointToCompress {
  readonly checkpoint: Checkpoint;
  readonly run: Run;
  readonly rows: readonly CheckpointFile[];
}

/** A checkpoint stored and verified, not yet committed. */
export interface CompressedCheckpoint {
  readonly encoded: EncodedCheckpoint;
  readonly packageId: string;
  readonly packageKey: string;
  readonly result: CheckpointResult;
  readonly files: readonly { readonly path: string; readonly storage: 'package' | 'raw'; readonly resultSha256: string; readonly resultBytes: number }[];
}

/** Room for index and frame over the raw bytes when a package is written; a package that needs more is refused by the store. */
const packageSlackBytes = 64 * 1024 * 1024;

/**
 * Search, quantize, encode, verify (DESIGN section 3, steps 3 to 5). Deterministic: the same uploads and ancestors give the same package. Scratch
 * files are removed on every way out. Rejects with the errors of the rooms it uses.
 */
export async function compressCheckpoint(ctx: CompressContext, work: CheckpointToCompress, signal: AbortSignal): Promise<CompressedCheckpoint> {
  const directory = join(ctx.workDirectory, `encode-${work.checkpoint.id}`);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const loaded = await loadSource(ctx.store, work.rows);
  const source = new ModelSource(loaded.files, loaded.gradients, ctx.core, ctx.cacheMaxBytes);
  try {
    return await new Compression(ctx, work, source, directory, signal).run();
  } finally {
    await source.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** What a config search settles. */
interface Decision {
  readonly plan: CodingPlan;
  readonly quantized?: QuantizedModel;
  readonly config?: QuantizationConfig;
  readonly trialCount: number;
}

class Compression {
  private readonly ctx: CompressContext;
  private readonly work: CheckpointToCompress;
  private readonly source: ModelSource;
  private readonly directory: string;
  private readonly signal: AbortSignal;
  private readonly warnings: string[] = [];
  private readonly seconds: Record<string, number> = {};
  private gate: QualityGate | undefined;
  private baseline: MetricValues | undefined;
  private ancestorOf: AncestorCandidate | undefined;

  constructor(ctx: CompressContext, work: CheckpointToCompress, source: ModelSource, directory: string, signal: AbortSignal) {
    this.ctx = ctx;
    this.work = work;
    this.source = source;
    this.directory = directory;
    this.signal = signal;
  }

  async run(): Promise<CompressedCheckpoint> {
    const candidates = await ancestorCandidates(this.ctx.catalog, this.work.run, this.work.checkpoint.sequence);
    const plan = await this.phase('read', () => this.planAndBaseline());
    let chain = await this.openAncestor(candidates, plan);
    try {
      const decision = await this.phase('search', () => this.decide(plan, chain, candidates));
      if (decision.plan !== plan) {
        await chain?.close();
        chain = await this.openAncestor(candidates, decision.plan);
      }
      const encoded = await this.phase('encode', () => this.encode(decision, chain));
      const measured = await this.phase('verify', () => this.verify(encoded));
      return this.describe(decision, encoded, measured);
    } finally {
      await chain?.close();
    }
  }

  private async phase<T>(phase: 'read' | 'search' | 'encode' | 'verify', work: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    this.ctx.publish(this.work.checkpoint.id, { type: 'phase', phase });
    const started = performance.now();
    const result = await work();
    this.seconds[phase] = (performance.now() - started) / 1000;
    return result;
  }

  /** Layer types, codings and, with an eval set, the metrics of the uploaded weights. */
  private async planAndBaseline(): Promise<CodingPlan> {
    const { run } = this.work;
    const { files } = this.source;
    const bound = run.fidelity === 'lossy' && run.evalSetId !== undefined ? await this.bind(run.evalSetId) : undefined;
    const layerTypes = modelLayerTypes(run, files, bound);
    if (run.fidelity === 'exact') return planExact(files, layerTypes);
    const unmeasured = bound === undefined ? new Set<string>() : await unmeasuredTensors(bound, files, this.signal);
    const plan = await planCodings(this.source, layerTypes, this.ctx.core, { ...this.parallel, keepExact: unmeasured });
    const spared = [...unmeasured].filter((name) => wouldBeQuantized(name, files, layerTypes));
    if (spared.length > 0) this.warnings.push(`Tensors that the eval graph does not use are kept exact: ${someOf(spared)}.`);
    if (plan.nonFinite.length > 0) this.warnings.push(`Tensors with NaN or infinite weights are kept exact: ${someOf(plan.nonFinite)}.`);
    if (bound === undefined) return plan;
    this.gate = new QualityGate(bound, run.thresholds, this.ctx.evaluator);
    this.baseline = await this.evaluateUpload(plan);
    return plan;
  }

  private async bind(evalSetId: string) {
    const evalSet = await this.ctx.catalog.evalSets.get(evalSetId);
    if (evalSet === undefined) throw new FirnError('eval-set-not-ready', 'The eval set of the run is gone.');
    const local = await localEvalSet(this.ctx.store, evalSet, evalSetDirectory(this.ctx.workDirectory));
    return bindGraph(this.ctx.catalog, this.work.run, local, await readFile(local.graphPath), this.source.files, this.signal);
  }

  private async evaluateUpload(plan: CodingPlan): Promise<MetricValues> {
    const directory = join(this.directory, 'uploaded');
    await mkdir(directory);
    try {
      const paths = await writeCandidate({ source: this.source, plan }, this.ctx.core, directory, this.parallel);
      return await this.gate!.evaluate([...paths.values()], this.signal);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  /** The nearest candidate that shares blocks with the plan. */
  private async openAncestor(candidates: readonly AncestorCandidate[], plan: CodingPlan): Promise<PackageChain | undefined> {
    for (const candidate of candidates) {
      const chain = await openCandidate(this.ctx.catalog, this.ctx.restorer, candidate, this.ctx.chainLengthMax);
      if (chain === undefined) continue;
      if (new Ancestor(chain, this.source.files, plan).coverage(plan) > 0) {
        this.ancestorOf = candidate;
        return chain;
      }
      await chain.close();
    }
    this.ancestorOf = undefined;
    return undefined;
  }

  private async decide(plan: CodingPlan, chain: PackageChain | undefined, candidates: readonly AncestorCandidate[]): Promise<Decision> {
    if (plan.groups.length === 0) return { plan, trialCount: 0 };
    const statistics = await gatherStatistics(this.source, plan, this.ctx.core, this.parallel);
    if (statistics.sensitivityAllZero) this.warnings.push('The sensitivity file is all zero and was treated as absent.');
    const { run, checkpoint } = this.work;
    const quantizer = new Quantizer(this.source, plan, statistics, this.ctx.core, { ...this.parallel, clustering: run.search.clustering, seed: BigInt(run.seed) });
    const found = await this.findConfig({ plan, quantizer, chain, candidates, hasSensitivity: statistics.sensitivity !== undefined });
    if (found.config === undefined) {
      this.warnings.push(found.reason ?? 'No config stayed inside the quality threshold, so the checkpoint is stored exact.');
      const layerTypes = modelLayerTypes(run, this.source.files, undefined);
      return { plan: planExact(this.source.files, layerTypes), trialCount: found.trialCount };
    }
    const config = checkpoint.fixedConfig ?? found.config;
    const groups = await quantizer.build(config);
    return { plan, config, trialCount: found.trialCount, quantized: { source: this.source, quantizer, groups, core: this.ctx.core } };
  }

  private async findConfig(parts: { plan: CodingPlan; quantizer: Quantizer; chain: PackageChain | undefined; candidates: readonly AncestorCandidate[]; hasSensitivity: boolean }): Promise<{ config: QuantizationConfig | undefined; trialCount: number; reason?: string }> {
    const { checkpoint, run } = this.work;
    const fixed = checkpoint.fixedConfig ?? run.search.fixedConfig;
    if (fixed !== undefined) return { config: fixed, trialCount: 0 };
    if (this.gate === undefined || this.baseline === undefined) return { config: undefined, trialCount: 0, reason: 'The run has neither an eval set nor a given config, so the checkpoint is stored exact.' };
    const unusable = Object.keys(run.thresholds).find((metric) => !Number.isFinite(this.baseline![metric]));
    if (unusable !== undefined) return { config: undefined, trialCount: 0, reason: `The uploaded weights give no finite ${unusable}, so the checkpoint is stored exact.` };
    const ancestor = parts.chain === undefined ? undefined : new Ancestor(parts.chain, this.source.files, parts.plan);
    const last = parts.candidates.map((candidate) => candidate.checkpoint.result?.config).find((config) => config !== undefined);
    return searchCheckpoint(
      { checkpointId: checkpoint.id, source: this.source, gate: this.gate, baseline: this.baseline, options: run.search, last, ancestor, ...parts },
      { catalog: this.ctx.catalog, core: this.ctx.core, directory: this.directory, blockParallel: this.ctx.blockParallel, signal: this.signal, onTrial: () => this.ctx.publish(checkpoint.id, { type: 'changed' }) },
    );
  }

  /** Files that turn out larger than their raw objects are left out in a second go; a sample has found almost all of them before. */
  private async encode(decision: Decision, chain: PackageChain | undefined): Promise<EncodedCheckpoint & { readonly external: ReadonlySet<number>; readonly sha256: readonly string[] }> {
    const ancestor = chain === undefined ? undefined : new Ancestor(chain, this.source.files, decision.plan);
    const sha256 = await this.resultDigests(decision);
    const external = await chooseExternal(this.source, decision.plan, ancestor, this.ctx.core, this.signal);
    const rawBytes = this.source.files.reduce((sum, file) => sum + file.sizeBytes, 0);
    for (;;) {
      const { plan, quantized } = decision;
      const encoded = await encodePackage(
        { packageId: this.packageId, source: this.source, plan, external, sha256, ...(quantized === undefined ? {} : { quantized }), ...(ancestor === undefined ? {} : { ancestor }) },
        { store: this.ctx.store, key: this.packageKey, replace: true, sizeMaxBytes: rawBytes + packageSlackBytes }, this.ctx.core, this.parallel,
      );
      const grown = this.source.files.map((_, file) => file).filter((file) => !external.has(file) && encoded.payloadBytes[file]! > this.source.files[file]!.sizeBytes);
      if (grown.length === 0) return { ...encoded, external, sha256 };
      for (const file of grown) external.add(file);
    }
  }

  /** Digests of what the package will decode to: the upload's own for exact files, those of the candidate for quantized ones. */
  private async resultDigests(decision: Decision): Promise<string[]> {
    const digests = this.source.files.map((file) => file.sha256);
    if (decision.quantized === undefined) return digests;
    const directory = join(this.directory, 'accepted');
    await mkdir(directory);
    try {
      const paths = await writeCandidate({ source: this.source, plan: decision.plan, quantized: decision.quantized }, this.ctx.core, directory, this.parallel);
      for (const [file, path] of paths) digests[file] = (await digestBytes(createReadStream(path, { signal: this.signal }))).sha256;
      return digests;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  /** Decodes what was written, through the store, and measures the accepted result on the decoded bytes. */
  private async verify(encoded: EncodedCheckpoint): Promise<MetricValues | undefined> {
    const ancestors = encoded.written.index.ancestorId === undefined ? [] : await this.ctx.catalog.packages.chain(encoded.written.index.ancestorId);
    const chain = await this.ctx.freshRestorer().open([{ ...this.packageLocation(encoded) }, ...ancestors], this.signal);
    try {
      const models = new Set(this.gate === undefined ? [] : this.source.files.filter((file) => file.role === 'model').map((file) => file.path));
      const paths = await verifyPackage(chain, models, join(this.directory, 'decoded'), this.signal);
      const external = chain.files.filter((file) => models.has(file.path) && file.content.type === 'external');
      return this.gate === undefined || paths.length === 0 || external.length > 0 ? this.baseline : await this.gate.evaluate(paths, this.signal);
    } finally {
      await chain.close();
    }
  }

  private packageLocation({ written }: EncodedCheckpoint) {
    const { index, indexOffsetBytes, indexLengthBytes, object } = written;
    return { id: index.id, key: this.packageKey, sizeBytes: object.sizeBytes, indexOffsetBytes, indexLengthBytes, ancestorId: index.ancestorId };
  }

  private describe(decision: Decision, encoded: EncodedCheckpoint & { readonly external: ReadonlySet<number>; readonly sha256: readonly string[] }, measured: MetricValues | undefined): CompressedCheckpoint {
    const { files } = this.source;
    const rawKept = [...encoded.external].reduce((sum, file) => sum + (this.work.rows.find((row) => row.path === files[file]!.path)?.rawStoredBytes ?? 0), 0);
    const quality = this.quality(decision, measured);
    const ancestor = encoded.kind === 'delta' ? this.ancestorOf : undefined;
    const result: CheckpointResult = {
      fidelity: decision.quantized === undefined ? 'exact' : 'lossy',
      ...(decision.config === undefined ? {} : { config: decision.config }),
      ...quality,
      warnings: this.warnings,
      kind: encoded.kind, chainLength: encoded.chainLength,
      ...(ancestor === undefined ? {} : { ancestorStep: ancestor.checkpoint.step, ancestorRun: ancestor.run.name }),
      rawBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
      storedBytes: encoded.written.object.storedBytes + rawKept,
      ...(encoded.migration === undefined ? {} : { migration: encoded.migration }),
      trialCount: decision.trialCount, seconds: this.seconds,
    };
    return {
      encoded, packageId: this.packageId, packageKey: this.packageKey, result,
      files: files.map((file, number) => ({ path: file.path, storage: encoded.external.has(number) ? 'raw' : 'package', resultSha256: encoded.sha256[number]!, resultBytes: file.sizeBytes })),
    };
  }

  /** The accepted config must pass on the decoded bytes too; a given config is only reported on. */
  private quality(decision: Decision, measured: MetricValues | undefined): Pick<CheckpointResult, 'baseline' | 'measured' | 'degradation'> {
    if (this.gate === undefined || this.baseline === undefined || measured === undefined) return {};
    const bound = { spec: this.gate.spec, thresholds: this.gate.thresholds, baseline: this.baseline };
    const { passed } = judgeMetrics(bound, measured);
    if (decision.quantized !== undefined && !passed) {
      const given = (this.work.checkpoint.fixedConfig ?? this.work.run.search.fixedConfig) !== undefined;
      if (!given) throw new FirnError('internal', 'The decoded checkpoint is outside the threshold that its trial met.');
      this.warnings.push('The given config is outside the quality threshold.');
    }
    return { baseline: this.baseline, measured, degradation: degradations(bound, measured) };
  }

  private get parallel() { return { parallel: this.ctx.blockParallel, signal: this.signal }; }
  /** Derived from the checkpoint, so that every worker writes the same bytes. */
  private get packageId(): string { return this.work.checkpoint.id.replaceAll('-', ''); }
  private get packageKey(): string { return `packages/${this.packageId}`; }
}

/** Names for a sentence, not more than a few. */
function someOf(names: readonly string[]): string {
  const shown = 8;
  return `${names.slice(0, shown).join(', ')}${names.length > shown ? ` and ${names.length - shown} more` : ''}`;
}
