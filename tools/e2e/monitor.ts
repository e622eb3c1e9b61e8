import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { service } from './service.ts';
import type { World } from './world.ts';

/** A pod that runs the monitoring service, and its Service `monitor`. */
export function monitorPod({ image }: World, namespace: string): readonly object[] {
  // In the pod they lie as they do here, so that they find one another.
  const root = join(import.meta.dirname, '..', '..');
  const servers = readdirSync(join(root, 'examples/cloud-api')).filter((name) =>
    /(?<!\.test|\.config)\.ts$/.test(name),
  );
  const files = ['tools/e2e/pods/monitor.ts', ...servers.map((name) => `examples/cloud-api/${name}`)];
  const data = Object.fromEntries(files.map((file, index) => [`${index}.ts`, readFileSync(join(root, file), 'utf8')]));
  const items = files.map((path, index) => ({ key: `${index}.ts`, path }));
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'monitor', namespace }, data },
    service(namespace, 'monitor', 8080),
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'monitor', namespace, labels: { app: 'monitor' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'monitor',
            image,
            command: ['/usr/bin/node', '/program/tools/e2e/pods/monitor.ts'],
            volumeMounts: [{ name: 'program', mountPath: '/program' }],
          },
        ],
        volumes: [{ name: 'program', configMap: { name: 'monitor', items } }],
      },
    },
  ];
}
