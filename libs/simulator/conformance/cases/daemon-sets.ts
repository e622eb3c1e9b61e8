import type { Case, Json } from '../case.ts';

const path = '/apis/apps/v1/namespaces/:ns/daemonsets';

/** A DaemonSet of one container; `spec` is laid over. */
export const daemonSet = (name: string, spec: Json = {}, podSpec: Json = {}): Json => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'agent:1' }], ...podSpec },
    },
    ...spec,
  },
});

const rolling = (rollingUpdate: Json): Json => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });

/** What is asked of a DaemonSet, and how the changes of its template are counted. */
export const daemonSetCases: readonly Case[] = [
  {
    name: 'daemon sets: the changes of a template are counted',
    async body(s) {
      await s.create(path, daemonSet('a'));
      await s.merge(`${path}/a`, { metadata: { annotations: { note: 'a' } } });
      await s.merge(`${path}/a`, { spec: { minReadySeconds: 1 } });
      await s.merge(`${path}/a`, { spec: { template: { metadata: { annotations: { note: 'a' } } } } });
      await s.update(`${path}/a`, daemonSet('a'));
      await s.merge(`${path}/a`, {
        metadata: { annotations: { 'deprecated.daemonset.template.generation': '7' } },
      });
      await s.apply(`${path}/b`, daemonSet('b'));
      await s.apply(`${path}/b`, daemonSet('b', { minReadySeconds: 3 }));
      await s.get(`${path}/b`);
    },
  },
  {
    name: 'daemon sets: what is refused',
    async body(s) {
      await s.create(path, daemonSet('a', { updateStrategy: { type: 'Sometimes' } }));
      await s.create(path, daemonSet('a', rolling({ maxUnavailable: 0 })));
      await s.create(path, daemonSet('a', rolling({ maxUnavailable: '0%', maxSurge: '0%' })));
      await s.create(path, daemonSet('a', rolling({ maxUnavailable: 1, maxSurge: 1 })));
      await s.create(path, daemonSet('a', rolling({ maxUnavailable: '101%' })));
      await s.create(path, daemonSet('a', rolling({ maxUnavailable: -1 })));
      await s.create(path, daemonSet('a', rolling({ maxUnavailable: 'some' })));
      await s.create(path, daemonSet('a', { minReadySeconds: -1, revisionHistoryLimit: -1 }));
      await s.create(path, daemonSet('a', {}, { restartPolicy: 'Never', activeDeadlineSeconds: 3 }));
      await s.create(path, daemonSet('a'));
      const labels = { app: 'b' };
      await s.merge(`${path}/a`, { spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } } });
    },
  },
];
