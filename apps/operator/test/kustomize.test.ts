import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OperatorInstall, type OperatorInstallOptions } from '@ordinal/constructs';
import { builtDirectory } from '@ordinal/control-plane';
import { App } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kustomizeFiles } from '../src/synth/kustomize.ts';

const kubectl = join(builtDirectory(process.env), 'kubectl');
const isBuilt = existsSync(kubectl);
if (!isBuilt) console.log(`skipped: the kustomize base is not built with kubectl: there is no ${kubectl}`);

const folder = mkdtempSync(join(tmpdir(), 'ordinal-kustomize-'));
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

beforeAll(() => {
  for (const [path, text] of Object.entries(kustomizeFiles())) write(path, text);
}, 120_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const byName = (manifests: readonly Manifest[]): ReadonlyMap<string, Manifest> =>
  new Map(manifests.map((each) => [`${each.kind} ${each.metadata.namespace ?? ''}/${each.metadata.name}`, each]));

/** What kustomize makes of a folder. What is parsed is declared as unknown. */
function built(path: string): ReadonlyMap<string, Manifest> {
  const text = execFileSync(kubectl, ['kustomize', join(folder, path)], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return byName(parseAllDocuments(text).map((each) => each.toJSON() as Manifest));
}

const synthesized = (options: OperatorInstallOptions): ReadonlyMap<string, Manifest> =>
  byName(JSON.parse(JSON.stringify(new OperatorInstall(new App(), 'it', options).toJson())) as Manifest[]);

describe.skipIf(!isBuilt)('the kustomize base', () => {
  test('is what `npm run synth` writes into install.yaml', () => {
    expect(built('base')).toEqual(synthesized({}));
  }, 300_000);

  test('takes another image, more replicas, other limits and the monitoring in an overlay, as the options do', () => {
    write('small/kustomization.yaml', 'resources: [operator.yaml]');
    write('small/operator.yaml', kustomizeFiles()['base/operator.yaml'] ?? '');
    write('overlay/kustomization.yaml', overlay);
    const options = {
      image: 'registry.example.com/ordinal:1',
      replicas: 3,
      limits: { memory: '1Gi' },
      monitoring: true,
    };
    const expected = [...synthesized(options)].filter(([, { kind }]) => kind !== 'CustomResourceDefinition');
    expect(built('overlay')).toEqual(new Map(expected));
  });
});

const overlay = `
resources: [../small]
components: [../monitoring]
images: [{ name: docker.io/ordinal/operator, newName: registry.example.com/ordinal, newTag: '1' }]
replicas: [{ name: ordinal-operator, count: 3 }]
patches:
  - target: { kind: Deployment }
    patch: |-
      - op: replace
        path: /spec/template/spec/containers/0/resources/limits/memory
        value: 1Gi
`;
