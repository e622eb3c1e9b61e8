import { purposeLabel, sealAnnotation, subjectAnnotation } from '@ordinal/constructs';
import type { JobMarks } from '@ordinal/lifecycle';
import { pausedBy, retriesBy } from '@ordinal/lifecycle';

/** The annotation that stops all work on an object while it is `"true"`, save its deletion. One name and one meaning for all kinds. */
export const pausedAnnotation = 'ordinal.dev/paused';

/** The annotation that has what has failed tried again at once: each new value does, once. One name and one meaning for all kinds. */
export const retryAnnotation = 'ordinal.dev/retry';

/** The annotation that has the password of a database rotated at once: each new value does, once. */
export const rotateAnnotation = 'ordinal.dev/rotate';

/** The UIDs of members whose gates a user opens by hand, for that one time, with commas between. One name and one meaning for all kinds. */
export const openGatesAnnotation = 'ordinal.dev/open-gates';

/** The member that may be deleted now because the webhook has allowed it: its UID, until when it may take to be seen to terminate, and its name. */
export const reservationAnnotation = 'ordinal.dev/reservation';

/** What of these says something of single members. */
export const memberAnnotations = { openGates: openGatesAnnotation, reservation: reservationAnnotation };

/** The annotation that lets canaries that wait for a promotion go on. */
export const promoteAnnotation = 'ordinal.dev/promote';

/** The annotation by which a user consents that a StatefulSet is taken over: its UID. */
export const adoptAnnotation = 'ordinal.dev/adopt';

/** The annotation that ends an upgrade. */
export const abortAnnotation = 'ordinal.dev/abort';

/** The annotation of a gate's Job that says when it was asked, by the clock of the operator that asks. */
export const askedAtAnnotation = 'ordinal.dev/asked-at';

/** Where a Job bears the operator's seal, and what of its metadata is believed with it. */
export const jobMarks: JobMarks = {
  sealAnnotation,
  labels: [purposeLabel],
  annotations: [subjectAnnotation, askedAtAnnotation],
};

/** The annotations that are read of Jobs. */
export const readOfJobs: readonly string[] = [jobMarks.sealAnnotation, ...jobMarks.annotations];

/** On a StatefulSet: the template that ran before the upgrade, for a rollback. */
export const previousTemplateAnnotation = 'ordinal.dev/previous-template';

/** The annotation whose change asks for a look at once. */
export const reconcileRequestedAnnotation = 'ordinal.dev/reconcile-requested-at';

/** Whether a user has stopped all work on an object. */
export const isPaused = pausedBy(pausedAnnotation);

/** How a user asks for what has failed to be tried again. */
export const retries = retriesBy(retryAnnotation);
