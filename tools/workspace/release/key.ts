import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';

/** Who signs a release. */
export interface Signer {
  /** ECDSA with SHA-256, as DER. */
  sign(data: Uint8Array): Buffer;
  /** Which key it was: the SHA-256 of the public key in DER. */
  readonly hint: string;
}

const advice = 'make one with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out release.key';

/** A signer with a private key in PEM (PKCS 8), of the kind that cosign uses: ECDSA on P-256. Throws where it is no such key, and says what would be one. */
export function signerOf(pem: string, passphrase?: string): Signer {
  const key = keyOf(pem, passphrase);
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new TypeError(`the key of a release is an EC key on P-256; ${advice}`);
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return {
    sign: (data) => sign('sha256', data, key),
    hint: createHash('sha256').update(der).digest('hex'),
  };
}

function keyOf(pem: string, passphrase: string | undefined): KeyObject {
  try {
    return createPrivateKey(passphrase === undefined ? pem : { key: pem, passphrase });
  } catch (cause) {
    throw new TypeError(`the key of the release can't be read; ${advice}`, { cause });
  }
}
