import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@ordinal/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changed, table } from './manifests.ts';

// A control plane without nodes is enough: `npm run cluster -- control-plane`, then KUBECONFIG as it says. KUBECTL names the program where it is not on the PATH.
const kubeconfig = process.env['KUBECONFIG'];
const program = process.env['KUBECTL'] ?? 'kubectl';
const namespace = `manifests-${String(process.pid)}`;

// kubectl remembers what a server offers, and the servers of tests change under one address.
const cache = kubeconfig === undefined ? tmpdir() : mkdtempSync(join(tmpdir(), 'ordinal-kubectl-'));

interface Reply {
  readonly ok: boolean;
  readonly out: string;
  readonly err: string;
}

/** Runs kubectl as a person would, in the namespace of this test. */
function kubectl(words: readonly string[], input?: JsonObject): Promise<Reply> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      ['--kubeconfig', kubeconfig ?? '', '--cache-dir', cache, '--namespace', namespace, ...words],
      { maxBuffer: 16 << 20, timeout: 30_000 },
      (error, out, err) => resolve({ ok: error === null, out, err }),
    );
    child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
  });
}

const removeFinalizers = '[{"op": "remove", "path": "/metadata/finalizers"}]';

describe('against a real API server', { timeout: 60_000 }, () => {
  if (kubeconfig === undefined) {
    it.skip('skipped: KUBECONFIG does not name one');
    return;
  }
  let installed: Reply;
  beforeAll(async () => {
    installed = await kubectl(['apply', '--server-side', '-f', fileURLToPath(new URL('../crds', import.meta.url))]);
    const crds = ['clusteredcaches.cache.my.domain', 'kvstoreclusters.kvstore.example.com'].concat(
      'clouddatabases.db.example.com',
      'monitoredstatefulsets.statefulsets.example.com',
    );
    await kubectl(['wait', '--for=condition=Established', '--timeout=20s', ...crds.map((name) => `crd/${name}`)]);
    await kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }, 60_000);
  afterAll(async () => {
    await kubectl(['delete', 'namespace', namespace, '--wait=false']);
    rmSync(cache, { recursive: true, force: true });
  }, 60_000);

  it('the definitions are taken without a warning', () => {
    expect(installed).toMatchObject({ ok: true, err: '' });
  });

  it.each(Object.keys(table.accepted))('%s: a manifest is accepted without a warning', async (kind) => {
    const reply = await kubectl(['apply', '--dry-run=server', '-f', '-'], changed(kind, {}));
    expect(reply).toMatchObject({ ok: true, err: '' });
  });

  it.each(table.refused)('$kind: $wrong is refused', async ({ kind, from, change, message }) => {
    if (from === undefined) {
      const reply = await kubectl(['create', '--dry-run=server', '-f', '-'], changed(kind, change));
      expect(reply.ok).toBe(false);
      expect(reply.err).toContain(message);
      return;
    }
    await kubectl(['apply', '-f', '-'], changed(kind, from));
    const reply = await kubectl(['apply', '--dry-run=server', '-f', '-'], changed(kind, change));
    await kubectl(['delete', kind, '--all']);
    expect(reply.ok).toBe(false);
    expect(reply.err).toContain(message);
  });

  it.each(Object.keys(table.accepted))('%s: kubectl explain knows every field', async (kind) => {
    const reply = await kubectl(['explain', kind.toLowerCase(), '--recursive']);
    expect(reply.out).toContain('FIELDS:');
    const leaf = await kubectl(['explain', `${kind.toLowerCase()}.spec`]);
    expect(leaf.out).not.toContain('<no description>');
  });

  describe('the commands of the seeds', () => {
    const held = (kind: string): JsonObject =>
      changed(kind, { metadata: { finalizers: ['ordinal.dev/test-of-commands'] } });

    it.each([
      ['CloudDatabase', 'database', 'my-prod-db'],
      ['MonitoredStatefulSet', 'mss', 'my-prod-db'],
      ['KVStoreCluster', 'kvstorecluster', 'my-cluster'],
    ])('%s: kubectl delete waits for the finalizer, and kubectl patch takes it off', async (kind, word, name) => {
      expect(await kubectl(['apply', '-f', '-'], held(kind))).toMatchObject({ ok: true });
      expect(await kubectl(['delete', word, name, '--wait=false'])).toMatchObject({ ok: true });
      expect((await kubectl(['describe', word, name])).out).toContain('Deletion Timestamp');
      expect(await kubectl(['patch', word, name, '--type=json', '-p', removeFinalizers])).toMatchObject({ ok: true });
      expect((await kubectl(['get', word, name])).err).toContain('NotFound');
    });

    it('kubectl patch takes the finalizers off a pod, and kubectl scale changes a StatefulSet', async () => {
      const metadata = { name: 'my-cache-2', finalizers: ['cache.my.domain/pre-terminate-hook'] };
      const pod = { containers: [{ name: 'cache', image: 'cache:1' }] };
      await kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'Pod', metadata, spec: pod });
      const patch = await kubectl(['patch', 'pod', 'my-cache-2', '--type=json', `-p=${removeFinalizers}`]);
      expect(patch).toMatchObject({ ok: true });
      const labels = { app: 'my-cluster' };
      const spec = {
        serviceName: 'x',
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: pod },
      };
      const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'my-cluster' }, spec };
      await kubectl(['apply', '-f', '-'], set);
      const scaled = await kubectl(['scale', 'statefulset', 'my-cluster', '--replicas=5']);
      expect(scaled).toMatchObject({ ok: true, out: 'statefulset.apps/my-cluster scaled\n' });
    });
  });
});
