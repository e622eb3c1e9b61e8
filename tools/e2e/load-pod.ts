import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whom a load writes to, and how. */
export interface Load {
  /** The file of its program in `pods`. */
  readonly program: 'load.ts' | 'etcd-load.ts';
  /** The resource whose three members it asks. */
  readonly name: string;
  /** An image with Node: the operator's has it. */
  readonly image: string;
}

/** A pod that writes 500 keys a second to the members of a resource, each until it is acknowledged, and its program. */
export function loadPodOf(namespace: string, { program, name, image }: Load): readonly object[] {
  const text = readFileSync(join(import.meta.dirname, 'pods', program), 'utf8');
  const members = [0, 1, 2].map((ordinal) => `${name}-${ordinal}.${name}`).join(',');
  const container = {
    ...{ name: 'load', image, command: ['/usr/bin/node', '/scripts/load.ts'] },
    env: [{ name: 'MEMBERS', value: members }],
    volumeMounts: [{ name: 'scripts', mountPath: '/scripts' }],
  };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'load', namespace }, data: { 'load.ts': text } },
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
