import { expect, test } from 'vitest';
import { generate } from '../src/index.ts';
import { compileErrors, ownCrds, realCrds } from './program.ts';

const extensions = { importExtension: '.ts' } as const;

test('everything generated from real CRDs compiles under every strict flag', { timeout: 180_000 }, () => {
  expect(compileErrors(generate(realCrds(), extensions))).toEqual([]);
});

test(
  'everything generated from the CRD with every feature compiles under every strict flag',
  { timeout: 120_000 },
  () => {
    expect(compileErrors(generate(ownCrds(), extensions))).toEqual([]);
  },
);

test('the same sources give the same files, whatever their order', { timeout: 60_000 }, () => {
  const sources = realCrds().slice(0, 8);
  expect(generate([...sources].reverse())).toEqual(generate(sources));
});

test('nothing of any CRD becomes any', { timeout: 60_000 }, () => {
  const files = generate([...realCrds(), ...ownCrds()], { parts: ['types', 'clients'] });
  const code = files.map(({ text }) =>
    text.replace(/\/\*\*[^]*?\*\//g, '').replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''"),
  );
  expect(code.filter((text) => /[:|<(]\s*any\b/.test(text))).toEqual([]);
});
