import type { Case, Json } from '../case.ts';
import { paths } from './objects.ts';

const amounts = (cpu: string, memory: string): Json => ({ requests: { cpu, memory } });
const pod = (name: string, containers: readonly Json[], spec: Json = {}): Json => ({
  metadata: { name },
  spec: { automountServiceAccountToken: false, containers, ...spec },
});
const container = (resources: Json, more: Json = {}): Json => ({ name: 'main', image: 'app:1', resources, ...more });

/** Pods that are changed by their subresources. */
export const podChangeCases: readonly Case[] = [
  {
    name: 'pods: resized in place',
    async body(s) {
      await s.create(paths.pods, pod('a', [container(amounts('100m', '64Mi'))]));
      const at = `${paths.pods}/a/resize`;
      await s.strategic(at, { spec: { containers: [container(amounts('200m', '64Mi'))] } });
      await s.strategic(at, {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ name: 'main', image: 'app:2' }] },
      });
      await s.strategic(at, {
        spec: {
          containers: [{ name: 'main', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }],
        },
      });
      await s.get(at);
      await s.apply(
        at,
        { apiVersion: 'v1', kind: 'Pod', ...pod('a', [container(amounts('400m', '64Mi'))]) },
        { force: true },
      );
    },
  },
  {
    name: 'pods: changes of resources that are refused',
    async body(s) {
      await s.create(paths.pods, pod('a', [container(amounts('100m', '64Mi')), { name: 'other', image: 'app:1' }]));
      const at = `${paths.pods}/a/resize`;
      const change = (containers: readonly Json[]) => s.merge(at, { spec: { containers } });
      const other = { name: 'other', image: 'app:1' };
      await change([container(amounts('100m', '64Mi'))]);
      await change([other, container(amounts('100m', '64Mi'))]);
      await change([container({ requests: { cpu: '100m' } }), other]);
      await change([container({ requests: { cpu: '-1', memory: '64Mi' } }), other]);
      await change([container({ requests: { cpu: '100m', memory: '64Mi', 'ephemeral-storage': '1Gi' } }), other]);
      const whole = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } };
      await change([container(whole), container(whole, { name: 'other' })]);
      await s.create(paths.pods, pod('b', [container({})]));
      await s.merge(`${paths.pods}/b/resize`, { spec: { containers: [container(amounts('100m', '64Mi'))] } });
    },
  },
  {
    name: 'pods: ephemeral containers',
    async body(s) {
      await s.create(paths.pods, pod('a', [container({})]));
      const at = `${paths.pods}/a/ephemeralcontainers`;
      const debug = (name: string, more: Json = {}): Json => ({ name, image: 'debug:1', ...more });
      await s.strategic(at, {
        spec: { ephemeralContainers: [debug('first', { targetContainerName: 'main', stdin: true })] },
      });
      await s.strategic(at, { metadata: { labels: { a: 'b' } }, spec: { ephemeralContainers: [debug('second')] } });
      await s.merge(at, { spec: { ephemeralContainers: [] } });
      await s.strategic(at, { spec: { ephemeralContainers: [debug('main')] } });
      await s.strategic(at, { spec: { ephemeralContainers: [debug('third', { targetContainerName: 'none' })] } });
      await s.strategic(at, { spec: { ephemeralContainers: [debug('third', { ports: [{ containerPort: 80 }] })] } });
      await s.strategic(at, { spec: { ephemeralContainers: [debug('A_b'), { name: 'fourth' }] } });
      await s.create(paths.pods, pod('b', [container({})], { ephemeralContainers: [debug('first')] }));
      await s.get(`${paths.pods}/a`);
    },
  },
];
