import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, httpTransport, type Client } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { startControlPlane } from '@ordinal/control-plane';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chartArchive } from '../src/synth/chart/archive.ts';
import { chartFiles, chartName } from '../src/synth/chart/chart.ts';
import { findHelm, helm } from './servers/helm.ts';

/** A release of the chart on a real API server. No pod runs there: what Helm does with the objects is looked at, in the order of these tests. */
const found = findHelm();
const plane = 'program' in found ? await startControlPlane({ environment: process.env }) : { skipped: found.missing };
if ('skipped' in plane) console.log(`skipped: no release of the chart is installed: ${plane.skipped}`);

const namespace = 'ordinal-system';
const folder = mkdtempSync(join(tmpdir(), 'ordinal-release-'));
let client: Client;

/** The former version: a definition lacks a field, and a manifest is there that the newer one has no more. */
function formerFiles(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const path = 'templates/cloud-database-definition.yaml';
  const definition = files[path] ?? '';
  const former = definition.replaceAll('"deletionPolicy"', '"policyOfBefore"');
  expect(former).not.toBe(definition);
  const gone = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: gone }\n';
  const chart = (files['Chart.yaml'] ?? '').replace(/^version: .*$/m, 'version: 0.0.9');
  return { ...files, [path]: former, 'templates/gone.yaml': gone, 'Chart.yaml': chart };
}

beforeAll(async () => {
  if ('skipped' in plane) return;
  client = createClient({ transport: httpTransport(await kubeconfigServer({ text: plane.kubeconfig })) });
  const files = chartFiles();
  writeFileSync(join(folder, 'new.tgz'), await chartArchive(chartName, files));
  writeFileSync(join(folder, 'former.tgz'), await chartArchive(chartName, formerFiles(files)));
}, 120_000);

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  if ('skipped' in plane) return;
  await client.close();
  await plane.stop();
});

async function run(...args: readonly string[]): Promise<string> {
  if ('skipped' in plane || !('program' in found)) throw new Error('there is no cluster');
  const result = await helm(found.program, [...args, '--namespace', namespace, '--kubeconfig', plane.kubeconfigFile]);
  expect(result.stderr).not.toMatch(/error/i);
  expect(result.isDone, result.stderr).toBe(true);
  return result.stdout;
}

const paths = {
  deployment: `/apis/apps/v1/namespaces/${namespace}/deployments/ordinal-operator`,
  gone: `/api/v1/namespaces/${namespace}/configmaps/gone`,
  databases: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clouddatabases.db.example.com',
  policy: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/ordinal-operator-definitions',
  webhooks: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/ordinal-operator',
} as const;

const get = (path: string): Promise<unknown> => client.request('GET', path);
const isThere = (path: string): Promise<boolean> =>
  get(path).then(
    () => true,
    () => false,
  );
const versionOf = async (path: string): Promise<string> =>
  ((await get(path)) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;

describe.skipIf('skipped' in plane)('a release of the chart', () => {
  test('is installed, and fits into the Secret that Helm keeps it in', async () => {
    const notes = await run('install', 'ordinal', join(folder, 'former.tgz'), '--create-namespace');
    expect(notes).toContain('kubectl rollout status -n ordinal-system deployment/ordinal-operator');
    expect(await isThere(paths.gone)).toBe(true);
    const path = `/api/v1/namespaces/${namespace}/secrets/sh.helm.release.v1.ordinal.v1`;
    const { data } = (await get(path)) as { data: { release: string } };
    // The API server takes 1,048,576 bytes.
    expect(Buffer.from(data.release, 'base64').length).toBeLessThan(850_000);
  }, 300_000);

  test('is upgraded with its definitions, and what the newer version has no more goes', async () => {
    await run('upgrade', 'ordinal', join(folder, 'new.tgz'), '--set', 'replicas=3');
    expect(await get(paths.deployment)).toMatchObject({ spec: { replicas: 3 } });
    expect(JSON.stringify(await get(paths.databases))).not.toContain('policyOfBefore');
    expect(await isThere(paths.gone)).toBe(false);
  }, 300_000);

  test('changes nothing when it is upgraded to what it is', async () => {
    const looked = [paths.deployment, paths.databases, paths.policy, paths.webhooks];
    const before = await Promise.all(looked.map(versionOf));
    await run('upgrade', 'ordinal', join(folder, 'new.tgz'), '--set', 'replicas=3');
    expect(await Promise.all(looked.map(versionOf))).toEqual(before);
  }, 300_000);

  test('goes back to the former version', async () => {
    await run('rollback', 'ordinal', '1');
    expect(await get(paths.deployment)).toMatchObject({ spec: { replicas: 2 } });
    expect(JSON.stringify(await get(paths.databases))).toContain('policyOfBefore');
    expect(await isThere(paths.gone)).toBe(true);
  }, 300_000);

  test('leaves the definitions when it is uninstalled, and takes them up when it is installed again', async () => {
    await run('uninstall', 'ordinal');
    expect(await Promise.all([paths.deployment, paths.policy, paths.webhooks].map(isThere))).toEqual([
      false,
      false,
      false,
    ]);
    expect(await isThere(paths.databases)).toBe(true);
    await run('install', 'ordinal', join(folder, 'new.tgz'));
    expect(JSON.stringify(await get(paths.databases))).not.toContain('policyOfBefore');
  }, 300_000);
});
