import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { clusteredCaches } from '@ordinal/api';
import { pods, statefulSets } from '@ordinal/client';
import type { Logger } from '@ordinal/runtime';
import { readRecording } from '@ordinal/runtime/recording';
import { listen, SimulatedCluster } from '@ordinal/simulator';
import { expect, onTestFinished, test } from 'vitest';
import { parseSettings } from '../src/configuration/parse.ts';
import { options } from '../src/configuration/settings.ts';
import { runOperator } from '../src/operator.ts';

const crdFolder = new URL('../../../libs/api/crds/', import.meta.url);
const crds = readdirSync(crdFolder).map((file) => readFileSync(new URL(file, crdFolder), 'utf8'));

/** A cluster that is served, with all that is asked of it written down. */
async function served() {
  const cluster = await SimulatedCluster.start({ crds, namespaces: ['shop'] });
  const requests: string[] = [];
  const server = await listen({
    transport: (identity) => {
      const inner = cluster.transport(identity);
      return {
        ...{ connect: (request) => inner.connect(request), close: () => inner.close() },
        send: (request) => {
          requests.push(`${request.method} ${request.path}`);
          return inner.send(request);
        },
      };
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'dry-run-'));
  onTestFinished(async () => {
    cluster.stop();
    await server.close();
    rmSync(folder, { recursive: true });
  });
  return { cluster, requests, folder, url: server.url };
}

/** Runs the operator's program until it has logged this, and gives all that it has logged. */
async function runUntil(url: string, flags: readonly string[], logged: RegExp): Promise<readonly string[]> {
  const parsed = parseSettings(options, { flags, environment: {} });
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  const lines: string[] = [];
  const write = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Logger = { debug: () => undefined, info: write, warn: write, error: write, child: () => log };
  const stopping = new AbortController();
  const credentials = () => Promise.resolve({ headers: {}, tls: {} });
  const target = { server: { url, credentials, refresh: () => undefined }, namespace: 'ordinal-system' };
  const running = runOperator(
    { settings: parsed.settings, target, version: 'test', identity: 'one', log, sinceStart: () => 0, heapBytes: 1e9 },
    stopping.signal,
  );
  for (let tries = 0; tries < 600 && !lines.some((line) => logged.test(line)); tries += 1) await setTimeout(50);
  stopping.abort(new Error('the test has seen enough'));
  await running;
  return lines;
}

const flags = ['--dry-run', '--metrics-port=0', '--health-port=0', '--drain-timeout=0s'];

test('a dry run decides, logs and records, and the API server gets no write', async () => {
  const { cluster, requests, folder, url } = await served();
  const caches = cluster.client()(clusteredCaches).namespace('shop');
  const { apiVersion, kind } = { apiVersion: 'cache.my.domain/v1', kind: 'ClusteredCache' } as const;
  await caches.create({ apiVersion, kind, metadata: { name: 'sessions' }, spec: { replicas: 3, image: 'cache:1' } });
  const lines = await runUntil(
    url,
    [...flags, `--record=${folder}/`],
    /would be done.*apply StatefulSet shop\/sessions/,
  );
  expect(lines.some((line) => /would be done.*add finalizer/.test(line))).toBe(true);
  expect(requests.some((request) => request.startsWith('GET ') && request.includes('/clusteredcaches'))).toBe(true);
  expect(requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
  expect(cluster.objects.list(statefulSets)).toEqual([]);
  expect(cluster.objects.list(pods)).toEqual([]);
  const { lines: recorded } = await readRecording(readFileSync(join(folder, 'one.rec.zst')));
  const reconciles = recorded.filter((line) => line.type === 'reconcile');
  expect(reconciles.some(({ name, decisions }) => name === 'sessions' && decisions.length > 0)).toBe(true);
});
