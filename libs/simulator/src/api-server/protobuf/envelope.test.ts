import { expect, it } from 'vitest';
import { readProtobuf } from './envelope.ts';

/** What `kubectl create pdb web --selector=app=web --max-unavailable=50%` 1.36 sends. */
const budget = Buffer.from(
  'azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSPAoTCgN3ZWISABoAIgAqADIAOABCABIZEgwKCgoDYXBwEgN3ZWIaCQgBEAAaAzUwJRoKCAAYACAAKAAwABoAIgA=',
  'base64',
);

const refusalOf = (body: Uint8Array): unknown => {
  try {
    return readProtobuf(body, 'PodDisruptionBudget');
  } catch (error) {
    return (error as { readonly status: { readonly code: number } }).status.code;
  }
};

it('reads a built-in kind, with types that have a form of their own in JSON', () => {
  expect(readProtobuf(budget, 'PodDisruptionBudget')).toMatchObject({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', creationTimestamp: null },
    spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: '50%' },
  });
});

it('refuses a message that ends too soon with 400', () => {
  expect(refusalOf(budget.subarray(0, budget.length - 30))).toBe(400);
});

it('refuses custom kinds with 415: they have no form in protobuf', () => {
  const custom = Buffer.concat([
    Buffer.from('k8s\0', 'latin1'),
    Uint8Array.of(0x0a, 22, 0x0a, 14),
    Buffer.from('example.com/v1'),
    Uint8Array.of(0x12, 4),
    Buffer.from('Cake'),
  ]);
  expect(refusalOf(custom)).toBe(415);
});
