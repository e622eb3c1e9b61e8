import type { Case } from '../case.ts';
import bodies from './protobuf-bodies.json' with { type: 'json' };

const contentType = 'application/vnd.kubernetes.protobuf';

/** What `kubectl create`, `run` and `auth can-i` 1.36 send, byte for byte: they write built-in kinds in protobuf. */
const created: readonly Case[] = Object.entries(bodies).map(([path, body]) => ({
  name: `protobuf: ${path}`,
  body: async (s) => {
    const request = { method: 'POST', path: `${path}?dryRun=All`, contentType } as const;
    await s.send({ ...request, body: Buffer.from(body, 'base64') });
    await s.send({ ...request, path: `${path}?dryRun=All&fieldValidation=Strict`, body: Buffer.from(body, 'base64') });
  },
}));

/** Bodies in protobuf, and what is none. */
export const protobufCases: readonly Case[] = [
  ...created,
  {
    name: 'protobuf: what is no protobuf',
    body: async (s) => {
      const request = { method: 'POST', path: '/api/v1/namespaces/:ns/configmaps', contentType } as const;
      await s.send({ ...request, body: '{"kind":"ConfigMap"}' });
      await s.send({ ...request, body: Buffer.from('k8s\0') });
    },
  },
];
