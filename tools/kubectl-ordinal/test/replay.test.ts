import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { RecordingLine } from '@ordinal/runtime/recording';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../src/cli.ts';
import { loadRecording } from '../src/recording/load.ts';
import { replay } from '../src/replay/replay.ts';
import { version } from '../src/version.ts';
import type { World } from '../src/world.ts';
import { expectedDifferences, folderOf, keptRecordings, recordedVersion, unlikeExpected } from './kept-recordings.ts';
import { pluginWorld } from './plugin-world.ts';
import { planted, recordingKey, recordingOf, scenarios } from './recorded-scenarios.ts';
import { cacheNow, caches, changeCache, readyCache, until } from './resources.ts';

const cacheUpgrade = fileURLToPath(new URL(`cache-upgrade-and-rollback.rec.zst`, folderOf(version)));

/** The text of a recording. */
const textOf = (file: string | URL): string => zstdDecompressSync(readFileSync(file)).toString();

async function command(
  line: string,
  files: Readonly<Record<string, Uint8Array>> = {},
): Promise<{ readonly exitCode: number; readonly out: string; readonly err: string }> {
  const said = { out: '', err: '' };
  const refused = () => Promise.reject(new Error('not in this test'));
  const world: World = {
    environment: {},
    clock: { now: () => 0, after: () => ({ cancel: () => undefined }) },
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    ...{ isTerminal: false, hasColors: false, columns: 120, rows: 40 },
    ...{ confirm: () => Promise.resolve(undefined), readFile: refused, writeFile: refused, runProgram: refused },
    readBytes: (path) => {
      const given = path === 'KEY' ? recordingKey.export() : files[path];
      return given === undefined ? readFile(path) : Promise.resolve(given);
    },
    interrupted: new AbortController().signal,
  };
  const exitCode = await run(line.split(' '), world);
  return { exitCode, ...said };
}

// Where this fails after a change of decisions that is wanted: test/record.ts makes those of this version again, and what differs from a released one stands in differences.yaml beside it.
test.each(keptRecordings)('$version $name: each decision is the one that was recorded, to the byte', async (kept) => {
  const { reconciles } = await loadRecording(readFileSync(kept.file), { key: recordingKey });
  const { same, changed, ...rest } = await replay({ reconciles }, { key: recordingKey });
  const expected = expectedDifferences(kept.version).filter(({ recording }) => recording === kept.name);
  expect(unlikeExpected(changed, expected)).toEqual({ unexpected: [], stale: [] });
  expect(rest).toEqual({ reconciles: same + changed.length, hidden: 0, passedOver: 0 });
  expect(reconciles.filter(({ record }) => record.decisions.length > 0).length).toBeGreaterThan(5);
});

test('this version has a recording of each scenario', () => {
  const names = keptRecordings.filter((kept) => kept.version === version).map(({ name }) => name);
  expect(names.toSorted()).toEqual(Object.keys(scenarios).toSorted());
});

test('what a released version has recorded is not recorded again', () => {
  const changelog = '# Changelog\n\n## [Unreleased]\n';
  expect(recordedVersion(changelog)).toBe(version);
  expect(() => recordedVersion(`${changelog}\n## [${version}] - 2026-12-01\n`)).toThrow(`${version} is released`);
});

test('what was decided after a write that the API server refused is decided again, to the byte', async () => {
  const recording = await recordingOf(async ({ cluster }) => {
    await readyCache(cluster);
    const refuse = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden' } as const;
    cluster.server.intercept({
      before: ({ verb, resource }) => (verb === 'create' && resource.plural === 'jobs' ? { refuse } : undefined),
    });
    await changeCache(cluster, { image: 'cache:2', upgrade: { beforeFirstPod: { command: ['true'] } } });
    await cluster.advance(60_000);
  });
  const { reconciles } = await loadRecording(recording, { key: recordingKey });
  expect(reconciles.some(({ record }) => record.decisions.length > 1)).toBe(true);
  const { same, ...rest } = await replay({ reconciles }, { key: recordingKey });
  expect(rest).toEqual({ reconciles: same, changed: [], hidden: 0, passedOver: 0 });
});

/** A recording of an operator that takes members down without their finalizer. */
function withoutFinalizers(text: string): string {
  const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RecordingLine]));
  const changed = lines.map((line) => {
    if (line.type !== 'reconcile') return line;
    const decisions = line.decisions as readonly { readonly actions: readonly { readonly kind: string }[] }[]; // As it was recorded.
    const without = decisions.map(({ actions, ...rest }) => ({
      ...{ ...rest, actions: actions.filter(({ kind }) => kind !== 'addFinalizer') },
    }));
    return { ...line, decisions: without };
  });
  return changed.map((line) => `${JSON.stringify(line)}\n`).join('');
}

