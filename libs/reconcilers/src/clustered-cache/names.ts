/** The finalizer by which a member's name is kept from being taken again before we agree. It does not keep its process alive. */
export const preTerminateHook = 'cache.my.domain/pre-terminate-hook';

/** The finalizer of the resource: its pods must not keep theirs when it is gone (S0.6). */
export const releaseMembers = 'cache.my.domain/release-members';

/** On each child: the hash of what was applied, so that a field that is wanted no more is noticed. */
export const appliedHashAnnotation = 'ordinal.dev/applied-hash';

/** How commands name a cache. */
export const cacheNaming = { resource: 'clusteredcache' } as const;
