import { expect, test } from 'vitest';
import { takenOver } from './managed-fields.ts';

const fieldsV1 = (field: string) => ({ 'f:spec': { [`f:${field}`]: {} } });

test('one manager takes over what all others have set of the spec, and nothing else', () => {
  const status = { manager: 'kube-controller-manager', subresource: 'status', fieldsV1: { 'f:status': {} } };
  const labels = { 'f:metadata': { 'f:labels': { 'f:chart': {} } } };
  const taken = takenOver(
    [
      { manager: 'helm', fieldsV1: fieldsV1('template') },
      status,
      { manager: 'kubectl', fieldsV1: { ...fieldsV1('replicas'), ...labels } },
    ],
    { manager: 'ours', apiVersion: 'apps/v1', now: 0 },
  );
  const ours = { 'f:spec': { 'f:template': {}, 'f:replicas': {} } };
  const time = '1970-01-01T00:00:00Z';
  expect(taken).toEqual([
    { manager: 'ours', operation: 'Apply', apiVersion: 'apps/v1', time, fieldsType: 'FieldsV1', fieldsV1: ours },
    status,
    { manager: 'kubectl', fieldsV1: labels },
  ]);
});
