import { spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFromJSON, isBundleWithDsseEnvelope } from '@sigstore/bundle';
import { toSignedEntity, Verifier, type TrustMaterial } from '@sigstore/verify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signerOf } from './key.ts';
import { billOfMaterials, type Lock } from './sbom.ts';
import { seal } from './seal.ts';

const scratch = mkdtempSync(join(tmpdir(), 'ordinal-release-'));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

function newKey(curve = 'P-256') {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: curve });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { pem, publicPem: createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString() };
}

const { pem, publicPem } = newKey();
const origin = {
  version: '1.2.3',
  commit: 'c'.repeat(40),
  lockSha256: 'd'.repeat(64),
  builtWith: 'v26 linux-x64',
  startedOn: '2026-01-01T00:00:00Z',
  finishedOn: '2026-01-01T00:01:00Z',
};

const publicKey = join(scratch, 'public.pem');
const original = join(scratch, 'original');
const files = {
  'install.yaml': 'kind: Namespace\n',
  'packages/a-1.tgz': '\u0000\u0001 binary',
  'name with spaces': '',
};

beforeAll(() => {
  writeFileSync(publicKey, publicPem);
  mkdirSync(join(original, 'packages'), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(original, name), content);
  seal(original, { origin, signer: signerOf(pem) });
});

/** What the script says of a copy of the folder that was changed. */
function verified(change: (folder: string) => void, key = publicKey) {
  const folder = mkdtempSync(join(scratch, 'copy-'));
  cpSync(original, folder, { recursive: true });
  change(folder);
  const { status, stdout, stderr } = spawnSync('sh', [join(import.meta.dirname, 'verify.sh'), key, folder], {
    encoding: 'utf8',
  });
  return { isFine: status === 0, output: stdout + stderr };
}

/** Changes the lowest bit of the byte in the middle of a file. */
function changeByte(path: string): void {
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  writeFileSync(path, bytes);
}

describe('verify.sh', () => {
  test('takes a release as it was signed', () => {
    expect(verified(() => undefined)).toMatchObject({ isFine: true, output: expect.stringContaining('Verified') });
  });

  test.each(['install.yaml', 'packages/a-1.tgz', 'provenance.json', 'provenance.sigstore.json', 'SHA256SUMS'])(
    'finds one changed byte in %s',
    (name) => {
      const { isFine } = verified((folder) => changeByte(join(folder, name)));
      expect(isFine).toBe(false);
    },
  );

  test('says which file was changed', () => {
    expect(verified((folder) => changeByte(join(folder, 'packages/a-1.tgz'))).output).toContain(
      'packages/a-1.tgz: FAILED',
    );
  });

  test('finds a file that was added, emptied or taken away', () => {
    for (const name of ['packages/b.tgz', 'packages/SHA256SUMS', 'SHA256SUMS.tgz'])
      expect(verified((folder) => writeFileSync(join(folder, name), '')).isFine).toBe(false);
    expect(verified((folder) => writeFileSync(join(folder, 'install.yaml'), '')).isFine).toBe(false);
    expect(verified((folder) => rmSync(join(folder, 'install.yaml'))).isFine).toBe(false);
    expect(verified((folder) => rmSync(join(folder, 'SHA256SUMS.sig'))).isFine).toBe(false);
  });

  test('does not take checksums that were made anew for a changed file, or the signature of another key', () => {
    const other = signerOf(newKey().pem);
    expect(verified((folder) => (changeByte(join(folder, 'install.yaml')), seal(folder, { origin }))).isFine).toBe(
      false,
    );
    expect(verified((folder) => seal(folder, { origin, signer: other })).isFine).toBe(false);
    const foreign = join(scratch, 'foreign.pem');
    writeFileSync(foreign, newKey().publicPem);
    expect(verified(() => undefined, foreign).isFine).toBe(false);
  });
});

