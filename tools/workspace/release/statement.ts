/** A file of a release, and the SHA-256 of its bytes in hexadecimal digits. */
export interface Subject {
  readonly name: string;
  readonly sha256: string;
}

/** What a release was made from and when. */
export interface Origin {
  readonly version: string;
  /** The commit, in full. */
  readonly commit: string;
  /** The SHA-256 of `package-lock.json`, which names each dependency by its integrity. */
  readonly lockSha256: string;
  /** `v26.10.0 linux-x64`: the Node that ran the build, and its machine. */
  readonly builtWith: string;
  /** In RFC 3339. */
  readonly startedOn: string;
  readonly finishedOn: string;
}

/** The type of the payload of a signed statement. */
export const statementType = 'application/vnd.in-toto+json';

/**
 * The provenance of a release: an in-toto statement with the predicate of SLSA 1.0. Only the key that signs it vouches for what it says,
 * which is SLSA's build level 1. Pure.
 */
export function provenance(subjects: readonly Subject[], origin: Origin): object {
  const { version, commit, lockSha256, builtWith, startedOn, finishedOn } = origin;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://ordinal.dev/build/npm-run-release/v1',
        externalParameters: { version },
        internalParameters: { builtWith },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: lockSha256 } },
        ],
      },
      runDetails: {
        builder: { id: 'https://ordinal.dev/build/npm-run-release' },
        metadata: { startedOn, finishedOn },
      },
    },
  };
}
