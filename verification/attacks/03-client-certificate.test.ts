import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueClientCertificate, type ClientCertificate } from '../../libs/runtime/test/client-certificate.ts';
import { answerIn, readReply, reviewRequest } from '../../libs/runtime/test/listener.ts';
import { apiServerName } from './world/plane.ts';
import { startWorld, type World } from './world/world.ts';

// Whoever reaches the port of the webhooks could ask them. With the authorities of the API server's certificate given, only the API server can.

const directory = mkdtempSync(join(tmpdir(), 'ordinal-authorities-'));
const file = join(directory, 'ca.crt');
let certificate: ClientCertificate;
let world: World;

beforeAll(async () => {
  // That a world starts is half of the test: it waits until the API server has asked a webhook and got an answer.
  world = await startWorld({
    flags: [`--webhook-client-ca=${file}`, `--webhook-client-names=${apiServerName}`],
    prepare(plane) {
      certificate = plane.certificate;
      writeFileSync(file, certificate.authority);
    },
  });
});

afterAll(async () => {
  await world.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** What a caller gets for a review; empty where the listener hangs up. */
async function asked(client: Partial<ClientCertificate>): Promise<string> {
  const { cert, key } = client;
  const identity = cert === undefined || key === undefined ? {} : { cert, key };
  const socket = connect({
    ...{ host: '127.0.0.1', port: world.plane.ports.webhooks, rejectUnauthorized: false, ...identity },
  });
  socket.on('error', () => undefined);
  socket.write(reviewRequest('/validate'));
  const reply = await readReply(socket);
  socket.destroy();
  return reply;
}

test('the API server, which presents its certificate, is answered', async () => {
  expect(answerIn(await asked(certificate))).toEqual({ status: 200, allowed: true });
});

test('who presents none, or one of another authority, is not', async () => {
  expect(await asked({})).toBe('');
  expect(await asked(await issueClientCertificate(apiServerName))).toBe('');
});
