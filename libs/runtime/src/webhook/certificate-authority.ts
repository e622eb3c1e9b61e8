import { X509Certificate } from 'node:crypto';
import type * as Library from '@peculiar/x509';
import type { Instant } from '@ordinal/client';

/** A certificate of an authority of our own, what it is signed with, and who may trust it. All in PEM. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
  /** The authority's certificate: what clients have to trust. */
  readonly authority: string;
}

/** What to issue. */
export interface IssueOptions {
  /** The names that clients will use: `ordinal-webhook.ordinal-system.svc`. */
  readonly dnsNames: readonly string[];
  readonly now: Instant;
  readonly validMs: number;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** Clocks of API servers may be a little behind. */
const backdateMs = 300_000;

/**
 * Makes a new authority and one serving certificate of it. The authority's key is thrown away: no other certificate can be issued that clients
 * of this one would trust.
 */
export async function issueCertificate({ dnsNames, now, validMs }: IssueOptions): Promise<IssuedCertificate> {
  const [commonName] = dnsNames;
  if (commonName === undefined) throw new TypeError('a serving certificate needs at least one DNS name');
  const x509 = await loadLibrary();
  const validity = { notBefore: new Date(now - backdateMs), notAfter: new Date(now + validMs) };
  const authorityKeys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: serialNumber(),
    name: [{ CN: [`${commonName} authority`] }],
    signingAlgorithm: algorithm,
    keys: authorityKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity,
    serialNumber: serialNumber(),
    subject: [{ CN: [commonName.slice(0, 64)] }],
    issuer: authority.subject,
    signingAlgorithm: algorithm,
    signingKey: authorityKeys.privateKey,
    publicKey: keys.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: 'dns', value }))),
    ],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    certificate: certificate.toString('pem'),
    key: pem('PRIVATE KEY', key),
    authority: authority.toString('pem'),
  };
}

/** From when to when a certificate is valid. Throws for what is no certificate. */
export function validityOf(certificate: string): {
  readonly from: Instant;
  readonly until: Instant;
  readonly dnsNames: readonly string[];
} {
  const parsed = new X509Certificate(certificate);
  const names = (parsed.subjectAltName ?? '').split(', ');
  return {
    from: Date.parse(parsed.validFrom),
    until: Date.parse(parsed.validTo),
    dnsNames: names.flatMap((name) => (name.startsWith('DNS:') ? [name.slice('DNS:'.length)] : [])),
  };
}

/** Those of a bundle of authorities that a certificate was signed by. Nothing where one of them can't be read. */
export function signersOf(certificate: string, authorities: string): string {
  const all = authorities.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    const signed = new X509Certificate(certificate);
    return all
      .filter((authority) => signed.verify(new X509Certificate(authority).publicKey))
      .map((authority) => `\n${authority}\n`)
      .join('');
  } catch {
    return '';
  }
}

/** Loaded only where a certificate is issued, once in months: it is larger than all of this package. */
async function loadLibrary(): Promise<typeof Library> {
  // The library injects its dependencies by decorators, which need this.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

// Serial numbers only have to differ; they guard nothing, so this randomness is not part of what an operator decides.
function serialNumber(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(15))).toString('hex');
}

function pem(label: string, base64: string): string {
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
