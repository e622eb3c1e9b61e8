import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate for a client, as an API server can be given one to ask webhooks with, and its authority. All in PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
  readonly authority: string;
}

/** Issues a client's certificate of an authority of its own. */
export async function issueClientCertificate(commonName: string): Promise<ClientCertificate> {
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  const authorityKeys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: '01',
    name: [{ CN: ['clients'] }],
    signingAlgorithm: algorithm,
    keys: authorityKeys,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity,
    serialNumber: '02',
    subject: [{ CN: [commonName] }],
    issuer: authority.subject,
    signingAlgorithm: algorithm,
    signingKey: authorityKeys.privateKey,
    publicKey: keys.publicKey,
    extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
    authority: authority.toString('pem'),
  };
}
