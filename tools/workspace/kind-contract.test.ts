import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OwnSteps } from './kind-contract/steps.ts';
import { signatureFaults } from './kind-contract/signature.ts';
import { contract, ownSteps, sharedFolders } from './kind-contract/steps.ts';

const root = join(import.meta.dirname, '../../libs/reconcilers/src');

const folders = readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

/** The kinds are the folders, but for those that kinds share. */
const kinds = folders.filter((folder) => !(folder in sharedFolders));

/** The files and folders of a kind without their endings. Units that test a file are beside it. */
const partsOf = (kind: string): readonly string[] => [
  ...new Set(readdirSync(join(root, kind)).map((name) => name.replace(/(?:\.test)?\.ts$/, ''))),
];

const covers = (step: string, part: string): boolean => part === step || part.startsWith(`${step}-`);

/** What of these parts is neither of the contract nor declared, and what is declared without need. */
function faultsOf(parts: readonly string[], { steps, lacks = {} }: OwnSteps): readonly string[] {
  const known = [...Object.keys(contract), ...Object.keys(steps)];
  return [
    ...parts.filter((part) => !known.some((step) => covers(step, part))).map((part) => `${part} is no step`),
    ...Object.keys(contract)
      .filter((file) => !parts.includes(file) && !(file in lacks))
      .map((file) => `${file} is missing`),
    ...Object.keys(steps)
      .filter((step) => !parts.some((part) => covers(step, part)))
      .map((step) => `${step} is declared, and not there`),
    ...Object.keys(lacks)
      .filter((file) => parts.includes(file))
      .map((file) => `${file} is there, and declared as missing`),
  ];
}

/** The files of a kind, as text. */
const sourcesOf = (kind: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(join(root, kind))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => [name, readFileSync(join(root, kind, name), 'utf8')]),
  );

describe('a kind', () => {
  test.each(kinds)('%s has the files of the contract, and no step that is not declared with its reason', (kind) => {
    expect(faultsOf(partsOf(kind), ownSteps[kind] ?? { steps: {} })).toEqual([]);
  });

  test.each(kinds)('%s decides from an observation and its inputs', (kind) => {
    expect(signatureFaults(sourcesOf(kind))).toEqual([]);
  });

  test.each(kinds)('%s is in the registry and has a page', (kind) => {
    expect(readFileSync(join(root, 'kinds.ts'), 'utf8')).toContain(`'./${kind}/kind.ts'`);
    expect(existsSync(join(import.meta.dirname, `../../docs/reference/kinds/${kind}.md`))).toBe(true);
  });

  test('is declared where it is there', () => {
    expect(Object.keys(ownSteps).sort()).toEqual([...kinds].sort());
  });

  test('that uses a shared folder is declared with it, and no other', () => {
    const users = (folder: string): readonly string[] =>
      kinds.filter((kind) => Object.values(sourcesOf(kind)).some((text) => text.includes(`'../${folder}/`)));
    expect(
      Object.fromEntries(folders.filter((each) => !kinds.includes(each)).map((each) => [each, users(each)])),
    ).toEqual(sharedFolders);
  });
});

test('a file without a reason, one that is missing, and a reason without a file are named', () => {
  const { decide: _decide, ...others } = contract;
  const parts = [...Object.keys(others), 'status-text', 'extra', 'status'];
  expect(faultsOf(parts, { steps: { gone: 'a step that was there' } })).toEqual([
    'extra is no step',
    'decide is missing',
    'gone is declared, and not there',
  ]);
  expect(faultsOf(Object.keys(contract), { steps: {}, lacks: { children: 'it has none' } })).toEqual([
    'children is there, and declared as missing',
  ]);
});

test('a decision with another signature is named', () => {
  const decide = (parameters: string) => ({ 'decide.ts': `export function decideIt(${parameters}) {}` });
  const inputs = 'export interface ItsInputs extends DecisionInputs {}';
  expect(signatureFaults({ ...decide('seen: ItsObservation, inputs: ItsInputs'), 'observe.ts': inputs })).toEqual([]);
  expect(signatureFaults(decide('seen: Observation, { now }: DecisionInputs'))).toEqual([]);
  expect(signatureFaults(decide('seen: Observation, now: Instant'))).toEqual([
    'decideIt takes no DecisionInputs second',
  ]);
  expect(signatureFaults(decide('object: Cache, inputs: DecisionInputs, how: string'))).toEqual([
    'decideIt takes no observation first',
    'decideIt takes more than an observation and inputs',
  ]);
  expect(signatureFaults({ 'decide.ts': 'function decideIt() {}' })).toEqual(['decide.ts exports no function']);
});
