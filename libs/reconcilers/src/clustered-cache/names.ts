/** The finalizer by which a member's name is kept from being taken again before we agree. It does not keep its process alive. */
export const preTerminateHook = 'cache.my.domain/pre-terminate-hook';

/** The finalizer of the resource: its pods must not keep theirs when it is gone (S0.6). */
export const releaseMembers = 'cache.my.domain/release-members';

/** The UID of a member whose gates a user opens by hand, for that one time. */
export const openGatesAnnotation = 'cache.my.domain/open-gates';

/** On the StatefulSet: the template that ran before the upgrade, for a rollback. */
export const previousTemplateAnnotation = 'ordinal.dev/previous-template';

/** On each child: the hash of what was applied, so that a field that is wanted no more is noticed. */
export const appliedHashAnnotation = 'ordinal.dev/applied-hash';

/** The member that may be deleted now because the webhook has allowed it: its UID, until when it may take to be seen to terminate, and its name. */
export const reservationAnnotation = 'cache.my.domain/reservation';
