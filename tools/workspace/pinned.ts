/** The parts of a lock file of npm (version 3) that say what is installed. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
}

const registry = 'https://registry.npmjs.org/';

/**
 * What in a lock file is not pinned to one content from the public registry, one line each: an entry without an integrity of SHA-512, or one that comes from
 * anywhere else than the registry. Packages that came inside another's archive have an integrity too, that of the same version from the registry; npm keeps it.
 */
export function looseEntries({ packages }: Lock): readonly string[] {
  return Object.entries(packages).flatMap(([path, { link, resolved, integrity }]) => {
    if (!path.includes('node_modules/')) return [];
    // The workspace's own packages.
    if (link === true)
      return /^(apps|libs|tools)\/[\w-]+$/.test(resolved ?? '') ? [] : [`${path} links to ${resolved}`];
    const isElsewhere = resolved !== undefined && !resolved.startsWith(registry);
    return [
      ...(isElsewhere ? [`${path} comes from ${resolved}`] : []),
      ...(/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '') ? [] : [`${path} has no integrity`]),
    ];
  });
}

/** The bases of a Dockerfile that are not pinned by digest. `scratch` and the names of earlier stages need none. */
export function looseBases(dockerfile: string): readonly string[] {
  const stages = new Set(['scratch']);
  const loose: string[] = [];
  for (const line of dockerfile.split('\n')) {
    const [word = '', ...rest] = line.trim().split(/\s+/);
    if (word.toUpperCase() !== 'FROM') continue;
    const [base = '', as = '', stage = ''] = rest.filter((part) => !part.startsWith('--'));
    if (!stages.has(base) && !/@sha256:[0-9a-f]{64}$/.test(base)) loose.push(base);
    if (as.toUpperCase() === 'AS') stages.add(stage);
  }
  return loose;
}
