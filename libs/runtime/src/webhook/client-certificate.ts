import type { PeerCertificate } from 'node:tls';

/** Whose certificates callers have to present. */
export interface ClientCertificates {
  /** The authorities that have to have signed them, in PEM. */
  readonly authorities: string;
  /** The common names that they may have, which are user names for Kubernetes. Where there are none, it is enough that an authority has signed. */
  readonly names: readonly string[];
}

/** Whether a certificate that was verified is of one who may ask. */
export function mayAsk(certificate: PeerCertificate, { names }: ClientCertificates): boolean {
  if (names.length === 0) return true;
  // Node gives an empty object where none was presented, and a list where there are several common names.
  const { subject } = certificate as Partial<PeerCertificate>;
  return [subject?.CN].flat().some((name) => name !== undefined && names.includes(name));
}