test('a decision that is another one than was recorded is found, with where and what', async () => {
  const other = zstdCompressSync(withoutFinalizers(textOf(cacheUpgrade)));
  const { exitCode, out } = await command('replay OTHER --key KEY', { OTHER: other });
  expect(exitCode).toBe(4);
  expect(out).toMatch(/The first is clustered-cache shop\/sessions at \S+, in decisions\.0\.actions\.0/);
  expect(out).toMatch(/now .*addFinalizer/);
});

test('a decision that is taken otherwise on purpose is expected, and no other one; one that is taken as before is expected no more', async () => {
  const other = zstdCompressSync(withoutFinalizers(textOf(cacheUpgrade)));
  const { reconciles } = await loadRecording(other, { key: recordingKey });
  const { changed } = await replay({ reconciles }, { key: recordingKey });
  const [first] = changed;
  if (first === undefined) throw new Error('nothing is decided otherwise');
  const { controller, namespace, name, path } = first;
  const expected = { recording: 'x', controller, namespace, name, path, because: 'a finalizer comes first' };
  const others = changed.filter((each) => each.path !== path);
  expect(unlikeExpected(changed, [])).toEqual({ unexpected: changed, stale: [] });
  expect(unlikeExpected(changed, [expected])).toEqual({ unexpected: others, stale: [] });
  expect(unlikeExpected([], [expected])).toEqual({ unexpected: [], stale: [expected] });
});

test('without the key nothing false is said: what may rest on hidden values is counted apart', async () => {
  const { exitCode, out } = await command(`replay ${cacheUpgrade} -o json`);
  expect(exitCode).toBe(0);
  const { changed, same, hidden, reconciles } = JSON.parse(out) as Record<
    'changed' | 'same' | 'hidden' | 'reconciles',
    unknown
  >;
  expect({ changed, total: Number(same) + Number(hidden) }).toEqual({ changed: [], total: reconciles });
  expect(hidden).toBeGreaterThan(0);
});

test('no recording has what was planted where secrets may stand', () => {
  const text = keptRecordings.map(({ file }) => textOf(file)).join('');
  for (const value of Object.values(planted)) {
    expect({ value, isThere: text.includes(`"${value}`) }).toEqual({ value, isThere: false });
    expect({ value, isThere: text.includes(Buffer.from(value).toString('base64')) }).toEqual({ value, isThere: false });
  }
  expect(text.includes('[sealed ')).toBe(true);
});

test('the history of a resource: when, what was asked, decided and sent, and why', async () => {
  const { exitCode, out } = await command(`history ccache/sessions -n shop -f ${cacheUpgrade}`);
  expect(exitCode).toBe(0);
  expect(out).toMatch(/decided delete pods shop\/sessions-2, because /);
  expect(out).toMatch(/sent {4}DELETE \/api\/v1\/namespaces\/shop\/pods\/sessions-2: 200/);
  expect(out).toMatch(/asked {3}HTTP shop\/sessions-2 GET 6379\/ready-for-shutdown: \{"status":200/);
  expect(out).toContain('Operator test.');
});

test('with the key, the history after a retry names what was decided once, and in words', async () => {
  const file = await recordingOf(async ({ cluster }) => {
    await readyCache(cluster);
    await changeCache(cluster, { image: 'cache:missing', upgrade: { progressDeadline: '1m' } });
    await until(cluster, 'the failure', () => cacheNow(cluster)?.status?.failure !== undefined);
    const annotations = { 'ordinal.dev/retry': 'again-please' };
    await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
    await cluster.advance(300_000);
  });
  const { out } = await command('history ccache/sessions -n shop -f FILE --key KEY', { FILE: file });
  expect(out.match(/"retryToken":"again-please"/g)).toHaveLength(1);
  expect(out).not.toContain('[sealed');
  const counted = (text: string) => /^(\d+) reconciles did something/m.exec(text)?.[1];
  expect(counted(out)).toBe(counted((await command('history ccache/sessions -n shop -f FILE', { FILE: file })).out));
});

test('the history is of the namespace of the context, as for kubectl', async () => {
  const { run, stop } = await pluginWorld();
  onTestFinished(stop);
  const readBytes = () => readFile(cacheUpgrade);
  const line = `history ccache/sessions -f ${cacheUpgrade}`;
  expect((await run(line, { readBytes })).out).toContain('decided delete pods shop/sessions-2');
  expect(await run(`${line} --context other`, { readBytes })).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("the kubeconfig can't be used: ") as string,
  });
  expect((await command(line)).out).toContain('0 reconciles did something');
});

test('what is no recording is refused with a sentence', async () => {
  const { exitCode, err } = await command(`replay ${fileURLToPath(import.meta.url)}`);
  expect({ exitCode, err }).toEqual({ exitCode: 2, err: 'kubectl ordinal: this is no recording of the operator\n' });
});
