import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorInstall, valuesSchema } from '@ordinal/constructs';
import { seededRandom } from '@ordinal/simulator';
import { App } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { chartArchive } from '../src/synth/chart/archive.ts';
import { chartFiles, chartName } from '../src/synth/chart/chart.ts';
import { sampledValues, type Values } from './chart-values.ts';
import { findHelm, helm, type HelmResult } from './servers/helm.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

const folder = mkdtempSync(join(tmpdir(), 'ordinal-chart-'));
const archive = join(folder, 'chart.tgz');
const found = findHelm();
if ('missing' in found) console.log(`skipped: helm template is not compared with synth: ${found.missing}`);
const program = 'program' in found ? found.program : '';

const packed = (): Promise<Uint8Array> => chartArchive(chartName, chartFiles());
let bytes: Uint8Array;

beforeAll(async () => {
  bytes = await packed();
  writeFileSync(archive, bytes);
}, 120_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** JSON is YAML, and so a values file. */
async function rendered(values: object, namespace = 'ordinal-system'): Promise<HelmResult> {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return helm(program, ['template', 'it', archive, '--namespace', namespace, '--values', file]);
}

/** What Helm printed, by kind, namespace and name. The definitions are JSON, which is quicker to read as such. */
function manifestsIn(text: string): ReadonlyMap<string, Manifest> {
  const parts = text.split(/^---\n/m).map((part) => part.replace(/^# Source: .*\n/gm, '').trim());
  return byName(
    parts
      .filter((part) => part !== '')
      .flatMap((part) =>
        // What is parsed is declared as unknown or any.
        part.startsWith('{')
          ? [JSON.parse(part) as Manifest]
          : parseAllDocuments(part).map((each) => each.toJSON() as Manifest),
      ),
  );
}

function synthesized(values: Values, namespace: string): ReadonlyMap<string, Manifest> {
  const install = new OperatorInstall(new App(), 'it', { ...values, namespace, createNamespace: false });
  return byName(JSON.parse(JSON.stringify(install.toJson())) as Manifest[]);
}

const byName = (manifests: readonly Manifest[]): ReadonlyMap<string, Manifest> =>
  new Map(
    manifests.map((manifest) => [
      `${manifest.kind} ${manifest.metadata.namespace ?? ''}/${manifest.metadata.name}`,
      manifest,
    ]),
  );

const keep = { 'helm.sh/resource-policy': 'keep' };

/** The definitions as the constructs have them: Helm's own annotation is what a chart adds to them. */
function withoutKeep(manifests: ReadonlyMap<string, Manifest>): ReadonlyMap<string, Manifest> {
  return new Map(
    [...manifests].map(([name, manifest]) => {
      if (manifest.kind !== 'CustomResourceDefinition') return [name, manifest];
      const { annotations, ...metadata } = manifest.metadata;
      expect(annotations).toEqual(keep);
      return [name, { ...manifest, metadata }];
    }),
  );
}

const random = seededRandom(20261126);
const namespaces = ['ordinal-system', 'shop', '123'] as const;
const sampled = Array.from({ length: 50 }, (_, index) => ({
  values: sampledValues(random),
  namespace: namespaces[index % namespaces.length] ?? 'shop',
}));

describe.skipIf(program === '')('the Helm chart', () => {
  test('has every value in values.yaml, and what it says of each is its default', async () => {
    const shown = await helm(program, ['show', 'values', archive]);
    const names = [...shown.stdout.matchAll(/^(?:# )?(\w+):/gm)].map(([, name]) => name);
    expect(names).toEqual(Object.keys(valuesSchema.properties));
    const { stdout, stderr } = await rendered({});
    expect(stderr).toBe('');
    expect(withoutKeep(manifestsIn(stdout))).toEqual(synthesized({}, 'ordinal-system'));
  });

  test.each(sampled)('renders what the constructs synthesize: $values', async ({ values, namespace }) => {
    const { stdout, stderr } = await rendered(values, namespace);
    expect(stderr).toBe('');
    expect(withoutKeep(manifestsIn(stdout))).toEqual(synthesized(values, namespace));
  });

  test('reserves nothing where every namespace is watched by name', async () => {
    const values = {
      crds: false,
      watchNamespaces: ['ordinal-system', 'kube-system', 'kube-public', 'kube-node-lease'],
    };
    const { stdout } = await rendered(values);
    expect(manifestsIn(stdout)).toEqual(synthesized(values, 'ordinal-system'));
    expect(stdout).not.toContain('reserved-namespaces');
  });

  test.each<[object, RegExp]>([
    [{ replicas: 0 }, /'\/replicas'.*(?:minimum: got 0, want 1)/],
    [{ replicas: '2' }, /'\/replicas': got string, want integer/],
    [{ replica: 3 }, /additional properties 'replica' not allowed/],
    [{ name: 'Blue' }, /'\/name': 'Blue' does not match pattern/],
    [{ podSecurity: 'strict' }, /'\/podSecurity': value must be one of 'privileged', 'baseline', 'restricted'/],
    [{ imagePullPolicy: 'always' }, /'\/imagePullPolicy': value must be one of 'Always', 'IfNotPresent', 'Never'/],
    [{ watchNamespaces: 'shop' }, /'\/watchNamespaces': got string, want array/],
    [{ watchNamespaces: ['shop', 'shop'] }, /'\/watchNamespaces': items at 0 and 1 are equal/],
    [{ reservedNamespaces: [] }, /'\/reservedNamespaces': minItems: got 0, want 1/],
    [{ requests: { cpu: '1 core' } }, /'\/requests\/cpu': '1 core' does not match pattern/],
    [{ limits: { disk: '1Gi' } }, /'\/limits': additional properties 'disk' not allowed/],
    [{ webhooks: 'false' }, /'\/webhooks': got string, want boolean/],
    [{ webhookClients: { configMap: 'a' } }, /'\/webhookClients': missing property 'names'/],
    [{ flags: ['log-level=debug'] }, /'\/flags\/0': 'log-level=debug' does not match pattern '\^--\[a-z\]'/],
    [{ tolerations: [{ effect: 'Never' }] }, /'\/tolerations\/0\/effect': value must be one of 'NoSchedule'/],
  ])('refuses %j and says what is right', async (values, message) => {
    const { isDone, stderr } = await rendered(values);
    expect(isDone).toBe(false);
    expect(stderr).toMatch(message);
  });

  test('can be a part of another chart, which gives it `global`', async () => {
    expect(await rendered({ crds: false, global: { any: true } })).toMatchObject({ isDone: true });
  });
});

describe('the archive of the chart', () => {
  test('has the same bytes twice', async () => {
    expect(Buffer.from(await packed()).equals(Buffer.from(bytes))).toBe(true);
  });
});
