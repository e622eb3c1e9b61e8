import { App, Chart, YamlOutputType } from 'cdk8s';
import { Certificate, Issuer } from './generated/cert-manager.io/v1/constructs.js';
import { Cluster } from './generated/postgresql.cnpg.io/v1/constructs.js';
import { clusterValidator } from './generated/postgresql.cnpg.io/v1/validators.js';

const app = new App({ yamlOutputType: YamlOutputType.FILE_PER_APP });
const chart = new Chart(app, 'orders', { namespace: 'orders' });

const issuer = new Issuer(chart, 'issuer', { metadata: { name: 'internal' }, spec: { selfSigned: {} } });

new Certificate(chart, 'certificate', {
  metadata: { name: 'orders-tls' },
  spec: {
    secretName: 'orders-tls',
    dnsNames: ['orders.example.com'],
    issuerRef: { name: issuer.name, kind: issuer.kind },
  },
});

const database = { metadata: { name: 'orders' }, spec: { instances: 3, storage: { size: '10Gi' } } };
new Cluster(chart, 'database', database);

app.synth();

// The same types and validators serve without cdk8s.
const { spec } = clusterValidator.withDefaults(Cluster.manifest(database));
process.stdout.write(
  `defaulted by the CRD: logLevel ${String(spec.logLevel)}, primaryUpdateStrategy ${String(spec.primaryUpdateStrategy)}\n`,
);