describe('the signatures', () => {
  const trust = (): TrustMaterial => ({
    certificateAuthorities: [],
    timestampAuthorities: [],
    tlogs: [],
    ctlogs: [],
    publicKey: () => ({ publicKey: createPublicKey(publicPem), validFor: () => true }),
  });
  // There is no transparency log: the key is that of whoever releases.
  const verifier = new Verifier(trust(), { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 });
  const bundle = (name: string) => bundleFromJSON(JSON.parse(readFileSync(join(original, name), 'utf8')));

  test('of the provenance is one of sigstore, and of what stands beside it', () => {
    const signed = bundle('provenance.sigstore.json');
    expect(() => verifier.verify(toSignedEntity(signed))).not.toThrow();
    if (!isBundleWithDsseEnvelope(signed)) throw new Error('it is no envelope');
    const { payload, payloadType } = signed.content.dsseEnvelope;
    expect(payloadType).toBe('application/vnd.in-toto+json');
    expect(Buffer.from(payload).equals(readFileSync(join(original, 'provenance.json')))).toBe(true);
    payload.writeUInt8(payload.readUInt8(20) ^ 1, 20);
    expect(() => verifier.verify(toSignedEntity(signed))).toThrow('signature verification failed');
  });

  test('of the checksums is one of sigstore', () => {
    const list = readFileSync(join(original, 'SHA256SUMS'));
    const signed = bundle('SHA256SUMS.sigstore.json');
    expect(() => verifier.verify(toSignedEntity(signed, list))).not.toThrow();
    expect(() => verifier.verify(toSignedEntity(signed, Buffer.concat([list, Buffer.from('\n')])))).toThrow();
  });

  test('need a key on P-256', () => {
    expect(() => signerOf(newKey('P-384').pem)).toThrow(/EC key on P-256; make one with: openssl genpkey/);
    expect(() => signerOf('no key')).toThrow(/can't be read; make one with/);
  });
});

describe('the provenance', () => {
  test('has every file as a subject, and what it was made from', () => {
    const { subject, predicateType, predicate } = JSON.parse(
      readFileSync(join(original, 'provenance.json'), 'utf8'),
    ) as {
      readonly subject: readonly { readonly name: string }[];
      readonly predicateType: string;
      readonly predicate: { readonly buildDefinition: { readonly resolvedDependencies: unknown } };
    };
    expect(subject.map(({ name }) => name)).toEqual(Object.keys(files).sort());
    expect(predicateType).toBe('https://slsa.dev/provenance/v1');
    expect(predicate.buildDefinition.resolvedDependencies).toContainEqual({
      name: 'source',
      digest: { gitCommit: origin.commit },
    });
  });
});

describe('the bills of materials', () => {
  const root = join(import.meta.dirname, '../../..');
  const read = (name: string): object => JSON.parse(readFileSync(join(root, name), 'utf8')) as object;
  const [manifest, lock] = [read('package.json'), read('package-lock.json') as Lock];

  interface Listed {
    readonly name: string;
  }

  test.each(['cyclonedx', 'spdx'] as const)('in %s has what runs, and not what only development needs', (format) => {
    const bill = JSON.parse(billOfMaterials(format, manifest, lock)) as {
      readonly components?: readonly Listed[];
      readonly packages?: readonly Listed[];
    };
    const names = (bill.components ?? bill.packages ?? []).map(({ name }) => name.replace(/^@.*\//, ''));
    // pg and yaml are dependencies of the workspace's development too.
    expect(names).toEqual(expect.arrayContaining(['operator', 'pg', 'yaml', 'undici', 'prom-client']));
    // The plugin's one file has these in it, and what they need.
    expect(names).toEqual(expect.arrayContaining(['kubectl-ordinal', 'yargs', 'cliui', 'lit-html']));
    expect(names).not.toEqual(expect.arrayContaining(['vitest']));
    expect(names).not.toEqual(expect.arrayContaining(['nx']));
  });
});
