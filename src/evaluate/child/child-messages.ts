import type { FirnErrorCode } from '../../checkpoint/firn-error.ts';
import type { EvalParts, MetricValues, PartedMetrics } from '../../checkpoint/quality/quality.ts';
import type { DeviceReport } from '../device/device-report.ts';
import type { Examination } from '../examine/examination.ts';
import type { EvaluationRequest, ExamineRequest, GramRequest, LocalEvalSet } from '../evaluation-request.ts';
import type { InputGram } from '../../graph/grams/input-gram.ts';

/** Requests of the parent to an evaluation child; one at a time. Paths only, never tensors. */
export type ChildRequest =
  | { readonly kind: 'evaluate'; readonly request: EvaluationRequest }
  | { readonly kind: 'evaluate-parts'; readonly request: EvaluationRequest; readonly parts: EvalParts }
  | { readonly kind: 'examine'; readonly request: ExamineRequest }
  | { readonly kind: 'grams'; readonly request: GramRequest }
  | { readonly kind: 'check'; readonly evalSet: LocalEvalSet }
  | { readonly kind: 'ping' };

/**
 * Replies of a child: `ready` once after its start, with what it can evaluate on, then one of the others for each
 * request.
 */
export type ChildReply =
  | { readonly kind: 'ready'; readonly device: DeviceReport }
  | { readonly kind: 'evaluated'; readonly values: MetricValues }
  | { readonly kind: 'evaluated-parts'; readonly values: PartedMetrics }
  | { readonly kind: 'examined'; readonly examination: Examination }
  | { readonly kind: 'collected'; readonly grams: readonly InputGram[] }
  | { readonly kind: 'checked' }
  | { readonly kind: 'alive' }
  | {
      readonly kind: 'failed';
      readonly code: FirnErrorCode;
      readonly message: string;
      readonly detail: string | undefined;
    };
