import { expect, test } from 'vitest';
import { fieldsOfDefinitions } from '../synth/fields.ts';
import { declaredFields } from './generated/fields.ts';

test('the fields that are looked for are those of this version’s definitions (else: npm run synth)', () => {
  expect(declaredFields).toEqual(fieldsOfDefinitions());
});

test('they end where Kubernetes’ own types begin', () => {
  const all = Object.values(declaredFields).flat();
  expect(all).toContain('spec.statefulSetSpec');
  expect(all.length).toBeLessThan(1000);
});
