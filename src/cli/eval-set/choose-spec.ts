import { readFileSync, statSync } from 'node:fs';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import type { MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import { describeLocalGraph, type GraphCache } from '../../compress/eval-set/describe-local-graph.ts';
import { openModelFiles } from '../../compress/upload/open-model-files.ts';
import { inferSpec } from '../../evaluate/check/infer-spec.ts';
import { evalSetSpecSchema } from '../../http/schemas/eval-set.ts';

/** Largest spec, in bytes. */
const specBytesMax = 1024 * 1024;

/** Paths on this disk. */
export interface LocalEvalSet {
  readonly graph: string;
  readonly batches: string;
}

export interface ChosenSpec {
  readonly spec: EvalSetSpec;
  readonly isGuessed: boolean;
}

/** The spec that a file has, or one guessed from the names and types of graph and batches. Throws what is wrong. */
export async function chooseSpec(
  { graph, batches }: LocalEvalSet,
  { spec: path, kind }: { readonly spec?: string; readonly kind?: MetricKind },
  graphs: GraphCache,
): Promise<ChosenSpec> {
  for (const file of [graph, batches, ...(path === undefined ? [] : [path])]) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) throw new Error(`there is no ${file}`);
    if (found.isDirectory()) throw new Error(`${file} is a folder, not a file`);
  }
  if (path !== undefined) return { spec: readSpec(path), isGuessed: false };
  const described = await describeLocalGraph(graphs, graph);
  const { files, close } = await openModelFiles([batches]);
  await close();
  const spec = inferSpec(described, files[0]!.layout.tensors, kind === undefined ? {} : { kind });
  return { spec, isGuessed: true };
}

function readSpec(path: string): EvalSetSpec {
  if (statSync(path).size > specBytesMax) throw new Error(`${path} is larger than ${specBytesMax} bytes`);
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new Error(`${path} is not JSON`, { cause });
  }
  const parsed = evalSetSpecSchema.safeParse(json);
  if (!parsed.success)
    throw new Error(
      `${path}: ${parsed.error.issues.map((issue) => `${issue.path.join('.') || 'it'} ${issue.message}`).join('; ')}`,
    );
  return parsed.data as EvalSetSpec;
}
