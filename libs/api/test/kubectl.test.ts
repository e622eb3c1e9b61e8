import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@ordinal/schema';
import { startControlPlane } from '@ordinal/control-plane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changed, seedSamples, table } from './manifests.ts';

/** kubectl, beside the API server where that was found, or on the PATH. */
function kubectlProgram(environment: NodeJS.ProcessEnv): string | undefined {
  const cache = environment['XDG_CACHE_HOME'] ?? join(environment['HOME'] ?? '', '.cache');
  const built = join(environment['CLUSTER_HOME'] ?? join(cache, 'ordinal-cluster'), 'bin');
  const folders = [environment['KUBEBUILDER_ASSETS'] ?? '', built, ...(environment['PATH'] ?? '').split(delimiter)];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'kubectl'))
    .find(existsSync);
}

const program = kubectlProgram(process.env) ?? 'kubectl';
// A server of the test's own: never the one that KUBECONFIG names, which may be in use.
const plane =
  kubectlProgram(process.env) === undefined
    ? { skipped: "no kubectl; 'npm run cluster build' makes it" }
    : await startControlPlane({ environment: process.env });
const kubeconfig = 'skipped' in plane ? '' : plane.kubeconfigFile;
const reason = 'skipped' in plane ? plane.skipped : 'kubectl';
const namespace = 'manifests';

// kubectl remembers what a server offers, and the servers of tests change under one address.
const cache = mkdtempSync(join(tmpdir(), 'ordinal-kubectl-'));

afterAll(async () => {
  if (!('skipped' in plane)) await plane.stop();
  rmSync(cache, { recursive: true, force: true });
});

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
      ['--kubeconfig', kubeconfig, '--cache-dir', cache, '--namespace', namespace, ...words],
      { maxBuffer: 16 << 20, timeout: 30_000 },
      (error, out, err) => resolve({ ok: error === null, out, err }),
    );
    child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
  });
}

const removeFinalizers = '[{"op": "remove", "path": "/metadata/finalizers"}]';

describe.skipIf('skipped' in plane)(`against a real API server (${reason})`, { timeout: 60_000 }, () => {
  let installed: Reply;
  beforeAll(async () => {
    installed = await kubectl(['apply', '--server-side', '-f', fileURLToPath(new URL('../crds', import.meta.url))]);
    const crds = ['clusteredcaches.cache.my.domain', 'kvstoreclusters.kvstore.example.com'].concat(
      'clouddatabases.db.example.com',
      'monitoredstatefulsets.statefulsets.example.com',
    );
    await kubectl(['wait', '--for=condition=Established', '--timeout=20s', ...crds.map((name) => `crd/${name}`)]);
    await kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });

  it('the definitions are taken without a warning', () => {
    expect(installed).toMatchObject({ ok: true, err: '' });
  });

  it.each(Object.keys(table.accepted))('%s: a manifest is accepted without a warning', async (kind) => {
    const reply = await kubectl(['apply', '--dry-run=server', '-f', '-'], changed(kind, {}));
    expect(reply).toMatchObject({ ok: true, err: '' });
  });

  it.each(seedSamples)('seed $seed $object.kind: $said', async ({ object, status }) => {
    expect(await kubectl(['create', '-f', '-'], object)).toMatchObject({ ok: true, err: '' });
    const name = (object['metadata'] as { readonly name: string }).name;
    if (status !== undefined) {
      const patch = JSON.stringify({ status });
      const words = ['patch', object.kind, name, '--subresource=status', '--type=merge', '-p', patch];
      expect(await kubectl(words)).toMatchObject({ ok: true, err: '' });
      const stored = JSON.parse((await kubectl(['get', object.kind, name, '-o', 'json'])).out) as JsonObject;
      expect(stored['status']).toMatchObject(status);
    }
    await kubectl(['patch', object.kind, name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    expect(await kubectl(['delete', object.kind, name])).toMatchObject({ ok: true });
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
      ['MonitoredStatefulSet', 'databasecluster', 'my-prod-db'],
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
