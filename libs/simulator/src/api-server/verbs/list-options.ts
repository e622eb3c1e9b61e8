import type { FieldCause } from '../status.ts';
import { invalid } from '../status.ts';
import type { WatchRequest } from '../request.ts';
import type { RequestOptions } from '../request.ts';

type ListOptions = RequestOptions & NonNullable<WatchRequest['options']>;

const field = 'resourceVersionMatch';
const refusal = (message: string, at = field): FieldCause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${message}`,
  field: at,
});

const unknownMatch = (match: string, known: readonly string[]): FieldCause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${JSON.stringify(match)}: supported values: ${known.map((value) => JSON.stringify(value)).join(', ')}`,
  field,
});

/** Refuses options of a list that do not go together, with 422. */
export function checkListOptions(options: ListOptions = {}): void {
  const { resourceVersionMatch: match, resourceVersion = '', continue: token, sendInitialEvents } = options;
  refuse([
    ...(match !== undefined && resourceVersion === ''
      ? [refusal('resourceVersionMatch is forbidden unless resourceVersion is provided')]
      : []),
    ...(match !== undefined && token !== undefined
      ? [refusal('resourceVersionMatch is forbidden when continue is provided')]
      : []),
    ...(match !== undefined && match !== 'Exact' && match !== 'NotOlderThan'
      ? [unknownMatch(match, ['Exact', 'NotOlderThan', ''])]
      : []),
    ...(match === 'Exact' && resourceVersion === '0'
      ? [refusal('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
      : []),
    ...(sendInitialEvents !== undefined
      ? [refusal('sendInitialEvents is forbidden for list', 'sendInitialEvents')]
      : []),
  ]);
}

/** Refuses options of a watch that do not go together, with 422. */
export function checkWatchOptions(options: ListOptions = {}): void {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  refuse([
    ...(sendInitialEvents !== undefined && match !== 'NotOlderThan'
      ? [refusal('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')]
      : []),
    ...(match !== undefined && sendInitialEvents === undefined
      ? [refusal('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')]
      : []),
    ...(match !== undefined && match !== 'NotOlderThan' ? [unknownMatch(match, ['NotOlderThan'])] : []),
  ]);
}

function refuse(causes: readonly FieldCause[]): void {
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', causes);
}
