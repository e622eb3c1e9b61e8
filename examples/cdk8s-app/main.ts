import { ClusteredCache, CloudDatabase, KVStoreCluster, MonitoredStatefulSet } from '@ordinal/constructs';
import { App, Chart } from 'cdk8s';

const app = new App();
const shop = new Chart(app, 'shop', { namespace: 'shop', labels: { team: 'shop' } });

new ClusteredCache(shop, 'sessions', {
  metadata: { name: 'sessions' },
  spec: { replicas: 3, image: 'registry.example.com/cache:2.1', port: 8080 },
});

new KVStoreCluster(shop, 'carts', {
  metadata: { name: 'carts' },
  spec: {
    version: '3.5.9',
    replicas: 3,
    storage: { className: 'fast', size: '10Gi' },
    upgradeStrategy: 'RollingUpdate',
  },
});

new CloudDatabase(shop, 'orders', {
  metadata: { name: 'orders' },
  spec: { engine: 'postgres', size: 'small' },
});

new MonitoredStatefulSet(shop, 'search', {
  metadata: { name: 'search' },
  spec: {
    monitorEndpoint: 'https://monitor.example.com/register',
    statefulSetSpec: {
      serviceName: 'search',
      replicas: 2,
      selector: { matchLabels: { app: 'search' } },
      template: {
        metadata: { labels: { app: 'search' } },
        spec: {
          containers: [
            // A quantity and a port may be a number or a string, as Kubernetes takes them.
            {
              name: 'search',
              image: 'registry.example.com/search:1',
              resources: { requests: { cpu: 1, memory: '1Gi' } },
            },
          ],
        },
      },
    },
  },
});

app.synth();
