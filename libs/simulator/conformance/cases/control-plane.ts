import type { Case, Json } from '../case.ts';

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const flow = '/apis/flowcontrol.apiserver.k8s.io/v1';

/** A request of a key that nothing else uses: `openssl req -new -subj /CN=example`. */
const request = [
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITE1IUUNBUUF3RWpFUU1BNEdBMVVFQXd3SFpYaGhiWEJzWlRCWk1CTUdCeX',
  'FHU000OUFnRUdDQ3FHU000OQpBd0VIQTBJQUJKUGs4Ry9EZDlUMzFHUmhUTmlxTzJ3RmEzWTZ1a2lHZmdQaWFORHBHb29QaHd5MmtVK1QyMTdm',
  'CnBpbVNCTlBsd2ppTEdnVWF6MGxRRUVTOUovQUFVWFdnQURBS0JnZ3Foa2pPUFFRREFnTkhBREJFQWlCRXBORTQKSEwzYk9LRnZkSlVGRHpSdG',
  'w3M0JLcHZSNERUVm5FdXNZeVNqQXdJZ1J4RVVZYWZ0WDNvRDdZdzV6RkRycHJBWQprSWgxL2RQb3JRdC9PSGJxM1pRPQotLS0tLUVORCBDRVJU',
  'SUZJQ0FURSBSRVFVRVNULS0tLS0K',
].join('');

const csr = (name: string, spec: Json = {}, text = request): Json => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: { request: text, signerName: 'example.com/signer', usages: ['client auth'], ...spec },
});
const approved = { type: 'Approved', status: 'True', reason: 'Asked', message: 'for' };

const schema = (name: string, spec: Json = {}): Json => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: 'global-default' }, ...spec },
});
const level = (name: string, spec: Json): Json => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name },
  spec,
});

const storage = '/apis/storage.k8s.io/v1';
const stored = (kind: string, name: string, rest: Json): Json => ({
  apiVersion: 'storage.k8s.io/v1',
  kind,
  metadata: { name },
  ...rest,
});

/** Kinds of the control plane that are served: what is stored of them, and what is refused. */
export const controlPlaneCases: readonly Case[] = [
  {
    name: 'certificates: a request, its approval and its certificate',
    async body(s) {
      const at = `${requests}/${s.namespace}`;
      await s.create(requests, csr(s.namespace, { expirationSeconds: 3600, username: 'other' }));
      await s.merge(at, { metadata: { labels: { a: 'b' } }, spec: { signerName: 'example.com/other' } });
      await s.get(`${requests}?fieldSelector=metadata.name%3D${s.namespace}%2Cspec.signerName%3Dexample.com%2Fsigner`);
      await s.merge(`${at}/status`, { status: { conditions: [approved] } });
      await s.merge(`${at}/approval`, { status: { conditions: [approved], certificate: 'YQ==' } });
      await s.merge(`${at}/approval`, { status: { conditions: [approved, { type: 'Denied', status: 'True' }] } });
      await s.merge(`${at}/approval`, { status: { conditions: [] } });
      await s.merge(`${at}/approval`, { status: { conditions: [{ type: 'Approved', status: 'False' }] } });
      await s.get(`${at}/approval`);
      await s.merge(`${at}/status`, { status: { conditions: [approved, { type: 'Failed', status: 'True' }] } });
      await s.delete(at);
    },
  },
  {
    name: 'certificates: requests that are refused',
    async body(s) {
      await s.create(requests, csr('a', {}, 'YQ=='));
      await s.create(requests, csr('a', { usages: [] }));
      await s.create(requests, csr('a', { usages: ['client auth', 'client auth', 'none'] }));
      await s.create(requests, csr('a', { signerName: 'none' }));
      await s.create(requests, csr('a', { signerName: 'kubernetes.io/legacy-unknown' }));
      await s.create(requests, csr('a', { expirationSeconds: 60 }));
    },
  },
  {
    name: 'storage: the deletion of a class or a driver is answered with the object',
    async body(s) {
      await s.create(
        `${storage}/storageclasses`,
        stored('StorageClass', s.namespace, { provisioner: 'example.com/none' }),
      );
      await s.delete(`${storage}/storageclasses/${s.namespace}`);
      await s.create(`${storage}/csidrivers`, stored('CSIDriver', s.namespace, { spec: { attachRequired: false } }));
      await s.send({ method: 'DELETE', path: `${storage}/csidrivers/${s.namespace}?dryRun=All` });
      await s.world.send({ method: 'DELETE', path: `${storage}/csidrivers/${s.namespace}` });
    },
  },
  {
    name: 'autoscalers: one object in two versions',
    async body(s) {
      const at = (version: string): string => `/apis/autoscaling/${version}/namespaces/:ns/horizontalpodautoscalers`;
      const scaler = (version: string, name: string, spec: Json): Json => ({
        apiVersion: `autoscaling/${version}`,
        kind: 'HorizontalPodAutoscaler',
        metadata: { name },
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, ...spec },
      });
      await s.create(at('v1'), scaler('v1', 'a', { targetCPUUtilizationPercentage: 60 }));
      await s.get(`${at('v2')}/a`);
      await s.merge(`${at('v1')}/a`, { spec: { maxReplicas: 5 } });
      const target = { type: 'Utilization', averageUtilization: 40 };
      const metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
      await s.create(at('v2'), scaler('v2', 'b', { metrics }));
      await s.get(`${at('v1')}/b`);
      await s.create(at('v2'), scaler('v2', 'c', {}));
      await s.get(at('v1'));
    },
  },
  {
    name: 'flow control: schemas and levels',
    async body(s) {
      await s.create(
        `${flow}/flowschemas?dryRun=All`,
        schema(s.namespace, { distinguisherMethod: { type: 'ByUser' } }),
      );
      await s.create(`${flow}/flowschemas`, schema(s.namespace));
      // Whether its level exists is written by the server itself, a little later.
      await s.world.send({ method: 'DELETE', path: `${flow}/flowschemas/${s.namespace}` });
      const limited = { limitResponse: { type: 'Queue', queuing: {} } };
      await s.create(`${flow}/prioritylevelconfigurations`, level(s.namespace, { type: 'Limited', limited }));
      await s.merge(`${flow}/prioritylevelconfigurations/${s.namespace}`, {
        spec: { limited: { nominalConcurrencyShares: 4 } },
      });
      await s.delete(`${flow}/prioritylevelconfigurations/${s.namespace}`);
      await s.create(
        `${flow}/prioritylevelconfigurations?dryRun=All`,
        level(s.namespace, { type: 'Exempt', exempt: {} }),
      );
    },
  },
  {
    name: 'flow control: schemas and levels that are refused',
    async body(s) {
      for (const spec of [
        { matchingPrecedence: -1 },
        { matchingPrecedence: 10001 },
        { matchingPrecedence: 1 },
        { priorityLevelConfiguration: { name: '' } },
        { priorityLevelConfiguration: { name: 'A_b' } },
      ])
        await s.create(`${flow}/flowschemas`, schema('a', spec));
      await s.create(`${flow}/prioritylevelconfigurations`, level('a', { type: 'Some' }));
      await s.create(`${flow}/prioritylevelconfigurations`, level('a', { type: 'Limited' }));
      await s.create(
        `${flow}/prioritylevelconfigurations`,
        level('a', { type: 'Limited', limited: { limitResponse: { type: 'Wait' } } }),
      );
    },
  },
];
