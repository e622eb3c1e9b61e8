import type { Case, Json } from '../case.ts';
import { configMap, paths, pod } from './objects.ts';
import { until } from './until.ts';

/** No scheduler writes its status. */
const gated = { schedulingGates: [{ name: 'example.com/wait' }] };
const path = '/api/v1/namespaces/:ns/resourcequotas';

const isCounted = (wanted: Json) => (_: number, body: Json) =>
  JSON.stringify((body as { status?: Json }).status?.['used']) === JSON.stringify(wanted);

/** What the controller of quotas writes into their statuses: for worlds whose controllers run. */
export const quotaControllerCases: readonly Case[] = [
  {
    name: 'quotas: what is there is counted, and what goes or ends gives room',
    async body(s) {
      const at = (each: string): string => each.replaceAll(':ns', s.namespace);
      await s.create(paths.configMaps, configMap('a'));
      await s.create(paths.pods, pod('a', gated));
      const hard = {
        'count/configmaps': '5',
        pods: '1',
        'count/pods': '5',
        'requests.example.com/gpu': '3',
        'count/things.example.com': '1',
      };
      await s.create(path, { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'a' }, spec: { hard } });
      const used = (maps: string, pods: string, all: string): Json => ({
        ...{ 'count/configmaps': maps, 'count/pods': all, pods, 'requests.example.com/gpu': '0' },
      });
      await until(s, at(`${path}/a`), isCounted(used('2', '1', '1')));
      await s.get(`${path}/a`);
      await s.create(paths.pods, pod('b', gated));
      await s.merge(`${paths.pods}/a/status`, { status: { phase: 'Succeeded' } });
      await until(s, at(`${path}/a`), isCounted(used('2', '0', '1')));
      await s.create(paths.pods, pod('b', gated));
      await s.delete(`${paths.configMaps}/a`);
      await until(s, at(`${path}/a`), isCounted(used('1', '1', '2')));
      await s.merge(`${path}/a`, { spec: { hard: { pods: '2', 'count/pods': null } } });
      await until(s, at(`${path}/a`), (_, body) => (body as { status: { hard: Json } }).status.hard['pods'] === '2');
      const { body } = await s.get(`${path}/a`);
      s.record('status', (body as Json)['status']);
    },
  },
];
