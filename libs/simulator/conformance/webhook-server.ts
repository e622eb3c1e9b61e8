import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Json } from './case.ts';

/** How a webhook of the test answers: a response of an AdmissionReview or ConversionReview, or a whole reply. */
export type Answer = (request: Json) => Json | { readonly status: number; readonly text: string } | 'never';

/** A webhook that a case serves on the loopback address, with TLS, to whichever world asks. */
export interface WebhookServer {
  /** `https://127.0.0.1:PORT` */
  readonly origin: string;
  /** The certificate in PEM, as base64: what a configuration's `caBundle` has. */
  readonly caBundle: string;
  /** What it was asked since it was last looked at: each review's request, with its path. */
  taken(): readonly Json[];
  close(): void;
}

/** Serves webhooks, one for each path, with a certificate of this name. */
export async function serveWebhooks(
  answers: Readonly<Record<string, Answer>>,
  name = 'webhook',
): Promise<WebhookServer> {
  const { key, cert } = await certificate(name);
  let asked: Json[] = [];
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const path = new URL(incoming.url ?? '/', 'https://localhost').pathname;
      // What API servers send.
      const review = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json & { readonly request: Json };
      asked.push({ path, ...review.request });
      const answer = answers[path]?.(review.request) ?? { allowed: true };
      if (answer === 'never') return;
      const whole = 'text' in answer;
      outgoing.writeHead(whole ? Number(answer['status']) : 200, { 'content-type': 'application/json' });
      const response = { uid: review.request['uid'], ...answer };
      const reply = { apiVersion: review['apiVersion'], kind: review['kind'], response };
      outgoing.end(whole ? String(answer['text']) : JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // A TCP server's address is never a pipe's name.
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(cert).toString('base64'),
    taken() {
      const taken = asked;
      asked = [];
      return taken;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function certificate(name: string): Promise<{ readonly key: string; readonly cert: string }> {
  // The library asks for it when it is loaded.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
    ],
  });
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { key: x509.PemConverter.encode(key, 'PRIVATE KEY'), cert: cert.toString('pem') };
}
