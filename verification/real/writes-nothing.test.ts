import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusteredCaches, kvStoreClusters } from '@ordinal/api';
import type { ClusteredCacheInput, KVStoreClusterInput } from '@ordinal/api';
import { createClient, httpTransport, systemClock } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { startControlPlane } from '@ordinal/control-plane';
import { afterAll, describe, expect, test } from 'vitest';
import { definitions } from './definitions.ts';
import { runPlugin } from './plugin.ts';

const folder = mkdtempSync(join(tmpdir(), 'writes-nothing-'));
const [policy, log] = [join(folder, 'policy.yaml'), join(folder, 'audit.log')];
writeFileSync(
  policy,
  JSON.stringify({
    ...{ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'] },
    rules: [{ level: 'Metadata', users: ['admin'] }],
  }),
);
const plane = await startControlPlane({
  environment: process.env,
  definitions,
  apiServerFlags: ['--audit-policy-file', policy, '--audit-log-path', log],
});
const isSkipped = 'skipped' in plane;

interface AuditLine {
  readonly verb: string;
  readonly requestURI: string;
}

interface Plan {
  readonly writes: readonly object[];
}

const reads = new Set(['get', 'list', 'watch']);

/** What the API server has logged of the user up to now. */
const logged = (): readonly AuditLine[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditLine); // audit.k8s.io/v1

const cache = (image: string): ClusteredCacheInput => ({
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata: { name: 'sessions', namespace: 'default' },
  spec: { replicas: 3, image },
});

const store: KVStoreClusterInput = {
  apiVersion: 'kvstore.example.com/v1',
  kind: 'KVStoreCluster',
  metadata: { name: 'carts', namespace: 'default' },
  spec: { replicas: 3, version: '1.0', storage: { className: 'standard', size: '1Gi' } },
};

describe.skipIf(isSkipped)(`the audit log of a real API server${isSkipped ? ` (${plane.skipped})` : ''}`, () => {
  const kubeconfig = isSkipped ? '' : plane.kubeconfigFile;

  afterAll(async () => {
    if (!isSkipped) await plane.stop();
    rmSync(folder, { recursive: true });
  });

  /** What a command line makes the API server log. */
  const during = async (line: string, input?: string) => {
    const before = logged().length;
    const args = ['-n', 'default', ...line.split(' ')];
    const ran = await runPlugin(args, { kubeconfig, clock: systemClock, ...(input !== undefined && { input }) });
    const lines = logged().slice(before);
    const writes = lines.filter(({ verb }) => !reads.has(verb)).map(({ verb, requestURI }) => `${verb} ${requestURI}`);
    return { ...ran, writes, count: lines.length };
  };

  test('plan and what-if read and write nothing; a verb that writes is in the log', { timeout: 120_000 }, async () => {
    if (isSkipped) return;
    const transport = httpTransport(await kubeconfigServer({ text: plane.kubeconfig }));
    const client = createClient({ transport });
    await client(clusteredCaches).namespace('default').create(cache('cache:1'));
    await client(kvStoreClusters).namespace('default').create(store);
    await client.close();

    const changed = JSON.stringify(cache('cache:2'));
    for (const [line, input] of [
      ['plan ccache/sessions -o json'],
      ['plan kvs/carts -o json'],
      ['plan -f - -o json', changed],
    ] as const) {
      const { out, err, writes, count } = await during(line, input);
      const planned = ([JSON.parse(out)].flat() as readonly Plan[]).flatMap(({ writes: all }) => all);
      expect({ err, isPlanned: planned.length > 1, writes, hasRead: count > 0 }).toEqual({
        ...{ err: '', isPlanned: true, writes: [], hasRead: true },
      });
    }
    for (const line of ['what-if -f - -o json', 'what-if -f - -o json --faults 2']) {
      const { out, writes, count } = await during(line, changed);
      const { timeline } = JSON.parse(out) as { readonly timeline: readonly object[] };
      expect({ isPlayed: timeline.length > 3, writes, hasRead: count > 0 }).toEqual({
        ...{ isPlayed: true, writes: [], hasRead: true },
      });
    }

    const { exitCode, writes } = await during('pause ccache/sessions --yes');
    expect({ exitCode, writes }).toEqual({
      exitCode: 0,
      writes: [
        expect.stringMatching(/^patch \/apis\/cache\.my\.domain\/v1\/namespaces\/default\/clusteredcaches\/sessions\b/),
      ],
    });
  });
});
