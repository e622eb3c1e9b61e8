import { buildSync } from 'esbuild';
import { join } from 'node:path';

/** Whom a load writes to, and how. */
export interface Load {
  /** The file of its program in `pods`. */
  readonly program: 'load.ts' | 'etcd-load.ts' | 'nats-load.ts' | 'postgresql-load.ts';
  /** The resource whose three members it asks. */
  readonly name: string;
  /** The Service that governs them, where it has another name. */
  readonly service?: string;
  /** An image with Node: the operator's has it. */
  readonly image: string;
  /** Further variables of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A program with all that it imports, as one file. */
function bundled(program: string): string {
  const { outputFiles } = buildSync({
    ...{ entryPoints: [join(import.meta.dirname, 'pods', program)], bundle: true, write: false, minify: true },
    ...{ platform: 'node', format: 'esm', target: 'node22', external: ['pg-native'] },
    banner: { js: "import { createRequire as by } from 'node:module'; const require = by(import.meta.url);" },
  });
  return outputFiles[0]?.text ?? '';
}

/** A pod that writes 500 keys a second to the members of a resource, each until it is acknowledged, and its program. */
export function loadPodOf(
  namespace: string,
  { program, name, service = name, image, environment = {} }: Load,
): readonly object[] {
  const members = [0, 1, 2].map((ordinal) => `${name}-${ordinal}.${service}`).join(',');
  const container = {
    ...{ name: 'load', image, command: ['/usr/bin/node', '/scripts/load.mjs'] },
    env: Object.entries({ MEMBERS: members, ...environment }).map(([variable, value]) => ({ name: variable, value })),
    volumeMounts: [{ name: 'scripts', mountPath: '/scripts' }],
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'load', namespace },
      data: { 'load.mjs': bundled(program) },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'load', namespace },
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 0,
        containers: [container],
        volumes: [{ name: 'scripts', configMap: { name: 'load' } }],
      },
    },
  ];
}
