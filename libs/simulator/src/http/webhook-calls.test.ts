import { expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
import { ApiServer } from '../api-server/index.ts';
import { SimulatedCluster } from '../cluster/simulated-cluster.ts';
import { httpsWebhooks } from './webhook-calls.ts';

const configurations = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
};

it('a webhook whose url is none has failed, and the server goes on', async () => {
  const cluster = await SimulatedCluster.start({ nodes: 0, controllers: false });
  const plain = new ApiServer({ clock: systemClock, random: () => 0.5, webhooks: httpsWebhooks });
  for (const server of [cluster.server, plain]) {
    const hook = {
      name: 'nowhere.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'nonsense' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    };
    const body = { metadata: { name: 'nowhere' }, webhooks: [hook] };
    expect(server.execute({ verb: 'create', resource: configurations, body }).status).toBe(201);
    const resource = { group: '', version: 'v1', plural: 'configmaps' };
    const config = { metadata: { name: 'settings' } };
    expect(server.execute({ verb: 'create', namespace: 'default', resource, body: config })).toMatchObject({
      status: 500,
      body: {
        message:
          'Internal error occurred: failed calling webhook "nowhere.example.com": failed to call webhook: Post "nonsense": unsupported protocol scheme ""',
      },
    });
  }
  cluster.stop();
});
