import type { GraphDescription } from '../describe-graph.ts';
import { graphsOf } from '../onnx/graph-walk.ts';
import type { NodeProto } from '../onnx/onnx_pb.ts';
import { passesWeightThrough } from '../layers/operator-roles.ts';

/** An operator that takes a stored tensor, directly or through operators that only pass tensors on. */
export interface FinalUse {
  readonly opType: string;
  readonly domain: string;
  /** Index of the operator's input. */
  readonly index: number;
  readonly node: NodeProto;
}

/** Uses of a stored tensor as a whole. */
export interface WeightPlaces {
  /**
   * Number of operators that take it. An operator that takes parts of it counts as one, like an attention that projects
   * query, key and value with one matrix.
   */
  readonly count: number;
  /** Other names that the graph gives it. */
  readonly names: readonly string[];
}

/** Operators that turn a whole weight into the same weight. */
const keepsWhole: ReadonlySet<string> = new Set(['Identity', 'Cast', 'Transpose']);

interface Consumer {
  readonly node: NodeProto;
  readonly index: number;
}

/** Most values followed from one stored tensor before its uses count as unknown. */
const followedMax = 10_000;

/**
 * Most values and readers followed from all stored tensors of a graph together, before further uses count as unknown:
 * large models need some thousands.
 */
const stepsMax = 1_000_000;

/** The readers of each value of a graph, including subgraphs. Cost of the constructor: a pass over the nodes. */
export class WeightTrace {
  readonly #consumers = new Map<string, Consumer[]>();
  readonly #outputs = new Set<string>();
  readonly #finals = new Set<string>();
  readonly #known = new Map<string, readonly FinalUse[] | undefined>();
  #steps = 0;

  constructor(graph: GraphDescription) {
    for (const { graph: each, place } of graphsOf(graph.model)) {
      if (place === 'aside') continue;
      for (const output of each.output) {
        this.#outputs.add(output.name);
        if (place === 'main') this.#finals.add(output.name);
      }
      for (const node of each.node) for (const [index, name] of node.input.entries()) this.#add(name, { node, index });
    }
  }

  /** The direct readers of a value. */
  consumersOf(name: string): readonly Consumer[] {
    return this.#consumers.get(name) ?? [];
  }

  /** Whether a value is an output of the model. */
  isModelOutput(name: string): boolean {
    return this.#finals.has(name);
  }

  /** The operators that finally use a stored tensor; undefined if unknown (it is an output, or leads too far). */
  usesOf(name: string): readonly FinalUse[] | undefined {
    if (!this.#known.has(name)) this.#known.set(name, this.#follow(name));
    return this.#known.get(name);
  }

  /** Uses of a stored tensor as a whole. */
  placesOf(name: string): WeightPlaces {
    const operators = new Map<string, Set<NodeProto>>([[name, new Set()]]);
    const names: string[] = [];
    const wholes = new Map([[name, name]]);
    for (const [value, whole] of wholes) {
      if (wholes.size > followedMax) break;
      for (const { node, index } of this.consumersOf(value)) {
        if (++this.#steps > stepsMax) break;
        if (passesOn(node, index))
          for (const output of node.output) wholes.set(output, keepsWhole.has(node.opType) ? whole : output);
        else operators.set(whole, (operators.get(whole) ?? new Set()).add(node));
        if (node.opType === 'Identity') names.push(...node.output);
      }
    }
    return { count: Math.max(...[...operators.values()].map((nodes) => nodes.size)), names };
  }

  #follow(name: string): readonly FinalUse[] | undefined {
    const uses: FinalUse[] = [];
    const seen = new Set([name]);
    for (const value of seen) {
      if (this.#outputs.has(value) || seen.size > followedMax) return undefined;
      for (const { node, index } of this.consumersOf(value)) {
        if (++this.#steps > stepsMax) return undefined;
        if (passesOn(node, index)) for (const output of node.output) seen.add(output);
        else uses.push({ opType: node.opType, domain: node.domain, index, node });
      }
    }
    return uses;
  }

  #add(name: string, consumer: Consumer): void {
    if (name === '') return;
    const known = this.#consumers.get(name);
    if (known === undefined) this.#consumers.set(name, [consumer]);
    else known.push(consumer);
  }
}

function passesOn({ domain, opType }: NodeProto, index: number): boolean {
  return passesWeightThrough(domain, opType) && (index === 0 || opType === 'Concat');
}
