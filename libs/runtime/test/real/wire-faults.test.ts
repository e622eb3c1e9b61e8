import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createClient, httpTransport, namespaces } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { startCopying } from './copying.ts';
import { tcpProxy } from './tcp-proxy.ts';

// `npm run cluster -- control-plane`, then KUBECONFIG as it says. WIRE_CHANGES: how many changes are made while the wire is broken.
const kubeconfig = process.env['KUBECONFIG'];
const changes = Number(process.env['WIRE_CHANGES'] ?? 1000);
const objects = 50;
const namespace = `wire-${process.pid}`;

describe('an operator on a bad wire to a real API server', async () => {
  if (kubeconfig === undefined) {
    it.skip('skipped: KUBECONFIG does not name one');
    return;
  }
  const server = await kubeconfigServer({ files: [kubeconfig] });
  const user = createClient({ transport: httpTransport(server) });
  const url = new URL(server.url);
  const proxy = await tcpProxy({ host: url.hostname, port: Number(url.port) });
  const proxied = new URL(server.url);
  proxied.port = String(proxy.port);
  const operatorClient = createClient({
    transport: httpTransport({ ...server, url: proxied.origin }),
    timeoutMs: 5000,
  });
  afterAll(async () => {
    proxy.mend();
    await operatorClient.close();
    await proxy.close();
    await user(namespaces).cluster().delete(namespace);
    await user.close();
  });

  it(`reconciles every one of ${changes} changes, none of them twice at a time`, async () => {
    const operator = { user, operator: operatorClient, name: 'wire', namespace, objects };
    const timing = { silenceMs: 3000, backoffBaseMs: 50, backoffCapMs: 1000 };
    const copying = await startCopying({ ...operator, timing });
    let changing = true;
    const breaking = (async () => {
      for (let fault = 0; changing; fault += 1) {
        if (fault % 3 === 0) proxy.reset();
        else if (fault % 3 === 1) proxy.stall();
        else proxy.cut();
        await pause(fault % 3 === 1 ? 400 : 100);
        proxy.mend();
        await pause(300);
      }
      return undefined;
    })();
    for (let change = 1; change <= changes; change += 1) await copying.want(change);
    changing = false;
    await breaking;
    expect(await copying.leftBehind()).toEqual([]);
    expect(await copying.stop()).toEqual({ twice: 0, unhandled: [] });
  }, 180_000);
});
