#!/usr/bin/env node
/* The program `ordinal-simulate`: a simulated API server on a port, with the CRDs of a directory, and a kubeconfig to reach it. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '@ordinal/client';
import { cel } from '@ordinal/schema/cel';
import { parseAllDocuments } from 'yaml';
import { ApiServer } from '../api-server/index.ts';
import { kubeconfigOf } from './kubeconfig.ts';
import { listen } from './listen.ts';

const usage = `ordinal-simulate [--crds DIR] [--port N] [--kubeconfig FILE]

Serves a simulated Kubernetes API on the loopback address: objects, watches, server-side apply and custom kinds with
real semantics, no controllers and no nodes. Whoever reaches it is its administrator.

  --crds DIR         installs every CustomResourceDefinition in DIR's YAML files
  --port N           listens there; a free port unless told
  --kubeconfig FILE  where the kubeconfig is written; ./simulated.kubeconfig unless told
`;

const { values } = parseArgs({
  options: {
    crds: { type: 'string' },
    port: { type: 'string' },
    kubeconfig: { type: 'string', default: 'simulated.kubeconfig' },
    help: { type: 'boolean', short: 'h' },
  },
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function install(server: ApiServer, directory: string): void {
  for (const file of readdirSync(directory).filter((name) => /\.ya?ml$/.test(name)))
    for (const document of parseAllDocuments(readFileSync(join(directory, file), 'utf8'))) {
      const body = document.toJS() as { kind?: string; metadata?: { name?: string } } | null;
      if (body?.kind !== 'CustomResourceDefinition') continue;
      const reply = server.execute({
        verb: 'create',
        resource: { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
        body,
      });
      if (reply.status !== 201) throw new Error(`${file}: ${String(reply.body['message'])}`);
      say(`installed ${body.metadata?.name ?? ''}`);
    }
}

async function main(): Promise<void> {
  if (values.help) {
    say(usage);
    return;
  }
  const server = new ApiServer({ clock: systemClock, random: Math.random, cel, requiresNamespaces: true });
  for (const name of ['default', 'kube-system', 'kube-public'])
    server.execute({
      verb: 'create',
      resource: { group: '', version: 'v1', plural: 'namespaces' },
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
  if (values.crds !== undefined) install(server, values.crds);
  const listening = await listen(server, { port: Number(values.port ?? 0) });
  writeFileSync(values.kubeconfig, kubeconfigOf({ server: listening.url }), { mode: 0o600 });
  say(`listening on ${listening.url}; export KUBECONFIG=${values.kubeconfig}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void listening.close());
}

await main();
